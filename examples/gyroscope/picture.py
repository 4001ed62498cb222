#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.png: the rate of precession against that of the steady motion.

    python3 examples/gyroscope/picture.py

Runs `ancora` once, 1 s. Needs python3-matplotlib and `ancora` on the PATH, in build/release, or
named by --ancora.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import picture_frame as frame

plt = frame.pyplot()
M, R, J = 1.2, 0.2, 3.0e-3  # kg, m, kg m^2
I = 0.5 * J + M * R * R
WEIGHT = M * 9.81 * R  # N m


def steady(row):
    """Omega (J w - I Omega sin(alpha)) = M g r, by iteration."""
    spin, sine = row["wheel.wx"], row["wheel.z"] / R
    rate = WEIGHT / (J * spin)
    for _ in range(20):
        rate = WEIGHT / (J * spin - I * rate * sine)
    return rate


def main():
    example = frame.Example(__file__, __doc__)
    rows = example.run()
    t = [row["t"] for row in rows]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.6), layout="constrained")
    left.plot(t, [row["pivot.angle_a_rate"] for row in rows], color=frame.BLUE, label="run")
    left.plot(t, [steady(row) for row in rows], "--", color=frame.RED, label="steady")
    left.plot(t, [WEIGHT / (J * row["wheel.wx"]) for row in rows], ":", color=frame.GRAY,
              label="M g r / (J ω)")
    frame.name_axes(left, "Precession", "t [s]", "Ω [rad/s]")
    frame.legend(left)
    right.plot(t, [row["wheel.wx"] for row in rows], color=frame.BLUE)
    frame.name_axes(right, "Spin of the wheel", "t [s]", "ω [rad/s]")
    example.save(figure)


if __name__ == "__main__":
    main()
