#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.png: trolley and container along the rail, the height, and the sway.

    python3 examples/crane/picture.py

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
    t = [row["t"] for row in rows]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.6), layout="constrained")
    left.plot(t, [row["trolley.x"] for row in rows], color=frame.GRAY, label="trolley x")
    left.plot(t, [row["container.x"] for row in rows], color=frame.BLUE, label="container x")
    left.plot(t, [row["container.z"] for row in rows], color=frame.RED, label="container z")
    frame.name_axes(left, "Travel and hoisting", "t [s]", "[m]")
    frame.legend(left)
    right.plot(t, [row["container.x"] - row["trolley.x"] for row in rows], color=frame.BLUE,
               label="along the rail")
    right.plot(t, [row["container.y"] for row in rows], color=frame.RED, label="across")
    frame.zero_line(right)
    frame.name_axes(right, "Sway of the container", "t [s]", "[m]")
    frame.legend(right)
    example.save(figure)


if __name__ == "__main__":
    main()
