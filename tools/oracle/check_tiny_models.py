#!/usr/bin/env python3
"""Runs llama.cpp on tests/models/data/*.gguf and compares its log-probabilities with the golden logits.

    python tools/oracle/check_tiny_models.py --binaries DIR [--kv f16]      DIR: folder of llama-server

Expected: 1e-5 for F32 weights and KV, a few 1e-3 otherwise and for gemma3 (llama.cpp rounds to F16 in F16 products and
in its GELU table). Anything else means that the converter, llama.cpp or our reading of a configuration is wrong.
"""

import argparse
import json
import pathlib

import numpy as np

from peer import PeerServer

# llama.cpp ignores the beta keys of a qwen2 file (it reads them for few architectures); transformers does not.
OPTIONS = {"qwen2-rope-yarn.f32.gguf": ["--yarn-beta-fast", "2", "--yarn-beta-slow", "0.5"]}
DATA = pathlib.Path(__file__).resolve().parents[2] / "tests/models/data"


def log_softmax(rows):
    rows = rows.astype(np.float64)
    shifted = rows - rows.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def compare(server, tokens, logits):
    """Largest error of a row relative to its largest magnitude, and how many best tokens agree."""
    expected = log_softmax(logits)
    worst, agree = 0.0, 0
    for i, row in enumerate(expected):
        found = server.next_log_probabilities(tokens[: i + 1], len(row), 3 + ord("d"))
        actual = np.array([found[t] for t in range(len(row))])
        worst = max(worst, float(np.abs(actual - row).max() / np.abs(logits[i]).max()))
        agree += int(actual.argmax() == row.argmax())
    return worst, agree


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--kv", default="f32")
    options = parser.parse_args()
    for model in json.loads((DATA / "models.json").read_text())["models"]:
        extra = ["-c", "256", "-ctk", options.kv, "-ctv", options.kv, *OPTIONS.get(model["file"], [])]
        with PeerServer(options.binaries, DATA / model["file"], *extra) as server:
            for sequence in model["sequences"]:
                tokens = [int(t) for t in (DATA / sequence["tokens"]).read_text().split(",")]
                worst, agree = compare(server, tokens, np.load(DATA / sequence["logits"]))
                print(f"{model['file']:32} {sequence['tokens']:18} error {worst:.1e}, "
                      f"best token {agree}/{len(tokens)}", flush=True)


if __name__ == "__main__":
    main()
