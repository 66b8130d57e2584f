#!/usr/bin/env python3
"""godwit bench --url against servers that only say words: bench_url_test.py GODWIT. Counts and shapes; no time is judged."""

import json
import os
import subprocess
import sys
import threading
import unittest

from fake_openai import FakeOpenAI, chat, completion, prompt_of

GODWIT = sys.argv.pop(1)


class BenchUrl(unittest.TestCase):
    def serve(self, answer):
        server = FakeOpenAI(answer)
        self.addCleanup(server.close)
        return server

    def bench(self, url, *arguments, code=0):
        done = subprocess.run([GODWIT, "bench", "--url", url, *arguments], capture_output=True, text=True, timeout=120,
                              env={"PATH": os.environ["PATH"]})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def figures(self, url, *arguments, code=0):
        return json.loads(self.bench(url, "--json", *arguments, code=code).stdout)

    def test_completions(self):
        server = self.serve(lambda number, body: completion(body, body["max_tokens"]))
        found = self.figures(server.url, "--requests", "10", "--prompt-tokens", "103", "--output-tokens", "4", "--ignore-eos",
                             "--api-key", "secret")
        self.assertEqual((found["requests"], found["completed"], found["failed"], found["failures"]), (10, 10, 0, []))
        self.assertEqual((found["model"], found["api"], found["concurrency"], found["rate"]), ("fake", "completions", 8, 0))
        self.assertEqual((found["total_input_tokens"], found["total_output_tokens"]), (10 * 103, 10 * 4))
        for name in ("ttft_ms", "itl_ms", "tpot_ms", "e2el_ms"):
            self.assertEqual(sorted(found[name]), ["mean", "median", "p90", "p99"])
        for name in ("requests", "input_tokens", "output_tokens", "total_tokens"):
            self.assertGreater(found[name + "_per_second"], 0)
        self.assertIsNone(found["goodput_requests_per_second"])
        self.assertEqual(set(server.keys), {"Bearer secret"})
        path, body = server.bodies[5]
        self.assertEqual(path, "/v1/completions")
        self.assertEqual({k: v for k, v in body.items() if k != "prompt"},
                         {"model": "fake", "max_tokens": 4, "temperature": 0, "stream": True,
                          "stream_options": {"include_usage": True}, "ignore_eos": True})

    def test_chat(self):
        server = self.serve(lambda number, body: chat(body, 3))
        found = self.figures(server.url + "/v1/", "--requests", "5", "--concurrency", "2", "--chat", "--model", "m", "--goodput",
                             "ttft:60000,e2el:60000")
        self.assertEqual((found["completed"], found["total_output_tokens"], found["api"], found["model"]), (5, 15, "chat", "m"))
        self.assertGreater(found["goodput_requests_per_second"], 0)
        self.assertEqual({path for path, _ in server.bodies}, {"/v1/chat/completions"})
        self.assertLessEqual(server.most_open, 2)

    def test_as_many_at_once_as_asked_for(self):
        server = self.serve(lambda number, body: completion(body, 1))
        server.everybody_here = threading.Barrier(6)
        found = self.figures(server.url, "--requests", "12", "--concurrency", "6", "--output-tokens", "1")
        self.assertEqual((found["completed"], server.most_open), (12, 6))
        self.assertIsNone(found["tpot_ms"])
        self.assertIsNone(found["itl_ms"])

    def test_requests_that_come_at_random_wait_for_nobody(self):
        server = self.serve(lambda number, body: completion(body, 1))
        server.everybody_here = threading.Barrier(12)
        found = self.figures(server.url, "--requests", "12", "--rate", "1000", "--output-tokens", "1")
        self.assertEqual((found["completed"], found["rate"], server.most_open), (12, 1000, 12))

    def test_prompts(self):
        def prompts(*arguments):
            server = self.serve(lambda number, body: completion(body, 1))
            self.figures(server.url, "--requests", "6", "--concurrency", "1", "--prompt-tokens", "203", *arguments)
            return [prompt_of(body).split() for _, body in server.bodies[2:]]
        first = prompts("--shared-prefix", "0.4")
        self.assertEqual({len(prompt) for prompt in first}, {100})
        self.assertEqual(len({tuple(prompt[:40]) for prompt in first}), 1)
        self.assertEqual(len({tuple(prompt[40:50]) for prompt in first}), 6)
        self.assertEqual(first, prompts("--shared-prefix", "0.4"))
        self.assertNotEqual(first, prompts("--shared-prefix", "0.4", "--seed", "1"))
        self.assertEqual(len({tuple(prompt[:10]) for prompt in prompts()}), 6)
        self.assertEqual(len({tuple(prompt) for prompt in prompts("--shared-prefix", "1")}), 1)

    def test_a_server_that_counts_nothing(self):
        server = self.serve(lambda number, body: completion(body, 5, usage=False))
        found = self.figures(server.url, "--requests", "3", "--prompt-tokens", "20")
        self.assertEqual((found["completed"], found["total_output_tokens"]), (3, 15))
        self.assertEqual(len(prompt_of(server.bodies[-1][1]).split()), 20)

    def test_failures(self):
        def answer(number, body):
            if number in (3, 5):
                return 429, {"error": {"message": "too\nmuch " + "x" * 500}}
            if number == 4:
                return completion(body, 2, done=False)
            if number == 6:
                return [{"error": {"message": "out of luck"}}]
            if number == 7:
                return ["no JSON"]
            if number == 8:
                return completion(body, 0)
            return completion(body, 2)
        server = self.serve(answer)
        done = self.bench(server.url, "--requests", "10", "--concurrency", "1")
        self.assertIn("4 of 10 requests", done.stdout)
        for text in (r"2 failed: HTTP 429: too\x0Amuch", "1 failed: the stream ended early", "1 failed: out of luck",
                     "no JSON object: no JSON", "1 failed: the answer has no token"):
            self.assertIn(text, done.stdout)
        self.assertIn("6 failed", done.stderr)

    def test_nothing_succeeds(self):
        server = self.serve(lambda number, body: completion(body, 1) if number < 2 else (500, {"detail": "?"}))
        found = self.figures(server.url, "--requests", "3", code=1)
        self.assertEqual((found["completed"], found["failed"], found["ttft_ms"]), (0, 3, None))
        self.assertEqual(found["failures"][0]["count"], 3)
        self.bench(server.url, "--requests", "3", code=1)

    def test_bad_usage(self):
        self.assertIn("127.0.0.1:1", self.bench("http://127.0.0.1:1", code=1).stderr)
        self.assertIn("--url", self.bench("ftp://127.0.0.1:1", code=1).stderr)
        server = self.serve(lambda number, body: (400, {"error": {"message": "not today"}}))
        self.assertIn("not today", self.bench(server.url, code=1).stderr)
        self.assertIn("--goodput", self.bench(server.url, "--goodput", "itl:5", code=1).stderr)
        self.bench(server.url, "--rate", "-1", code=2)
        self.bench(server.url, "model.gguf", code=2)
        done = subprocess.run([GODWIT, "bench", "--chat", "model.gguf"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        done = subprocess.run([GODWIT, "bench"], capture_output=True, text=True)
        self.assertEqual((done.returncode, "MODEL" in done.stderr, "--url" in done.stderr), (2, True, True))


if __name__ == "__main__":
    unittest.main()
