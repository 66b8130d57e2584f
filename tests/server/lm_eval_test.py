#!/usr/bin/env python3
"""EleutherAI's lm-eval against a real server: lm_eval_test.py GODWIT. Tasks and data are made here; nothing is fetched but the harness itself
(tools/fetch lm_eval). It tokenizes with the server's own routes. Its loglikelihoods are compared with those of transformers, from the logits that
lie beside the tiny models (made by tools/oracle/make_tiny_models.py)."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

GODWIT = sys.argv.pop(1)
FETCH = Path(__file__).resolve().parent.parent.parent / "tools" / "fetch"
LM_EVAL = subprocess.run([FETCH, "lm_eval"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
WORK = tempfile.TemporaryDirectory()
os.environ.update({"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": WORK.name, "TOKENIZERS_PARALLELISM": "false"})
sys.path[:0] = [LM_EVAL, str(Path(__file__).resolve().parent)]

from golden_scores import DATA, MODELS, TOLERANCE, Sequence  # noqa: E402
from server import SMOLLM2, Server  # noqa: E402

import lm_eval  # noqa: E402
from lm_eval.tasks import TaskManager  # noqa: E402

CONTINUED = """task: continued
dataset_path: json
dataset_kwargs: {{data_files: {{test: {folder}/continued.jsonl}}}}
test_split: test
output_type: loglikelihood
doc_to_text: "{{{{context}}}}"
doc_to_target: "{{{{continuation}}}}"
target_delimiter: ""
metric_list: [{{metric: perplexity, aggregation: perplexity, higher_is_better: false}}]
"""

QUESTIONS = """task: questions
dataset_path: json
dataset_kwargs: {{data_files: {{test: {folder}/questions.jsonl}}}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{answer}}}}"
generation_kwargs: {{until: ["\\n\\n"], max_gen_toks: 24, temperature: 0}}
metric_list: [{{metric: exact_match, aggregation: mean, higher_is_better: true}}]
"""


def post(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    return json.loads(urllib.request.urlopen(request, timeout=120).read())


def evaluate(model, task, docs, settings, **more):
    folder = Path(WORK.name)
    name = task.partition("\n")[0].removeprefix("task: ")
    (folder / f"{name}.yaml").write_text(task.format(folder=folder))
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(doc) + "\n" for doc in docs))
    results = lm_eval.simple_evaluate(model=model, model_args=settings, tasks=[name], log_samples=True, bootstrap_iters=0,
                                      task_manager=TaskManager(include_path=str(folder), include_defaults=False), **more)
    return sorted(results["samples"][name], key=lambda sample: sample["doc_id"])


class LmEval(unittest.TestCase):
    def test_loglikelihoods_are_those_of_transformers(self):
        sequence = Sequence(MODELS["llama.f32"][0])
        with Server(GODWIT, str(DATA / "llama.f32.gguf"), "--name", "tiny", "--kv", "f32") as server:
            texts = [self.text_of(server, sequence.ids[:n]) for n in range(len(sequence.ids), 3, -1)]
            # Cuts at which the text before them is tokenized as it is in the whole; lm-eval moves a blank at the end of a context.
            contexts = [text for text in texts[1:] if not text.endswith(" ") and self.ids_of(server, text) == sequence.ids[:len(sequence.ids) - texts.index(text)]]
            docs = [{"context": text, "continuation": texts[0][len(text):]} for text in contexts]
            contexts = [len(sequence.ids) - texts.index(text) for text in contexts]
            self.assertGreater(len(contexts), 5)
            settings = {"model": "tiny", "base_url": server.url + "/v1/completions", "tokenizer_backend": "auto", "max_length": 256}
            for more in ({}, {"num_concurrent": 3}, {"batch_size": 2}):
                samples = evaluate("local-completions", CONTINUED, docs, {**settings, **more})
                for context, sample in zip(contexts, samples):
                    score, greedy = sample["resps"][0][0]
                    expected, expected_greedy = sequence.expected(context)
                    self.assertAlmostEqual(float(score), expected, delta=TOLERANCE, msg=sample)
                    self.assertEqual(greedy in (True, "True"), expected_greedy)

    def text_of(self, server, ids):
        text = post(server.url + "/detokenize", {"tokens": ids})["prompt"]
        return text.replace("<s> ", "<s>", 1)  # SentencePiece's prefix space, which tokenizing adds

    def ids_of(self, server, text):
        return post(server.url + "/tokenize", {"prompt": text, "add_special_tokens": False})["tokens"]

    def test_a_chat_model_generates(self):
        docs = [{"question": "What is the capital of France?", "answer": "Paris"}, {"question": "Name a colour.", "answer": "Blue"}]
        with Server(GODWIT, SMOLLM2, "--name", "smol", "--context", "1024") as server:
            url = server.url + "/v1/chat/completions"
            samples = evaluate("local-chat-completions", QUESTIONS, docs, {"model": "smol", "base_url": url}, apply_chat_template=True)
            for doc, sample in zip(docs, samples):
                body = {"messages": [{"role": "user", "content": doc["question"]}], "temperature": 0, "max_tokens": 24, "stop": ["\n\n"]}
                self.assertEqual(sample["resps"][0][0], post(url, body)["choices"][0]["message"]["content"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
