#!/usr/bin/env python3
"""godwit pull, list and rm against a hub on loopback: pull_test.py GODWIT. Hugging Face's own client looks into the same store."""

import hashlib
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from fake_hub import Hub

GODWIT = sys.argv.pop(1)
ROOT = Path(__file__).resolve().parent.parent.parent
TINY = (ROOT / "tests" / "models" / "data" / "llama.f32.gguf").read_bytes()
REPO = "birds/godwit-GGUF"
Q4, Q8 = "godwit-Q4_K_M.gguf", "godwit-Q8_0.gguf"


def noise(size, seed=1):
    return random.Random(seed).randbytes(size)


class HubTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.cache = self.folder / "hub"
        self.hub = Hub()
        self.addCleanup(self.hub.close)
        self.content = {Q8: TINY, Q4: noise(300_000), "README.md": b"# Godwit\n", "mmproj-godwit-Q4_K_M.gguf": noise(2000, 2),
                        "godwit-F16.gguf": noise(5000, 3)}
        self.hub.add(REPO, self.content)

    @property
    def environment(self):
        """Nothing of the user's own."""
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), "HF_HUB_CACHE": str(self.cache), "HF_ENDPOINT": self.hub.url}

    def start(self, *arguments, **more):
        return subprocess.Popen([GODWIT, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=self.environment | more.pop("env", {}), **more)

    def godwit(self, *arguments, code=0, **more):
        process = self.start(*arguments, **more)
        process.out, process.err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, code, process.out + process.err)
        return process

    def pull(self, name=REPO, **more):
        return Path(self.godwit("pull", name, **more).out.removesuffix("\n"))

    def fails(self, *arguments, mentions, **more):
        done = self.godwit(*arguments, code=1, **more)
        last = done.err.splitlines()[-1]
        for word in mentions:
            self.assertIn(word, last)

    def list(self):
        return json.loads(self.godwit("list", "--json").out)["models"]

    def blobs(self):
        """Names of what is there whole, and of what is not."""
        names = sorted(path.name for path in self.cache.glob("models--*/blobs/*"))
        return [n for n in names if not n.endswith(".incomplete")], [n for n in names if n.endswith(".incomplete")]

    def nothing_looks_complete(self):
        self.assertEqual(self.blobs()[0], [])
        self.assertEqual(self.list(), [])
        self.assertEqual(list(self.cache.glob("models--*/snapshots/**/*.gguf")), [])


