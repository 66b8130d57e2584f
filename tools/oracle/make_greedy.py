#!/usr/bin/env python3
"""Makes tests/golden/greedy: llama.cpp's greedy continuations of 20 prompts for each real model.

    python tools/oracle/make_greedy.py --binaries DIR --models DIR      DIRs: of llama-server, of the GGUF files

<model>.json comes from the file itself, whose quantised kernels round activations to 8 bits; <model>.f32.json from the
same weights dequantised to F32 (llama-quantize), which plain F32 arithmetic must match nearly everywhere.

Each prompt is raw text, for the instruct models six are ChatML turns. Recorded: the ids of the prompt (BOS where the
model adds one, special tokens recognised) and of at most 48 tokens that follow; `stop` is "eos" where the model ended
before (the end token is then the last id). CPU, flash attention off, KV F16. Godwit is forced along these ids and must
prefer the same token, or one that is nearly as good, at each place.
"""

import argparse
import json
import pathlib
import tempfile

from peer import PeerServer, exact_weights

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/greedy"
COUNT = 48

RAW = [
    "The history of the lighthouse begins with a fire on a hill, and",
    "Water boils at a lower temperature on a mountain because",
    "def binary_search(items, target):\n    \"\"\"Return the index of target in the sorted list items, or -1.\"\"\"\n",
    "#include <stdio.h>\n\nint main(void) {\n    for (int i = 0; i < 10; i++) {\n",
    "SELECT customers.name, COUNT(orders.id) AS order_count\nFROM customers\n",
    "{\n  \"name\": \"Ada\",\n  \"born\": 1815,\n  \"languages\": [",
    "1, 2, 4, 8, 16, 32,",
    "Shopping list:\n- apples\n- bread\n- ",
    "Die Hauptstadt von Frankreich ist Paris, und die Hauptstadt von Italien",
    "Il était une fois, dans un petit village au bord de la mer,",
    "El sol sale por el este y",
    "Москва является столицей",
    "昔々、あるところに、おじいさんと",
    "\"Where have you been?\" she asked.\n\"At the harbour,\" he said. \"The boats",
]
EXTRA = [  # for the base model, in place of the chats
    "Question: What is the largest planet of the solar system?\nAnswer:",
    "Chapter 1\n\nIt was a cold morning in",
    "The three primary colours are",
    "# Installation\n\nTo install the package, run the following command:\n\n```",
    "Dear Sir or Madam,\n\nI am writing to",
    "Once the rain had stopped, the children ran outside 🌈 and",
]
QUESTIONS = [
    "Explain in a few sentences why the sky is blue.",
    "Write a short story about a bird that crosses the ocean.",
    "Write a Python function that returns the n-th Fibonacci number, with comments.",
    "List seven things to pack for a hiking trip, with a reason for each.",
    "Translate into French and explain the grammar: The cat sleeps on the warm stone.",
    "What is 17 * 23? Show the steps.",
]
SYSTEM = "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
CHAT = [f"{SYSTEM}<|im_start|>user\n{q}<|im_end|>\n<|im_start|>assistant\n" for q in QUESTIONS]

MODELS = {
    "smollm2": ("SmolLM2-135M-Instruct.Q4_1.gguf", RAW + CHAT),
    "qwen2.5-coder": ("Qwen2.5-Coder-0.5B-Instruct.Q4_K_M.gguf", RAW + CHAT),
    "gemma-3-270m": ("gemma-3-270m.Q4_K_M.gguf", RAW + EXTRA),
}


def continuation(server, text):
    prompt = server.tokenize(text)
    tokens, stop = server.greedy(prompt, COUNT)
    return {"text": text, "prompt": prompt, "continuation": tokens, "stop": stop}


def write(path, model, weights, items):
    """One line a prompt, so that changes can be read."""
    head = f'"model": {json.dumps(model)}, "weights": {json.dumps(weights)}, "made_by": "tools/oracle/make_greedy.py"'
    lines = ",\n  ".join(json.dumps(item, ensure_ascii=False) for item in items)
    path.write_text(f'{{{head}, "prompts": [\n  {lines}\n]}}\n')


def make(binaries, model, prompts, name, weights, run_file):
    out = OUT / (f"{name}.json" if weights == "quantised" else f"{name}.f32.json")
    with PeerServer(binaries, run_file, "-c", "1024") as server:
        items = [continuation(server, text) for text in prompts]
        for item in items:
            answer = server.post("/detokenize", {"tokens": item["continuation"]})["content"]
            print(f"{out.name}: {item['text'][-30:]!r} -> {answer!r}", flush=True)
    write(out, model.name, weights, items)
    print(f"{out.name}: {len(items)} prompts, {sum(len(i['continuation']) for i in items)} tokens", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    options = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    for name, (file, prompts) in MODELS.items():
        model = options.models / file
        make(options.binaries, model, prompts, name, "quantised", model)
        with tempfile.TemporaryDirectory() as scratch:
            exact = exact_weights(options.binaries, model, pathlib.Path(scratch))
            make(options.binaries, model, prompts, name, "f32", exact)


if __name__ == "__main__":
    main()
