#!/usr/bin/env python3
"""Writes tests/golden/ropes.json: the rotary frequencies and the magnitude that Hugging Face transformers computes for rope scalings, with the GGUF keys (below
ARCHITECTURE.rope.) that say the same. Needs PyPI transformers and torch (requirements.txt).
"""
import json
import pathlib

from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

OUT = pathlib.Path(__file__).parents[2] / "tests/golden/ropes.json"
KEYS = dict(factor="scaling.factor", rope_type="scaling.type", original_max_position_embeddings="scaling.original_context_length",
            attention_factor="scaling.yarn_attn_factor", beta_fast="scaling.yarn_beta_fast", beta_slow="scaling.yarn_beta_slow",
            mscale_all_dim="scaling.yarn_log_multiplier")
YARN = dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=32)
# name, width of a head, base, what the configuration says of the scaling
CASES = [
    ("linear", 16, 10000.0, dict(rope_type="linear", factor=2.5)),
    ("yarn", 16, 100.0, YARN),
    ("yarn of a real size", 128, 1000000.0, dict(YARN, original_max_position_embeddings=32768)),
    ("attention_factor 1", 16, 100.0, dict(YARN, attention_factor=1.0)),
    ("attention_factor", 64, 10000.0, dict(YARN, attention_factor=1.37)),
    ("mscale_all_dim", 16, 100.0, dict(YARN, mscale=1.0, mscale_all_dim=0.5)),
    ("mscale_all_dim 1", 16, 100.0, dict(YARN, mscale=1.0, mscale_all_dim=1.0)),
    ("attention_factor before mscale_all_dim", 16, 100.0, dict(YARN, attention_factor=1.2, mscale=1.0, mscale_all_dim=0.5)),
    ("betas", 64, 10000.0, dict(YARN, beta_fast=16.0, beta_slow=2.0, original_max_position_embeddings=4096)),
    ("ramp of no width", 64, 10000.0, dict(YARN, beta_fast=8.0, beta_slow=8.1, original_max_position_embeddings=4096)),
    ("ramp beyond the last pair", 16, 2.0, dict(YARN, original_max_position_embeddings=65536)),
    ("factor 1", 16, 100.0, dict(YARN, factor=1.0)),
]


def main():
    out = []
    for name, dims, base, scaling in CASES:
        config = LlamaConfig(hidden_size=dims, num_attention_heads=1, head_dim=dims, rope_parameters=dict(scaling, rope_theta=base))
        frequencies, magnitude = ROPE_INIT_FUNCTIONS[scaling["rope_type"]](config, "cpu")
        keys = {KEYS[member]: value for member, value in scaling.items() if member in KEYS}
        out.append(dict(name=name, dims=dims, base=base, keys=keys, frequencies=[float(f) for f in frequencies], magnitude=float(magnitude)))
    OUT.write_text("[\n" + ",\n".join(json.dumps(case) for case in out) + "\n]\n")


main()
