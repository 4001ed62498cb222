#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts what the design of the kernel is held to, and prints it as a table.

    python3 tests/kernel_figures.py [FOLDER]

FOLDER is the root of the sources, by default the one that this file lies in. Nothing is compiled: figures
are counts of lines and of words in the text, so that anyone can count again.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
FRAMEWORK = ROOT / "framework"
# Each room is a folder of one of these.
GROUPS = ("kernel", "modelling", "parts", "run", ".")

# Rooms of the kernel, those of them that are mechanics, and parts that a model may do without.
LOAD = ("base", "values", "schema", "manifest", "plugins", "calls")
MECHANICS = ("model", "rows", "solvers", "faces", "system")
RUN = ("stepping", "simulation", "results")
FEATURES = ("expressions", "shapes", "signals", "contact", "impact", "analyses")
# What the target ancora_kernel is made of, framework/CMakeLists.txt.
TARGET = LOAD + MECHANICS + ("expressions", "shapes", "signals", "stepping")


def room(name):
    return next(FRAMEWORK / group / name for group in GROUPS if (FRAMEWORK / group / name / "CMakeLists.txt").exists())


def files(folder, *suffixes):
    return sorted(p for p in folder.rglob("*") if p.suffix in (suffixes or (".cpp", ".hpp")))


def text(path):
    return path.read_text(encoding="utf-8")


def code(path):
    """Without comments and strings."""
    out = re.sub(r"/\*.*?\*/", "", text(path), flags=re.S)
    out = re.sub(r'"(\\.|[^"\\\n])*"', '""', out)
    return re.sub(r"//[^\n]*", "", out)


def lines(folder):
    return sum(text(p).count("\n") for p in files(folder))


def constants(paths):
    """Named numbers: constexpr scalars and arrays called k..., outside enumerations."""
    pattern = re.compile(r"constexpr\s+(?:const\s+)?(?:double|int|long|float|std::size_t|Eigen::Index|Index)\s+k[A-Z]\w*")
    return sum(len(pattern.findall(code(p))) for p in paths)


def body(source, head):
    """The braces after `head`, or nothing."""
    found = re.search(head, source)
    if not found:
        return ""
    at = source.index("{", found.end() - 1)
    depth = 0
    for k in range(at, len(source)):
        depth += {"{": 1, "}": -1}.get(source[k], 0)
        if depth == 0:
            return source[at:k + 1]
    return ""


def virtuals(header, name):
    source = code(ROOT / "sdk/include/ancora/sdk" / header)
    return len(re.findall(r"\bvirtual\b", body(source, rf"class {name}\b[^;{{]*{{")))


def public_functions(path, name):
    """Functions in the public parts of a class."""
    source = body(code(path), rf"class {name}\b[^;{{]*{{")
    count, access, depth = 0, "private", 0
    for line in source[1:].split("\n"):
        if depth == 0 and (word := re.match(r"\s*(public|private|protected):", line)):
            access = word[1]
        elif depth == 0 and access == "public" and re.search(r"\b\w+\s*\(", line) and \
                not re.match(r"\s*(friend|template|struct|using|explicit|:|,)", line) and \
                re.match(r"    \S", line):
            count += 1
        depth += line.count("{") - line.count("}")
    return count


def constructor_arguments():
    """Arguments that the constructor of KernelSystem passes to its parts, and its lines."""
    source = code(room("system") / "kernel_system.cpp")
    start = source.index("KernelSystem::KernelSystem(")
    end = source.index("\n}\n", start)
    head = source[start:source.index("{\n", start)]
    arguments, parts = 0, []
    for part in re.finditer(r"(\w+_)\(", head):
        depth, count, k = 0, 1, part.end() - 1
        empty = head[part.end()] == ")"
        while True:
            depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(head[k], 0)
            count += head[k] == "," and depth == 1
            if depth == 0:
                break
            k += 1
        if not empty:
            arguments += count
            parts.append((count, part[1]))
    return arguments, source[start:end].count("\n") + 1, max(parts)


