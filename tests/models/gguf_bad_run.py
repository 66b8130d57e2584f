#!/usr/bin/env python3
"""Runs a godwit binary over the malformed, hostile and odd-but-valid GGUF files of tests/cases/gguf_bad.py.

    python3 gguf_bad_run.py BINARY [ID ...]         (needs numpy)

refuse: exit status 1 and one line on stderr that holds one of the case's words; load: exit status 0 and text for a
prompt; either: one of both. Never a signal, a sanitizer report, more than 1 GiB of memory or 10 seconds.
"""
import json, os, resource, signal, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cases"))
import gguf_bad

SECONDS = 10
GIB = 1 << 30


def has_sanitizer(binary):
    """address space limits and AddressSanitizer's shadow memory exclude one another"""
    with open(binary, "rb") as f:
        return b"__asan_init" in f.read()


class Outcome:
    def __init__(self, status, err, peak, seconds):
        self.status, self.err, self.peak, self.seconds = status, err, peak, seconds
        self.lines = [line for line in err.splitlines() if line.strip()]


def run(binary, model, limit_address_space):
    """one process with limits; its own peak of resident memory"""
    def limits():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if limit_address_space:  # twice the bound: stacks and arenas that are reserved, never touched
            resource.setrlimit(resource.RLIMIT_AS, (2 * GIB, 2 * GIB))

    command = [binary, "run", model, "--raw", "-p", "a", "-n", "2", "--temperature", "0"]
    environment = dict(os.environ, MALLOC_ARENA_MAX="2")
    with tempfile.TemporaryFile() as err:
        begin = time.monotonic()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err,
                                 preexec_fn=limits, env=environment)
        signal.signal(signal.SIGALRM, lambda *_: child.kill())
        signal.alarm(SECONDS)
        _, wait_status, usage = os.wait4(child.pid, 0)
        signal.alarm(0)
        child.returncode = os.waitstatus_to_exitcode(wait_status)
        seconds = time.monotonic() - begin
        err.seek(0)
        return Outcome(child.returncode, err.read().decode("utf-8", "replace"), usage.ru_maxrss * 1024, seconds)


def fault(case, got, sanitizer):
    """what is wrong with the outcome, or None"""
    if got.status < 0:
        late = got.status == -signal.SIGKILL and got.seconds >= SECONDS
        return "no answer in %d s" % SECONDS if late else "killed by signal %d" % -got.status
    if "Sanitizer" in got.err or "runtime error:" in got.err:
        return "sanitizer report"
    if not sanitizer and got.peak > GIB:
        return "%d MiB of memory" % (got.peak >> 20)
    if got.status == 0:
        return "loaded" if case["must"] == "refuse" else None
    if case["must"] == "load" or got.status != 1:
        return "exit status %d" % got.status
    if len(got.lines) != 1:
        return "%d lines on stderr" % len(got.lines)
    if not any(word.lower() in got.lines[0].lower() for word in case["mentions"]):
        return "none of the words in the message"
    return None


def expectation(case):
    words = " | ".join(case["mentions"])
    return {"load": "exit status 0", "refuse": "exit status 1, one line with " + words,
            "either": "exit status 0, or 1 and one line with " + words}[case["must"]]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    binary, wanted = os.path.abspath(sys.argv[1]), set(sys.argv[2:])
    sanitizer = has_sanitizer(binary)
    passed = failed = 0
    slowest = (0.0, "")
    with tempfile.TemporaryDirectory(prefix="godwit-gguf-bad-") as folder:
        gguf_bad.main(folder)
        with open(os.path.join(folder, "expected.json")) as f:
            cases = json.load(f)
        for case in cases:
            name = case["file"].removesuffix(".gguf")
            if wanted and name not in wanted:
                continue
            got = run(binary, os.path.join(folder, case["file"]), not sanitizer)
            slowest = max(slowest, (got.seconds, name))
            why = fault(case, got, sanitizer)
            passed, failed = passed + (why is None), failed + (why is not None)
            if why or wanted:
                print("%s %s (%s)%s" % ("FAILED" if why else "ok", name, case["kind"], ": " + why if why else ""))
                print("  expected: " + expectation(case))
                print("  got:      exit status %d: %s" % (got.status, got.err.strip() or "(nothing on stderr)"))
    print("slowest: %s, %.2f s" % (slowest[1], slowest[0]))
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
