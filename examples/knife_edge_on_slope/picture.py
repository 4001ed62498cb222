#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.png: the path of the skate, the force on its edge, and the error over the step.

    python3 examples/knife_edge_on_slope/picture.py

Runs `ancora` with --set twelve times, 5 s. Needs python3-matplotlib and `ancora` on the PATH, in
build/release, or named by --ancora.
"""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import picture_frame as frame

plt = frame.pyplot()
MASS, PULL, OMEGA = 3.0, 4.905, 2.0  # kg, g sin(a) [m/s^2], rad/s
STEPS = ["5e-2", "2e-2", "1e-2", "5e-3", "2e-3", "1e-3"]
COLORS = {"emm": frame.BLUE, "rk4": frame.RED}


def exact(t):
    """Way downhill and across [m]."""
    R = PULL / (4.0 * OMEGA * OMEGA)
    return R * (1.0 - math.cos(2.0 * OMEGA * t)), R * (2.0 * OMEGA * t - math.sin(2.0 * OMEGA * t))


def main():
    example = frame.Example(__file__, __doc__)

    def run(integrator, step):
        return example.run(f"integrator.type={integrator}", f"integrator.step={step}")

    figure = plt.figure(figsize=(8.8, 5.8))
    grid = figure.add_gridspec(2, 2, height_ratios=[1.15, 1.5])
    path, force, errors = (figure.add_subplot(cell) for cell in (grid[0, :], grid[1, 0], grid[1, 1]))
    rows = run("emm", "1e-3")
    for integrator, color in COLORS.items():
        found = []
        for step in STEPS:
            off = [math.dist((row["skate.x"], row["skate.y"]), exact(row["t"]))
                   for row in run(integrator, step)]
            found.append(max(off))
            print(f"{integrator}, step {step} s: largest distance from the exact path "
                  f"{found[-1]:.1e} m")
        errors.loglog([float(step) for step in STEPS], found, "o-", color=color, ms=4, lw=1.2,
                      label=integrator)

    path.plot([row["skate.y"] for row in rows], [row["skate.x"] for row in rows],
              color=COLORS["emm"], lw=1.4, label="run")
    times = [0.1 * i + 0.05 for i in range(31)]
    path.plot([exact(t)[1] for t in times], [exact(t)[0] for t in times], "o", color=frame.INK,
              ms=3.5, mfc="white", mew=0.8, label="exact", zorder=3)
    for row in rows[::20]:  # the skate, 0.15 m long
        dx, dy = 0.075 * math.cos(OMEGA * row["t"]), 0.075 * math.sin(OMEGA * row["t"])
        path.plot([row["skate.y"] - dy, row["skate.y"] + dy],
                  [row["skate.x"] - dx, row["skate.x"] + dx], color=frame.ORANGE, lw=3.5,
                  solid_capstyle="round", zorder=2)
    path.set_aspect("equal")
    path.set_xlim(-0.25, 4.1)
    path.set_ylim(0.72, -0.13)
    frame.name_axes(path, "Path, and the skate every 0.2 s",
                    x="y, across the slope [m]",
                    y="x, downhill [m]")
    frame.legend(path, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncol=2,
                 borderaxespad=0.1)

    side = [row["edge.force.y"] * math.cos(OMEGA * row["t"])
            - row["edge.force.x"] * math.sin(OMEGA * row["t"]) for row in rows]
    force.plot([row["t"] for row in rows[1:]], side[1:], color=COLORS["emm"], lw=1.4)
    times = [0.1 * i for i in range(32)]
    force.plot(times, [2.0 * MASS * PULL * math.sin(OMEGA * t) for t in times], "o",
               color=frame.INK, ms=3.5, mfc="white", mew=0.8)
    frame.zero_line(force)
    frame.name_axes(force, "What the edge has to hold", x="t [s]", y="force across the edge [N]")

    frame.name_axes(errors, "Error over the step",
                    x="step [s]",
                    y="largest distance\nfrom the exact path [m]")
    frame.grid(errors)
    frame.legend(errors)
    figure.tight_layout()
    example.save(figure)


if __name__ == "__main__":
    main()
