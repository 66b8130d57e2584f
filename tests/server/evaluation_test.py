#!/usr/bin/env python3
"""What evaluation harnesses ask of /v1/completions: evaluation_test.py GODWIT. The requests are lm-eval's (0.4.13), to the letter; the sums of
logprobs are compared with those of transformers, from the logits that lie beside the tiny models (made by tools/oracle/make_tiny_models.py)."""

import json
import sys
import unittest
import urllib.request
from pathlib import Path

GODWIT = sys.argv.pop(1)
sys.path.insert(0, str(Path(__file__).resolve().parent))
from golden_scores import DATA, MODELS, TOLERANCE, Sequence  # noqa: E402
from server import Server  # noqa: E402


class Evaluation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        files = [str(DATA / f"{name}.gguf") for name in MODELS]
        names = [option for name in MODELS for option in ("--name", name)]
        cls.server = Server(GODWIT, *files, *names, "--kv", "f32", "--parallel", "4").__enter__()

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0, cls.server.log

    def ask(self, model, prompts, **more):
        body = {"model": model, "prompt": prompts, "temperature": 0, "max_tokens": 1, "logprobs": 1, "seed": 1234, "echo": True, **more}
        request = urllib.request.Request(self.server.url + "/v1/completions", json.dumps(body).encode(), {"Content-Type": "application/json"})
        return json.loads(urllib.request.urlopen(request, timeout=60).read())

    def scores(self, answer, contexts):
        """As lm-eval reads them."""
        choices = sorted(answer["choices"], key=lambda choice: choice["index"])
        self.assertEqual(len(choices), len(contexts))
        for choice, context in zip(choices, contexts):
            logprobs = choice["logprobs"]
            tokens, tops = logprobs["token_logprobs"][context:-1], logprobs["top_logprobs"][context:-1]
            yield sum(tokens), all(token == max(top.values()) for token, top in zip(tokens, tops))

    def test_loglikelihoods_are_those_of_transformers(self):
        self.assertGreater(len(MODELS), 5)
        for name, sequences in MODELS.items():
            for sequence in map(Sequence, sequences):
                contexts = [1, 2, len(sequence.ids) // 2, len(sequence.ids) - 1]
                expected = [sequence.expected(context) for context in contexts]
                answer = self.ask(name, [sequence.ids] * len(contexts))
                for (score, greedy), (wanted, wanted_greedy) in zip(self.scores(answer, contexts), expected):
                    self.assertAlmostEqual(score, wanted, delta=TOLERANCE, msg=name)
                    self.assertEqual(greedy, wanted_greedy, name)

    def test_an_answer_that_ends_at_once_leaves_the_sum_alone(self):
        name, sequence = "llama.f32", Sequence(MODELS["llama.f32"][0])
        whole = next(self.scores(self.ask(name, [sequence.ids]), [3]))
        end = self.ask(name, [sequence.ids], logit_bias={"2": 100})  # </s>
        self.assertEqual(end["choices"][0]["finish_reason"], "stop")
        self.assertEqual(end["choices"][0]["logprobs"]["tokens"][-1], "")
        self.assertEqual(next(self.scores(end, [3])), whole)


if __name__ == "__main__":
    unittest.main(verbosity=2)
