#!/usr/bin/env python3
"""The lines of `godwit run --batch` are requests of the API: batch_test.py GODWIT. What a line takes, refuses and answers is what the server does."""

import json
import subprocess
import sys
import unittest
import urllib.error
import urllib.request
from pathlib import Path

GODWIT = sys.argv.pop(1)
sys.path.insert(0, str(Path(__file__).resolve().parent))
from server import SMOLLM2, Server  # noqa: E402

TINY = str(Path(__file__).resolve().parent.parent / "models" / "data" / "llama.f32.gguf")

CHAT = {"messages": [{"role": "user", "content": "Name a colour."}], "max_tokens": 8}
PARTS = [{"role": "user", "content": [{"type": "input_text", "text": "Name a colour."}]}]
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}

ANSWERED = [
    {**CHAT, "seed": 7},
    {"messages": CHAT["messages"], "max_completion_tokens": 5, "seed": 1},
    {**CHAT, "seed": -1},
    {**CHAT, "messages": PARTS, "seed": 7},
    {**CHAT, "n": 2, "seed": 3},
    {**CHAT, "logprobs": True, "top_logprobs": 2, "temperature": 0},
    {**CHAT, "tools": [TOOL], "tool_choice": "auto", "temperature": 0, "response_format": {"type": "text"}},
    {**CHAT, "messages": CHAT["messages"] + [{"role": "assistant", "content": "I like the colour"}], "continue_final_message": True, "temperature": 0},
    {"prompt": "One two", "max_tokens": 3, "temperature": 0},
    {"prompt": "One two", "max_tokens": 3.0, "temperature": 0, "logprobs": 1, "echo": True},
    {"prompt": [1, 2, 3], "max_completion_tokens": 2, "temperature": 0},
    {"prompt": ["One", "Two"], "max_tokens": 2, "n": 2, "seed": 5, "logprobs": 0},
    {"prompt": "One two three", "max_tokens": 20, "stop": ["seven"], "temperature": 0, "logit_bias": {"5": -100}, "surprise": 1e400},
    {"prompt": "One", "max_tokens": 0},
]
REFUSED = [
    {**CHAT, "response_format": {"type": "json_object"}},
    {**CHAT, "guided_json": {}},
    {**CHAT, "tool_choice": "required"},
    {**CHAT, "tools": "all"},
    {**CHAT, "max_tokens": 1.5},
    {**CHAT, "temperature": float("inf")},
    {**CHAT, "messages": [{"role": "user", "content": [{"type": "document", "text": "a"}]}]},
    {**CHAT, "messages": [{"role": "nobody", "content": "a"}]},
    {"prompt": "a", "n": 0},
    {"prompt": [[1, -2]]},
    {"prompt": "a", "suffix": "b"},
    {"prompt": "a " * 600},
    {"prompt": ""},
]


def text(line):
    return json.dumps(line).replace("Infinity", "1e999")


class Batch(unittest.TestCase):
    def batch(self, lines, *more, model=SMOLLM2):
        done = subprocess.run([GODWIT, "run", model, "--quiet", "--batch", "-", *(more or ("--context", "512"))], input="\n".join(lines),
                              capture_output=True, text=True, timeout=300)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    def ask(self, server, line):
        path = "/v1/completions" if "prompt" in line else "/v1/chat/completions"
        request = urllib.request.Request(server.url + path, text(line).encode(), {"Content-Type": "application/json"})
        try:
            return json.loads(urllib.request.urlopen(request, timeout=120).read())
        except urllib.error.HTTPError as refused:
            self.assertEqual(refused.code, 400)
            return json.loads(refused.read())

    def test_lines_are_answered_as_the_server_answers(self):
        status, found = self.batch(map(text, ANSWERED))
        self.assertEqual((status, [line["index"] for line in found]), (0, list(range(len(ANSWERED)))))
        with Server(GODWIT, SMOLLM2, "--context", "512") as server:
            for line, out in zip(ANSWERED, found):
                answer = self.ask(server, line)
                choices = [{"text": choice["message"]["content"] if "message" in choice else choice["text"], "finish": choice["finish_reason"],
                            **({"logprobs": choice["logprobs"]} if choice["logprobs"] else {})} for choice in answer["choices"]]
                expected = {"index": out["index"], **choices[0], "usage": {key: answer["usage"][key] for key in ("prompt_tokens", "completion_tokens")}}
                if len(choices) > 1:
                    expected["choices"] = choices
                self.assertEqual(out, expected, line)
            status, found = self.batch(map(text, REFUSED))
            self.assertEqual(status, 1)
            for line, out in zip(REFUSED, found, strict=True):
                self.assertEqual(out["error"], self.ask(server, line)["error"]["message"], line)

    def test_lines_are_those_of_the_file(self):
        lines = ["", text({"prompt": "a", "max_tokens": 1}), "  \t\r", "{\"prompt\": \"\\ud800\"}", "[1]", "", "{\"prompt\" 1}", text({"max_tokens": 1}),
                 text({"prompt": "a", **CHAT}), text({"prompt": "a", "stream": True})]
        status, found = self.batch(lines)
        self.assertEqual((status, [line["index"] for line in found]), (1, [1, 3, 4, 6, 7, 8, 9]))
        self.assertEqual(list(found[0]), ["index", "text", "finish", "usage"])
        errors = ["line 4, column 13: half of a surrogate pair", "line 5: expected a JSON object", "line 7, column 11: expected ':'",
                  "prompt or messages: give one of them", "prompt or messages: give one of them", "stream: a line is answered as a whole"]
        for line, error in zip(found[1:], errors, strict=True):
            self.assertTrue(line["error"].startswith(error), line)

    def test_flags_are_the_defaults(self):
        lines = [{"prompt": "One two three four"}, {"prompt": "One two three four", "max_tokens": 2, "temperature": 0, "seed": 1}, {"prompt": "One", "seed": 9}]
        _, found = self.batch(map(text, lines), "-n", "5", "--seed", "9", "--temperature", "1")
        self.assertEqual([line["usage"]["completion_tokens"] for line in found], [5, 2, 5])
        _, alone = self.batch([text({"prompt": "One"})], "-n", "5", "--seed", "9", "--temperature", "1")
        self.assertEqual(alone[0]["text"], found[2]["text"])

    def test_long_answers_wait_for_their_turn(self):
        """Many more events than the engine keeps for a reader who stays away."""
        line = text({"prompt": "a", "max_tokens": 120, "n": 128, "ignore_eos": True, "logprobs": 20})
        status, found = self.batch([line] * 2, "--parallel", "256", model=TINY)
        self.assertEqual(status, 0, [out.get("error") for out in found])
        self.assertEqual([out["usage"]["completion_tokens"] for out in found], [128 * 120] * 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