def references():
    pattern = re.compile(r"^\s+(?:const\s+)?[\w:]+(?:<[^;]*>)?\s*& ?\w+_;", re.M)
    return sum(len(pattern.findall(code(p))) for p in sources())


def sources():
    return [p for name in LOAD + MECHANICS + RUN + FEATURES for p in files(room(name))]


def sources_with(pattern):
    return [p for p in sources() if re.search(pattern, code(p))]


def comment_share(folder):
    all_lines = [line for p in files(folder, ".cpp") for line in text(p).split("\n") if line.strip()]
    return 100.0 * sum(line.lstrip().startswith("//") for line in all_lines) / max(len(all_lines), 1)


def main():
    table = []

    def row(what, is_now, wanted):
        table.append((what, str(is_now), wanted))

    step = [p for name in ("step_solver", "newton", "factor_reuse", "convergence", "projection_multipliers", "defect")
            for p in files(room("system")) if p.stem == name]
    step += [p for name in ("factored_step", "nonlinear_rows", "co_rotation")
             for p in files(room("faces")) if p.stem == name]
    step += files(ROOT / "plugins/emm/src")
    numerical = [p for name in ("solvers", "rows", "faces", "contact", "system", "analyses")
                 for p in files(room(name))]
    row("numbers that steer a step", constants(step), "40")
    row("numbers in all numerical rooms", constants(numerical), "200")
    row("lines of plugins/emm/src", lines(ROOT / "plugins/emm/src"), "850")
    row("virtual functions of System", virtuals("system.hpp", "System"), "20")
    for header, name in (("step_equations.hpp", "StepEquations"), ("step_projection.hpp", "StepProjection"),
                         ("implicit_system.hpp", "ImplicitSystem"), ("body.hpp", "Body"),
                         ("constraint.hpp", "Constraint"), ("nonideal_force.hpp", "NonidealForce"),
                         ("integrator.hpp", "Integrator")):
        if (ROOT / "sdk/include/ancora/sdk" / header).exists():
            row(f"virtual functions of {name}", virtuals(header, name), "")
    row("public functions of KernelSystem",
        public_functions(room("system") / "kernel_system.hpp", "KernelSystem"), "")
    arguments, length, longest = constructor_arguments()
    row("constructor of KernelSystem, lines", length, "40")
    row("arguments that it passes", arguments, "")
    row(f"most of them to one part ({longest[1]})", longest[0], "5")
    row("members that are references", references(), "90")
    row("calls of forget...()", sum(len(re.findall(r"[.>]forget\w*\(", code(p))) for p in sources()), "")
    row("files that know dropped", len(sources_with(r"dropped")), "1")
    for header in ("Eigenvalues", "QR", "SparseLU"):
        row(f"files that include <Eigen/{header}>",
            len([p for p in sources() if f"#include <Eigen/{header}>" in text(p)]), "1")
    row("casts to size_t", sum(code(p).count("static_cast<std::size_t>") for p in sources()), "")
    for name, rooms, wanted in (("kernel", LOAD + MECHANICS + RUN, "29000"), ("  mechanics", MECHANICS, "17000"),
                                ("  load", LOAD, ""), ("  run", RUN, ""), ("features", FEATURES, ""),
                                ("target ancora_kernel", TARGET, "")):
        row(f"lines: {name}", sum(lines(room(each)) for each in rooms), wanted)
    row("lines: all rooms", sum(lines(room(each)) for each in LOAD + MECHANICS + RUN + FEATURES), "46000")
    for name in ("solvers", "rows", "faces", "contact", "system"):
        row(f"comment lines in {name}/*.cpp, %", f"{comment_share(room(name)):.1f}", ">= 12")

    width = max(len(what) for what, *_ in table)
    print(f"{'':{width}}  {'now':>7}  wanted")
    for what, is_now, wanted in table:
        print(f"{what:{width}}  {is_now:>7}  {wanted}")


if __name__ == "__main__":
    main()
