"""What the oracle scripts need of llama.cpp: its server on the loopback interface, and models with F32 weights."""

import json
import socket
import subprocess
import time
import urllib.error
import urllib.request


def _free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def exact_weights(binaries, model, folder):
    """Writes the model with all weights dequantised to F32 into the folder; returns its path.

    On quantised weights llama.cpp rounds activations to 8 bits; on this file it computes in F32."""
    out = folder / model.name.replace(".gguf", ".F32.gguf")
    subprocess.run([f"{binaries}/llama-quantize", "--allow-requantize", str(model), str(out), "F32"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return out


class PeerServer:
    """Context manager: one llama-server process, one slot, flash attention off, one thread (threads spin while they
    wait: more are slow on a busy machine)."""

    def __init__(self, binaries, model, *options):
        self.url = f"http://127.0.0.1:{_free_port()}"
        self.command = [
            f"{binaries}/llama-server", "-m", str(model), "--host", "127.0.0.1", "--port", self.url.rsplit(":", 1)[1],
            "-t", "1", "-fa", "off", "-np", "1", *options,
        ]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            if self.process.poll() is not None:
                raise RuntimeError(f"llama-server ended at once (run it by hand): {' '.join(self.command)}")
            try:
                with urllib.request.urlopen(self.url + "/health"):
                    return self
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        self.__exit__()
        raise RuntimeError("llama-server did not become ready within 60 s")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def post(self, path, body):
        content = json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, content, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def tokenize(self, text):
        """Ids as for a prompt: BOS where the model adds one, special tokens recognised."""
        return self.post("/tokenize", {"content": text, "add_special": True, "parse_special": True})["tokens"]

    def greedy(self, prompt_ids, count):
        """Greedy continuation; shorter than count where the model ended (the end token included)."""
        answer = self.post("/completion", {"prompt": prompt_ids, "n_predict": count, "temperature": 0, "top_k": 1,
                                           "cache_prompt": False, "return_tokens": True})
        return answer["tokens"], answer["stop_type"]

    def next_log_probabilities(self, prompt_ids, vocabulary_size, printable):
        """{token id: natural log-probability} of the token after the prompt, for the whole vocabulary.

        The server answers without them where the chosen token is no whole UTF-8 text, so a bias makes it choose
        `printable`; the log-probabilities are taken before the bias."""
        answer = self.post("/completion", {"prompt": prompt_ids, "n_predict": 1, "n_probs": vocabulary_size,
                                           "logit_bias": [[printable, 1000.0]], "cache_prompt": False})
        return {entry["id"]: entry["logprob"] for entry in answer["completion_probabilities"][0]["top_logprobs"]}
