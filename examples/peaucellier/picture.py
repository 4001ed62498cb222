#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.png: the linkage in three positions, and how straight the line of Q is.

    python3 examples/peaucellier/picture.py

Runs `ancora` once, 1 s. Needs python3-matplotlib and `ancora` on the PATH, in build/release, or
named by --ancora.
"""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import picture_frame as frame

plt = frame.pyplot()
BARS = {"crank": 0.35, "oa": 1.0, "ob": 1.0, "pa": 0.4, "pb": 0.4, "qa": 0.4, "qb": 0.4}  # m
LINE = (1.0 - 0.4**2) / (2.0 * 0.35)


def ends(row, bar):
    """Both ends of a bar in the plane."""
    w, x, y, z = (row[f"{bar}.q{c}"] for c in "wxyz")
    along = (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z))
    half = 0.5 * BARS[bar]
    return [(row[f"{bar}.x"] + s * half * along[0], row[f"{bar}.y"] + s * half * along[1])
            for s in (-1.0, 1.0)]


def main():
    example = frame.Example(__file__, __doc__)
    rows = example.run()
    q = next(name for name in rows[0] if name.startswith("qa@"))[:-2]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 4.2), layout="constrained")
    for share, color in ((0.0, frame.GRAY), (0.25, frame.BLUE), (0.5, frame.GRAY)):
        row = rows[int(share * (len(rows) - 1))]
        for bar in BARS:
            (x0, y0), (x1, y1) = ends(row, bar)
            left.plot([x0, x1], [y0, y1], "o-", color=color, lw=1.5, ms=3)
    left.plot([row[q + ".x"] for row in rows], [row[q + ".y"] for row in rows],
              color=frame.RED, lw=2, label="Q")
    left.set_aspect("equal")
    frame.name_axes(left, "Bars at the ends of the way and between", "x [m]", "y [m]")
    frame.legend(left)
    right.plot([row[q + ".y"] for row in rows], [1e15 * (row[q + ".x"] - LINE) for row in rows],
               color=frame.RED, lw=1)
    frame.zero_line(right)
    frame.name_axes(right, "How far Q is from the line", "y [m]", "x − 1.2 m [10⁻¹⁵ m]")
    example.save(figure)


if __name__ == "__main__":
    main()
