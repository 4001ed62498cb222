#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Base vectors with a constant mass matrix against rotation parameters, at equal accuracy of path.

    python3 examples/ancf_against_rotations/study.py

Runs six systems in three formulations under six integrators, and the free top in loops written by
hand, measures CPU time and error, and writes measurements.csv, table.md, time.png and steps.png
beside itself. About 10 min; `--quick` takes seconds, with smaller systems and fewer points, and
`--only NAME` repeats one system and keeps the others' rows. `--draw` makes the pictures and the
table of the measurements that are there.

Needs NumPy, the Python module `ancora` (from the PYTHONPATH or build/release), a C++ compiler for
the loops, and python3-matplotlib for the pictures; without the last two it leaves these out and
reports it.
"""
import argparse
import csv
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
sys.path.append(str(HERE.parents[1] / "build/release/lib/python3/dist-packages"))

import numpy as np

import ancora
import systems

NAMES = {"ancf": "base vectors", "penalty": "base vectors, penalty", "quaternion": "quaternion"}
FIELDS = ["system", "method", "formulation", "integrator", "order", "step", "tolerance", "error",
          "cpu_seconds", "repeats", "steps", "iterations", "factorisations", "evaluations", "energy",
          "angular_momentum", "constraint_position", "constraint_velocity", "said"]
# What is drawn: colour by integrator, line by formulation.
INTEGRATORS = {"emm 2": "#1f4e9c", "emm 4": "#2f6f4f", "emm 6": "#7fae3f", "emm 8": "#e0b52e",
               "rk4": "#c1440e", "dopri5": "#7a3b8f", "generalized_alpha": "#888888"}
LINES = {"ancf": ("-", "o"), "penalty": (":", "x"), "quaternion": ("--", "s")}
TARGETS = [1e-4, 1e-6]  # m


class Case:
    """A formulation under an integrator with a step, or a tolerance."""

    def __init__(self, formulation, integrator, step, order=2, tolerance=None):
        self.formulation, self.integrator, self.step = formulation, integrator, step
        self.order, self.tolerance = order, tolerance

    @property
    def method(self):
        return f"emm {self.order}" if self.integrator == "emm" else self.integrator

    def text(self, system):
        out = system.text(self.formulation)
        out += f"\n[integrator]\ntype = \"{self.integrator}\"\nstep = {self.step!r}\n"
        out += f"end = {system.end!r}\n"
        if self.tolerance:
            out += f"tolerance = {self.tolerance!r}\n"
        if self.order > 2:
            out += f"[integrator.emm]\norder = {self.order}\n"
        if self.integrator == "generalized_alpha":
            out += "[integrator.generalized_alpha]\nspectral_radius = 1.0\n"
        return out


def emm(order, *steps, formulation="ancf"):
    return [Case(formulation, "emm", step, order) for step in steps]


def both(integrator, *steps):
    return [Case(f, integrator, step) for step in steps for f in ("ancf", "quaternion")]


def adaptive(*tolerances, first=1e-3):
    return [Case(f, "dopri5", first, tolerance=tolerance)
            for tolerance in tolerances for f in ("ancf", "quaternion")]


def plan(quick):
    """Systems, the case that is their reference, and the cases that are measured."""
    def part(cases, keep=2):  # quick: the first of each kind
        if not quick:
            return cases
        count = {}
        out = []
        for case in cases:
            kind = (case.formulation, case.method)
            count[kind] = count.get(kind, 0) + 1
            if count[kind] <= keep:
                out.append(case)
        return out

    top = systems.top()
    yield top, Case("quaternion", "dopri5", 1e-3, tolerance=1e-13), part(
        emm(2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001) + emm(4, 1.0, 0.5, 0.25, 0.125, 0.0625)
        + emm(6, 1.0, 0.5, 0.25, 0.125) + emm(8, 1.0, 0.5, 0.25, 0.125)
        + emm(2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, formulation="penalty")
        + emm(4, 0.25, 0.1, 0.05, 0.02, formulation="penalty")
        + emm(6, 0.1, 0.05, formulation="penalty") + emm(8, 0.1, 0.05, formulation="penalty")
        + both("rk4", 0.2, 0.1, 0.05, 0.02, 0.01, 0.005)
        + [Case("penalty", "rk4", step) for step in (2e-3, 1e-3, 5e-4)]
        + adaptive(1e-4, 1e-6, 1e-8, 1e-10, 1e-12)
        + both("generalized_alpha", 0.1, 0.05, 0.02, 0.01, 0.005, 0.002))
    ten = systems.chain(10, 0.5 if quick else 1.0)
    yield ten, Case("quaternion", "dopri5", 1e-3, tolerance=1e-13), part(
        emm(2, 0.02, 0.01, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4) + emm(4, 0.05, 0.025, 0.0125, 0.00625)
        + emm(6, 0.05, 0.025, 0.0125) + emm(8, 0.1, 0.05, 0.025)
        + emm(2, 0.01, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, formulation="penalty")
        + emm(4, 0.025, 0.0125, 0.00625, formulation="penalty")
        + emm(6, 0.0125, 0.00625, formulation="penalty")
        + emm(8, 0.0125, 0.00625, formulation="penalty")
        + both("rk4", 0.02, 0.01, 5e-3, 2e-3, 1e-3)
        + adaptive(1e-3, 1e-5, 1e-7, 1e-9, 1e-11)
        + both("generalized_alpha", 0.02, 0.01, 5e-3, 2e-3, 1e-3, 5e-4))
    if quick:
        return
    yield systems.chain(100, 1.0), Case("quaternion", "dopri5", 1e-3, tolerance=1e-10), (
        emm(2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4) + emm(4, 0.02, 0.01, 5e-3) + emm(8, 0.02)
        + emm(2, 2e-3, 1e-3, 5e-4, formulation="penalty")
        + both("rk4", 4e-3, 2e-3, 1e-3) + adaptive(1e-3, 1e-5, 1e-7)
        + both("generalized_alpha", 5e-3, 2e-3, 1e-3, 5e-4))
    yield systems.chain(1000, 0.2), Case("quaternion", "rk4", 1e-4), (
        emm(2, 2e-3, 1e-3, 5e-4, 2e-4) + both("rk4", 4e-4, 2e-4)
        + both("generalized_alpha", 2e-3, 1e-3, 5e-4))
    yield systems.bricard(2.0), Case("quaternion", "dopri5", 1e-3, tolerance=1e-12), (
        emm(2, 0.02, 0.01, 5e-3, 2e-3, 1e-3, 5e-4) + emm(4, 0.1, 0.05, 0.025) + emm(6, 0.1, 0.05)
        + emm(8, 0.1, 0.05) + emm(2, 0.01, 5e-3, 2e-3, 1e-3, 5e-4, formulation="penalty")
        + both("rk4", 0.04, 0.02, 0.01, 5e-3, 2e-3) + adaptive(1e-3, 1e-5, 1e-7, 1e-9)
        + both("generalized_alpha", 0.02, 0.01, 5e-3, 2e-3, 1e-3))
    yield systems.net(1.0), Case("quaternion", "dopri5", 1e-3, tolerance=1e-10), (
        emm(2, 0.01, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4) + emm(4, 0.01, 5e-3, 2e-3, 1e-3)
        + emm(8, 0.01, 5e-3) + emm(2, 5e-3, 2e-3, 1e-3, 5e-4, formulation="penalty")
        + both("rk4", 2e-4, 1e-4, 5e-5) + adaptive(1e-4, 1e-6)
        + both("generalized_alpha", 0.01, 5e-3, 2e-3, 1e-3, 5e-4))


def run(case, system):
    """Where the points are at the end, CPU time of the steps [s], and what was counted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the redundant row
        simulation = ancora.parse(case.text(system)).simulate()
    begin = time.process_time()
    simulation.run()
    seconds = time.process_time() - begin
    points = np.array([simulation.point(point).position for point in system.points])
    return points, seconds, simulation.statistics, simulation.ledger