class Pull(HubTest):
    def test_default_and_named_variants(self):
        path = self.pull()
        self.assertEqual(path.name, Q4)
        self.assertEqual(path.read_bytes(), self.content[Q4])
        self.assertTrue(path.is_symlink())
        self.assertEqual(path.resolve().name, hashlib.sha256(self.content[Q4]).hexdigest())
        self.assertEqual(path.parent.name, self.hub.commit(REPO))
        self.assertEqual((self.cache / "models--birds--godwit-GGUF/refs/main").read_text(), self.hub.commit(REPO))
        self.assertEqual(self.pull(f"hf.co/{REPO}:q8_0").read_bytes(), TINY)
        self.assertEqual(self.pull(f"https://huggingface.co/{REPO}:f16").name, "godwit-F16.gguf")
        self.fails("pull", f"{REPO}:Q2_K", mentions=["no Q2_K", "Q4_K_M, Q8_0, F16"])
        self.assertEqual(self.pull(f"{REPO}:fp16").name, "godwit-F16.gguf")
        self.assertEqual(self.pull(f"hf.co/{REPO}:latest").name, Q4)
        self.assertEqual(self.pull(f"https://huggingface.co/{REPO}/blob/main/{Q8}").name, Q8)
        before = len(self.hub.requests("content"))
        self.pull()
        self.assertEqual(len(self.hub.requests("content")), before, "what is there is not fetched again")

    def test_small_files_have_the_checksum_of_git(self):
        self.hub.add("birds/small", {"x-Q4_0.gguf": b"GGUF tiny"})
        path = self.pull("birds/small")
        self.assertEqual(path.resolve().name, hashlib.sha1(b"blob 9\0GGUF tiny").hexdigest())
        self.hub.faults.corrupt = True
        self.hub.add("birds/small2", {"x-Q4_0.gguf": b"GGUF tine"})
        self.fails("pull", "birds/small2", mentions=["wrong checksum"])

    def test_split_files(self):
        parts = {f"Q6_K/big-Q6_K-{i:05}-of-00003.gguf": noise(4000, i) for i in (1, 2, 3)}
        self.hub.add("birds/split", parts | {"big-Q2_K-00001-of-00002.gguf": noise(4000)})
        path = self.pull("birds/split:Q6_K")
        self.assertEqual(path.name, "big-Q6_K-00001-of-00003.gguf")
        for name, content in parts.items():
            self.assertEqual((path.parent.parent / name).read_bytes(), content)
        self.fails("pull", "birds/split:Q2_K", mentions=["1 of 2 parts"])
        self.assertEqual([(m["name"], m["files"], m["bytes"]) for m in self.list()], [("birds/split:Q6_K", 3, 12000)])
        self.godwit("rm", "birds/split:q6_k")
        self.assertEqual(self.list(), [])

    def test_names_that_are_none(self):
        for name in ("../etc", "a/../b", "a/..", "..", "birds", "a/b/c", "/a/b", "a/b:", "a/b:../c", "a/b:c/d", "a b/c", "a/b\n", "a--b/c",
                     "evil.example/a/b", "a\\b/c", "a/.hidden", "-a/b"):
            self.fails("pull", "--", name, mentions=["not the name of a model"])
            self.assertEqual(self.hub.requests(), [])
        self.hub.add("birds/evil", {"../../../evil-Q4_K_M.gguf": noise(2000), "/tmp/evil-Q4_K_M.gguf": noise(2000, 2)})
        self.fails("pull", "birds/evil", mentions=["no GGUF model"])
        self.fails("pull", "birds/none", mentions=["birds/none", "404", "no such repository"])

    def test_mirror_and_folders(self):
        other = self.folder / "other"
        self.godwit("pull", REPO, "--hub", self.hub.url + "/", env={"HF_ENDPOINT": "http://127.0.0.1:1", "HF_HUB_CACHE": "",
                                                                    "HF_HOME": str(other)})
        self.assertTrue((other / "hub" / "models--birds--godwit-GGUF").is_dir())
        self.godwit("pull", REPO, env={"HF_HUB_CACHE": ""})
        self.assertTrue((self.folder / ".cache" / "huggingface" / "hub" / "models--birds--godwit-GGUF").is_dir())
        for hub in ("ftp://127.0.0.1", "file:///etc", "127.0.0.1:80"):
            self.fails("pull", REPO, "--hub", hub, mentions=[hub, "address"])

    def test_a_repository_that_has_moved(self):
        self.hub.moved["old/name"] = REPO
        path = self.pull("old/name")
        self.assertEqual(path.read_bytes(), self.content[Q4])
        self.assertEqual([path.name for path in self.cache.glob("models--*")], ["models--birds--godwit-GGUF"])

    def test_one_copy_under_the_name_of_the_hub(self):
        path = self.pull("BIRDS/Godwit-gguf:q8_0")
        self.assertEqual(self.pull(f"{REPO}:Q8_0"), path)
        self.assertEqual(len(self.hub.requests("content")), 1)
        self.assertEqual([m["name"] for m in self.list()], [f"{REPO}:Q8_0"])
        self.assertEqual(json.loads(self.godwit("inspect", "birds/GODWIT-gguf", "--json").out)["file"], str(path))
        self.godwit("rm", "birds/godwit-gguf:Q8_0")
        self.assertEqual(list(self.cache.glob("models--*")), [])

    def test_a_hub_that_does_not_tell_names(self):
        self.hub.faults.status = [("/api/models/[^/]*/[^/]*$", 404)]
        self.assertIn("models--birds--godwit-GGUF", str(self.pull()))

    def test_helpers_are_left_out(self):
        files = {"acme-7b-Q4_K_M.gguf": noise(3000), "MTP/mtp-acme-7b-Q4_K_M.gguf": noise(2000, 2), "mmproj_F16.gguf": noise(1000, 3)}
        self.hub.add("birds/acme", files)
        done = self.godwit("pull", "birds/acme:Q4_K_M")
        self.assertEqual(Path(done.out.strip()).name, "acme-7b-Q4_K_M.gguf")
        self.assertIn("left out: MTP/mtp-acme-7b-Q4_K_M.gguf (draft model), mmproj_F16.gguf (projector)", done.err)
        self.hub.add("birds/parts", {"mmproj_F16.gguf": noise(1000, 3)})
        self.fails("pull", "birds/parts", mentions=["no GGUF model", "mmproj_F16.gguf (projector)"])

    def test_nothing_that_cannot_run_is_chosen(self):
        self.hub.add("birds/new", {"x-IQ4_XS.gguf": noise(1000), "x-MXFP4.gguf": noise(1001)})
        self.fails("pull", "birds/new", mentions=["no type of weights that this version runs", "birds/new:IQ4_XS"])
        self.assertEqual(self.pull("birds/new:iq4_xs").name, "x-IQ4_XS.gguf")
        self.assertEqual([m["name"] for m in self.list()], ["birds/new:IQ4_XS"])

    def test_names_that_are_not_ascii(self):
        self.hub.add("birds/grose", {"größe-Q4_K_M.gguf": noise(1000), "Ordner é/模型.gguf": noise(1001)})
        path = self.pull("birds/grose")
        self.assertEqual(path.name, "größe-Q4_K_M.gguf")
        self.assertEqual(self.pull("birds/grose:模型").parts[-2:], ("Ordner é", "模型.gguf"))
        self.assertEqual([m["name"] for m in self.list()], ["birds/grose:Q4_K_M", "birds/grose:模型"])
        self.godwit("rm", "birds/grose:模型")
        self.assertEqual([m["name"] for m in self.list()], ["birds/grose:Q4_K_M"])

    def test_without_a_network(self):
        for hub in ("http://127.0.0.1:1", "http://hub.invalid"):
            done = self.godwit("pull", REPO, "--hub", hub, code=1)
            self.assertEqual(len(done.err.splitlines()), 1, done.err)
            for word in (REPO, "no network?", "--hub", "HF_ENDPOINT", "https_proxy"):
                self.assertIn(word, done.err)


