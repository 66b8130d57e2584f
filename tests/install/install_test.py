#!/usr/bin/env python3
"""Godwit installed, and used by a project outside the tree: install_test.py BUILD_FOLDER COMPILER. The project is the one
that README.md shows in the section "In a C++ program", letter for letter."""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD, COMPILER = sys.argv[1:3]
ROOT = Path(__file__).resolve().parent.parent.parent
MODEL = str(ROOT / "tests/models/data/llama.f32.gguf")
HEADERS = ["engine.hpp", "types.hpp"]


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, timeout=300, **more)
    if done.returncode:
        raise AssertionError(f"{command}: exit {done.returncode}\n" + (done.stdout + done.stderr).decode(errors="replace"))
    return done.stdout


def readme_block(language):
    """The code block of that language in README's section."""
    section = re.search(r"^## In a C\+\+ program\n(.*?)^## ", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)[1]
    blocks = re.findall(rf"^```{re.escape(language)}\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 1, f"README.md has {len(blocks)} blocks of {language}"
    return blocks[0]


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder, cls.prefix = Path(folder.name), Path(folder.name) / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)

    def test_installs_this_and_no_more(self):
        found = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if path.is_file()}
        config = {f"lib/cmake/godwit/godwit{name}.cmake" for name in ("Config", "ConfigVersion", "Targets", "Targets-release")}
        headers = {f"include/godwit/{name}" for name in HEADERS}
        self.assertEqual(found, {"bin/godwit", "lib/libgodwit.a"} | config | headers)
        self.assertRegex(run(self.prefix / "bin/godwit", "--version"), rb"^godwit \d")

    def test_make_installs_and_removes_just_that(self):
        stage, prefix = self.folder / "stage", "/opt/godwit"
        make = ["make", "-C", ROOT, "-o", "build", f"DESTDIR={stage}", f"PREFIX={prefix}"]
        installed = stage / prefix[1:]
        others = [installed / "bin/other", installed / "share/other", installed / "lib/cmake/other/x.cmake"]
        for other in others:
            other.parent.mkdir(parents=True, exist_ok=True)
            other.write_text("not ours")
        run(*make, "install")
        found = {str(path.relative_to(installed)) for path in installed.rglob("*") if path.is_file()} - {
            str(other.relative_to(installed)) for other in others}
        expected = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if path.is_file()}
        self.assertEqual(found, expected | {"share/godwit/installed"})
        self.assertRegex(run(installed / "bin/godwit", "--version"), rb"^godwit \d")
        run(*make, "install")  # once more over itself
        run(*make, "uninstall")
        self.assertEqual({path for path in stage.rglob("*") if path.is_file()}, set(others))
        self.assertFalse((installed / "share/godwit").exists() or (installed / "include/godwit").exists())
        with self.assertRaisesRegex(AssertionError, "nothing is installed"):
            run(*make, "uninstall")

    def test_headers_compile_alone(self):
        for compiler in filter(None, [COMPILER, shutil.which("clang++-19")]):
            for header in HEADERS:
                run(compiler, "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror",
                    "-fsyntax-only", f"-I{self.prefix}/include", "-x", "c++", "-",
                    input=f"#include <godwit/{header}>\n#include <godwit/{header}>\n".encode())

    def test_outside_project(self):
        source = self.folder / "app"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(readme_block("cmake"))
        (source / "main.cpp").write_text(readme_block("cpp"))
        moved = self.prefix.rename(self.folder / "moved")  # nothing remembers where it was installed
        try:
            run("cmake", "-S", source, "-B", source / "build", "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={COMPILER}",
                f"-DCMAKE_PREFIX_PATH={moved}", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
            run("cmake", "--build", source / "build")
            got = run(source / "build/app", MODEL, "Hello there")
            alone = run(moved / "bin/godwit", "run", MODEL, "--raw", "-p", "Hello there", "-n", "32", "--temperature", "0")
            self.assertEqual(got, alone)
            self.assertGreater(len(got), 10)
        finally:
            moved.rename(self.prefix)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
