"""A godwit server for a test: started on a free port, stopped by its id."""

import os
import re
import signal
import subprocess
import threading
from pathlib import Path

CACHE = Path(os.environ.get("GODWIT_CACHE") or Path.home() / ".cache" / "godwit")
SMOLLM2 = str(CACHE / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf")


class Server:
    """`with Server(GODWIT, "serve", …) as server:` waits until it serves. `server.log` is what it has written so far."""

    def __init__(self, godwit, *arguments):
        self.process = subprocess.Popen([godwit, "serve", *arguments, "--port", "0"], stderr=subprocess.PIPE, text=True)
        self.lines, self.ready = [], threading.Event()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stderr:
            self.lines.append(line)
            if found := re.search(r"serves at (https?://\S+)", line):
                self.url = found[1]
            if line.startswith("    -d "):  # the end of the curl line: all that is said at the start
                self.ready.set()
        self.ready.set()  # it has ended

    @property
    def log(self):
        return "".join(self.lines)

    def __enter__(self):
        if not self.ready.wait(60) or not hasattr(self, "url"):
            self.stop()
            raise AssertionError(f"the server does not start:\n{self.log}")
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self, with_signal=signal.SIGTERM):
        """Its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(with_signal)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self.reader.join(10)
            self.process.stderr.close()
        return self.process.returncode
