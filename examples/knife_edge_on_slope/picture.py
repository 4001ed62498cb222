#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.png: the path of the skate, the force on its edge, and the error over the step.

    python3 examples/knife_edge_on_slope/picture.py

Runs `ancora` with --set twelve times, 5 s. Needs python3-matplotlib and `ancora` on the PATH, in
build/release, or named by --ancora.
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
MASS, PULL, OMEGA = 3.0, 4.905, 2.0  # kg, g sin(a) [m/s^2], rad/s
STEPS = ["5e-2", "2e-2", "1e-2", "5e-3", "2e-3", "1e-3"]
COLORS = {"emm": "#1f4e9c", "rk4": "#c1440e"}


def run(program, folder, integrator, step):
    """Rows of a run, as dictionaries of numbers."""
    command = [program, "run", str(HERE / "model.toml"), "--quiet", "--out", f"{folder}/results",
               "--set", f"integrator.type={integrator}", "--set", f"integrator.step={step}"]
    subprocess.run(command, check=True)
    with open(f"{folder}/results/history.csv", newline="") as file:
        return [{name: float(x) for name, x in row.items()} for row in csv.DictReader(file)]


def exact(t):
    """Way downhill and across [m]."""
    R = PULL / (4.0 * OMEGA * OMEGA)
    return R * (1.0 - math.cos(2.0 * OMEGA * t)), R * (2.0 * OMEGA * t - math.sin(2.0 * OMEGA * t))


def main():
    found = shutil.which("ancora") or str(HERE.parents[1] / "build/release/bin/ancora")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ancora", default=found)
    program = parser.parse_args().ancora

    figure = plt.figure(figsize=(8.8, 5.8))
    grid = figure.add_gridspec(2, 2, height_ratios=[1.15, 1.5])
    path, force, errors = (figure.add_subplot(cell) for cell in (grid[0, :], grid[1, 0], grid[1, 1]))
    with tempfile.TemporaryDirectory() as folder:
        rows = run(program, folder, "emm", "1e-3")
        for integrator, color in COLORS.items():
            found = []
            for step in STEPS:
                off = [math.dist((row["skate.x"], row["skate.y"]), exact(row["t"]))
                       for row in run(program, folder, integrator, step)]
                found.append(max(off))
                print(f"{integrator}, step {step} s: largest distance from the exact path "
                      f"{found[-1]:.1e} m")
            errors.loglog([float(step) for step in STEPS], found, "o-", color=color, ms=4, lw=1.2,
                          label=integrator)

    path.plot([row["skate.y"] for row in rows], [row["skate.x"] for row in rows],
              color=COLORS["emm"], lw=1.4, label="run")
    times = [0.1 * i + 0.05 for i in range(31)]
    path.plot([exact(t)[1] for t in times], [exact(t)[0] for t in times], "o", color="#333333",
              ms=3.5, mfc="white", mew=0.8, label="exact", zorder=3)
    for row in rows[::20]:  # the skate, 0.15 m long
        dx, dy = 0.075 * math.cos(OMEGA * row["t"]), 0.075 * math.sin(OMEGA * row["t"])
        path.plot([row["skate.y"] - dy, row["skate.y"] + dy],
                  [row["skate.x"] - dx, row["skate.x"] + dx], color="#e08e2b", lw=3.5,
                  solid_capstyle="round", zorder=2)
    path.set_aspect("equal")
    path.set_xlim(-0.25, 4.1)
    path.set_ylim(0.72, -0.13)
    path.set_xlabel("y, across the slope [m]")
    path.set_ylabel("x, downhill [m]")
    path.set_title("Path, and the skate every 0.2 s", fontsize=11)
    path.legend(fontsize=9, frameon=False, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncol=2,
                borderaxespad=0.1)

    side = [row["edge.force.y"] * math.cos(OMEGA * row["t"])
            - row["edge.force.x"] * math.sin(OMEGA * row["t"]) for row in rows]
    force.plot([row["t"] for row in rows[1:]], side[1:], color=COLORS["emm"], lw=1.4)
    times = [0.1 * i for i in range(32)]
    force.plot(times, [2.0 * MASS * PULL * math.sin(OMEGA * t) for t in times], "o",
               color="#333333", ms=3.5, mfc="white", mew=0.8)
    force.axhline(0.0, color="#cccccc", lw=0.8, zorder=0)
    force.set_xlabel("t [s]")
    force.set_ylabel("force across the edge [N]")
    force.set_title("What the edge has to hold", fontsize=11)

    errors.set_xlabel("step [s]")
    errors.set_ylabel("largest distance\nfrom the exact path [m]")
    errors.set_title("Error over the step", fontsize=11)
    errors.grid(color="#e4e4e4", lw=0.6)
    errors.legend(fontsize=9, frameon=False)
    figure.tight_layout()
    figure.savefig(HERE / "picture.png", dpi=100)


if __name__ == "__main__":
    main()
