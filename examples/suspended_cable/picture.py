#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.png: the cable at rest and swinging, and its frequencies over its stiffness.

    python3 examples/suspended_cable/picture.py

Runs `ancora run` once and `ancora modes` with --set 12 times, 2 s. Needs python3-matplotlib and
`ancora` on the PATH, in build/release, or named by --ancora.
"""
import json
import math
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import picture_frame as frame

plt = frame.pyplot()
SPAN, WEIGHT, MASS, SAG = 100.0, 9.81, 1.0, 1.0
COUNT = 7  # modes


def bisect(f, low, high):
    """Where f, which rises, is zero."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if f(middle) < 0.0 else (low, middle)
    return 0.5 * (low + high)


# Catenary of a sag of 1 m: z = a cosh(x / a), pull H = w a
A = bisect(lambda a: SAG - a * (math.cosh(0.5 * SPAN / a) - 1.0), 100.0, 1e5)
PULL = WEIGHT * A


def length(EA):
    """Length without strain [m] that hangs so: that of the catenary less its stretch."""
    way = 2.0 * A * math.sinh(0.5 * SPAN / A)
    return way - PULL / EA * (0.5 * SPAN + 0.5 * A * math.sinh(SPAN / A))


def irvine(EA):
    """lambda^2 of Irvine and Caughey."""
    return (WEIGHT * SPAN / PULL)**2 * EA / PULL


def symmetric(square, order):
    """Root of tan(w / 2) = w / 2 - 4 / lambda^2 (w / 2)^3, as w / pi."""
    def gap(x):
        return math.sin(x) - (x - 4.0 / square * x**3) * math.cos(x)
    at, step = 0.3, 1e-3
    for _ in range(order):
        while gap(at) * gap(at + step) > 0.0:
            at += step
        at += step
    sign = math.copysign(1.0, gap(at))
    return 2.0 / math.pi * bisect(lambda x: sign * gap(x), at - step, at)


def modes(example, EA):
    """Frequencies in those of a string, H alone; in the plane, and across it."""
    text = subprocess.run(
        [example.options.ancora, "modes", str(example.folder / "model.toml"), "--json", "--count",
         str(COUNT), "--set", f"body.cable.EA={EA!r}", "--set", f"parameters.length={length(EA)!r}"],
        check=True, capture_output=True, text=True).stdout
    unit = math.sqrt(PULL / MASS) / (2.0 * SPAN)
    out = ([], [])
    for mode in json.loads(text)["modes"]:
        across = sum(abs(complex(*x))**2 for x in mode["shape"][7::6])
        along = sum(abs(complex(*x))**2 for x in mode["shape"][8::6])
        out[across > along].append(mode["frequency"] / unit)
    return out


def main():
    example = frame.Example(__file__, __doc__)
    figure, (shape, curves) = plt.subplots(1, 2, figsize=(8.8, 4.2))

    nodes = ", ".join(f'"cable@{i}"' for i in range(17))
    rows = example.run(f"output.points=[{nodes}]", f"parameters.length={length(4.0e7)!r}")
    for time, color in ((0.0, frame.INK), (1.0, frame.BLUE), (1.6, frame.GREEN), (2.2, frame.RED)):
        row = min(rows, key=lambda row: abs(row["t"] - time))
        shape.plot([row[f"cable@{i}.x"] for i in range(17)],
                   [row[f"cable@{i}.y"] for i in range(17)], "o-", color=color, ms=2.5, lw=1.2,
                   label=f"{time} s")
    frame.name_axes(shape, "A gust, from above", x="x [m]", y="y [m]")
    frame.grid(shape)
    frame.legend(shape)

    squares = [10.0**(0.3 + 0.02 * k) for k in range(140)]
    for order in (1, 2):
        curves.semilogx(squares, [symmetric(x, order) for x in squares], color=frame.GRAY, lw=2)
    for order in (1, 2, 3):
        curves.axhline(order, color=frame.LINE, lw=1, zorder=0)
    for k in range(12):
        EA = 2.0e6 * 10.0**(0.25 * k)
        in_plane, across = modes(example, EA)
        x = irvine(EA)
        curves.semilogx([x] * len(in_plane), in_plane, "o", color=frame.RED, ms=4,
                        label="in the plane" if k == 0 else None)
        curves.semilogx([x] * len(across), across, "x", color=frame.BLUE, ms=5,
                        label="across it" if k == 0 else None)
        first = min(in_plane, key=lambda f: abs(f - symmetric(x, 1)))
        print(f"lambda^2 {x:8.3f}: first symmetric {first:.5f}, Irvine {symmetric(x, 1):.5f}")
    curves.set_ylim(0.0, 3.4)
    frame.name_axes(curves, "Frequencies, in that of a string", x="$\\lambda^2$")
    curves.plot([], [], color=frame.GRAY, lw=2, label="Irvine, symmetric")
    frame.legend(curves, loc="lower right")
    figure.tight_layout()
    example.save(figure)


if __name__ == "__main__":
    main()