class Tokens(HubTest):
    def test_only_the_hub_sees_it(self):
        self.hub.token = "hf_secret"
        token_file = self.folder / "token"
        token_file.write_text("hf_secret\n")
        self.fails("pull", REPO, mentions=["401", "HF_TOKEN", "Invalid username"])
        for env in ({"HF_TOKEN": "hf_secret"}, {"HF_TOKEN_PATH": str(token_file)}, {"HF_HOME": str(self.folder)}):
            shutil.rmtree(self.cache, ignore_errors=True)
            self.hub.log.clear()
            self.pull(env=env)
            self.assertEqual({h.get("authorization") for _, _, _, h in self.hub.requests("hub")}, {"Bearer hf_secret"})
            content = self.hub.requests("content")
            self.assertEqual(len(content), 1)
            self.assertNotIn("hf_secret", repr(content))
        self.fails("pull", REPO, env={"HF_TOKEN": "a\r\nX-Evil: 1"}, mentions=["HF_TOKEN"])

    def test_the_list_of_files_stays_on_the_hub(self):
        self.hub.faults.next_host = self.hub.content_url
        self.fails("pull", REPO, env={"HF_TOKEN": "hf_secret"}, mentions=["another host"])
        self.assertEqual(self.hub.requests("content"), [])

    def test_redirects_end(self):
        self.hub.faults.redirects = 9
        self.pull()
        self.hub.faults.redirects = 1000
        self.fails("pull", f"{REPO}:F16", mentions=["redirects"])
        self.assertGreater(self.hub.faults.redirects, 985)