def distance(points, reference):
    return float(np.sqrt(((points - reference) ** 2).sum(axis=1)).max())


def measured(case, system, reference, repeats):
    row = {"system": system.name, "method": case.method, "formulation": case.formulation,
           "integrator": case.integrator, "order": case.order if case.integrator == "emm" else "",
           "step": case.step, "tolerance": case.tolerance or "", "said": ""}
    try:
        points, seconds, statistics, ledger = run(case, system)
    except ancora.AncoraError as error:
        row["said"] = str(error).splitlines()[0].split("error: ")[-1][:120]
        return row
    times = [seconds]
    # Longer runs are steadier and dearer.
    while len(times) < repeats and sum(times) < 6.0:
        times.append(run(case, system)[1])
    row.update(error=f"{distance(points, reference):.4g}", cpu_seconds=f"{np.median(times):.4g}",
               repeats=len(times), steps=statistics["substeps"],
               iterations=statistics["iterations"], factorisations=statistics["factorisations"],
               evaluations=statistics["evaluations"], energy=f"{statistics['energy_max_rel']:.2g}",
               angular_momentum=f"{statistics['angular_momentum_max_rel']:.2g}",
               constraint_position=f"{ledger['constraint_position']:.2g}",
               constraint_velocity=f"{ledger['constraint_velocity']:.2g}")
    return row


