"""Logprobs of transformers for the tiny models, from the logits that lie beside them (made by tools/oracle/make_tiny_models.py)."""

import json
from pathlib import Path

import numpy as np

DATA = Path(__file__).resolve().parent.parent / "models" / "data"
# By name: their sequences. Those in f32: a server with `--kv f32` computes what transformers does.
MODELS = {entry["file"].removesuffix(".gguf"): entry["sequences"]
          for entry in json.loads((DATA / "models.json").read_text())["models"] if entry["dtype"] == "f32"}
TOLERANCE = 2e-4  # of the sum over a sequence: the logits differ by up to 1e-4 of the largest


class Sequence:
    def __init__(self, sequence):
        self.ids = [int(token) for token in (DATA / sequence["tokens"]).read_text().split(",")]
        logits = np.load(DATA / sequence["logits"]).astype(np.float64)
        logits -= logits.max(axis=1, keepdims=True)
        self.logprobs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))

    def expected(self, context):
        """Sum of the logprobs of all tokens behind the first `context` ones; and whether each was the likeliest."""
        rows, tokens = self.logprobs[context - 1:-1], self.ids[context:]
        return sum(row[token] for row, token in zip(rows, tokens)), all(row.argmax() == token for row, token in zip(rows, tokens))