class Faults(HubTest):
    def test_goes_on_after_cuts(self):
        self.hub.faults.cut_after = [100_000, 50_000, 0]
        self.assertEqual(self.pull().read_bytes(), self.content[Q4])
        ranges = [h.get("range") for _, _, _, h in self.hub.requests("content")]
        self.assertEqual(ranges, [None, "bytes=100000-", "bytes=150000-", "bytes=150000-"])

    def test_goes_on_after_being_killed(self):
        self.hub.faults.stall_after = 120_000
        process = self.start("pull", REPO)
        self.assertTrue(self.hub.faults.stalled.wait(60))
        part = self.cache / f"models--birds--godwit-GGUF/blobs/{hashlib.sha256(self.content[Q4]).hexdigest()}.incomplete"
        deadline = time.monotonic() + 60
        while not part.exists() or part.stat().st_size < 120_000:
            self.assertLess(time.monotonic(), deadline)
            os.sched_yield()
        process.kill()
        process.communicate()
        self.nothing_looks_complete()
        self.hub.faults.stall_after = None
        self.hub.faults.release.set()
        kept = part.read_bytes()
        self.assertEqual(self.pull().read_bytes(), self.content[Q4])
        self.assertEqual(self.hub.requests("content")[-1][3]["range"], "bytes=120000-")
        self.assertEqual(self.blobs()[1], [])
        self.godwit("rm", REPO)
        part.parent.mkdir(parents=True)
        part.write_bytes(kept)
        self.fails("rm", f"{REPO}:Q4_K_M", mentions=["not pulled"])
        self.assertIn("120.0 kB freed", self.godwit("rm", REPO).out)
        self.assertEqual(list(self.cache.glob("models--*")), [])

    def test_what_was_left_is_checked_too(self):
        blobs = self.cache / "models--birds--godwit-GGUF" / "blobs"
        blobs.mkdir(parents=True)
        part = blobs / f"{hashlib.sha256(self.content[Q4]).hexdigest()}.incomplete"
        part.write_bytes(b"x" * 1000)
        self.fails("pull", REPO, mentions=["wrong checksum"])
        self.nothing_looks_complete()
        for left in (b"y" * 400_000, self.content[Q4]):  # too much, and just all of it
            part.write_bytes(left)
            self.assertEqual(self.pull().read_bytes(), self.content[Q4])
            self.godwit("rm", REPO)
            blobs.mkdir(parents=True)

    def test_a_hub_that_cannot_begin_in_the_middle(self):
        self.hub.faults.no_range = True
        self.hub.faults.cut_after = [100_000]
        self.assertEqual(self.pull().read_bytes(), self.content[Q4])

    def test_temporary_failures(self):
        self.hub.faults.status = [("tree", 500), ("resolve", 503), ("name=", 500), ("name=", 429)]
        self.assertEqual(self.pull().read_bytes(), self.content[Q4])
        self.hub.faults.status = [("name=", 500)] * 20
        self.fails("pull", f"{REPO}:F16", mentions=["godwit-F16.gguf", "500"])
        self.assertEqual(len(self.hub.faults.status), 14, "six attempts")

    def test_wrong_checksum(self):
        self.hub.faults.corrupt = True
        self.fails("pull", REPO, mentions=[Q4, "wrong checksum"])
        self.nothing_looks_complete()
        self.assertEqual(self.blobs()[1], [])

    def test_lies_about_size(self):
        for off in (-1000, 1000):
            self.hub.faults.size_off = off
            self.fails("pull", REPO, mentions=["bytes", Q4])
            self.nothing_looks_complete()
        self.hub.faults.size_off, self.hub.faults.extra = 0, b"more"
        self.fails("pull", REPO, mentions=["bytes", Q4])
        self.nothing_looks_complete()

    def test_no_checksum(self):
        for etag in ("", "../../../evil", "W/x", "a" * 63):
            self.hub.faults.etag = etag or " "
            self.fails("pull", REPO, mentions=["no checksum"])
        self.nothing_looks_complete()

    def test_no_room(self):
        # A limit on the size of files stands for the end of the disk: the write fails in the same place.
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        self.fails("pull", REPO, preexec_fn=limit, restore_signals=False, mentions=["cannot write", "too large"])
        self.nothing_looks_complete()
        self.hub.faults.size_off = 1 << 60
        self.fails("pull", REPO, mentions=["are free", "HF_HUB_CACHE"])

    def test_no_access(self):
        self.cache.write_text("a file where the folder should be")
        self.fails("pull", REPO, mentions=["cannot create", "HF_HUB_CACHE"])

    def test_two_pulls_at_once_fetch_once(self):
        self.hub.faults.stall_after = 120_000
        first = self.start("pull", REPO)
        self.assertTrue(self.hub.faults.stalled.wait(60))
        second = self.start("pull", REPO)
        self.assertIn("left out", second.stderr.readline())
        self.assertIn("waiting", second.stderr.readline())
        self.fails("rm", REPO, mentions=["not pulled"])
        self.hub.faults.stall_after = None
        self.hub.faults.release.set()
        for process in (first, second):
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0)
        self.assertEqual(len(self.hub.requests("content")), 2, "the first one, and where it went on")


