#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.png: way and friction of the block for six coefficients, with the exact values.

    python3 examples/block_on_incline/picture.py

Runs `ancora` with --set for each coefficient. Needs python3-matplotlib and `ancora` on the PATH, in
build/release, or named by --ancora; --integrator chooses the method (emm).
"""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import picture_frame as frame

plt = frame.pyplot()
G, MASS, SPEED = 9.81, 2.5, 2.0  # m/s^2, kg, m/s up the ramp
SIN, COS = 0.5, math.sqrt(0.75)
COEFFICIENTS = [(0.0, "#999999"), (0.15, frame.ORANGE), (0.3, frame.RED), (0.5, frame.GREEN),
                (0.6, frame.BLUE), (1.0, "#7a3b8f")]


def exact(t, mu):
    """Way up the ramp [m] and friction along it [N]."""
    up, back = G * (SIN + mu * COS), G * (SIN - mu * COS)
    stop, top = SPEED / up, SPEED * SPEED / (2.0 * up)
    if t < stop:
        return (SPEED - 0.5 * up * t) * t, -mu * MASS * G * COS
    if back <= 0.0:
        return top, MASS * G * SIN
    return top - 0.5 * back * (t - stop) ** 2, mu * MASS * G * COS


def main():
    example = frame.Example(__file__, __doc__, integrator="emm")

    figure, (left, right) = plt.subplots(
        1, 2, figsize=(9.0, 4.4), gridspec_kw={"width_ratios": [1.25, 1.0]})
    for mu, color in COEFFICIENTS:
        rows = example.run(f"integrator.type={example.options.integrator}",
                           f"force.rubbing.mu_kinetic={mu}")
        times = [row["t"] for row in rows]
        way = [COS * row["block.x"] + SIN * row["block.z"] for row in rows]
        friction = [COS * row["rubbing.force.x"] + SIN * row["rubbing.force.z"] for row in rows]
        error = max(abs(s - exact(t, mu)[0]) for t, s in zip(times, way))
        print(f"mu = {mu}: largest difference of the way from the exact one {error:.1e} m")

        left.plot(times, way, color=color, lw=1.4, label=f"μ = {mu:g}")
        dots = [0.05 * i + 0.025 for i in range(20)]
        left.plot(dots, [exact(t, mu)[0] for t in dots], "o", color=color, ms=3.5, mfc="white")
        if mu in (0.3, 0.5, 0.6, 1.0):
            right.plot(times, friction, color=color, lw=1.4, drawstyle="steps-pre")
            right.plot(dots, [exact(t, mu)[1] for t in dots], "o", color=color, ms=3.5,
                       mfc="white")
    left.set_xlim(0.0, 1.0)
    left.set_ylim(-0.32, 0.44)
    frame.name_axes(left, "Way: runs (lines) and exact (dots)", x="t [s]", y="way up the ramp [m]")
    frame.legend(left, ncol=2, loc="lower left")
    right.axhline(MASS * G * SIN, color=frame.GRAY, lw=0.8, ls="--", zorder=0)
    right.text(0.99, MASS * G * SIN + 0.9, "m g sin α", color="#888888", fontsize=9, ha="right")
    right.set_xlim(0.0, 1.0)
    right.set_ylim(-24.0, 17.0)
    frame.name_axes(right, "Friction", x="t [s]", y="friction, up the ramp [N]")
    figure.tight_layout()
    example.save(figure)


if __name__ == "__main__":
    main()
