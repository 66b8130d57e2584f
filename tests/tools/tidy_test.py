"""tools/tidy on small trees that break one rule each."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TIDY = Path(__file__).resolve().parents[2] / "tools" / "tidy"


def lines(count):
    return "".join(f"    x({i});\n" for i in range(count))


class TidyTest(unittest.TestCase):
    def complaints(self, files):
        """The error lines for a tree with these files, {name: text}."""
        with tempfile.TemporaryDirectory() as root:
            subprocess.run(["git", "init", "-q", root], check=True)
            for name, text in files.items():
                path = Path(root) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run([sys.executable, TIDY, root], capture_output=True, text=True)
            found = [line for line in done.stdout.splitlines() if not line.startswith(("src:", "include:", "examples:", "tests:", "tools:", "tidy:"))]
            self.assertEqual(done.returncode, 1 if found else 0, done.stderr)
            return found

    def assert_one(self, files, *words):
        found = self.complaints(files)
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_clean_tree(self):
        self.assertEqual(self.complaints({
            "src/base/a.hpp": "#pragma once\n",
            "src/file/b.cpp": '#include "base/a.hpp"\n#include <nlohmann/json.hpp>\n',
            "README.md": "See `src/base/` and file/b.cpp and src/base/a.{hpp}, not src/arch/NAME.cpp.\n",
        }), [])

    def test_include_directions(self):
        self.assert_one({"src/base/a.hpp": "", "src/text/t.hpp": "", "src/file/f.cpp": '#include "text/t.hpp"\n'},
                        "src/file/f.cpp:1:", "file may not include", "text/t.hpp")
        self.assert_one({"src/backend/reference/r.hpp": "", "src/backend/b.hpp": '#include "backend/reference/r.hpp"\n'},
                        "src/backend/b.hpp:1:")
        self.assert_one({"src/text/a.cpp": '#include "text/none.hpp"\n'}, "no such file")
        self.assert_one({"src/base/a.hpp": "", "include/godwit/a.hpp": '#include "base/a.hpp"\n'}, "godwit may not include")
        self.assert_one({"src/other/a.cpp": ""}, "src/other/a.cpp", "table of include directions")
        self.assert_one({"src/base/a.cpp": "#include <nlohmann/json.hpp>\n"}, "nlohmann/json.hpp", "only in")

    def test_long_function(self):
        self.assert_one({"src/base/a.cpp": "\nint f(int a,\n      int b) {\n" + lines(98) + "}\n"}, "src/base/a.cpp:2:", "101 lines")
        self.assertEqual(self.complaints({"src/base/a.cpp": "int f() {\n" + lines(98) + "}\n"}), [])
        self.assert_one({"src/base/a.cpp": "struct S {\n    S() : a_{1}, b_(2) {\n" + lines(99) + "    }\n};\n"}, "101 lines")
        self.assert_one({"tools/a.py": "def f():\n" + "    x()\n" * 100}, "tools/a.py:1:", "101 lines")

    def test_braces_that_are_no_functions(self):
        table = "const T kTable[] = {\n" + "    {1, f(2)},\n" * 150 + "};\n"
        scope = "namespace n {\nclass C final : public B<int> {\n" + "    int a_ = f(1);\n" * 150 + "};\n}\n"
        text = 'auto s = R"(int f() {\n' + "{\n" * 150 + ')";\n// int g() {\nchar c = \'{\';\nint n = 1\'000;\n'
        self.assertEqual(self.complaints({"src/base/a.cpp": table + scope + text}), [])

    def test_layout(self):
        style = "BasedOnStyle: Google\nColumnLimit: 40\n"
        self.assert_one({".clang-format": style, "src/base/a.cpp": "int  f();\n"}, "src/base/a.cpp:1:", "make format")
        self.assert_one({".clang-format": style, "src/base/a.cpp": f"// {'x' * 38}\n"}, "src/base/a.cpp:1:", "41 columns")
        raw = 'const char* text =\n    R"(' + "x" * 60 + ')";\n'
        self.assertEqual(self.complaints({".clang-format": style, "src/base/a.cpp": raw}), [])

    def test_long_file(self):
        self.assert_one({"src/base/a.cpp": "int x;\n" * 801}, "src/base/a.cpp", "801 lines")

    def test_text(self):
        self.assert_one({"src/base/a.cpp": "\tint x;\n"}, "src/base/a.cpp:1: a tab")
        self.assert_one({"docs/a.txt": "x \n"}, "docs/a.txt:1: a trailing blank")
        self.assert_one({"docs/a.txt": "x"}, "docs/a.txt", "no line break")
        self.assert_one({"docs/a.txt": "see /" + "home/me/x\n"}, "docs/a.txt:1:", "machine")
        self.assertEqual(self.complaints({"tests/cases/a.json": "{\t} ", "docs/a.txt": "https://example.org/home/x\n"}), [])

    def test_documents(self):
        self.assert_one({"docs/a.md": "as in base/none.hpp\n"}, "docs/a.md:1:", "base/none.hpp")


if __name__ == "__main__":
    unittest.main()