class ListAndRemove(HubTest):
    def test_list(self):
        self.assertIn("godwit pull", self.godwit("list").out)
        self.pull()
        self.pull(f"{REPO}:Q8_0")
        self.assertEqual([(m["name"], m["bytes"], m["complete"]) for m in self.list()],
                         [(f"{REPO}:Q4_K_M", 300_000, True), (f"{REPO}:Q8_0", len(TINY), True)])
        self.assertRegex(self.godwit("list").out, rf"{REPO}:Q4_K_M +300\.0 kB +20\d\d-")

    def test_rm(self):
        self.pull()
        self.pull(f"{REPO}:Q8_0")
        self.fails("rm", REPO, mentions=["which of Q4_K_M, Q8_0"])
        self.fails("rm", f"{REPO}:F16", mentions=["not pulled"])
        self.assertIn("300.0 kB freed", self.godwit("rm", f"{REPO}:q4_k_m").out)
        self.assertEqual([m["quant"] for m in self.list()], ["Q8_0"])
        self.assertEqual(self.blobs()[0], [hashlib.sha256(TINY).hexdigest()])
        self.godwit("rm", REPO)
        self.assertEqual(list(self.cache.glob("models--*")), [])

    def test_rm_takes_all_snapshots_and_keeps_shared_blobs(self):
        old = self.pull(f"{REPO}:Q8_0")
        self.content["copy-Q5_0.gguf"] = TINY
        self.hub.add(REPO, self.content)  # another commit
        new = self.pull(f"{REPO}:Q8_0")
        self.assertNotEqual(old.parent, new.parent)
        self.assertEqual(len(self.list()), 2)
        self.pull(f"{REPO}:Q5_0")
        self.assertIn("0 B freed", self.godwit("rm", f"{REPO}:Q8_0").out)
        self.assertEqual([m["name"] for m in self.list()], [f"{REPO}:Q5_0"])
        self.assertFalse(old.parent.exists())
        self.assertIn(f"{len(TINY) / 1000:.1f} kB freed" if len(TINY) < 1e6 else "MB freed", self.godwit("rm", REPO).out)

    def test_a_name_is_a_model_everywhere(self):
        self.fails("inspect", f"{REPO}:Q8_0", mentions=["not pulled", f"godwit pull {REPO}:Q8_0"])
        path = self.pull(f"{REPO}:Q8_0")
        for command in (["inspect"], ["plan"], ["tokenize", "--text", "hi"], ["run", "--raw", "-p", "a", "-n", "1"],
                        ["bench", "--prompt", "2", "--generate", "1", "--repeat", "1"]):
            self.godwit(command[0], f"{REPO}:q8_0", *command[1:])
        self.assertEqual(json.loads(self.godwit("inspect", REPO, "--json").out)["file"], str(path))
        self.fails("inspect", f"{REPO}:Q4_K_M", mentions=["no Q4_K_M", "Q8_0"])
        self.fails("inspect", "folder/x.gguf", mentions=["folder/x.gguf", "No such file"])

    def test_a_model_that_is_not_there(self):
        self.fails("run", "smollm2", mentions=["smollm2: no such file or pulled model", "godwit pull ORGANISATION/NAME", "nothing is pulled"])
        self.fails("run", "some/model", mentions=["some/model: not pulled", "godwit pull some/model", "nothing is pulled"])
        self.pull(f"{REPO}:Q8_0")
        for command in (["run", "godwit"], ["inspect", "Godwit-gguf"], ["plan", "birds/gotwit-GGUF"], ["serve", "birds/godwit"],
                        ["tokenize", "birds/godwit-gguff", "--text", "x"]):
            self.fails(*command, mentions=[f"did you mean {REPO}:Q8_0?", "godwit pull", f"pulled: {REPO}:Q8_0"])
        done = self.godwit("run", "llama", code=1)
        self.assertNotIn("did you mean", done.err)
        self.assertEqual(len(done.err.splitlines()), 1)

    def test_a_folder_with_the_name_of_a_model(self):
        (self.folder / REPO).mkdir(parents=True)
        self.fails("inspect", REPO, cwd=self.folder, mentions=["not pulled", "a folder of this name is no model", f"godwit pull {REPO}"])
        path = self.pull(f"{REPO}:Q8_0")
        found = json.loads(self.godwit("inspect", REPO, "--json", cwd=self.folder).out)["file"]
        self.assertEqual(found, str(path), "the pulled model wins")
        (self.folder / "models").mkdir()
        (self.folder / "models/a.gguf").write_bytes(TINY)
        self.fails("inspect", "./models", cwd=self.folder, mentions=["./models: a folder", "a.gguf"])
        self.fails("inspect", "birds", cwd=self.folder, mentions=["birds: a folder", "no GGUF file"])