def say(row):
    if row["said"]:
        what = "refused: " + row["said"]
    else:
        what = (f"error {float(row['error']):8.1e} m  {float(row['cpu_seconds']):9.4g} s  "
                f"{row['steps']} steps")
    setting = row["tolerance"] or row["step"]
    print(f"{row['system']:10} {NAMES.get(row['formulation'], row['formulation']):22} "
          f"{row['method']:18} {setting!s:>8}  {what}", flush=True)


def is_by_hand(name):
    """Whether rows of this system are of loops by hand."""
    return name.endswith("loops")


def compiled(folder, source):
    """A program, or None where it cannot be had."""
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        print(f"{source}: left out, there is no C++ compiler")
        return None
    eigen = pathlib.Path("/usr/include/eigen3")
    if shutil.which("pkg-config"):
        found = subprocess.run(["pkg-config", "--variable=pcfiledir", "eigen3"], capture_output=True,
                               text=True).stdout.strip()
        if found:
            eigen = pathlib.Path(found).parents[1] / "include/eigen3"
    if source == "chains.cpp" and not (eigen / "Eigen/Core").exists():
        print(f"{source}: left out, there is no Eigen (libeigen3-dev)")
        return None
    program = pathlib.Path(folder) / pathlib.Path(source).stem
    flags = ["-O3", f"-I{eigen}"] if source == "chains.cpp" else ["-O2"]
    subprocess.run([compiler, "-std=c++20", *flags, "-o", program, HERE / source], check=True)
    return program


def loops(system, reference, repeats):
    """Rows of the loops by hand that there are for a system, and what they are called."""
    bars = system.name.removeprefix("chain")
    if system.name == "top":
        name, source, arguments = "loops", "loops.cpp", []
    elif bars.isdigit():
        name, source, arguments = f"{system.name} loops", "chains.cpp", [bars]
    else:
        return [], None
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(folder, source)
        if program is None:
            return [], None
        out = subprocess.run([program, *arguments, repr(system.end), str(repeats)], check=True,
                             capture_output=True, text=True).stdout
    rows = []
    for line in out.splitlines():
        method, order, step, steps, iterations, seconds, energy, momentum, *ends = line.split(",")
        points = np.array([float(x) for x in ends]).reshape(-1, 3)
        rows.append({"system": name, "method": f"{method} {order}",
                     "formulation": "loop", "integrator": method, "order": order,
                     "step": float(step), "tolerance": "",
                     "error": f"{distance(points, reference):.4g}",
                     "cpu_seconds": f"{float(seconds):.4g}", "repeats": repeats, "steps": steps,
                     "iterations": iterations, "factorisations": "", "evaluations": "",
                     "energy": energy, "angular_momentum": momentum, "constraint_position": "",
                     "constraint_velocity": "", "said": ""})
        say(rows[-1])
    return rows, name


def floors(rows, system):
    """How far the most accurate runs of different methods are from the reference: [m]."""
    best = {}
    for row in rows:
        if row["system"] == system and row["formulation"] != "penalty" and row.get("error"):
            key = row["formulation"], row["method"]
            best[key] = min(best.get(key, math.inf), float(row["error"]))
    return sorted(best.values())[:2]


