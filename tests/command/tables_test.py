#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds what the documents list against what the program finds.

    python3 tables_test.py ANCORA ROOT [--write]

ANCORA is the program, ROOT the root of the sources. The tables of plugins/README.md have the types that
`ancora plugins` finds, with their descriptions (--write writes them); the README's table of what is missing
names no type that exists; examples/README.md lists each folder of examples; the README keeps its length.
"""
import json
import pathlib
import re
import subprocess
import sys

LONGEST_README = 1850  # words
KINDS = {"body": "Bodies", "constraint": "Constraints and elements", "force": "Forces, drives and controllers",
         "integrator": "Integrators"}


def table_under(text, heading, level="##"):
    """Rows of the first table below a heading, each a list of cells, without its head."""
    part = text.split(f"\n{level} {heading}\n", 1)[1]
    rows = []
    for line in part.split("\n"):
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            break
    return rows[2:]


def types_of(program):
    """(kind, plugin, name, description) of each type."""
    found = json.loads(subprocess.run([program, "plugins", "--json"], check=True, capture_output=True).stdout)
    return [(kind["kind"], plugin["name"], kind["name"], kind["doc"])
            for plugin in found["plugins"] for kind in plugin["types"]]


def tables(types):
    """Markdown: a table for each kind of type."""
    parts = []
    for kind, heading in KINDS.items():
        rows = [f"| `{name}` | {doc} | [{plugin}]({plugin}/) |"
                for of, plugin, name, doc in sorted(types, key=lambda each: each[2]) if of == kind]
        parts.append(f"## {heading}\n\n| type | what it is | plugin |\n| --- | --- | --- |\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def faults(program, types, root):
    if len(types) < 50:
        yield f"{program} finds only {len(types)} types"

    readme = (root / "README.md").read_text()
    missing = table_under(readme, "What it does not do (yet)")
    named = [name for row in missing for name in re.findall(r"`(\w+)`", row[1])]
    if not named:
        yield f"README.md: its table of what is missing names {named}"
    for name in named:
        if name in {each[2] for each in types}:
            yield f"README.md says that {name} is missing; a plugin has it"
    words = len(readme.split())
    if words > LONGEST_README:
        yield f"README.md has {words} words; at most {LONGEST_README}"

    written = (root / "plugins/README.md").read_text().split("\n")
    wanted = tables(types).split("\n")
    for line in [line for line in wanted if line not in written]:
        yield f"plugins/README.md lacks: {line}"
    for line in [line for line in written if line.startswith("| `") and line not in wanted]:
        yield f"plugins/README.md: no plugin has it so: {line}"

    listed = set(re.findall(r"^\| \[(\w+)\]\(\w+/\)", (root / "examples/README.md").read_text(), re.M))
    there = {path.name for path in (root / "examples").iterdir() if (path / "README.md").exists()}
    for name in sorted(listed ^ there):
        yield f"examples/README.md and examples/{name} do not agree"


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["--write"]):
        sys.exit(__doc__)
    program, root = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    types = types_of(program)
    if sys.argv[3:]:
        path = root / "plugins/README.md"
        head = path.read_text().split(f"## {next(iter(KINDS.values()))}\n", 1)[0]
        path.write_text(head + tables(types))
    found = list(faults(program, types, root))
    print("\n".join(found) or "documents list what the program finds")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
