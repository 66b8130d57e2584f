#!/usr/bin/env python3
"""How far Godwit's output for a quantised model lies from the same weights in F32 arithmetic (docs/accuracy.md).

    python tools/oracle/kl.py MODEL.gguf --base FILE [--peer DIR] [--godwit FILE] [--kv f16]

FILE: what llama-perplexity --kl-divergence-base saves. Where it does not exist, it is made with --peer (the folder of
llama-quantize and llama-perplexity) from the weights dequantised to F32 and a text that every Debian machine has. It
takes 2 bytes for each token of the vocabulary and each place: 0.4 GB for SmolLM2, 2 GB for Gemma 3.

Printed is one JSON object: the mean Kullback-Leibler divergence from the base to Godwit over the second halves of the
chunks, its standard error, the share of places where both prefer the same token, and the perplexities; with --peer the
same of llama.cpp running the quantised file (flash attention off, KV F16, as the base), and the ratio. The base's own
perplexity is of what the file holds, which cuts off improbable tokens: a little below the true one for Gemma 3.
"""

import argparse
import json
import pathlib
import re
import subprocess
import tempfile

import numpy as np

from make_perplexity import OPTIONS, TEXT
from peer import exact_weights

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


class Base:
    """The saved log-probabilities: "_logits_", then int32 context, vocabulary, chunks, tokens [chunks, context]; then
    uint16 rows [chunks, context / 2 - 1, 4 + vocabulary (made even)], whose first four hold two floats, scale and
    minimum: log-probability = scale * row[4 + token] + minimum. What was 16 or more below the best is cut off."""

    def __init__(self, path):
        head = np.fromfile(path, np.int32, 5)
        if len(head) < 5 or head[:2].tobytes() != b"_logits_":
            raise SystemExit(f"{path}: not a file of llama-perplexity --kl-divergence-base")
        self.context, self.vocabulary, self.chunks = (int(n) for n in head[2:])
        count = self.chunks * self.context
        self.tokens = np.fromfile(path, np.int32, count, offset=20).reshape(self.chunks, self.context)
        self.first = self.context // 2
        shape = (self.chunks, self.context - 1 - self.first, (self.vocabulary + 1) // 2 * 2 + 4)
        self.rows = np.memmap(path, np.uint16, "r", offset=20 + 4 * count, shape=shape)

    def log_probabilities(self, chunk, place):
        row = self.rows[chunk, place]
        scale, minimum = row[:4].view(np.float32)
        return np.float64(scale) * row[4:4 + self.vocabulary] + np.float64(minimum)


def peer_perplexity(binaries, *options):
    done = subprocess.run([f"{binaries}/llama-perplexity", *OPTIONS, "-t", "1", *map(str, options)], check=True,
                          capture_output=True, text=True)
    return done.stdout + done.stderr


def make_base(binaries, model, out):
    with tempfile.TemporaryDirectory(dir=out.parent) as scratch:
        exact = exact_weights(binaries, model, pathlib.Path(scratch))
        peer_perplexity(binaries, "-m", exact, "-f", TEXT, "--kl-divergence-base", out)


def peer_figures(binaries, model, base):
    text = peer_perplexity(binaries, "-m", model, "--kl-divergence-base", base, "--kl-divergence")
    kl, error = re.search(r"Mean +KLD: +(\S+) ± +(\S+)", text).groups()
    return {"kl": float(kl), "kl_error": float(error),
            "top_1": float(re.search(r"Same top p: +(\S+)", text)[1]) / 100,
            "perplexity": float(re.search(r"Mean PPL\(Q\) +: +(\S+)", text)[1])}


def begin_of_text(godwit, model, base):
    """BOS where the model adds one: llama.cpp then puts it before the text, and in the first place of every chunk."""
    found = json.loads(subprocess.run([godwit, "inspect", str(model), "--json"], check=True, capture_output=True).stdout)
    bos = found["metadata"].get("tokenizer.ggml.bos_token_id")
    return bos if bos == base.tokens[0, 0] else None


def our_logits(godwit, model, tokens, kv, scratch):
    ids, out = scratch / "tokens", scratch / "logits.npy"
    ids.write_text(",".join(map(str, tokens)))
    subprocess.run([godwit, "logits", str(model), "--tokens", f"@{ids}", "--out", str(out), "--kv", kv], check=True,
                   stdout=subprocess.DEVNULL)
    return np.load(out, mmap_mode="r")


def compare(expected, logits, target):
    """KL divergence as llama-perplexity sums it (what is less probable than e^-16 left out), same best token,
    negative log-likelihoods of the target: base, ours."""
    logits = logits.astype(np.float64)
    got = logits - logits.max()
    got -= np.log(np.exp(got).sum())
    kept = expected > -16
    kl = np.sum(np.exp(expected[kept]) * (expected[kept] - got[kept]))
    return kl, expected.argmax() == logits.argmax(), -expected[target], -got[target]


def our_figures(options, base):
    bos = begin_of_text(options.godwit, options.model, base)
    places = []
    with tempfile.TemporaryDirectory(dir=options.base.parent) as scratch:
        for chunk, tokens in enumerate(base.tokens):
            given = tokens if bos is None else [bos, *tokens[1:]]
            logits = our_logits(options.godwit, options.model, given, options.kv, pathlib.Path(scratch))
            if logits.shape != (base.context, base.vocabulary):
                raise SystemExit(f"{options.base}: of another model (a vocabulary of {base.vocabulary} tokens)")
            for place in range(base.rows.shape[1]):
                at = base.first + place
                places.append(compare(base.log_probabilities(chunk, place), logits[at], tokens[at + 1]))
    kl, same, base_nll, nll = np.array(places, np.float64).T
    return float(np.exp(base_nll.mean())), {
        "kl": kl.mean(), "kl_error": kl.std(ddof=1) / len(kl) ** 0.5, "top_1": same.mean(),
        "perplexity": float(np.exp(nll.mean()))}


def rounded(figures):
    return {name: float(f"{value:.6g}") for name, value in figures.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--base", type=pathlib.Path, required=True)
    parser.add_argument("--peer", help="folder of llama.cpp's programs")
    parser.add_argument("--godwit", default=str(REPOSITORY / "build/release/godwit"))
    parser.add_argument("--kv", default="f16")
    options = parser.parse_args()
    if not options.base.exists():
        if options.peer is None:
            parser.error(f"{options.base} does not exist (--peer makes it)")
        make_base(options.peer, options.model, options.base)
    base = Base(options.base)
    base_perplexity, ours = our_figures(options, base)
    result = {"model": options.model.name, "chunks": base.chunks, "places": base.chunks * base.rows.shape[1],
              "base_perplexity": float(f"{base_perplexity:.6g}"), "godwit": rounded(ours)}
    if options.peer is not None:
        result["peer"] = rounded(peer_figures(options.peer, options.model, options.base))
        result["kl_ratio"] = float(f"{ours['kl'] / result['peer']['kl']:.4g}")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
