# SPDX-License-Identifier: BSD-3-Clause
"""Holds ancora.h against the interface that programs were built with.

    abi_test.py HEADER COMPILER            compares with ancora_c_1.abi and ancora_c_1.values
    abi_test.py HEADER COMPILER --write    writes them anew: before a release alone, see CONTRIBUTING.md

A library with an empty body for each declaration of the header has what abidiff (libabigail) looks at, in a
second: functions, their parameters, the layout of structs. Exit status 77: abidiff is not there.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INTERFACE = HERE / "ancora_c_1.abi"
VALUES = HERE / "ancora_c_1.values"
# Structs tell their size, so that later versions may append to them; where members stand is among the values.
MAY_GROW = "[suppress_type]\n  type_kind = struct\n  has_data_member_inserted_at = end\n"


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def declarations(header):
    """Of each function its declaration and its name."""
    text = without_comments(header.read_text())
    for found in re.finditer(r"ANCORA_API\s+([^;{]*?\b(ancora_\w+)\s*\([^;]*\))\s*;", text):
        yield " ".join(found[1].split()), found[2]


def enumerators(header):
    for body in re.findall(r"\benum\b[^{;]*\{(.*?)\}", without_comments(header.read_text()), flags=re.S):
        for name in re.findall(r"\b(ANCORA_\w+)\b\s*(?:=[^,]*)?(?:,|$)", body.strip()):
            yield name


def members(header):
    """Of each struct that has a size its name and those of its members."""
    for body, name in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", without_comments(header.read_text()), flags=re.S):
        for part in body.split(";"):
            for member in re.findall(r"(\w+)\s*(?:\[\w*\])?\s*(?=,|$)", part.strip()):
                yield name, member


def build_empty(header, compiler, folder):
    source = folder / "empty.c"
    lines = [f'#include "{header}"']
    for declaration, name in declarations(header):
        result = declaration.split(name)[0].strip()
        value = "" if result == "void" else f"static {result} nothing; return nothing;"
        lines.append(f"{declaration} {{ {value} }}")
    source.write_text("\n".join(lines) + "\n")
    library = folder / "libinterface.so"
    subprocess.run([compiler, "-g", "-shared", "-fPIC", "-w", "-o", library, source], check=True, cwd=folder)
    return library


def describe(library, folder):
    out = folder / "now.abi"
    subprocess.run(["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-architecture",
                    "--out-file", out, library], check=True)
    return out


def values(header, compiler, folder):
    source = folder / "values.c"
    prints = "".join(f'printf("{name} %lld\\n", (long long){name});\n' for name in enumerators(header))
    for struct, member in members(header):
        prints += (f'printf("{struct}.{member} at %zu, %zu bytes\\n", offsetof({struct}, {member}), '
                   f'sizeof((({struct}*)0)->{member}));\n')
    source.write_text(f'#include <stddef.h>\n#include <stdio.h>\n#include "{header}"\nint main(void) {{\n{prints}return 0;\n}}\n')
    program = folder / "values"
    subprocess.run([compiler, "-o", program, source], check=True)
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout


def main():
    header, compiler = sys.argv[1:3]
    header = pathlib.Path(header).resolve()
    if not shutil.which("abidiff"):
        print("skipped: there is no abidiff; Debian's package is abigail-tools")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        now = describe(build_empty(header, compiler, folder), folder)
        numbers = values(header, compiler, folder)
        if "--write" in sys.argv:
            INTERFACE.write_bytes(now.read_bytes())
            VALUES.write_text(numbers)
            return 0
        faults = []
        gone = set(VALUES.read_text().splitlines()) - set(numbers.splitlines())
        if gone:
            faults.append("values that were otherwise: " + ", ".join(sorted(gone)))
        (folder / "growth").write_text(MAY_GROW)
        told = subprocess.run(["abidiff", "--no-added-syms", "--suppressions", folder / "growth", INTERFACE, now],
                              capture_output=True, text=True)
        if told.returncode != 0:
            faults.append(told.stdout + told.stderr)
        print(f"{len(list(declarations(header)))} functions, {len(numbers.splitlines())} values")
        for fault in faults:
            print("the C interface has changed for programs that are built already:", fault)
        return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
