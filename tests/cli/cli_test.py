#!/usr/bin/env python3
"""The command line from outside: cli_test.py GODWIT. Small models lie in tests/models/data; those tests that want a real one use
the default model from the cache."""

import json
import os
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GODWIT = sys.argv.pop(1)
DATA = Path(__file__).resolve().parent.parent / "models" / "data"
TINY = str(DATA / "llama.f32.gguf")
GEMMA = str(DATA / "gemma3.f32.gguf")
CACHE = Path(os.environ.get("GODWIT_CACHE") or Path.home() / ".cache" / "godwit")
SCRATCH = tempfile.TemporaryDirectory()
COMMANDS = ("run", "serve", "bench", "doctor", "pull", "list", "rm", "inspect", "plan", "tokenize", "detokenize", "render", "logits",
            "perplexity")
BAD_USAGE = [  # arguments, what is said
    (["frobnicate"], "godwit: there is no command 'frobnicate' (godwit --help lists them)"),
    (["rum", "x.gguf"], "godwit: there is no command 'rum' (did you mean run?)"),
    (["--foo"], "godwit: there is no option '--foo' (godwit --help lists them)"),
    (["run"], "godwit run: MODEL is missing: a GGUF file (of a split model: its first part), or the name of a pulled model"),
    (["run", "--hlep"], "godwit run: --hlep: no such option (did you mean --help?)"),
    (["run", "x", "--temprature", "0"], "godwit run: --temprature: no such option (did you mean --temperature?)"),
    (["run", "x", "-temp", "0"], "godwit run: -temp: no such option (did you mean --temperature?)"),
    (["run", "x", "-prompt", "a"], "godwit run: -prompt: no such option (did you mean --prompt?)"),
    (["run", "x", "--frobnicate"], "godwit run: --frobnicate: no such option (godwit run --help lists them)"),
    (["run", "x", "hello"], "godwit run: 'hello': one argument too many (a prompt goes after -p)"),
    (["rm", "x", "y"], "godwit rm: 'y': one argument too many (godwit rm --help says what it takes)"),
    (["run", "x", "-p"], "godwit run: -p: TEXT is missing after it"),
    (["run", "x", "-p", "--raw"], "godwit run: -p: TEXT is missing after it, --raw is an option (-p=--raw if it is meant)"),
    (["run", "x", "--raw=yes"], "godwit run: --raw: takes no value"),
    (["run", "x", "--seed", "1", "--seed=2"], "godwit run: --seed: given twice"),
    (["run", "x", "--raw", "--system", "a"], "godwit run: --system and --raw: only one of them may be given"),
    (["run", "x", "--threads", "0"], "godwit run: --threads: 0 is out of range (1 to 1024)"),
    (["run", "x", "-n", "1.5"], "godwit run: -n: '1.5' is not a whole number"),
    (["run", "x", "-n", ""], "godwit run: -n: '' is not a whole number"),
    (["run", "x", "--seed", "99999999999999999999"], "godwit run: --seed: 99999999999999999999 is out of range (0 to 18446744073709551615)"),
    (["run", "x", "--tokens", "2000000000"], "godwit run: --tokens: 2000000000 is out of range (0 to 1073741824)"),
    (["run", "x", "--temperature", "warm"], "godwit run: --temperature: 'warm' is not a number"),
    (["run", "x", "--top-p", "nan"], "godwit run: --top-p: 'nan' is not a number"),
    (["run", "x", "--top-p", "1.5"], "godwit run: --top-p: 1.5 is out of range (0 to 1)"),
    (["run", "x", "--repetition-penalty", "0"], "godwit run: --repetition-penalty: 0 is out of range (0.01 to 100)"),
    (["run", "x", "--kv", "f8"], "godwit run: --kv: 'f8' is none of f16, f32"),
    (["serve", "x", "--port", "99999"], "godwit serve: --port: 99999 is out of range (0 to 65535)"),
    (["serve", "x", "--port", "http"], "godwit serve: --port: 'http' is not a whole number"),
    (["serve", "x", "--memory", "-5"], "godwit serve: --memory: '-5' is not a size (like 800MB, 8GB or 8GiB)"),
    (["serve", "x", "--memory", "8XB"], "godwit serve: --memory: '8XB' is not a size (like 800MB, 8GB or 8GiB)"),
    (["tokenize", "x"], "godwit tokenize: --text or --file is missing"),
    (["tokenize", "x", "--text", "a", "--file", "b"], "godwit tokenize: --file and --text: only one of them may be given"),
    (["detokenize", "x"], "godwit detokenize: --tokens is missing: ids like 1,2,3, or @FILE"),
    (["bench"], "godwit bench: MODEL or --url is missing"),
    (["bench", "x", "--rate", "3"], "godwit bench: --rate: needs --url as well"),
    (["bench", "--url", "http://127.0.0.1:1", "--batch", "3"], "godwit bench: --batch and --url: only one of them may be given"),
    (["bench", "x", "--context", "100"], "godwit bench: --context: no such option (godwit bench --help lists them)"),
]
SMOLLM2 = str(CACHE / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf")


def with_keys(*added):
    """TINY with more metadata, (key, GGUF type, bytes) each; the path."""
    def entry(key, kind, value):
        return struct.pack("<Q", len(key)) + key.encode() + struct.pack("<I", kind) + value
    data = Path(TINY).read_bytes()
    magic, version, tensors, keys = struct.unpack_from("<4sIQQ", data)
    more = b"".join(entry(*one) for one in added)
    more += entry("x.pad", 8, struct.pack("<Q", -(len(more) + 25) % 32) + b"." * (-(len(more) + 25) % 32))  # what follows keeps its alignment
    path = Path(SCRATCH.name) / "llama.gguf"
    path.write_bytes(struct.pack("<4sIQQ", magic, version, tensors, keys + len(added) + 1) + more + data[24:])
    return str(path)


def godwit(*arguments, stdin=""):
    return subprocess.run([GODWIT, *arguments], input=stdin, capture_output=True, text=True, timeout=120)


class Commands(unittest.TestCase):
    def ok(self, *arguments, **more):
        done = godwit(*arguments, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def fails(self, *arguments, mentions, code=1):
        done = godwit(*arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        if code == 1:
            self.assertEqual(done.stderr.count("\n"), 1, f"one line: {done.stderr!r}")
        for word in mentions:
            self.assertIn(word, done.stderr)

    def test_version_and_help(self):
        for version in ("--version", "-V"):
            self.assertRegex(self.ok(version), r"^godwit \d+\.\d+\.\d+\n$")
        page = self.ok("--help")
        self.assertEqual(self.ok("-h"), page)
        for command in COMMANDS:
            self.assertRegex(page, rf"(?m)^  {command} +\w")

    def test_every_help_is_a_page_for_people(self):
        for command in COMMANDS:
            page = self.ok(command, "--help")
            self.assertEqual(self.ok(command, "--no-such-option", "-h"), page, "help wins over mistakes")
            for line in page.splitlines():
                self.assertLessEqual(len(line), 80, line)
            self.assertRegex(page, rf"^godwit {command}: .*\n(?:.*\n)?\nUsage: godwit {command}")
            self.assertIn(f"\n  godwit {command}", page[page.index("\nExample"):])
            self.assertNotRegex(page, r"\b(INT|FLOAT|UINT|REQUIRED|Excludes|Needs)\b|\[\d")
        self.assertLess(self.ok("run", "--help").index("--temperature"), self.ok("run", "--help").index("More options"))
        self.assertGreater(self.ok("run", "--help").index("--top-k"), self.ok("run", "--help").index("More options"))

    def test_bad_usage(self):
        self.assertEqual(godwit().returncode, 2)
        self.assertEqual(godwit().stderr, self.ok("--help"))
        for arguments, said in BAD_USAGE:
            done = godwit(*arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", said + "\n"), arguments)

    def test_values_in_all_spellings(self):
        want = self.ok("run", TINY, "--raw", "-p", "a", "-n", "3", "--temperature", "0")
        for spelling in (("-pa", "-n3", "--temperature=0"), ("-p=a", "-n=3", "--temperature", "0e0"),
                         ("--prompt=a", "--tokens", "3", "--temperature", "-0")):
            self.assertEqual(self.ok("run", "--raw", *spelling, "--", TINY), want)

    def test_missing_and_foreign_files(self):
        self.fails("run", "/nowhere/x.gguf", "--raw", "-p", "a", mentions=["/nowhere/x.gguf", "No such file"])
        self.fails("plan", __file__, mentions=["cli_test.py", "GGUF"])
        self.fails("plan", str(DATA), mentions=["a folder (give one of its files: "])

    def test_inspect(self):
        text = self.ok("inspect", TINY, "--tensors")
        for word in ("general.architecture", "token_embd.weight", "F32", "It can run here"):
            self.assertIn(word, text)
        found = json.loads(self.ok("inspect", TINY, "--tensors", "--json"))
        self.assertIsNone(found["unsupported"])
        self.assertEqual(found["weight_bytes"], sum(t["bytes"] for t in found["tensors"]))

    def test_a_context_above_the_models_is_said(self):
        out = SCRATCH.name + "/x.npy"
        for arguments in (["plan", TINY], ["run", TINY, "--raw", "-p", "a", "-n", "1"], ["logits", TINY, "--tokens", "1", "--out", out]):
            said = godwit(*arguments, "--context", "1000")
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertIn("llama.f32.gguf: --context 1000 is more than the model was made for; its context is 128\n", said.stderr)
            self.assertNotIn("made for", godwit(*arguments, "--context", "128").stderr)

    def test_what_is_ignored_is_told_and_does_not_matter(self):
        nan, minus_one = struct.pack("<f", float("nan")), struct.pack("<i", -1)
        odd = with_keys(("general.sampling.temp", 6, nan), ("general.sampling.top_k", 5, minus_one), ("tokenizer.ggml.mask_token_id", 5, minus_one))
        for command in ("plan", "inspect"):
            warnings = json.loads(self.ok(command, odd, "--json"))["warnings"]
            self.assertEqual([warning.split(":")[0] for warning in warnings],
                             ["key tokenizer.ggml.mask_token_id", "key general.sampling.temp", "key general.sampling.top_k"])
            self.assertIn("\nwarning: key general.sampling.temp: nan is not a finite number; ignored\n", self.ok(command, odd))
            self.assertEqual(json.loads(self.ok(command, TINY, "--json"))["warnings"], [])
        for temperature in ([], ["--temperature", "0"]):
            answer = [self.ok("run", model, "--raw", "-p", "a", "-n", "8", "--seed", "1", *temperature) for model in (odd, TINY)]
            self.assertEqual(answer[0], answer[1])

    def test_plan_is_byte_exact(self):
        plan = json.loads(self.ok("plan", GEMMA, "--context", "100", "--parallel", "3", "--json"))
        self.assertEqual(plan["context"], 100)
        # 7 layers, 2 KV heads of 8, keys and values, f16; 100 tokens take 4 blocks of 32.
        self.assertEqual(plan["kv_bytes"], 3 * 7 * (4 * 32) * 2 * 8 * 2 * 2)
        self.assertEqual(plan["total_bytes"],
                         sum(plan[part + "_bytes"] for part in ("weight", "kv", "activation", "tokenizer", "program")))
        self.assertIn("2 cache group(s)", self.ok("plan", GEMMA))

    def test_tokenize_and_back(self):
        text = "Grüße, world \U0001F600\n"
        tokens = json.loads(self.ok("tokenize", TINY, "--text", text, "--json"))["tokens"]
        self.assertEqual(b"".join(bytes.fromhex(t["bytes"]) for t in tokens).decode().lstrip(" "), text)
        ids = ",".join(str(t["id"]) for t in tokens)
        self.assertEqual(json.loads(self.ok("detokenize", TINY, "--tokens", ids, "--json"))["text"], text)
        self.assertEqual(self.ok("tokenize", TINY, "--text", "", "--json"), '{"tokens":[]}\n')
        self.fails("detokenize", TINY, "--tokens", "1,x", mentions=["--tokens", "x"])
        self.fails("detokenize", TINY, "--tokens", "999999", mentions=["999999", "vocabulary"])

    def test_tokenizer_json(self):
        llama = json.loads((DATA.parents[1] / "golden/tokenizers/tokenizers.json").read_text())["bases"]["llama"]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "tokenizer.json"
            file.write_text(json.dumps(llama))
            text = "Hello  w\u00f6rld \U0001F600\n"
            for model in (folder, str(file)):
                tokens = json.loads(self.ok("tokenize", model, "--text", text, "--json"))["tokens"]
                ids = ",".join(str(t["id"]) for t in tokens)
                self.assertEqual(json.loads(self.ok("detokenize", model, "--tokens", ids, "--json"))["text"], text)
            self.assertEqual(len(json.loads(self.ok("tokenize", folder, "--text", "<s>", "--special", "--json"))["tokens"]), 1)
            (Path(folder) / "tokenizer_config.json").write_text('{"bos_token": "nope"}')
            self.fails("tokenize", folder, "--text", "a", mentions=[folder, "tokenizer_config.json.bos_token", "nope"])
            file.write_text("{")
            self.fails("tokenize", str(file), "--text", "a", mentions=[str(file), "line 1"])

    def test_logits_file(self):
        with tempfile.TemporaryDirectory() as folder:
            out = f"{folder}/x.npy"
            self.ok("logits", TINY, "--tokens", "1,261,291", "--out", out, "--kv", "f32")
            data = Path(out).read_bytes()
            header = struct.unpack("<H", data[8:10])[0]
            shape = eval(data[10:10 + header])["shape"]
            self.assertEqual(shape[0], 3)
            got = struct.unpack(f"<{shape[0] * shape[1]}f", data[10 + header:])
            golden = (DATA / "llama.f32.text.npy").read_bytes()
            start = 10 + struct.unpack("<H", golden[8:10])[0]
            want = struct.unpack(f"<{len(got)}f", golden[start:start + 4 * len(got)])
            for a, b in zip(got, want):
                self.assertAlmostEqual(a, b, delta=1e-3)
            self.fails("logits", TINY, "--tokens", "5000", "--out", out, mentions=["5000", "vocabulary"])
            self.assertEqual(Path(out).read_bytes(), data, "a failure leaves what was there")
            model = f"{folder}/model.gguf"  # written over itself: the mapping must survive until the end
            Path(model).write_bytes(Path(TINY).read_bytes())
            self.ok("logits", model, "--tokens", "1,261,291", "--out", model, "--kv", "f32")
            self.assertEqual(Path(model).read_bytes(), data)
            self.assertEqual(sorted(os.listdir(folder)), ["model.gguf", "x.npy"], "nothing else is left")
        self.ok("logits", TINY, "--tokens", "1", "--out", "/dev/null")
        self.assertTrue(Path("/dev/null").is_char_device())
        self.fails("logits", TINY, "--tokens", "1", "--out", "/nowhere/x.npy", mentions=["/nowhere/x.npy"])

    def test_run_reads_prompt_from_option_or_pipe(self):
        options = ("--raw", "-n", "6", "--temperature", "0")
        first = godwit("run", TINY, *options, "-p", "hello there")
        second = godwit("run", TINY, *options, stdin="hello there")
        self.assertEqual((first.returncode, first.stdout), (0, second.stdout))
        self.assertIn("tokens/s", first.stderr)
        self.fails("run", TINY, "-p", "hello", mentions=["--raw"])

    def test_run_is_reproducible(self):
        def answer(*more):
            return self.ok("run", TINY, "--raw", "-p", "a", "-n", "20", *more)
        self.assertEqual(answer("--seed", "7"), answer("--seed", "7", "--threads", "1"))
        self.assertNotEqual(answer("--seed", "7"), answer("--seed", "8"))
        self.assertEqual(answer("--temperature", "0"), answer("--temperature", "0", "--seed", "3"))

    def test_run_refuses_what_does_not_fit(self):
        self.fails("run", TINY, "--raw", "-p", "a b c d e f g h", "--context", "4", mentions=["context", "4"])

    def test_run_stops_before_the_stop_text(self):
        whole = self.ok("run", TINY, "--raw", "-p", "hello", "-n", "30", "--temperature", "0").rstrip("\n")
        stop = whole[len(whole) // 2:len(whole) // 2 + 2]
        cut = self.ok("run", TINY, "--raw", "-p", "hello", "-n", "30", "--temperature", "0", "--stop", stop)
        self.assertEqual(cut.rstrip("\n"), whole[:whole.index(stop)].rstrip("\n"))

    def test_bench(self):
        options = ("--prompt", "40", "--generate", "12", "--repeat", "3", "--threads", "1", "--kv", "f32")
        found = json.loads(self.ok("bench", TINY, *options, "--json"))
        self.assertEqual((found["prompt"], found["generate"], found["depth"], found["batch"], found["repeat"]), (40, 12, 0, 1, 3))
        self.assertEqual((found["model"], found["threads"], found["kv_format"]), ("llama.f32.gguf", 1, "f32"))
        self.assertRegex(found["backend"], r"^cpu \((scalar|avx2|avx512)\)$")
        for rate in ("prompt_tokens_per_second", "generate_tokens_per_second"):
            self.assertGreater(found[rate + "_min"], 0)
            self.assertLessEqual(found[rate + "_min"], found[rate])
            self.assertLessEqual(found[rate], found[rate + "_max"])
        # All weights but the embedding (its rows are looked up), unless it is the output matrix too.
        for model, read in ((TINY, lambda name: name != "token_embd.weight"), (GEMMA, lambda name: True)):
            tensors = json.loads(self.ok("inspect", model, "--tensors", "--json"))["tensors"]
            found = json.loads(self.ok("bench", model, "--prompt", "2", "--generate", "2", "--repeat", "1", "--json"))
            self.assertEqual(found["step_weight_bytes"], sum(t["bytes"] for t in tensors if read(t["name"])))
        share = found["generate_tokens_per_second"] * found["step_weight_bytes"] / found["read_bytes_per_second"]
        self.assertAlmostEqual(found["bandwidth_share"] / share, 1, places=6)

    def test_bench_of_a_batch_behind_a_context(self):
        done = godwit("bench", TINY, "--prompt", "100", "--generate", "5", "--depth", "4", "--batch", "3", "--json")
        if done.returncode != 0:  # rightly: on a busy machine some 100 µs are not to be found
            return self.assertIn("lost in the noise", done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual((found["depth"], found["batch"]), (4, 3))
        self.assertGreater(found["prompt_tokens_per_second"], 0)

    def test_bench_for_people(self):
        text = self.ok("bench", TINY, "--prompt", "20", "--generate", "30", "--repeat", "1")
        for word in ("prompt       20", "generate     30", "median", "tokens/s", ") backend", "KV f16", "GB/s"):
            self.assertIn(word, text)

    def test_bench_measures_one_of_the_two(self):
        for zero, other in (("prompt", "generate"), ("generate", "prompt")):
            options = (f"--{zero}", "0", f"--{other}", "8", "--repeat", "1")
            found = json.loads(self.ok("bench", TINY, *options, "--json"))
            self.assertIsNone(found[f"{zero}_tokens_per_second"])
            self.assertGreater(found[f"{other}_tokens_per_second"], 0)
            self.assertNotRegex(self.ok("bench", TINY, *options), rf"(?m)^  {zero} ")

    def test_bench_refuses(self):
        self.fails("bench", TINY, mentions=["context of 513 tokens", "128", "--prompt"])
        self.fails("bench", TINY, "--prompt", "8", "--generate", "200", mentions=["context", "128", "--generate"])
        self.fails("bench", "/nowhere/x.gguf", mentions=["/nowhere/x.gguf"])
        self.fails("bench", TINY, "--prompt", "0", "--generate", "0", mentions=["nothing to measure"])
        for option in ("--batch", "--repeat", "--threads"):
            self.fails("bench", TINY, option, "0", mentions=[option], code=2)
        self.fails("bench", TINY, "--depth", "-1", mentions=["--depth"], code=2)

    def test_lost_output_is_an_error(self):
        for arguments in (["inspect", TINY, "--tensors"], ["plan", TINY], ["tokenize", TINY, "--text", "a", "--json"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([GODWIT, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn("cannot write", done.stderr)

    def test_perplexity_wants_chunks_that_can_be_scored(self):
        self.fails("perplexity", TINY, "--file", __file__, "--context", "3", mentions=["3 is out of range (4 to 1073741824)"], code=2)
        self.fails("perplexity", TINY, "--file", __file__, "--context", "129",
                   mentions=["a chunk of 129 tokens does not fit into the model's context of 128"])

    def test_a_failure_is_json_where_that_was_asked_for(self):
        missing = "/nowhere/x.gguf"
        for arguments in (["inspect", missing], ["plan", missing], ["tokenize", missing, "--text", "a"],
                          ["detokenize", missing, "--tokens", "1"], ["perplexity", missing, "--file", __file__], ["bench", missing],
                          ["bench", "--url", "nonsense"], ["render", missing, "--messages", __file__],
                          ["plan", TINY, "--context", "0"], ["doctor", "--threads", "0"]):
            done = godwit(*arguments, "--json")
            self.assertGreater(done.returncode, 0, arguments)
            found = json.loads(done.stdout)
            self.assertEqual(list(found), ["error"], arguments)
            self.assertIn(found["error"], done.stderr)

    def test_what_loads_is_said_on_a_terminal_and_vanishes(self):
        ours, its = pty.openpty()
        out = subprocess.run([GODWIT, "run", TINY, "--raw", "-p", "a", "-n", "1", "--quiet"], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=its, timeout=60).stdout
        os.close(its)
        said = os.read(ours, 4096).decode()
        os.close(ours)
        self.assertRegex(said, "^\rloading llama.f32.gguf …\x1b\\[K\r\x1b\\[K$")
        self.assertNotIn(b"\x1b", out)

    def test_standard_input(self):
        options = ("run", TINY, "--raw", "-n", "2", "--temperature", "0")
        child = subprocess.Popen([GODWIT, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertIn("waiting for standard input", child.stderr.readline())  # said before anything came
        out, _ = child.communicate("hello", timeout=60)
        self.assertEqual(out, self.ok(*options, "-p", "hello"))
        with tempfile.TemporaryFile("w+") as lines:  # the rest of it is another's
            lines.write("hello\nworld\n")
            lines.seek(0)
            done = subprocess.run([GODWIT, *options, "-p", "hello", "--no-stdin"], stdin=lines, capture_output=True, text=True, timeout=60)
            self.assertEqual((done.stdout, os.lseek(lines.fileno(), 0, os.SEEK_CUR)), (out, 0))
        self.fails(*options, mentions=["standard input is empty"])
        self.fails(*options, "-p", "", mentions=["empty"])

    def test_inspect_json_keeps_types(self):
        metadata = json.loads(self.ok("inspect", TINY, "--json"))["metadata"]
        self.assertEqual(metadata["general.architecture"], "llama")
        self.assertEqual(metadata["llama.block_count"], 2)
        self.assertIsInstance(metadata["llama.attention.layer_norm_rms_epsilon"], float)
        self.assertEqual(metadata["tokenizer.ggml.tokens"], {"array": "string", "length": 320})

    def test_one_stop_takes_one_text(self):
        self.ok("run", "--raw", "--stop", "X", TINY, "-p", "a", "-n", "2")

    def test_locale_changes_nothing(self):  # W2
        plain = self.ok("run", TINY, "--raw", "-p", "a", "-n", "8", "--seed", "1")
        done = subprocess.run([GODWIT, "run", TINY, "--raw", "-p", "a", "-n", "8", "--seed", "1"], capture_output=True,
                              text=True, timeout=60, env={**os.environ, "LC_ALL": "de_DE.UTF-8", "LC_NUMERIC": "de_DE.UTF-8"})
        self.assertEqual(done.stdout, plain)


class DefaultModel(unittest.TestCase):
    def setUp(self):
        self.assertTrue(os.path.exists(SMOLLM2), "the default model is missing: tools/fetch smollm2")

    def test_answers_sensibly(self):
        done = godwit("run", SMOLLM2, "--raw", "-p", "The capital of France is", "-n", "8", "--temperature", "0")
        self.assertIn("Paris", done.stdout)

    def test_resident_memory_stays_within_the_plan(self):
        plan = json.loads(godwit("plan", SMOLLM2, "--json").stdout)
        child = subprocess.Popen([GODWIT, "run", SMOLLM2, "--raw", "-p", "Once upon a time " * 40, "-n", "4"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        self.assertEqual(status, 0)
        self.assertLessEqual(usage.ru_maxrss * 1024, plan["total_bytes"] + 60_000_000)

    def test_sixty_four_at_once_stay_within_the_plan(self):
        setting = ["--context", "32", "--parallel", "64"]  # one block of the cache for each
        plan = json.loads(godwit("plan", SMOLLM2, *setting, "--json").stdout)
        lines = [json.dumps({"prompt": f"Chapter {i}. Once upon a time there", "max_tokens": 16, "seed": i}) for i in range(64)]
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as prompts, tempfile.TemporaryFile() as answers:
            prompts.write("\n".join(lines))
            prompts.flush()
            child = subprocess.Popen([GODWIT, "run", SMOLLM2, "--raw", *setting, "--batch", prompts.name], stdout=answers,
                                     stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = status
            self.assertEqual(status, 0)
            answers.seek(0)
            found = [json.loads(line) for line in answers]
        self.assertEqual([one["index"] for one in found], list(range(64)))
        for one in found:
            self.assertTrue(one["usage"]["completion_tokens"] == 16 or one["finish"] == "stop", one)
        self.assertLessEqual(usage.ru_maxrss * 1024, plan["total_bytes"] + 60_000_000)

    def test_interrupt_ends_the_answer(self):
        child = subprocess.Popen([GODWIT, "run", SMOLLM2, "--raw", "-p", "Once upon a time", "--seed", "1"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        first = child.stdout.read(1)  # it is writing
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 130, err)
        self.assertTrue((first + out).endswith(b"\n"))
        self.assertIn(b"tokens/s", err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
