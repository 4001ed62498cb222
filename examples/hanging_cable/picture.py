#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.png: two cables on the catenary, and their error over the number of links.

    python3 examples/hanging_cable/picture.py

Runs `ancora` with --set twelve times, 2 s. Needs python3-matplotlib and `ancora` on the PATH, in
build/release, or named by --ancora.
"""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import picture_frame as frame

plt = frame.pyplot()
WEIGHT = 0.981  # N/m
COUNTS = [4, 8, 16, 32, 64, 128]
COLORS = {1.2: frame.BLUE, 1.5: frame.RED}


def run(example, count, length):
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
    row = example.run(*(f"{key}={value}" for key, value in settings.items()))[-1]
    nodes = [(row[f"cable@{i}.x"], row[f"cable@{i}.z"]) for i in range(count + 1)]
    return nodes, math.hypot(row["left.force.x"], row["left.force.z"])


def parameter(length):
    """a of the catenary z = a cosh(x / a) of this length over a span of 1 m, by bisection."""
    low, high = 0.01, 100.0
    for _ in range(200):
        a = 0.5 * (low + high)
        low, high = (a, high) if 2.0 * a * math.sinh(0.5 / a) > length else (low, a)
    return a


def main():
    example = frame.Example(__file__, __doc__)

    figure, (shape, errors) = plt.subplots(1, 2, figsize=(8.8, 4.2))
    for length, color in COLORS.items():
        a = parameter(length)
        top = a * math.cosh(0.5 / a)
        xs = [0.01 * k for k in range(101)]
        shape.plot(xs, [a * math.cosh((x - 0.5) / a) - top for x in xs], color=frame.GRAY, lw=3)
        sag, tension = [], []
        for count in COUNTS:
            nodes, force = run(example, count, length)
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

    shape.plot([0.0, 1.0], [0.0, 0.0], "^", color=frame.INK, ms=7)
    shape.plot([], [], color=frame.GRAY, lw=3, label="catenary")
    shape.set_aspect("equal")
    frame.name_axes(shape, "At rest", x="x [m]", y="z [m]")
    frame.legend(shape, loc="upper center")
    errors.set_xticks(COUNTS, [str(count) for count in COUNTS])
    errors.minorticks_off()
    frame.name_axes(errors, "Error against the catenary", x="links")
    frame.grid(errors)
    frame.legend(errors)
    figure.tight_layout()
    example.save(figure)


if __name__ == "__main__":
    main()
