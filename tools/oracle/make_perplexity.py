#!/usr/bin/env python3
"""Makes tests/golden/perplexity.json: what llama-perplexity finds for a text that every Debian machine has.

    python tools/oracle/make_perplexity.py --binaries DIR --models DIR      DIRs: of llama-perplexity, of the GGUF files

`perplexity` is of the file itself, whose quantised kernels round activations to 8 bits; `perplexity_exact_weights` of
the same weights dequantised to F32 (llama-quantize), which plain F32 arithmetic must reproduce. CPU, KV F16, flash
attention off.
"""

import argparse
import hashlib
import json
import pathlib
import re
import subprocess
import tempfile

from make_greedy import MODELS
from peer import exact_weights

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/perplexity.json"
TEXT = pathlib.Path("/usr/share/common-licenses/GPL-3")  # package base-files
OPTIONS = ["-c", "512", "-b", "512", "-fa", "off"]


def perplexity(binaries, model):
    done = subprocess.run([f"{binaries}/llama-perplexity", "-m", str(model), "-f", str(TEXT), *OPTIONS], check=True,
                          capture_output=True, text=True)
    return float(re.search(r"Final estimate: PPL = ([0-9.]+)", done.stdout + done.stderr)[1])


def measure(binaries, model):
    with tempfile.TemporaryDirectory() as scratch:
        exact = exact_weights(binaries, model, pathlib.Path(scratch))
        found = {"file": model.name, "perplexity": perplexity(binaries, model),
                 "perplexity_exact_weights": perplexity(binaries, exact)}
    print(found, flush=True)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    options = parser.parse_args()
    text = TEXT.read_bytes()
    result = {
        "made_by": "tools/oracle/make_perplexity.py",
        "text": {"file": str(TEXT), "package": "base-files", "bytes": len(text),
                 "sha256": hashlib.sha256(text).hexdigest()},
        "command": " ".join(["llama-perplexity", "-m", "MODEL", "-f", str(TEXT), *OPTIONS]),
        "context": 512,
        "models": [measure(options.binaries, options.models / file) for file, _ in MODELS.values()],
    }
    OUT.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
