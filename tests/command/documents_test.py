#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Follows the links between documents, and checks their width, the numbers of the theory's equations and the
files that READMEs of rooms and the architecture name.

    documents_test.py FOLDER [LEFT_OUT]...

FOLDER is the root of the repository, or of the documents as they are installed; links to what is
LEFT_OUT of the latter are not followed. Ends with status 1 and a line for each fault.
"""

import os
import pathlib
import re
import sys

SKIPPED = {".git", "build", "results", "vendor", "seeds", "node_modules"}
FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+(?:\([^()]*\))?)\)")


def documents(root):
    """All Markdown files but those of builds, results and other people."""
    # Builds are not entered: other tests write and remove files there at the same time.
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED and not f.startswith("build"))
        yield from (pathlib.Path(folder, name) for name in sorted(names) if name.endswith(".md"))


def anchors(path):
    """Names that headings have in a link, by GitHub's rule."""
    seen = {}
    names = set()
    for line in FENCE.sub("", path.read_text()).splitlines():
        heading = re.match(r"#{1,6} +(.*?) *#*$", line)
        if not heading:
            continue
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
        name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        count = seen.get(name, 0)
        seen[name] = count + 1
        names.add(f"{name}-{count}" if count else name)
    return names


def faults_of_links(root, dropped):
    count = 0
    for path in documents(root):
        shown = path.relative_to(root)
        text = path.read_text()
        plain = CODE.sub("", FENCE.sub(lambda m: "\n" * m[0].count("\n"), text))
        for match in LINK.finditer(plain):
            target, _, anchor = match[1].partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            line = plain.count("\n", 0, match.start()) + 1
            there = (path.parent / target).resolve() if target else path
            if any(there.is_relative_to(root / name) for name in dropped):
                continue
            if not there.exists():
                yield f"{shown}:{line}: there is no {target}"
            elif anchor and there.suffix == ".md" and anchor not in anchors(there):
                yield f"{shown}:{line}: {target or shown} has no heading #{anchor}"
    if count < 100:
        yield f"only {count} links were found"


def faults_of_width(root):
    """Text of documents has at most 120 columns; tables, pictures, formulas and what is shown as code may be wider."""
    for path in documents(root):
        text = FENCE.sub(lambda match: "\n" * match[0].count("\n"), path.read_text())
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > 120 and not line.startswith(("|", "![", "    ", "$$")):
                yield f"{path.relative_to(root)}:{number}: {len(line)} columns"


def faults_of_theory(path):
    """Equations are numbered through; what the text refers to is there."""
    text = path.read_text()
    numbers = [int(tag) for tag in re.findall(r"\\tag\{(\d+)\}", text)]
    if numbers != list(range(1, len(numbers) + 1)) or len(numbers) < 40:
        yield f"{path.name}: its equations are numbered {numbers}"
    plain = FENCE.sub("", text)
    for match in re.finditer(r"(?<![\w)$])\((\d{1,3})\)", plain):
        if int(match[1]) not in numbers:
            yield f"{path.name}: there is no equation ({match[1]})"


def faults_of_citations(root):
    """'theory (17)' in sources is an equation of the theory."""
    theory = (root / "framework/docs/theory.md").read_text()
    numbers = set(re.findall(r"\\tag\{(\w+)\}", theory))
    for folder in ("framework", "plugins", "sdk", "tests", "examples"):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            for match in re.finditer(r"theory \((\w+)\)", path.read_text(errors="replace")):
                if match[1] not in numbers:
                    yield f"{path.relative_to(root)}: theory has no equation ({match[1]})"


def faults_of_rooms(root):
    """A room's README names each of its units, and no other."""
    rooms = [(readme, r"^- `(\w+)`", {".cpp", ".hpp"}, lambda path: path.stem)
             for folder in ("kernel/*", "modelling/*", "parts/*", "run/*", "analyses")
             for readme in sorted((root / "framework").glob(folder + "/README.md"))]
    rooms += [(readme, r"^\| `([\w.]+)`", {".hpp"}, lambda path: path.name)
              for readme in sorted((root / "sdk/include/ancora/sdk").rglob("README.md"))]
    for readme, pattern, endings, name_of in rooms:
        named = set(re.findall(pattern, readme.read_text(), re.M))
        there = {name_of(path) for path in readme.parent.iterdir() if path.suffix in endings}
        for name in sorted(there - named):
            yield f"{readme.relative_to(root)}: {name} is not named"
        for name in sorted(named - there):
            yield f"{readme.relative_to(root)}: there is no {name}"


def faults_of_files(path, root):
    """`rows/row_set` is a file of a room, `framework/...` one of the repository."""
    framework = root / "framework"
    if not (framework / "kernel").exists():  # installed
        return
    text = FENCE.sub("", path.read_text())
    names = set(re.findall(r"`([a-z]\w*/[\w./]+)`", text))
    bases = [framework / "kernel", framework / "modelling", framework / "parts", framework / "run", framework, root]
    for name in sorted(names):
        stems = [base / name for base in bases]
        if not any(stem.exists() or list(stem.parent.glob(stem.name + ".[ch]pp")) for stem in stems):
            yield f"{path.relative_to(root)}: there is no {name}"
    if len(names) < 20:
        yield f"{path.relative_to(root)}: only {len(names)} names of files were found"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1]).resolve()
    faults = [*faults_of_links(root, sys.argv[2:])]
    faults += faults_of_theory(root / "framework/docs/theory.md")
    faults += faults_of_citations(root)
    faults += faults_of_width(root)
    faults += faults_of_rooms(root)
    for document in ("architecture.md", "theory.md"):
        faults += faults_of_files(root / "framework/docs" / document, root)
    print("\n".join(faults) or "documents: all links and numbers hold")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
