#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.png: the bar that stands and the bar that falls, and the frequency of the swing.

    python3 examples/driven_pendulum/picture.py

Runs `ancora` with --set ten times, 3 s. Needs python3-matplotlib and `ancora` on the PATH, in
build/release, or named by --ancora.
"""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import picture_frame as frame

plt = frame.pyplot()
A, G = 0.01, 9.81             # m, m/s^2
L, WIDTH = 0.4, 0.02          # m
EQUIVALENT = (L * L / 3.0 + WIDTH * WIDTH / 12.0) / (0.5 * L)  # J / (m s) about the pivot, m
RATES = [250, 300, 350, 400, 450, 500, 600, 800]  # rad/s
STANDS, FALLS = frame.BLUE, frame.RED


def run(example, rate, push=1.0, end=3.0):
    """Times [s] and the angle of the bar from the vertical [rad], not wrapped."""
    motion = f'["0", "0", "{A}*(1 - cos({rate}*t))"]'
    gust = f"[[0.5, 0, 0, 0], [0.52, {push}, 0, 0], [0.6, {push}, 0, 0], [0.62, 0, 0, 0]]"
    rows = example.run(f"constraint.pivot.motion={motion}", f"force.gust.force={gust}",
                       f"integrator.end={end}", "output.every=0.001")
    times, angles = [], []
    for row in rows:
        tip = [row[f"bar@[0.0, 0.0, 0.2].{axis}"] for axis in "xz"]
        centre = [row[f"bar.{axis}"] for axis in "xz"]
        angle = math.atan2(tip[0] - centre[0], tip[1] - centre[1])
        last = angles[-1] if angles else 0.0
        times.append(row["t"])
        angles.append(angle + 2.0 * math.pi * round((last - angle) / (2.0 * math.pi)))
    return times, angles


def frequency(times, angles, rate):
    """Of the slow swing after the gust: angles averaged over a shake, then zero crossings."""
    shake = max(1, round(2.0 * math.pi / rate / (times[1] - times[0])))
    mean = [sum(angles[i:i + shake]) / shake for i in range(len(angles) - shake)]
    zeros = []
    for i in range(len(mean) - 1):
        if times[i] > 0.62 and (mean[i] < 0.0) != (mean[i + 1] < 0.0):
            share = mean[i] / (mean[i] - mean[i + 1])
            zeros.append(times[i] + share * (times[i + 1] - times[i]))
    return math.pi * (len(zeros) - 1) / (zeros[-1] - zeros[0])


def kapitza(rate):
    square = (A * rate / EQUIVALENT) ** 2 / 2.0 - G / EQUIVALENT
    return math.sqrt(square) if square > 0.0 else 0.0


def main():
    example = frame.Example(__file__, __doc__)

    figure, (swing, rates) = plt.subplots(1, 2, figsize=(8.8, 3.8), width_ratios=[1.5, 1.0])
    measured = []
    for rate, color, what in [(400, STANDS, "400 rad/s: it stands"),
                              (200, FALLS, "200 rad/s: it falls")]:
        times, angles = run(example, rate)
        swing.plot(times, [math.degrees(x) for x in angles], color=color, lw=1.1, label=what)
    # A hundredth of the gust: the cubes of the angle do not show
    for rate in RATES:
        times, angles = run(example, rate, push=0.01, end=6.0)
        measured.append(frequency(times, angles, rate))
        print(f"{rate} rad/s: swings at {measured[-1]:.4f} rad/s, averaging says "
              f"{kapitza(rate):.4f}, {measured[-1] / kapitza(rate) - 1.0:+.2e}")

    swing.axvspan(0.5, 0.62, color="#e4e4e4", lw=0, zorder=0)
    swing.text(0.64, -26.0, "gust", fontsize=9, color="#777777")
    frame.zero_line(swing)
    swing.set_xlim(0.0, 3.0)
    swing.set_ylim(-30.0, 60.0)
    frame.name_axes(swing, "A bar on a pivot that shakes",
                    x="t [s]",
                    y="angle from the vertical [degrees]")
    frame.legend(swing, loc="upper right")

    least = math.sqrt(2.0 * G * EQUIVALENT) / A
    line = [least + (820.0 - least) * (i / 400.0) ** 2 for i in range(401)]
    rates.plot(line, [kapitza(rate) for rate in line], color="#888888", lw=1.2,
               label="averaged (Kapitza)")
    rates.plot(RATES, measured, "o", color=STANDS, ms=4.5, label="runs")
    rates.axvline(least, color=FALLS, lw=0.9, ls=":")
    rates.text(least + 8.0, 0.6, "stands", fontsize=9, color=STANDS)
    rates.text(least - 8.0, 0.6, "falls", fontsize=9, color=FALLS, ha="right")
    rates.set_xlim(120.0, 830.0)
    rates.set_ylim(0.0, 22.0)
    frame.name_axes(rates, "Frequency of the swing [rad/s]", x="rate of the shaking [rad/s]")
    frame.grid(rates)
    frame.legend(rates, loc="upper left")
    figure.tight_layout()
    example.save(figure)


if __name__ == "__main__":
    main()