def time_for(rows, target, key="cpu_seconds"):
    """CPU time at this error, by the straight line between neighbours in logarithms."""
    points = sorted(((float(row["error"]), float(row[key])) for row in rows
                     if row.get("error") and float(row["error"]) < 1.0), reverse=True)
    # A run that is better and no dearer makes others superfluous.
    kept = []
    for error, cost in points:
        while kept and kept[-1][1] >= cost:
            kept.pop()
        kept.append((error, cost))
    if not kept or kept[-1][0] > target:
        return None
    if kept[0][0] <= target:
        return kept[0][1]
    for (error, cost), (finer, dearer) in zip(kept, kept[1:]):
        if finer <= target:
            part = math.log(error / target) / math.log(error / finer)
            return cost * (dearer / cost) ** part
    return None


def in_words(seconds):
    if seconds is None:
        return "–"
    unit, size = next(((unit, size) for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))
                       if seconds >= size), ("ns", 1e-9))
    digits = 2 if seconds < 10.0 * size else 3
    return f"{float(f'{seconds / size:.{digits}g}'):g} {unit}"


def groups(rows, system):
    """Rows of a system by formulation and method, in the order in which they are drawn."""
    out = {}
    for row in rows:
        if row["system"] == system:
            out.setdefault((row["formulation"], row["method"]), []).append(row)
    return out


