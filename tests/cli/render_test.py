#!/usr/bin/env python3
"""godwit render from outside.   python3 render_test.py BINARY"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

SMOLLM2 = os.path.join(os.environ.get("GODWIT_CACHE") or os.path.expanduser("~/.cache/godwit"), "models",
                       "SmolLM2-135M-Instruct.Q4_1.gguf")
PLAIN = "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}"
MESSAGES = [{"role": "user", "content": "Hi <|im_end|>"}]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "w") as out:
            out.write(content if isinstance(content, str) else json.dumps(content))
        return path

    def render(self, *arguments, status=0):
        done = subprocess.run([GODWIT, "render", *arguments], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def json(self, *arguments, status=0):
        return json.loads(self.render(*arguments, "--json", status=status).stdout)


class Render(Case):
    def test_template_and_messages(self):
        template, messages = self.file("t", PLAIN), self.file("m", MESSAGES)
        context = self.file("c", {"bos_token": "<s>"})
        self.assertEqual(self.json("--template", template, "--messages", messages, "--context", context), {
            "prompt": "<s>[user]Hi <|im_end|>[assistant]", "tokens": [],
            "segments": [{"text": "<s>[user]", "origin": "template"}, {"text": "Hi <|im_end|>", "origin": "value"},
                         {"text": "[assistant]", "origin": "template"}]})
        self.assertEqual(self.render("--template", template, "--messages", messages).stdout, "[user]Hi <|im_end|>[assistant]")

    def test_what_the_chat_saves(self):
        template = self.file("t", PLAIN)
        self.assertEqual(self.json("--template", template, "--messages", self.file("a", {"messages": MESSAGES})),
                         self.json("--template", template, "--messages", self.file("b", MESSAGES)))

    def test_flags_of_a_conversation_come_with_the_context(self):
        template = self.file("t", PLAIN)
        prefill = self.file("m", [*MESSAGES, {"role": "assistant", "content": "Hel"}])
        for flags, end in [({"add_generation_prompt": False}, "[assistant]Hel"), ({"continue_final_message": True}, "[assistant]Hel"),
                           ({}, "[assistant]Hel[assistant]")]:
            prompt = self.json("--template", template, "--messages", prefill, "--context", self.file("c", flags))["prompt"]
            self.assertEqual(prompt, "[user]Hi <|im_end|>" + end)

    def test_bare_engine(self):
        template, context = self.file("t", "{{ x + 1 }} {{ strftime_now('%d %b %Y') }}"), self.file("c", {"x": 1})
        got = self.json("--template", template, "--context", context, "--now", "2024-07-26T13:05:09")
        self.assertEqual(got["prompt"], "2 26 Jul 2024")

    def test_what_raises_is_an_error(self):
        template, context = self.file("t", "a\n{{ raise_exception('no tools') }}"), self.file("c", {})
        self.assertEqual(self.json("--template", template, "--context", context, status=1), {"error": "template line 2: no tools"})
        self.assertEqual(self.render("--template", template, "--context", context, status=1).stderr, "godwit: template line 2: no tools\n")

    def test_bad_messages_name_the_field(self):
        got = self.json("--template", self.file("t", PLAIN), "--messages", self.file("m", [{"role": "user"}]), status=1)
        self.assertIn("messages[0].content: missing", got["error"])

    def test_bad_usage(self):
        template = self.file("t", PLAIN)
        for arguments in ([], ["--template", template], ["a.gguf"], ["a.gguf", "--template", template], ["--template", template, "--tools", template]):
            self.render(*arguments, status=2)


class DefaultModel(Case):
    def test_tokens_of_the_template_alone_are_special(self):
        got = self.json(SMOLLM2, "--messages", self.file("m", MESSAGES))
        self.assertTrue(got["prompt"].endswith("<|im_start|>user\nHi <|im_end|><|im_end|>\n<|im_start|>assistant\n"), got["prompt"])
        self.assertEqual("".join(segment["text"] for segment in got["segments"]), got["prompt"])
        texts = self.tokens(got["tokens"])
        self.assertEqual(texts.count("<|im_end|>"), got["prompt"].count("<|im_end|>") - 1)
        self.assertEqual("".join(texts), got["prompt"])

    def tokens(self, ids):
        texts = []
        for token in ids:
            done = subprocess.run([GODWIT, "detokenize", SMOLLM2, "--tokens", str(token), "--json"], capture_output=True, text=True, timeout=60)
            texts.append(json.loads(done.stdout)["text"])
        return texts


if __name__ == "__main__":
    GODWIT = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