class HuggingFace(HubTest):
    """The real client of the hub, on the same store."""

    @classmethod
    def setUpClass(cls):
        fetched = subprocess.run([sys.executable, ROOT / "tools" / "fetch", "huggingface_hub"], capture_output=True, text=True)
        if fetched.returncode != 0:
            raise RuntimeError(fetched.stderr)
        cls.packages = fetched.stdout.strip()

    def client(self, code, **more):
        env = self.environment | {"PYTHONPATH": self.packages, "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_XET": "1", **more}
        done = subprocess.run([sys.executable, "-c", "from huggingface_hub import *\n" + code], env=env, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_it_finds_what_we_have_pulled(self):
        path = self.pull()
        before = len(self.hub.requests("content"))
        found = self.client(f"print(hf_hub_download({REPO!r}, {Q4!r}))")
        self.assertEqual(found, str(path))
        self.assertEqual(self.client(f"print(hf_hub_download({REPO!r}, {Q4!r}))", HF_HUB_OFFLINE="1"), str(path))
        self.assertEqual(len(self.hub.requests("content")), before)
        scan = self.client("scan = scan_cache_dir()\nprint(len(scan.warnings), [r.repo_id for r in scan.repos], scan.size_on_disk)")
        self.assertEqual(scan, f"0 ['{REPO}'] 300000")

    def test_helpers_that_it_has_pulled(self):
        self.client(f"hf_hub_download({REPO!r}, {Q8!r})\nhf_hub_download({REPO!r}, 'mmproj-godwit-Q4_K_M.gguf')")
        self.assertEqual([m["name"] for m in self.list()], [f"{REPO}:Q8_0"])
        helpers = json.loads(self.godwit("list", "--json").out)["helpers"]
        self.assertEqual([(h["repo"], h["kind"], h["bytes"]) for h in helpers], [(REPO, "projector", 2000)])
        self.assertIn("mmproj-godwit-Q4_K_M.gguf (projector, no model of its own)", self.godwit("list").out)
        self.godwit("rm", f"{REPO}:Q8_0")  # the last model of the repository: what goes with it is of no more use
        self.assertEqual(self.client("print(len(scan_cache_dir().repos))"), "0")

    def test_we_find_what_it_has_pulled(self):
        path = self.client(f"print(hf_hub_download({REPO!r}, {Q8!r}))")
        self.assertEqual([(m["name"], m["path"]) for m in self.list()], [(f"{REPO}:Q8_0", path)])
        before = len(self.hub.requests("content"))
        self.assertEqual(str(self.pull(f"{REPO}:Q8_0")), path)
        self.assertEqual(len(self.hub.requests("content")), before)
        self.godwit("inspect", f"{REPO}:Q8_0")
        self.godwit("rm", REPO)
        self.assertEqual(self.client("print(len(scan_cache_dir().repos))"), "0")


if __name__ == "__main__":
    unittest.main()