def write_table(rows, titles, file):
    """Two tables: CPU time at equal accuracy, and what a step costs."""
    names = ["emm 2", "emm 4 to 8", "penalty, emm 2", "rk4", "dopri5", "generalized_alpha"]

    def of(system, name, formulation):
        if name == "penalty, emm 2":
            formulation, name = ("penalty", "emm 2") if formulation == "ancf" else (None, name)
        wanted = {"emm 4", "emm 6", "emm 8"} if name == "emm 4 to 8" else {name}
        return [row for row in rows if row["system"] == system and row["method"] in wanted
                and row["formulation"] == formulation and row.get("error")]

    def pair(system, name, what):
        texts = [what(of(system, name, formulation)) for formulation in ("ancf", "quaternion")]
        return texts[0] if not of(system, name, "quaternion") else " / ".join(texts)

    def cost(of_rows, target):
        seconds = time_for(of_rows, target)
        if seconds is None:
            return "–"
        coarsest = max(float(row["error"]) for row in of_rows)
        return ("≤ " if coarsest < target else "") + in_words(seconds)

    def a_step(of_rows):
        if not of_rows:
            return "–"
        row = of_rows[len(of_rows) // 2]
        steps = int(row["steps"])
        work = float(row["iterations"] or 0) or float(row["evaluations"] or 0)
        return f"{in_words(float(row['cpu_seconds']) / steps)} ({work / steps:.2g})"

    shown = [system for system in titles if not is_by_hand(system)]
    head = "|" + "---|" * (len(names) + 2)
    lines = ["| system | error | " + " | ".join(names) + " |", head]
    for system in shown:
        for target in TARGETS:
            lines.append(f"| {titles[system]} | {target:.0e} m | " + " | ".join(
                pair(system, name, lambda x, t=target: cost(x, t)) for name in names) + " |")
    lines += ["", "| system | " + " | ".join(names) + " |", head[:-4]]
    for system in shown:
        lines.append(f"| {titles[system]} | " + " | ".join(
            pair(system, name, a_step) for name in names) + " |")

    loops_of = {system: groups(rows, system) for system in titles if is_by_hand(system)}
    methods = [("loop", "base vectors 2"), ("loop", "rotation midpoint 2")]
    lines += ["", "| loops by hand | base vectors, order 2 | rotations, order 2 |", "|---|---|---|"]
    for system, of_method in loops_of.items():
        for target in TARGETS:
            lines.append(f"| {titles[system].removesuffix(', loops by hand')}, {target:.0e} m | " +
                         " | ".join(cost(of_method.get(key, []), target) if of_method.get(key)
                                    else "–" for key in methods) + " |")
    file.write_text("\n".join(lines) + "\n")


def draw(rows, titles, folder, quick):
    try:
        import picture_frame as frame

        plt = frame.pyplot()
    except ImportError:
        print("pictures: left out, there is no matplotlib")
        return
    for key, label, name in (("cpu_seconds", "CPU time of the run [s]", "time.png"),
                             ("steps", "steps", "steps.png")):
        drawn = [system for system in titles if groups(rows, system) and
                 (key == "cpu_seconds" or not is_by_hand(system))]
        columns = 2
        lines = len(drawn) // columns + 1  # with room for the names of the lines
        heights = [1.0] * (lines - 1) + [0.45 if len(drawn) % columns == 0 else 1.0]
        figure, panels = plt.subplots(lines, columns, layout="constrained", squeeze=False,
                                      figsize=(5.2 * columns, 3.4 * sum(heights)),
                                      gridspec_kw={"height_ratios": heights})
        handles = {}
        for panel in panels.flat[len(drawn):]:
            panel.axis("off")
        for panel, system in zip(panels.flat, drawn):
            for (formulation, method), of in groups(rows, system).items():
                points = sorted((float(row["error"]), float(row[key])) for row in of
                                if row.get("error") and 1e-12 < float(row["error"]) < 1.0)
                if not points:
                    continue
                line, marker = LINES.get(formulation, ("-", "o"))
                color = INTEGRATORS.get(method)
                if formulation == "loop":
                    kind, order = method.rsplit(" ", 1)
                    line = {"rotation midpoint": "-", "base vectors": ":",
                            "quaternion rk4": "--"}[kind]
                    color = INTEGRATORS["rk4" if "rk4" in kind else f"emm {order}"]
                    label_of = kind if "rk4" in kind else f"{kind}, order {order}"
                else:
                    label_of = f"{NAMES[formulation]}, {method}"
                drawn_line, = panel.loglog([p[0] for p in points], [p[1] for p in points], line,
                                           marker=marker, ms=3.5, lw=1.2, color=color,
                                           label=label_of)
                if formulation != "loop":
                    handles[label_of] = drawn_line
            if is_by_hand(system):
                # Room for the names.
                panel.set_ylim(top=(30.0 if system == "loops" else 3.0) * panel.get_ylim()[1])
                frame.legend(panel, fontsize=7, ncols=2, loc="upper center")
            panel.invert_xaxis()
            frame.grid(panel)
            frame.name_axes(panel, titles[system], "largest distance from the reference [m]", label)
        order = sorted(handles, key=lambda text: (text.split(", ")[-1], text))
        panels.flat[len(drawn)].legend([handles[text] for text in order], order, loc="center",
                                       ncols=2, fontsize=8, frameon=False)
        figure.savefig(folder / name, dpi=90)
        plt.close(figure)
        print(folder / name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two systems, two points each")
    parser.add_argument("--only", action="append", metavar="NAME", help="systems to measure")
    parser.add_argument("--draw", action="store_true", help="measure nothing")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each; the median counts")
    parser.add_argument("--out", type=pathlib.Path, default=HERE, metavar="DIR")
    options = parser.parse_args()
    if options.quick and options.out == HERE:
        parser.error("--quick needs --out DIR: it would write over what was measured in full")
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / "measurements.csv"
    rows = []
    if file.exists() and (options.only or options.draw):
        rows = list(csv.DictReader(file.open(newline="")))
    repeats = 1 if options.quick else options.repeats
    titles = {}
    for system, reference_case, cases in plan(options.quick):
        titles[system.name] = system.title
        wanted = not options.draw and (not options.only or system.name in options.only)
        if wanted:
            reference = run(reference_case, system)[0]
            rows = [row for row in rows if row["system"] != system.name]
            for case in cases:
                rows.append(measured(case, system, reference, repeats))
                say(rows[-1])
            by_hand, name = loops(system, reference, repeats)
            rows = [row for row in rows if row["system"] != name] + by_hand
            two = floors(rows, system.name)
            print(f"{system.name}: the reference is met to {two[0]:.1e} and {two[1]:.1e} m")
            with file.open("w", newline="") as out:
                writer = csv.DictWriter(out, FIELDS, restval="", lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
        name = "loops" if system.name == "top" else f"{system.name} loops"
        if any(row["system"] == name for row in rows):
            titles[name] = f"{system.title}, loops by hand"
    write_table(rows, titles, options.out / "table.md")
    draw(rows, titles, options.out, options.quick)


if __name__ == "__main__":
    main()
