#!/usr/bin/env python3
"""Looks into the object files of backend/cpu/isa/: all that they may offer is one kernel table each.

    isa_hygiene_test.py OBJECT...

These files are compiled for instruction sets that a machine may lack. An inline function of theirs with external linkage could be the copy
that the linker keeps for the whole program; code that runs before main would run on every machine.
"""

import re
import subprocess
import sys

TABLE = re.compile(r"godwit::cpu::k(Scalar|Avx2|Avx512)Kernels")
NEEDED = {"memcpy", "memmove", "memset", "fmaf", "sqrtf"}
EARLY = re.compile(r"\.(init_array|preinit_array|ctors|init)\b")


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def faults(path):
    tables = 0
    for line in output_of("nm", "-C", path).splitlines():
        kind, name = line[16:].strip().split(" ", 1)
        if kind == "U":
            if name not in NEEDED:
                yield f"needs {name}"
        elif kind in "WwVvu":
            yield f"weak or unique: {name}"
        elif kind.isupper():
            tables += 1
            if not TABLE.fullmatch(name):
                yield f"offers {name}"
    if tables != 1:
        yield f"offers {tables} symbols, not one table"
    for section in sorted(set(re.findall(r"(\.\S+)", output_of("readelf", "-SW", path)))):
        if EARLY.match(section):
            yield f"runs before main: section {section}"


def main():
    paths = sys.argv[1:]
    found = [f"{path}: {fault}" for path in paths for fault in faults(path)]
    print("\n".join(found) or f"{len(paths)} files offer their tables and nothing else")
    return 1 if found or not paths else 0


sys.exit(main())
