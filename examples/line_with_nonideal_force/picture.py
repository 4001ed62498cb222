#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.png: the forces on the bead, and its acceleration for many wires and three masses.

    python3 examples/line_with_nonideal_force/picture.py

Runs `ancora` with --set about forty times, 3 s. Needs python3-matplotlib and `ancora` on the PATH,
in build/release, or named by --ancora.
"""
import argparse
import csv
import pathlib
import shutil
import subprocess
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = pathlib.Path(__file__).resolve().parent
G, C = 9.81, (1.0, 2.0)
MASSES = [("1.0", "M = I"), ("[[3, 0, 0], [0, 1, 0], [0, 0, 1]]", "M = diag(3, 1) kg"),
          ("[[2, 0.5, 0], [0.5, 1, 0], [0, 0, 1]]", "M = (2, ½; ½, 1) kg")]
COLORS = ["#c1440e", "#2f6f4f", "#1f4e9c"]
INK = "#333333"


def last_row(program, folder, *settings):
    """The last row of a run of model.toml, as a dictionary of numbers."""
    command = [program, "run", str(HERE / "model.toml"), "--quiet", "--out", f"{folder}/results"]
    for setting in settings:
        command += ["--set", setting]
    subprocess.run(command, check=True)
    with open(f"{folder}/results/history.csv", newline="") as file:
        *_, row = csv.DictReader(file)
    return {name: float(x) for name, x in row.items()}


def wire(k):
    return f'constraint.wire.equation="{k} * bead.x - bead.y = 0"'


def exact(k, mass):
    """x'' = t.(M g + C) / t.M t with t = (1, k), along the wire."""
    ((a, b), (_, d)) = mass
    pull = -G * (b + k * d) + C[0] + k * C[1]
    return pull / (a + 2.0 * k * b + k * k * d)


def matrix(text):
    if "[" not in text:
        return ((float(text), 0.0), (0.0, float(text)))
    rows = [[float(x) for x in row.split(",")] for row in text.strip("[]").split("], [")]
    return tuple(tuple(row[:2]) for row in rows[:2])


def draw_forces(axes, row):
    k = 0.5
    A = (k, -1.0)
    F_L = [row["wire.ideal.0"] * x for x in A]
    F_C = [row["push.force." + axis] + row["wire.nonideal.0"] * x for axis, x in zip("xy", A)]
    axes.plot([-6, 4], [-6 * k, 4 * k], color="#bbbbbb", lw=5, solid_capstyle="round", zorder=0)
    axes.text(-5.75, -4.05, "wire  y = x/2", color="#888888", fontsize=9, rotation=26.57,
              rotation_mode="anchor")
    for (x, y), color, name, at in (
            ((0.0, -G), INK, "Q = M g", (0.25, -8.6)),
            (F_L, "#1f4e9c", r"$F_L$", (-4.8, 7.6)),
            (C, "#e08e2b", "C", (0.9, 2.35)),
            (F_C, "#c1440e", r"$F_C$", (1.75, 0.25)),
            ([F_L[0] + F_C[0], F_L[1] + F_C[1] - G], "#2f6f4f", "M a", (-1.9, -2.45))):
        axes.annotate("", (x, y), (0.0, 0.0), zorder=3,
                      arrowprops={"arrowstyle": "-|>", "color": color, "lw": 1.8,
                                  "shrinkA": 0, "shrinkB": 0, "mutation_scale": 13})
        axes.text(*at, name, color=color, fontsize=11)
    axes.plot([C[0], F_C[0]], [C[1], F_C[1]], color="#e08e2b", lw=1, ls=":")
    axes.plot(0, 0, "o", color=INK, ms=7, zorder=4)
    axes.set_xlim(-6.3, 4.3)
    axes.set_ylim(-10.6, 9.2)
    axes.set_aspect("equal")
    axes.set_xlabel("x, force [N]")
    axes.set_ylabel("y, force [N]")
    axes.set_title("Forces, k = ½, M = I", fontsize=11)


def main():
    found = shutil.which("ancora") or str(HERE.parents[1] / "build/release/bin/ancora")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ancora", default=found)
    program = parser.parse_args().ancora

    figure, (left, right) = plt.subplots(
        1, 2, figsize=(8.4, 5.0), gridspec_kw={"width_ratios": [1.0, 1.45]})
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        draw_forces(left, last_row(program, folder))
        for (mass, name), color in zip(MASSES, COLORS):
            ks = [-4.0 + 0.05 * i for i in range(161)]
            right.plot(ks, [exact(k, matrix(mass)) for k in ks], color=color, lw=1.2, label=name)
            for k in [-4.0 + 0.625 * i for i in range(13)]:
                row = last_row(program, folder, wire(k), "body.bead.mass=" + mass)
                a = row["bead.vx"] / row["t"]
                worst = max(worst, abs(a - exact(k, matrix(mass))))
                right.plot(k, a, "o", color=color, ms=4)
    right.axhline(0.0, color="#cccccc", lw=0.8, zorder=0)
    right.set_xlabel("slope k of the wire")
    right.set_ylabel(r"acceleration $\ddot x$ [m/s²]")
    right.set_title("Acceleration: runs (dots) and exact (lines)", fontsize=11)
    right.legend(fontsize=9, frameon=False)
    figure.tight_layout()
    figure.savefig(HERE / "picture.png", dpi=100)
    print(f"largest difference of an acceleration: {worst:.1e} m/s^2")


if __name__ == "__main__":
    main()
