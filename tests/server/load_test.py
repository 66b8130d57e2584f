#!/usr/bin/env python3
"""Many clients at once, some rude: load_test.py GODWIT [--seconds N] [--clients N].

Each client does one of these, at random, until the time is up: an ordinary chat, streamed or not; a marked one, whose answer must be
the one that it has alone, to the byte; a stream that is dropped halfway; a reader that takes a few bytes at a time; garbage. Meanwhile /health
and /metrics are asked. Passes if no answer was an error that was not asked for, marked answers were always the same, and memory is flat.
"""

import argparse
import asyncio
import collections
import json
import random
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from server import SMOLLM2, Server  # noqa: E402

MARKED = [{"messages": [{"role": "user", "content": text}], "temperature": 0, "max_tokens": 24}
          for text in ("Name three birds.", "What is two plus two?", "Schreibe einen Satz über Schnee ❄.")]
GARBAGE = [
    (b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", 400),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
    (b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n", 413),
    (b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\n\r\n", None),
    (b"BREW /pot HTCPCP/1.0\r\n\r\n", None),
]
BAD_BODIES = [b"{", b"[]", b'{"messages": 5}', b'{"messages": [{"role": "user", "content": "\xff"}]}', b"[" * 10000,
              b'{"messages": [{"role": "user", "content": "x"}], "n": -1}']


class Clients:
    def __init__(self, server):
        self.server = server
        self.port = int(server.url.rpartition(":")[2])
        self.counts, self.faults, self.waits = collections.Counter(), [], []

    def fault(self, text):
        self.faults.append(text)

    async def open(self, head, body=b""):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(head + body)
        await writer.drain()
        return reader, writer

    async def post(self, path, body):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {len(data)}\r\n\r\n"
        return await self.open(head.encode(), data)

    @staticmethod
    async def answer(reader, writer):
        """(status, body), the chunks of a stream joined."""
        raw = await asyncio.wait_for(reader.read(), 300)
        writer.close()
        head, _, body = raw.partition(b"\r\n\r\n")
        status = int(head.split(b" ", 2)[1]) if head.startswith(b"HTTP/") else 0
        if b"chunked" in head.lower():
            parts, at = [], 0
            while size := int(body[at:body.index(b"\r\n", at)], 16):
                begin = body.index(b"\r\n", at) + 2
                parts.append(body[begin:begin + size])
                at = begin + size + 2
            body = b"".join(parts)
        return status, body

    @staticmethod
    def text_of(body, stream):
        if not stream:
            return json.loads(body)["choices"][0]["message"]["content"]
        events = [json.loads(line[6:]) for line in body.decode().split("\n\n") if line.startswith("data: {")]
        assert body.endswith(b"data: [DONE]\n\n"), body[-200:]
        return "".join(event["choices"][0]["delta"].get("content", "") for event in events)

    async def chat(self, body, stream):
        status, answer = await self.answer(*await self.post("/v1/chat/completions", {**body, "stream": stream}))
        if status != 200:
            self.fault(f"{status}: {answer[:200]}")
            return None
        return self.text_of(answer, stream)

    async def ordinary(self, random):
        prompt = " ".join(random.choice(("red", "sea", "fly", "π", "зима")) for _ in range(random.randint(1, 120)))
        body = {"messages": [{"role": "user", "content": prompt}], "max_tokens": random.randint(1, 40), "n": random.choice((1, 1, 1, 2)),
                "ignore_eos": random.random() < 0.2, "temperature": random.choice((0, 0.7, 1.5)), "stop": random.choice((None, ["."]))}
        await self.chat(body, random.random() < 0.6)

    async def marked(self, random):
        which = random.randrange(len(MARKED))
        text = await self.chat(MARKED[which], random.random() < 0.5)
        if text != self.alone[which]:
            self.fault(f"marked answer {which} is {text!r}, alone it was {self.alone[which]!r}")

    async def dropped(self, random):
        stream = random.random() < 0.7
        body = {"messages": [{"role": "user", "content": "Tell me a story. " * random.randint(1, 20)}], "max_tokens": 300, "stream": stream, "ignore_eos": True}
        reader, writer = await self.post("/v1/chat/completions", body)
        if stream:
            for _ in range(random.randint(0, 10)):
                await asyncio.wait_for(reader.readline(), 300)
        else:
            await asyncio.sleep(random.random() / 10)
        writer.transport.abort() if random.random() < 0.5 else writer.close()

    async def slow(self, random):
        reader, writer = await self.post("/v1/chat/completions", {**MARKED[0], "max_tokens": 200, "ignore_eos": True, "stream": True})
        for _ in range(40):
            if not await asyncio.wait_for(reader.read(7), 300):
                break
            await asyncio.sleep(0.02)
        writer.close()

    async def garbage(self, random):
        if random.random() < 0.5:
            status, body = await self.answer(*await self.post("/v1/chat/completions", random.choice(BAD_BODIES)))
            if status != 400:
                self.fault(f"a bad body gave {status}: {body[:200]}")
            return
        data, expected = random.choice(GARBAGE)
        try:
            reader, writer = await self.open(data)
            writer.write_eof()
            status, _ = await self.answer(reader, writer)
            if (expected and status != expected) or status >= 500:
                self.fault(f"garbage gave {status}")
        except ConnectionError:
            pass  # it may hang up before it has read all

    async def client(self, seed, end):
        rng = random.Random(seed)
        kinds = [self.ordinary, self.marked, self.marked, self.dropped, self.slow, self.garbage]
        while time.monotonic() < end:
            kind = rng.choice(kinds)
            try:
                await kind(rng)
            except Exception as problem:
                self.fault(f"{kind.__name__}: {problem!r}")
            self.counts[kind.__name__] += 1

    async def probe(self, end):
        while time.monotonic() < end:
            for path in ("/health", "/metrics"):
                start = time.monotonic()
                status, _ = await self.answer(*await self.open(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()))
                self.waits.append(time.monotonic() - start)
                if status != 200:
                    self.fault(f"{path}: {status}")
            await asyncio.sleep(0.2)

    def resident(self):
        text = Path(f"/proc/{self.server.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) * 1024

    async def memory(self, seconds):
        """Samples of the second half: all of the cache has been in use by then."""
        self.samples = []
        await asyncio.sleep(seconds / 2)
        for _ in range(20):
            self.samples.append(self.resident())
            await asyncio.sleep(seconds / 45)

    async def run(self, clients, seconds):
        self.alone = [await self.chat(body, False) for body in MARKED]
        end = time.monotonic() + seconds
        await asyncio.gather(self.probe(end), self.memory(seconds), *(self.client(seed, end) for seed in range(clients)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("godwit")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--clients", type=int, default=16)
    options = parser.parse_args()
    with Server(options.godwit, SMOLLM2, "--context", "1024") as server:
        clients = Clients(server)
        asyncio.run(clients.run(options.clients, options.seconds))
        status = server.stop()
    growth = max(clients.samples) - clients.samples[0]
    waits = sorted(clients.waits)
    print(f"{options.clients} clients, {options.seconds} s: {dict(clients.counts)}")
    print(f"resident memory {clients.samples[0] / 1e6:.1f} MB, then at most {growth / 1e6:+.1f} MB; /health and /metrics: median "
          f"{waits[len(waits) // 2] * 1e3:.1f} ms, p99 {waits[int(len(waits) * 0.99)] * 1e3:.1f} ms of {len(waits)}")
    failures = [f"{len(clients.faults)} faults, first: {clients.faults[:5]}"] if clients.faults else []
    if growth > 0.03 * clients.samples[0]:
        failures.append(f"memory grew by {growth} bytes")
    if status != 0:
        failures.append(f"exit status {status}")
    if broken := [line for line in server.lines if re.match(r"\S+ 5\d\d ", line)]:
        failures.append(f"{len(broken)} answers 5xx, first: {broken[0]}")
    print("\n".join(failures) or "passed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
