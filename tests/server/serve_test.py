#!/usr/bin/env python3
"""`godwit serve` as a process: what it prints, how it ends, what it refuses: serve_test.py GODWIT."""

import concurrent.futures
import gzip
import http.client
import json
import os
import pty
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from server import SMOLLM2, Server  # noqa: E402

GODWIT = sys.argv.pop(1)
TINY = str(Path(__file__).resolve().parent.parent / "models" / "data" / "llama.f32.gguf")
QUESTION = {"messages": [{"role": "user", "content": "Name a colour."}], "temperature": 0, "max_tokens": 8}


def ask(url, body=None, headers=None, data=None):
    """(status, JSON or text)."""
    data = json.dumps(body).encode() if body is not None else data
    request = urllib.request.Request(url, data=data, headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            status, text = answer.status, answer.read().decode()
    except urllib.error.HTTPError as problem:
        with problem:
            status, text = problem.code, problem.read().decode()
    try:
        return status, json.loads(text)
    except ValueError:
        return status, text


class Stream:
    """An answer as it comes."""

    def __init__(self, url, body):
        parts = urllib.parse.urlsplit(url)
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
        self.connection.request("POST", "/v1/chat/completions", json.dumps({**body, "stream": True}))
        self.answer = self.connection.getresponse()

    def line(self):
        return self.answer.readline().decode()

    def rest(self):
        text = self.answer.read().decode()
        self.connection.close()
        return text


class Serve(unittest.TestCase):
    def fails(self, *arguments, mentions, code=1):
        done = subprocess.run([GODWIT, "serve", *arguments, "--port", "0"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stderr)
        for word in mentions:
            self.assertIn(word, done.stderr)
        return done.stderr

    def test_what_it_prints_at_the_start_is_true(self):
        with Server(GODWIT, SMOLLM2, "--temperature", "0") as server:  # some answers would go on to the end of the context
            for word in ("SmolLM2-135M-Instruct.Q4_1: llama", "context 8192 × 8 sequences", "memory ", "weights ", "cpu ("):
                self.assertIn(word, server.log)
            curl = re.search(r"  (curl .*\\\n.*)\n", server.log)[1].replace("\\\n", "")
            done = subprocess.run([*shlex.split(curl), "--silent"], capture_output=True, text=True, timeout=60)
            self.assertEqual(json.loads(done.stdout)["object"], "chat.completion", done.stdout + done.stderr)
            self.assertEqual(server.stop(), 0)
        self.assertRegex(server.log, r"200 /v1/chat/completions  \d+ in  \d+ out \([\d.]+/s\)  first \d+ ms  stop\n")
        self.assertNotIn("Hello!", server.log.split("}'\n\n")[1])

    def test_an_answer_in_work_ends_before_the_server_does(self):
        for ending in (signal.SIGTERM, signal.SIGINT):
            with Server(GODWIT, SMOLLM2) as server:
                stream = Stream(server.url, {**QUESTION, "max_tokens": 200, "ignore_eos": True})
                self.assertTrue(stream.line().startswith("data: "))
                server.process.send_signal(ending)
                rest = stream.rest()
                self.assertTrue(rest.endswith("data: [DONE]\n\n"), rest[-300:])
                self.assertEqual(server.process.wait(30), 0)
                server.stop()
                self.assertIn("finishing 1 answer (up to 30 s); Ctrl-C again stops now\n", server.log)
        with Server(GODWIT, TINY) as server:
            self.assertEqual(server.stop(), 0)
            self.assertNotIn("finishing", server.log)

    def test_ctrl_c_again_stops_now(self):
        with Server(GODWIT, SMOLLM2, "--drain", "3600") as server:
            stream = Stream(server.url, {**QUESTION, "max_tokens": 8000, "ignore_eos": True})
            stream.line()
            server.process.send_signal(signal.SIGINT)
            while "Ctrl-C again" not in server.log:
                self.assertTrue(stream.line(), server.log)
            self.assertEqual(server.stop(signal.SIGINT), 0)
            self.assertIn('"message":"the server is shutting down"', stream.rest().rstrip().splitlines()[-1])

    def test_a_bar_while_it_loads(self):
        ours, theirs = pty.openpty()
        process = subprocess.Popen([GODWIT, "serve", TINY, "--port", "0"], stderr=theirs)
        os.close(theirs)
        text = b""
        while b"serves at" not in text:
            text += os.read(ours, 4096)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 0)
        os.close(ours)
        self.assertRegex(text, rb"\rloading llama\.f32 \[={20}\] (\S+ \S+) of \1")
        self.assertLess(text.index(b"loading"), text.index(b"llama.f32: llama, context"))

    def test_an_address_for_others(self):
        with Server(GODWIT, TINY, "--host", "0.0.0.0", "--insecure") as server:
            self.assertIn("serves at http://localhost:", server.log)
            self.assertEqual(ask(server.url + "/health")[0], 200)
            server.stop()
            others = re.findall(r"for other machines: (http://\S+)", server.log)
            addresses = subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=True).stdout.split()
            self.assertEqual({urllib.parse.urlsplit(url).hostname for url in others}, {a for a in addresses if ":" not in a})
            self.assertIn("warning: no API key is asked for", server.log)
        with Server(GODWIT, TINY, "--host", "0.0.0.0", "--api-key", "k") as server:
            server.stop()
            self.assertNotIn("warning", server.log)
        with Server(GODWIT, TINY, "--insecure") as server:
            server.stop()
            self.assertNotIn("warning", server.log)
            self.assertNotIn("other machines", server.log)

    def test_refused_pages_are_in_the_log(self):
        with Server(GODWIT, TINY, "--cors", "https://Chat.example/") as server:
            url = server.url + "/v1/models"
            self.assertEqual(ask(url, headers={"Origin": "https://chat.example"})[0], 200)
            self.assertEqual(ask(url, headers={"Origin": "http://localhost:5173"})[0], 200)
            status, answer = ask(url, headers={"Origin": "https://evil.example"})
            self.assertEqual(status, 403)
            self.assertIn("--cors https://evil.example", answer["error"]["message"])
            status, answer = ask(url, headers={"Host": "box.example"})
            self.assertEqual(status, 403)
            self.assertIn("--host-name box.example", answer["error"]["message"])
            server.stop()
        for word in ("--cors https://evil.example", "--host-name box.example"):
            self.assertRegex(server.log, rf"\n\d\d:\d\d:\d\d 403 GET /v1/models  .*{word}")

    def test_the_drain_has_an_end(self):
        with Server(GODWIT, SMOLLM2, "--drain", "0") as server:
            stream = Stream(server.url, {**QUESTION, "max_tokens": 8000, "ignore_eos": True})
            stream.line()
            self.assertEqual(server.stop(), 0)
            rest = stream.rest()
            self.assertNotIn("[DONE]", rest)
            self.assertIn('"message":"the server is shutting down"', rest.rstrip().splitlines()[-1])

    def test_several_models_share_one_process(self):
        with Server(GODWIT, SMOLLM2, TINY, "--name", "smol", "--name", "tiny", "--context", "64") as server:
            _, models = ask(server.url + "/v1/models")
            self.assertEqual([model["id"] for model in models["data"]], ["smol", "tiny"])

            def complete(model):
                return ask(server.url + "/v1/completions", {"model": model, "prompt": "A B", "max_tokens": 8, "temperature": 0})

            alone = {model: complete(model)[1]["choices"] for model in ("smol", "tiny")}
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                for model, (status, answer) in zip(["smol", "tiny"] * 8, pool.map(complete, ["smol", "tiny"] * 8)):
                    self.assertEqual((status, answer["choices"]), (200, alone[model]))
            self.assertEqual(ask(server.url + "/v1/chat/completions", {**QUESTION, "model": "tiny"})[0], 400)

    def test_defaults_of_the_server(self):
        with Server(GODWIT, SMOLLM2, "--temperature", "0", "--top-k", "5") as server:
            _, props = ask(server.url + "/props")
            settings = props["models"][0]["default_generation_settings"]
            self.assertEqual((settings["temperature"], settings["top_k"]), (0, 5))
            body = {"messages": QUESTION["messages"], "max_tokens": 8}
            answers = {ask(server.url + "/v1/chat/completions", body)[1]["choices"][0]["message"]["content"] for _ in range(3)}
            self.assertEqual(len(answers), 1)

    def test_logs(self):
        with Server(GODWIT, TINY, "--log", "json", "--verbose", "--log-prompts") as server:
            ask(server.url + "/health")
            ask(server.url + "/v1/completions", {"prompt": "A B", "max_tokens": 3, "ignore_eos": True})
            ask(server.url + "/v1/completions", {"prompt": "A", "n": 0})
            server.stop()
        rows = [json.loads(line) for line in server.lines if line.startswith("{")]
        self.assertEqual([(row["path"], row["status"]) for row in rows],
                         [("/health", 200), ("/v1/completions", 200), ("/v1/completions", 400)])
        self.assertEqual(rows[1]["output_tokens"], 3)
        self.assertIn("A B", rows[1]["prompt"])
        self.assertIn("n: 0 is out of range", rows[2]["error"])
        with Server(GODWIT, TINY, "--log", "text") as server:
            ask(server.url + "/health")
            ask(server.url + "/v1/completions", {"prompt": "secret", "max_tokens": 1})
            server.stop()
        self.assertNotIn("/health", server.log)
        self.assertNotIn("secret", server.log)

    def test_compressed_bodies_and_keys(self):
        with Server(GODWIT, SMOLLM2, "--api-key", "k1", "--api-key", "k2") as server:
            url, key = server.url + "/v1/chat/completions", {"Authorization": "Bearer k2"}
            packed = gzip.compress(json.dumps(QUESTION).encode())
            self.assertEqual(ask(url, data=packed, headers={**key, "Content-Encoding": "gzip"})[0], 200)
            bomb = gzip.compress(b" " * (64 << 20))
            self.assertEqual(ask(url, data=bomb, headers={**key, "Content-Encoding": "gzip"})[0], 413)
            self.assertEqual(ask(url, QUESTION)[0], 401)
            self.assertEqual(ask(server.url + "/health")[0], 200)

    def test_keys_of_a_file(self):
        with tempfile.NamedTemporaryFile("w") as keys:
            keys.write("one\r\n  two \n\n")
            keys.flush()
            with Server(GODWIT, TINY, "--api-key-file", keys.name) as server:
                statuses = [ask(server.url + "/v1/models", headers={"Authorization": f"Bearer {key}"})[0] for key in ("one", "two", "three", "")]
                self.assertEqual(statuses, [200, 200, 401, 401])

    def test_tls(self):
        with tempfile.TemporaryDirectory() as folder:
            cert, key = f"{folder}/cert.pem", f"{folder}/key.pem"
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2",
                            "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"], capture_output=True, check=True)
            with Server(GODWIT, TINY, "--tls-cert", cert, "--tls-key", key) as server:
                done = subprocess.run(["curl", "--silent", "--cacert", cert, server.url + "/health"], capture_output=True, text=True)
                self.assertEqual(done.stdout, '{"status":"ok"}')
            self.fails(TINY, "--tls-cert", cert, mentions=["--tls-key"])
            self.fails(TINY, "--tls-cert", TINY, "--tls-key", key, mentions=["llama.f32.gguf"])

    def test_refusals(self):
        self.fails("nowhere.gguf", mentions=["nowhere.gguf"])
        self.fails(TINY, "--host", "0.0.0.0", mentions=["--api-key", "--insecure"])
        for host in ("nope.invalid", "127.box.example", "192.0.2.1", "localhost:8080"):  # before keys are talked of
            self.assertNotIn("--api-key", self.fails(TINY, "--host", host, mentions=[f"'{host}' is no address of this machine"]))
        self.fails(TINY, "--api-key", "", mentions=["--api-key", "empty"])
        self.fails(TINY, "--host", "0.0.0.0", "--api-key", "", mentions=["--api-key", "empty"])
        with tempfile.NamedTemporaryFile("w") as keys:
            keys.write("\n \r\n")
            keys.flush()
            self.fails(TINY, "--api-key-file", keys.name, mentions=["there is no key"])
        for origin in ("x.example", "https://x/y", "null", ""):
            self.fails(TINY, "--cors", origin, mentions=["--cors", origin, "https://chat.example"])
        for name in ("http://box", "box:8080", "a b"):
            self.fails(TINY, "--host-name", name, mentions=["--host-name", name])
        self.fails(TINY, "--name", "", mentions=["--name"])
        self.fails(TINY, "--memory", "1MiB", mentions=["budget"])
        self.fails(TINY, TINY, mentions=["--name"])
        self.fails(TINY, "--temperature", "-3", mentions=["temperature"], code=2)
        self.fails(TINY, "--log", "xml", mentions=["--log"], code=2)
        self.fails(mentions=["MODEL"], code=2)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            done = subprocess.run([GODWIT, "serve", TINY, "--port", str(taken.getsockname()[1])], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 1)
            self.assertIn("in use", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
