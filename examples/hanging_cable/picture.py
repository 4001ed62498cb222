#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.png: two cables on the catenary, and their error over the number of links.

    python3 examples/hanging_cable/picture.py

Runs `ancora` with --set twelve times, 2 s. Needs python3-matplotlib and `ancora` on the PATH, in
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
WEIGHT = 0.981  # N/m
COUNTS = [4, 8, 16, 32, 64, 128]
COLORS = {1.2: "#1f4e9c", 1.5: "#c1440e"}


def run(program, folder, count, length):
    """Nodes [m] and tension at the left hook [N] of a cable of `count` links."""
    points = ", ".join(f'"cable@{i}"' for i in range(count + 1))
    settings = {"body.cable.grid.counts": f"[{count + 1}, 1]",
                "body.cable.grid.spacing": f"[{1.0 / count!r}, 1.0]",
                "body.cable.rest_length": repr(length / count),
                "body.cable.held": f"[0, {count}]",
                "constraint.right.a": f'"cable@{count}"',
                "force.tap.at": f'"cable@{count // 2}"',
                "force.tap.force": "[[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]",
                "integrator.end": "1e-2",
                "output.points": f"[{points}]"}
    command = [program, "run", str(HERE / "model.toml"), "--quiet", "--out", f"{folder}/results"]
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    subprocess.run(command, check=True)
    with open(f"{folder}/results/history.csv", newline="") as file:
        row = list(csv.DictReader(file))[-1]
    nodes = [(float(row[f"cable@{i}.x"]), float(row[f"cable@{i}.z"])) for i in range(count + 1)]
    return nodes, math.hypot(float(row["left.force.x"]), float(row["left.force.z"]))


def parameter(length):
    """a of the catenary z = a cosh(x / a) of this length over a span of 1 m, by bisection."""
    low, high = 0.01, 100.0
    for _ in range(200):
        a = 0.5 * (low + high)
        low, high = (a, high) if 2.0 * a * math.sinh(0.5 / a) > length else (low, a)
    return a


def main():
    found = shutil.which("ancora") or str(HERE.parents[1] / "build/release/bin/ancora")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ancora", default=found)
    program = parser.parse_args().ancora

    figure, (shape, errors) = plt.subplots(1, 2, figsize=(8.8, 4.2))
    with tempfile.TemporaryDirectory() as folder:
        for length, color in COLORS.items():
            a = parameter(length)
            top = a * math.cosh(0.5 / a)
            xs = [0.01 * k for k in range(101)]
            shape.plot(xs, [a * math.cosh((x - 0.5) / a) - top for x in xs], color="#bbbbbb", lw=3)
            sag, tension = [], []
            for count in COUNTS:
                nodes, force = run(program, folder, count, length)
                sag.append(abs(-nodes[count // 2][1] - (top - a)))
                tension.append(abs(force - WEIGHT * top))
                print(f"{length} m, {count} links: sag {-nodes[count // 2][1]:.6f} m, "
                      f"off by {sag[-1]:.1e} m; end tension {force:.6f} N, off by {tension[-1]:.1e} N")
                if count == 8:
                    shape.plot(*zip(*nodes), "o-", color=color, ms=4, lw=1.2,
                               label=f"{length} m, 8 links")
            errors.loglog(COUNTS, sag, "o-", color=color, ms=4, lw=1.2,
                          label=f"sag [m], {length} m")
            errors.loglog(COUNTS, tension, "s--", color=color, ms=4, lw=1.2, mfc="white",
                          label=f"end tension [N], {length} m")

    shape.plot([0.0, 1.0], [0.0, 0.0], "^", color="#333333", ms=7)
    shape.plot([], [], color="#bbbbbb", lw=3, label="catenary")
    shape.set_aspect("equal")
    shape.set_xlabel("x [m]")
    shape.set_ylabel("z [m]")
    shape.set_title("At rest", fontsize=11)
    shape.legend(fontsize=9, frameon=False, loc="upper center")
    errors.set_xticks(COUNTS, [str(count) for count in COUNTS])
    errors.minorticks_off()
    errors.set_xlabel("links")
    errors.set_title("Error against the catenary", fontsize=11)
    errors.grid(color="#e4e4e4", lw=0.6)
    errors.legend(fontsize=9, frameon=False)
    figure.tight_layout()
    figure.savefig(HERE / "picture.png", dpi=100)


if __name__ == "__main__":
    main()
