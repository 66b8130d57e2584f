#!/usr/bin/env python3
"""Makes tests/models/data: tiny random-weight models with the logits that Hugging Face transformers computes.

    python tools/oracle/make_tiny_models.py --llama-cpp DIR      DIR: a llama.cpp source tree (its converter is used)

Needs requirements.txt. Run by hand, the results are committed.

Each model is written as a Hugging Face folder with a small SentencePiece vocabulary and converted to GGUF by the
convert_hf_to_gguf.py of llama.cpp, so that names, permutations and folded norms are those of real files. The logits are
float32, eager attention, whole sequence at once; feeding token by token must give the same (checked here). Weights are
scaled so that logits vary well, norms are not all ones and biases not zero; for each mechanism that a variant exists
for, the script checks that leaving it out changes the logits (`without`), so that a test on these files cannot pass
without it. The seed is the first for which the best token of every row leads clearly and rounding K and V to F16
(Godwit's default cache) moves the logits little, so that tests can ask for equal best tokens and an error of 3e-3 with
such a cache.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings
import zlib

import numpy as np
import sentencepiece
import torch
import transformers
from transformers import (Gemma3ForCausalLM, Gemma3TextConfig, LlamaConfig, LlamaForCausalLM, Qwen2Config,
                          Qwen2ForCausalLM, Qwen3Config, Qwen3ForCausalLM)

VOCABULARY = 320
MAX_FILE = 200_000
F16_CACHE_ERROR = 1.5e-3  # largest difference of a row, relative to its largest magnitude
LEAST_LEAD = 3e-3  # of the best token over the second, relative to the largest magnitude of the row
OUT = pathlib.Path(__file__).resolve().parents[2] / "tests/models/data"

# The vocabulary is trained on this and the first token sequence is its beginning.
TEXT = """the godwit leaves the cold north in the autumn and flies over the open ocean without a rest.
it eats well before it goes, and its body makes itself light for the long flight.
when the wind turns the flock turns with it, and the birds at the front change places with those behind.
nobody shows the young birds the way. they find the other end of the world by the sun, the stars and the field.
"""

COMMON = dict(vocab_size=VOCABULARY, bos_token_id=1, eos_token_id=2, pad_token_id=0, max_position_embeddings=128,
              rms_norm_eps=1e-5, attention_dropout=0.0)
LLAMA = dict(hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
             tie_word_embeddings=False, rope_parameters=dict(rope_type="default", rope_theta=10000.0))
# Wider heads than hidden_size / heads: more rotary frequencies, and head_dim must be read from the file.
WIDE = dict(LLAMA, head_dim=16, tie_word_embeddings=True)
PLAIN_ROPE = dict(rope_type="default", rope_theta=100.0)
YARN = dict(rope_type="yarn", rope_theta=100.0, factor=4.0, original_max_position_embeddings=32)
GEMMA3 = dict(hidden_size=24, intermediate_size=32, num_hidden_layers=7, num_attention_heads=4, num_key_value_heads=2,
              head_dim=8, query_pre_attn_scalar=8, sliding_window=8, tie_word_embeddings=True, rms_norm_eps=1e-6,
              rope_parameters=dict(full_attention=dict(rope_type="default", rope_theta=1000.0),
                                   sliding_attention=dict(rope_type="default", rope_theta=100.0)))


def gemma3_rope(full_attention):
    return dict(full_attention=full_attention, sliding_attention=dict(rope_type="default", rope_theta=100.0))


# name, model class, config class, config, dtypes, note, what must matter: {mechanism: config without it}
VARIANTS = [
    ("llama", LlamaForCausalLM, LlamaConfig, LLAMA, ("f32", "f16"), "untied output, grouped-query attention",
     dict(rope_base=dict(rope_parameters=dict(rope_type="default", rope_theta=500000.0)))),
    ("llama-tied", LlamaForCausalLM, LlamaConfig,
     dict(LLAMA, hidden_size=40, intermediate_size=52, num_attention_heads=5, num_key_value_heads=1,
          tie_word_embeddings=True), ("f32",),
     "tied embeddings, one KV head, row lengths that are no power of two", {}),
    ("llama-bias", LlamaForCausalLM, LlamaConfig, dict(LLAMA, attention_bias=True, mlp_bias=True), ("f32",),
     "biases on q, k, v, o, gate, up and down", {}),
    ("llama-rope-llama3", LlamaForCausalLM, LlamaConfig,
     dict(WIDE, rope_parameters=dict(rope_type="llama3", rope_theta=1000.0, factor=4.0, low_freq_factor=1.0,
                                     high_freq_factor=4.0, original_max_position_embeddings=32)), ("f32",),
     "llama3 rope scaling (rope_freqs tensor) with untouched, blended and divided frequencies; head_dim 16 != 32 / 4",
     dict(scaling=dict(rope_parameters=dict(rope_type="default", rope_theta=1000.0)))),
    ("llama-rope-linear", LlamaForCausalLM, LlamaConfig,
     dict(WIDE, rope_parameters=dict(rope_type="linear", rope_theta=100.0, factor=2.5)), ("f32",),
     "linear rope scaling, factor 2.5; head_dim 16 != 32 / 4", dict(scaling=dict(rope_parameters=PLAIN_ROPE))),
    ("llama-rope-yarn", LlamaForCausalLM, LlamaConfig, dict(WIDE, rope_parameters=YARN), ("f32",),
     "YaRN with default betas, factor 4, original context 32 (sequences are longer); head_dim 16 != 32 / 4",
     dict(scaling=dict(rope_parameters=PLAIN_ROPE),
          attention_factor=dict(rope_parameters=dict(YARN, attention_factor=1.0)),
          ramp=dict(rope_parameters=dict(YARN, beta_fast=100.0, beta_slow=90.0)))),
    ("qwen2", Qwen2ForCausalLM, Qwen2Config, dict(LLAMA), ("f32", "f16"), "biases on q, k and v; untied output", {}),
    ("qwen2-rope-yarn", Qwen2ForCausalLM, Qwen2Config,
     dict(LLAMA, num_attention_heads=2, num_key_value_heads=1, tie_word_embeddings=True,
          rope_parameters=dict(YARN, beta_fast=2.0, beta_slow=0.5)), ("f32",),
     "YaRN with beta_fast 2 and beta_slow 0.5 given, tied embeddings",
     dict(betas=dict(rope_parameters=YARN), scaling=dict(rope_parameters=PLAIN_ROPE))),
    ("qwen3", Qwen3ForCausalLM, Qwen3Config, dict(WIDE, rms_norm_eps=1e-6), ("f32", "f16"),
     "per-head norms of q and k before rope; head_dim 16 != 32 / 4; tied embeddings", {}),
    ("gemma3", Gemma3ForCausalLM, Gemma3TextConfig, GEMMA3, ("f32", "f16"),
     "window 8 on six of seven layers, two rope bases, head_dim 8 != 24 / 4, norms stored as 1 + w by the converter",
     dict(window=dict(sliding_window=9), full_layer=dict(layer_types=["sliding_attention"] * 7),
          local_base=dict(rope_parameters=dict(full_attention=dict(rope_type="default", rope_theta=1000.0),
                                               sliding_attention=dict(rope_type="default", rope_theta=1000.0))))),
    ("gemma3-rope-linear", Gemma3ForCausalLM, Gemma3TextConfig,
     dict(GEMMA3, rope_parameters=gemma3_rope(dict(rope_type="linear", rope_theta=1000.0, factor=4.0))), ("f32",),
     "as gemma3; linear rope scaling, factor 4, on the full layer only",
     dict(scaling=dict(rope_parameters=GEMMA3["rope_parameters"]),
          local_unscaled=dict(rope_parameters=dict(
              full_attention=dict(rope_type="linear", rope_theta=1000.0, factor=4.0),
              sliding_attention=dict(rope_type="linear", rope_theta=100.0, factor=4.0))))),
    # GGUF has no key for query_pre_attn_scalar: it is hidden_size / heads in a gemma3 file of 62 layers (27B), head_dim
    # in any other.
    ("gemma3-62-layers", Gemma3ForCausalLM, Gemma3TextConfig,
     dict(GEMMA3, hidden_size=8, intermediate_size=8, num_hidden_layers=62, num_attention_heads=2,
          num_key_value_heads=1, head_dim=8, query_pre_attn_scalar=4), ("f16",),
     "62 layers as in the 27B model: scores are scaled by (hidden_size / heads)^-0.5 = 0.5, not by head_dim^-0.5",
     dict(scale=dict(query_pre_attn_scalar=8))),
]


def train_vocabulary(folder):
    """SentencePiece BPE with byte fallback: unknown 0, BOS 1, EOS 2, bytes, pieces."""
    text = folder / "text.txt"
    text.write_text(TEXT)
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(folder / "tokenizer"), vocab_size=VOCABULARY, model_type="bpe",
        byte_fallback=True, character_coverage=1.0, unk_id=0, bos_id=1, eos_id=2, pad_id=-1, minloglevel=2)
    return folder / "tokenizer.model"


def token_sequences(tokenizer_file):
    """A sentence with BOS, and ids drawn at random from the vocabulary; longer than every window and context."""
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(tokenizer_file))
    text = [1] + tokenizer.encode(TEXT.replace("\n", " "))
    drawn = np.random.default_rng(7).integers(0, VOCABULARY, 61)
    return {"text": text[:48], "random": [int(t) for t in drawn]}


def fill(model, seed, through_f16):
    """Random weights: scores, residuals and logits of order one, so that every part of the model shows."""
    generator = torch.Generator().manual_seed(seed)
    config = model.config
    gemma = config.model_type.startswith("gemma3")
    # A deep random model with full branches is chaotic: rounding decides.
    branch = min(1.0, 6.0 / config.num_hidden_layers)
    gain = {"q_proj": 1.1, "k_proj": 1.1, "v_proj": 1.1, "o_proj": 1.1,
            "gate_proj": 1.2, "up_proj": 1.2, "down_proj": 1.5}
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if name.endswith("norm.weight"):
                low, high = (0.6, 1.6) if "q_norm" in name or "k_norm" in name else (0.5, 1.5)
                weight.uniform_(low, high, generator=generator)
                weight.mul_(branch if gemma and ".post_" in name else 1.0).sub_(1.0 if gemma else 0.0)
            elif name.endswith(".bias"):
                weight.normal_(0.0, 0.5, generator=generator)
            elif "embed_tokens" in name and not config.tie_word_embeddings:
                weight.normal_(0.0, 1.0, generator=generator)
            else:
                parts = [g for p, g in gain.items() if p in name]
                weight.normal_(0.0, (parts[0] if parts else 2.0) / weight.shape[-1] ** 0.5, generator=generator)
            if through_f16 and weight.ndim > 1:  # the converter keeps vectors in F32
                weight.copy_(weight.half().float())


def build(model_class, config_class, config):
    model = model_class(config_class(**{**COMMON, **config}, attn_implementation="eager")).eval()
    return model.float()


def row_error(a, b):
    return float((np.abs(a - b).max(axis=1) / np.abs(b).max(axis=1)).max())


def least_lead(logits):
    best = np.sort(logits, axis=1)[:, -2:]
    return float(((best[:, 1] - best[:, 0]) / np.abs(logits).max(axis=1)).min())


def forward(model, tokens):
    with torch.no_grad():
        return model(torch.tensor([tokens]), use_cache=False).logits[0].numpy()


def forward_stepwise(model, tokens):
    rows, cache = [], None
    with torch.no_grad():
        for token in tokens:
            out = model(torch.tensor([[token]]), past_key_values=cache, use_cache=True)
            cache = out.past_key_values
            rows.append(out.logits[0, -1].numpy())
    return np.stack(rows)


def forward_f16_cache(model, tokens):
    """As forward, with K and V rounded to F16 as a cache in that format would."""
    module = sys.modules[type(model).__module__]
    exact = module.eager_attention_forward
    module.eager_attention_forward = lambda layer, q, k, v, *rest, **named: exact(
        layer, q, k.half().float(), v.half().float(), *rest, **named)
    try:
        return forward(model, tokens)
    finally:
        module.eager_attention_forward = exact


def fill_well(model, name, dtype, sequences):
    """Fills with the first seed whose golden logits make a sharp test; returns them, {kind: logits}."""
    for attempt in range(1000):
        fill(model, zlib.crc32(name.encode()) + attempt, dtype == "f16")
        golden = {}
        for kind, tokens in sequences.items():
            golden[kind] = forward(model, tokens)
            if least_lead(golden[kind]) < LEAST_LEAD:
                break
            if row_error(forward_f16_cache(model, tokens), golden[kind]) > F16_CACHE_ERROR:
                break
        else:
            print(f"  seed + {attempt}")
            return golden
    sys.exit(f"{name}: no good seed")


def check_model(name, model, variant, tokens, logits):
    _, model_class, config_class, config, _, _, mechanisms = variant
    stepwise = row_error(forward_stepwise(model, tokens), logits)
    exact = row_error(logits, forward(model.double(), tokens))
    model.float()
    print(f"  {len(tokens)} tokens: logits std {logits.std():.2f}, {len(set(logits.argmax(1)))} different best tokens, "
          f"stepwise {stepwise:.1e}, float64 {exact:.1e}, least lead {least_lead(logits):.1e}, "
          f"F16 cache {row_error(forward_f16_cache(model, tokens), logits):.1e}")
    assert stepwise <= 1e-5, (name, stepwise)
    for mechanism, change in mechanisms.items():
        other = build(model_class, config_class, {**config, **change})
        other.load_state_dict(model.state_dict())
        difference = row_error(forward(other, tokens), logits)
        print(f"    without {mechanism}: {difference:.2f}")
        assert difference > 0.02, (name, mechanism, difference)


def convert(llama_cpp, folder, out, dtype, name):
    command = [sys.executable, str(llama_cpp / "convert_hf_to_gguf.py"), str(folder), "--outfile", str(out),
               "--outtype", dtype, "--model-name", name]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    assert out.stat().st_size < MAX_FILE, (out, out.stat().st_size)


def make(variant, dtype, llama_cpp, tokenizer_file, sequences):
    name, model_class, config_class, config, _, note, _ = variant
    file = f"{name}.{dtype}"
    print(file)
    model = build(model_class, config_class, config)
    golden = fill_well(model, file, dtype, sequences)
    entry = dict(file=f"{file}.gguf", architecture=name.split("-")[0], dtype=dtype, note=note, sequences=[])
    for kind, tokens in sequences.items():
        check_model(file, model, variant, tokens, golden[kind])
        np.save(OUT / f"{file}.{kind}.npy", golden[kind])
        entry["sequences"].append(dict(tokens=f"tokens-{kind}.txt", logits=f"{file}.{kind}.npy"))
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        model.save_pretrained(folder)
        (folder / "tokenizer.model").write_bytes(tokenizer_file.read_bytes())
        convert(llama_cpp, folder, OUT / f"{file}.gguf", dtype, f"tiny {file}")
    return entry


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llama-cpp", type=pathlib.Path, required=True)
    options = parser.parse_args()
    transformers.logging.disable_progress_bar()
    warnings.simplefilter("ignore", FutureWarning)
    torch.set_num_threads(1)  # one order of summation
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        tokenizer_file = train_vocabulary(pathlib.Path(scratch))
        sequences = token_sequences(tokenizer_file)
        for kind, tokens in sequences.items():
            (OUT / f"tokens-{kind}.txt").write_text(",".join(map(str, tokens)) + "\n")
        models = [make(v, dtype, options.llama_cpp, tokenizer_file, sequences) for v in VARIANTS for dtype in v[4]]
    index = dict(made_by="tools/oracle/make_tiny_models.py",
                 versions=dict(torch=torch.__version__, transformers=transformers.__version__), models=models)
    (OUT / "models.json").write_text(json.dumps(index, indent=1) + "\n")


if __name__ == "__main__":
    main()
