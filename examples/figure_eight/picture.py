#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.png: the paths of the three masses, and the balance of energy.

    python3 examples/figure_eight/picture.py

Runs `ancora` once, 1 s. Needs python3-matplotlib and `ancora` on the PATH, in build/release, or
named by --ancora.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import picture_frame as frame

plt = frame.pyplot()


def main():
    example = frame.Example(__file__, __doc__)
    rows = example.run()
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.4), layout="constrained")
    for name, color in (("a", frame.BLUE), ("b", frame.RED), ("c", frame.GRAY)):
        left.plot([row[name + "@0.x"] for row in rows], [row[name + "@0.y"] for row in rows],
                  color=color, label=name)
        left.plot(rows[-1][name + "@0.x"], rows[-1][name + "@0.y"], "o", color=color)
    left.set_aspect("equal")
    frame.name_axes(left, "Paths over two periods", "x", "y")
    frame.legend(left)
    right.plot([row["t"] for row in rows], [row["energy.balance"] for row in rows],
               color=frame.BLUE)
    frame.name_axes(right, "Energy balance", "t", "J")
    example.save(figure)
    last = rows[-1]
    print(f"a after two periods: off by "
          f"{((last['a@0.x'] - 0.97000436)**2 + (last['a@0.y'] + 0.24308753)**2)**0.5:.2g}")


if __name__ == "__main__":
    main()
