#!/usr/bin/env python3
"""The example programs on a tiny model: examples_test.py FOUR_CONVERSATIONS."""

import os
import pty
import subprocess
import sys
import unittest
from pathlib import Path

PROGRAM = sys.argv.pop(1)
MODEL = str(Path(__file__).resolve().parent.parent / "models/data/llama.f32.gguf")


def answers(*questions):
    """What a pipe gets: {number: text}."""
    done = subprocess.run([PROGRAM, MODEL, *questions], capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = {}
    for line in done.stdout.splitlines():
        number, text = line.split(b": ", 1)
        found[int(number)] = found.get(int(number), b"") + text + b"\n"
    return found


class FourConversations(unittest.TestCase):
    def test_pipe(self):
        four = answers("one", "two", "three", "four")
        self.assertEqual(sorted(four), [1, 2, 3, 4])
        self.assertEqual(len(set(four.values())), 4)
        # Each as if its neighbours were others.
        self.assertEqual(set(answers("two", "two", "two", "two").values()), {four[2]})

    def test_terminal(self):
        child, terminal = pty.fork()
        if child == 0:
            os.execv(PROGRAM, [PROGRAM, MODEL])
        screen = b""
        try:
            while data := os.read(terminal, 65536):
                screen += data
        except OSError:  # the other end is closed
            pass
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        pages = screen.split(b"\x1b[J")
        self.assertGreater(len(pages), 20)  # it grew
        for question in (b"Why is the sky blue?", b"Tell me a joke."):
            self.assertEqual(pages[-1].count(question), 1)

    def test_faults(self):
        for arguments, mentions in (([], b"usage"), (["/nowhere/x.gguf"], b"/nowhere/x.gguf"), ([MODEL, "one"], b"usage")):
            done = subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr.count(b"\n")), (1, 1))
            self.assertIn(mentions, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
