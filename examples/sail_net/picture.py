#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.png: the sail at four times, the heights of hub and tips, and the balances.

    python3 examples/sail_net/picture.py

Runs `ancora` once on this model with every node in the output, 10 s. Needs python3-matplotlib and
`ancora` on the PATH, in build/release, or named by --ancora.
"""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import picture_frame as frame

plt = frame.pyplot()
from matplotlib.collections import LineCollection

TIMES = (0.0, 1.5, 3.0, 8.0)  # s
STRETCH = 4.0  # of heights in the views
TURN, TILT = math.radians(25.0), math.radians(28.0)  # of the view
BLUE, RED, GREEN, INK = frame.BLUE, frame.RED, frame.GREEN, frame.INK


def lines_of(file):
    """Pairs of node numbers from 0; make_mesh.py numbers nodes from 1, and all are used."""
    words = [line.split() for line in file.read_text().splitlines()]
    inside, lines = False, []
    for line in words:
        if line and line[0].startswith("$"):
            inside = line[0] == "$Elements"
        elif inside and len(line) == 3:
            lines.append((int(line[1]) - 1, int(line[2]) - 1))
    return lines


def seen(x, y, z):
    """A point as it is seen from afar, from the side and above."""
    away = x * math.sin(TURN) + y * math.cos(TURN)
    return (x * math.cos(TURN) - y * math.sin(TURN),
            away * math.sin(TILT) + STRETCH * z * math.cos(TILT))


def main():
    example = frame.Example(__file__, __doc__)

    lines = lines_of(example.folder / "sail.msh")
    num_nodes = 1 + max(max(line) for line in lines)
    names = [f"sail@{i}" for i in range(num_nodes)] + [f"sail@tip_{k}" for k in range(4)]
    points = ",".join(f'"{name}"' for name in names)
    rows = example.run(f"output.points=[{points}]")
    t = [row["t"] for row in rows]

    figure = plt.figure(figsize=(10.0, 6.4))
    grid = figure.add_gridspec(3, 4, height_ratios=[1.1, 1.0, 0.75], hspace=0.35, wspace=0.02,
                               left=0.08, right=0.985, top=0.96, bottom=0.09)
    for k, time in enumerate(TIMES):
        row = min(rows, key=lambda row: abs(row["t"] - time))
        view = figure.add_subplot(grid[0, k])
        height = [row[f"sail@{i}.z"] - row["hub.z"] for i in range(num_nodes)]
        at = [seen(row[f"sail@{i}.x"], row[f"sail@{i}.y"], height[i]) for i in range(num_nodes)]
        net, tethers = lines[:-4], lines[-4:]
        view.add_collection(LineCollection([(at[a], at[b]) for a, b in net], cmap="viridis", lw=0.6,
                                           array=[0.5 * (height[a] + height[b]) for a, b in net],
                                           clim=(-0.4, 0.4)))
        view.add_collection(LineCollection([(at[a], at[b]) for a, b in tethers], colors=RED, lw=1.0))
        view.set(xlim=(-7.1, 7.1), ylim=(-4.6, 4.6), aspect="equal")
        view.set_axis_off()
        view.set_title(f"{row['t']:g} s", fontsize=11, y=0.94)

    heights = figure.add_subplot(grid[1, :])
    heights.plot(t, [row["hub.z"] for row in rows], color=BLUE, lw=1.6, label="hub")
    for k in range(4):
        heights.plot(t, [row[f"sail@tip_{k}.z"] for row in rows], color=RED, lw=1.0,
                     label="tips" if k == 0 else None)
    heights.plot(t, [row["sail@215.z"] for row in rows], color=GREEN, lw=1.0,
                 label="a node of the net, 2.5 m from the hub")
    heights.set(xlim=(0.0, t[-1]), ylabel="z [m]")
    frame.legend(heights)

    balances = figure.add_subplot(grid[2, :], sharex=heights)
    scales = [("energy.balance", rows[-1]["energy.total"], INK, "energy"),
              ("angular_momentum.balance.z", rows[-1]["angular_momentum.z"], GREEN,
               "angular momentum, z"),
              ("momentum.balance.z", rows[-1]["momentum.z"], RED, "momentum, z")]
    for key, scale, color, name in scales:
        balances.plot(t, [row[key] / scale for row in rows], color=color, lw=0.9, label=name)
    balances.set(xlabel="t [s]", ylabel="relative balance", ylim=(-3e-15, 3e-15))
    frame.legend(balances, ncol=3, loc="upper left")
    example.save(figure, dpi=90)


if __name__ == "__main__":
    main()
