#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.png: the forces on the bead, and its acceleration for many wires and three masses.

    python3 examples/line_with_nonideal_force/picture.py

Runs `ancora` with --set about forty times, 3 s. Needs python3-matplotlib and `ancora` on the PATH,
in build/release, or named by --ancora.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import picture_frame as frame

plt = frame.pyplot()
G, C = 9.81, (1.0, 2.0)
MASSES = [("1.0", "M = I"), ("[[3, 0, 0], [0, 1, 0], [0, 0, 1]]", "M = diag(3, 1) kg"),
          ("[[2, 0.5, 0], [0.5, 1, 0], [0, 0, 1]]", "M = (2, ½; ½, 1) kg")]
COLORS = [frame.RED, frame.GREEN, frame.BLUE]


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
    axes.plot([-6, 4], [-6 * k, 4 * k], color=frame.GRAY, lw=5, solid_capstyle="round", zorder=0)
    axes.text(-5.75, -4.05, "wire  y = x/2", color="#888888", fontsize=9, rotation=26.57,
              rotation_mode="anchor")
    for (x, y), color, name, at in (
            ((0.0, -G), frame.INK, "Q = M g", (0.25, -8.6)),
            (F_L, frame.BLUE, r"$F_L$", (-4.8, 7.6)),
            (C, frame.ORANGE, "C", (0.9, 2.35)),
            (F_C, frame.RED, r"$F_C$", (1.75, 0.25)),
            ([F_L[0] + F_C[0], F_L[1] + F_C[1] - G], frame.GREEN, "M a", (-1.9, -2.45))):
        axes.annotate("", (x, y), (0.0, 0.0), zorder=3,
                      arrowprops={"arrowstyle": "-|>", "color": color, "lw": 1.8,
                                  "shrinkA": 0, "shrinkB": 0, "mutation_scale": 13})
        axes.text(*at, name, color=color, fontsize=11)
    axes.plot([C[0], F_C[0]], [C[1], F_C[1]], color=frame.ORANGE, lw=1, ls=":")
    axes.plot(0, 0, "o", color=frame.INK, ms=7, zorder=4)
    axes.set_xlim(-6.3, 4.3)
    axes.set_ylim(-10.6, 9.2)
    axes.set_aspect("equal")
    frame.name_axes(axes, "Forces, k = ½, M = I", x="x, force [N]", y="y, force [N]")


def main():
    example = frame.Example(__file__, __doc__)

    figure, (left, right) = plt.subplots(
        1, 2, figsize=(8.4, 5.0), gridspec_kw={"width_ratios": [1.0, 1.45]})
    worst = 0.0
    draw_forces(left, example.run()[-1])
    for (mass, name), color in zip(MASSES, COLORS):
        ks = [-4.0 + 0.05 * i for i in range(161)]
        right.plot(ks, [exact(k, matrix(mass)) for k in ks], color=color, lw=1.2, label=name)
        for k in [-4.0 + 0.625 * i for i in range(13)]:
            row = example.run(wire(k), "body.bead.mass=" + mass)[-1]
            a = row["bead.vx"] / row["t"]
            worst = max(worst, abs(a - exact(k, matrix(mass))))
            right.plot(k, a, "o", color=color, ms=4)
    frame.zero_line(right)
    frame.name_axes(right, "Acceleration: runs (dots) and exact (lines)",
                    x="slope k of the wire",
                    y=r"acceleration $\ddot x$ [m/s²]")
    frame.legend(right)
    figure.tight_layout()
    example.save(figure)
    print(f"largest difference of an acceleration: {worst:.1e} m/s^2")


if __name__ == "__main__":
    main()
