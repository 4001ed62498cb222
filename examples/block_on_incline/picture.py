#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.png: way and friction of the block for six coefficients, with the exact values.

    python3 examples/block_on_incline/picture.py

Runs `ancora` with --set for each coefficient. Needs python3-matplotlib and `ancora` on the PATH, in
build/release, or named by --ancora; --integrator chooses the method (emm).
"""
import argparse
import csv
import math
import pathlib
import shutil
import subprocess
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = pathlib.Path(__file__).resolve().parent
G, MASS, SPEED = 9.81, 2.5, 2.0  # m/s^2, kg, m/s up the ramp
SIN, COS = 0.5, math.sqrt(0.75)
COEFFICIENTS = [(0.0, "#999999"), (0.15, "#e08e2b"), (0.3, "#c1440e"), (0.5, "#2f6f4f"),
                (0.6, "#1f4e9c"), (1.0, "#7a3b8f")]


def run(program, folder, integrator, mu):
    """Rows of a run, as dictionaries of numbers."""
    command = [program, "run", str(HERE / "model.toml"), "--quiet", "--out", f"{folder}/results",
               "--set", f"integrator.type={integrator}", "--set", f"force.rubbing.mu_kinetic={mu}"]
    subprocess.run(command, check=True)
    with open(f"{folder}/results/history.csv", newline="") as file:
        return [{name: float(x) for name, x in row.items()} for row in csv.DictReader(file)]


def exact(t, mu):
    """Way up the ramp [m] and friction along it [N]."""
    up, back = G * (SIN + mu * COS), G * (SIN - mu * COS)
    stop, top = SPEED / up, SPEED * SPEED / (2.0 * up)
    if t < stop:
        return (SPEED - 0.5 * up * t) * t, -mu * MASS * G * COS
    if back <= 0.0:
        return top, MASS * G * SIN
    return top - 0.5 * back * (t - stop) ** 2, mu * MASS * G * COS


def main():
    found = shutil.which("ancora") or str(HERE.parents[1] / "build/release/bin/ancora")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ancora", default=found)
    parser.add_argument("--integrator", default="emm")
    arguments = parser.parse_args()

    figure, (left, right) = plt.subplots(
        1, 2, figsize=(9.0, 4.4), gridspec_kw={"width_ratios": [1.25, 1.0]})
    with tempfile.TemporaryDirectory() as folder:
        for mu, color in COEFFICIENTS:
            rows = run(arguments.ancora, folder, arguments.integrator, mu)
            times = [row["t"] for row in rows]
            way = [COS * row["block.x"] + SIN * row["block.z"] for row in rows]
            friction = [COS * row["rubbing.force.x"] + SIN * row["rubbing.force.z"] for row in rows]
            error = max(abs(s - exact(t, mu)[0]) for t, s in zip(times, way))
            print(f"mu = {mu}: largest difference of the way from the exact one {error:.1e} m")

            left.plot(times, way, color=color, lw=1.4, label=f"μ = {mu:g}")
            dots = [0.05 * i + 0.025 for i in range(20)]
            left.plot(dots, [exact(t, mu)[0] for t in dots], "o", color=color, ms=3.5, mfc="white")
            if mu in (0.3, 0.5, 0.6, 1.0):
                right.plot(times, friction, color=color, lw=1.4, drawstyle="steps-pre")
                right.plot(dots, [exact(t, mu)[1] for t in dots], "o", color=color, ms=3.5,
                           mfc="white")
    left.set_xlim(0.0, 1.0)
    left.set_ylim(-0.32, 0.44)
    left.set_xlabel("t [s]")
    left.set_ylabel("way up the ramp [m]")
    left.set_title("Way: runs (lines) and exact (dots)", fontsize=11)
    left.legend(fontsize=9, frameon=False, ncol=2, loc="lower left")
    right.axhline(MASS * G * SIN, color="#bbbbbb", lw=0.8, ls="--", zorder=0)
    right.text(0.99, MASS * G * SIN + 0.9, "m g sin α", color="#888888", fontsize=9, ha="right")
    right.set_xlim(0.0, 1.0)
    right.set_ylim(-24.0, 17.0)
    right.set_xlabel("t [s]")
    right.set_ylabel("friction, up the ramp [N]")
    right.set_title("Friction", fontsize=11)
    figure.tight_layout()
    figure.savefig(HERE / "picture.png", dpi=100)


if __name__ == "__main__":
    main()
