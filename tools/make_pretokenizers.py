#!/usr/bin/env python3
"""Makes src/tokenizer/pretokenizers_table.cpp from tools/pretokenizers.json.

    tools/make_pretokenizers.py [--check]     --check: only says (exit 1) whether the file is out of date

pretokenizers.json has, by the name in tokenizer.ggml.pre, the patterns and flags of each pre-tokenizer. On their way into
the table patterns become ASCII, `\\s` becomes exactly Unicode's White_Space (PCRE2's includes U+180E, which is none), and
what PCRE2 cannot run, or cannot run in linear time, is rewritten (REWRITES; tests/tokenizer/pretokenizer_test.cpp compares the
rewritten patterns with the original ones).
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE, TARGET = ROOT / "tools/pretokenizers.json", ROOT / "src/tokenizer/pretokenizers_table.cpp"

# Unicode's general categories are L, M, N, P, S, Z and C, so a class that excludes some of them is an intersection.
HAN = r"\p{sc:Han}"
UPPER, LOWER = rf"[^\p{{Ll}}\p{{N}}\p{{P}}\p{{S}}\p{{Z}}\p{{C}}{HAN}]", rf"[^\p{{Lu}}\p{{Lt}}\p{{N}}\p{{P}}\p{{S}}\p{{Z}}\p{{C}}{HAN}]"
LETTER_NOT = r"[^\p{N}\p{P}\p{S}\p{Z}\p{C}%s]"

# Cut::Thirds and Cut::MatchesAndThirds: these count from the right what a lookahead would count anew at each digit.
STEPS = {
    # tiny_aya, cohere2moe. \b in Oniguruma: a word is letters, marks, all numbers and Pc.
    r"\d{1,3}(?=(?:\d{3})*\b)": ("MatchesAndThirds", r"(?<!\d)\d++(?![\p{L}\p{M}\p{N}\p{Pc}])"),
    # superbpe
    r"(?=(\d{3})+(?!\d))": ("Thirds", r"\d++"),
}

# Parts of patterns: what, instead of what, why.
REWRITES = [
    # deepseek-llm: from the inside of a run of spaces the end of the text is searched in vain, again and again.
    (r"(?<!\s)\s+$", r"\s+$"),
    # exaone-moe: the same language without a nested repeat, which would need stack for each letter.
    (r"\p{L}\p{M}*+(?: ?+\p{L}\p{M}*+)*+", r"(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+"),
    # kimi-k2: && is no syntax of PCRE2. \p{Han} means the script, not PCRE2's script extensions.
    (UPPER, r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]"),
    (LOWER, r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]"),
    (HAN, r"\p{Han}"),
    # granite-embed-multi-97m: classes instead of groups, which would need stack for each letter.
    (LETTER_NOT % "a-z", r"((?=[\p{L}\p{M}])([^a-z]))"),
    (LETTER_NOT % "A-Z", r"((?=[\p{L}\p{M}])([^A-Z]))"),
]

# jais-2 cuts long runs of spaces by powers of two. With \s*[\r\n]+ tried before each cut that is quadratic, so the
# powers are a step of their own, over pieces that are nothing but white space without line ends.
POWERS = r"|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1}"
POWERS_STEP = r"(?:\A(?=\s++\z)(?![^\r\n]*+[\r\n])|\G(?!\A))(?:\s{512}|\s{256}|\s{128}|\s{64}|\s{32}|\s{16}|\s{8}|\s{4}|\s{1,2})"

# afmoe's first step (see its note).
AFMOE_STEP = ("MatchesAndThirds", r"\p{N}++")

WHITE_SPACE = r"\t-\r\x{85}\p{Z}"
ESCAPES = {"\r": r"\r", "\n": r"\n", "\t": r"\t"}


def portable(pattern):
    """`pattern` in ASCII, with \\s and \\S spelt out."""
    out, i, in_class = "", 0, False
    while i < len(pattern):
        c = pattern[i]
        if c == "\\":
            escape = pattern[i:i + 2]
            i += 2
            if escape == r"\s":
                out += WHITE_SPACE if in_class else f"[{WHITE_SPACE}]"
            elif escape == r"\S":
                assert not in_class, pattern
                out += f"[^{WHITE_SPACE}]"
            else:
                out += escape
            continue
        if c == "[" and not in_class:
            in_class = True
        elif c == "]" and in_class:
            in_class = False
        out += ESCAPES.get(c) or (c if c.isascii() else rf"\x{{{ord(c):X}}}")
        i += 1
    return out


def steps_of(name, entry):
    """(cut, pattern) of each step."""
    steps = [AFMOE_STEP] if name == "afmoe" else []
    for pattern in entry.get("published") or entry["patterns"]:
        if pattern in STEPS:
            steps.append(STEPS[pattern])
            continue
        for new, old in REWRITES:
            pattern = pattern.replace(old, new)
        if POWERS in pattern:
            steps.append(("Matches", pattern.replace(POWERS, r"|\s+(?!\S)|\s+")))
            pattern = POWERS_STEP
        steps.append(("Matches", pattern))
    return [(cut, portable(pattern)) for cut, pattern in steps]


def literal(pattern, width=100):
    """Raw string literals over several lines: a pattern can have 1,500 characters."""
    parts = [pattern[i:i + width] for i in range(0, len(pattern), width)]
    return "\n".join(f'    R"_({part})_"' for part in parts)


def table():
    names = json.loads(SOURCE.read_text())["pre"]
    numbers, lists, specs = {}, {}, []
    for name, entry in sorted(names.items()):
        steps = tuple(numbers.setdefault(step, len(numbers)) for step in steps_of(name, entry))
        number = lists.setdefault(steps, len(lists))
        spelling = "ByteLetters" if entry.get("byte_encode", True) else \
                   "EscapedSpace" if entry.get("escape_whitespaces") else "Plain"
        flags = "".join(f", .{flag} = true" for flag in ("ignore_merges", "add_bos") if entry.get(flag))
        if spelling != "ByteLetters":
            flags += f", .spelling = Spelling::{spelling}"
        specs.append(f'    {{.name = "{name}", .steps = kSteps{number}{flags}}},')
    out = ["// Generated by tools/make_pretokenizers.py from tools/pretokenizers.json: change those.",
           '#include "tokenizer/pretokenizer.hpp"', "", "namespace godwit {", "namespace {", "", "// clang-format off"]
    for (cut, pattern), number in numbers.items():
        out.append(f"constexpr PretokenizerStep kStep{number} = {{Cut::{cut},\n{literal(pattern)}}};")
    out.append("")
    for steps, number in lists.items():
        out.append(f"constexpr const PretokenizerStep* kSteps{number}[] = {{{', '.join(f'&kStep{n}' for n in steps)}}};")
    out += ["", "constexpr PretokenizerSpec kSpecs[] = {", *specs, "};", "// clang-format on", "", "}  // namespace", "",
            "std::span<const PretokenizerSpec> pretokenizer_specs() { return kSpecs; }", "", "}  // namespace godwit", ""]
    return "\n".join(out)


def main():
    new = table()
    if "--check" in sys.argv[1:]:
        if not TARGET.exists() or TARGET.read_text() != new:
            sys.exit(f"{TARGET.relative_to(ROOT)} is out of date: run tools/make_pretokenizers.py")
    else:
        TARGET.write_text(new)


main()
