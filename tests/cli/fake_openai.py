"""An OpenAI server that says words: streams of the forms that servers really send, and failures on demand."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class FakeOpenAI:
    """`answer(number, body)` decides the number-th completion: a list of events (objects), or (status, object) to refuse."""

    def __init__(self, answer):
        self.answer, self.lock = answer, threading.Lock()
        self.bodies, self.keys, self.open, self.most_open = [], [], 0, 0
        self.everybody_here = None  # a barrier: answers begin when so many requests are open
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def send(self, status, type_, body):
                self.send_response(status)
                self.send_header("Content-Type", type_)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                self.send(200, "application/json", json.dumps({"object": "list", "data": [{"id": "fake"}]}).encode())

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with owner.lock:
                    number = len(owner.bodies)
                    owner.bodies.append((self.path, body))
                    owner.keys.append(self.headers.get("Authorization"))
                    owner.open += 1
                    owner.most_open = max(owner.most_open, owner.open)
                if owner.everybody_here and number >= 2:  # the first two find out how long words are
                    owner.everybody_here.wait(60)
                answer = owner.answer(number, body)
                with owner.lock:
                    owner.open -= 1
                if isinstance(answer, tuple):
                    return self.send(answer[0], "application/json", json.dumps(answer[1], indent=1).encode())
                lines = "".join(f"data: {event if isinstance(event, str) else json.dumps(event)}\r\n\r\n" for event in answer)
                return self.send(200, "text/event-stream", (": a comment\n\n" + lines).encode())

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def prompt_of(body):
    return body["prompt"] if "prompt" in body else body["messages"][0]["content"]


def completion(body, tokens, usage=True, done=True):
    """Two tokens a word and three for the template: what the prompt's count must be fitted to."""
    events = [{"choices": [{"text": "w ", "finish_reason": None}]} for _ in range(tokens)]
    events.append({"choices": [{"text": "", "finish_reason": "length"}]})
    return finish(events, body, tokens, usage, done)


def chat(body, tokens, usage=True, done=True):
    events = [{"choices": [{"delta": {"role": "assistant", "content": ""}, "finish_reason": None}]}]
    events += [{"choices": [{"delta": {"reasoning_content" if i == 0 else "content": "w "}}]} for i in range(tokens)]
    events.append({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    return finish(events, body, tokens, usage, done)


def finish(events, body, tokens, usage, done):
    if usage:
        count = {"prompt_tokens": 2 * len(prompt_of(body).split()) + 3, "completion_tokens": tokens}
        events.append({"choices": [], "usage": count})
    return events + ["[DONE]"] if done else events[:1]
