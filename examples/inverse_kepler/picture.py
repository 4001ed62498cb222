#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.png: three conics with the forces that the constraints needed, and these over r.

    python3 examples/inverse_kepler/picture.py

Runs `ancora` with --set three times. Needs python3-matplotlib and `ancora` on the PATH, in
build/release, or named by --ancora.
"""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import picture_frame as frame

plt = frame.pyplot()
m, L, l = 2.0, 3.0, 1.0  # kg, kg m^2/s, m
ORBITS = [(0.6, 8.181230868723419, "ellipse, ε = 0.6", frame.BLUE),
          (1.0, 4.0, "parabola, ε = 1", frame.GREEN),
          (1.5, 4.0, "hyperbola, ε = 1.5", frame.RED)]  # eccentricity, end [s]


def start(e):
    """Position and velocity on the conic: nearest to the sun, or coming in if it is not closed."""
    x = -l / (1.0 + e) if e < 1.0 else 2.0
    r = e * x + l
    y = math.sqrt(max(r * r - x * x, 0.0))
    # (x/r - e, y/r) . v = 0 and m (x v_y - y v_x) = L
    vx = -L / m * (y / r) / l
    vy = L / m * (x / r - e) / l
    return [x, y, 0.0], [vx, vy, 0.0]


def run(example, e, end):
    """Rows of a run on the conic of this eccentricity."""
    position, velocity = start(e)
    return example.run(
        f'constraint.conic.equation="sqrt(planet.x^2 + planet.y^2) = {e}*planet.x + {l}"',
        f"body.planet.position={position}", f"body.planet.velocity={velocity}",
        f"integrator.end={end}")


def force(row, e):
    """A^T lambda of both constraints [N]."""
    x, y = row["planet.x"], row["planet.y"]
    r = math.hypot(x, y)
    conic, areas = row["conic.lambda.0"], row["areas.lambda.0"]
    return conic * (x / r - e) - areas * m * y, conic * y / r + areas * m * x


def main():
    example = frame.Example(__file__, __doc__)

    figure, (left, right) = plt.subplots(
        1, 2, figsize=(8.8, 4.5), gridspec_kw={"width_ratios": [1.25, 1.0]})
    worst, marks = 0.0, "os^"
    for (e, end, name, color), mark in zip(ORBITS, marks):
        rows = run(example, e, end)
        left.plot([row["planet.x"] for row in rows], [row["planet.y"] for row in rows],
                  color=color, lw=1.3, label=name)
        points = []
        for row in rows:
            x, y = row["planet.x"], row["planet.y"]
            r, (Fx, Fy) = math.hypot(x, y), force(row, e)
            inverse_square = L * L / (m * l * r * r)
            points.append((r, math.hypot(Fx, Fy)))
            off = math.hypot(Fx + inverse_square * x / r, Fy + inverse_square * y / r)
            worst = max(worst, off / inverse_square)
        shown, last = [], 0.0  # dots evenly spaced on the axis
        for r, F in sorted(points):
            if r > 1.3 * last and r < 3.5:
                shown.append((r, F))
                last = r
        right.loglog(*zip(*shown), mark, color=color, ms=6, mew=1.0, mfc="none", label=name,
                     zorder=3)
        for row in rows[::40] if e < 1.0 else []:
            x, y = row["planet.x"], row["planet.y"]
            Fx, Fy = force(row, e)
            left.annotate("", (x + 0.054 * Fx, y + 0.054 * Fy), (x, y),
                          arrowprops={"arrowstyle": "->", "color": color, "lw": 1.1,
                                      "shrinkA": 0, "shrinkB": 0, "mutation_scale": 7})
    left.plot(0, 0, "o", color="#e0a52b", ms=9)
    left.set_aspect("equal")
    left.set_xlim(-1.0, 2.9)
    left.set_ylim(-1.9, 1.9)
    frame.name_axes(left, "The conics that are asked for, and the force found",
                    x="x [m]",
                    y="y [m]")

    rs = [0.35, 4.0]
    right.loglog(rs, [L * L / (m * l * r * r) for r in rs], color=frame.INK, lw=1,
                 label="L² / (m l r²)", zorder=0)
    frame.name_axes(right, "Force over distance", x="r [m]", y="constraint force [N]")
    right.set_xticks([0.5, 1, 2, 4], ["0.5", "1", "2", "4"])
    right.set_yticks([0.5, 1, 2, 5, 10, 20], ["0.5", "1", "2", "5", "10", "20"])
    right.minorticks_off()
    frame.grid(right)
    frame.legend(right)
    figure.tight_layout()
    example.save(figure)
    print(f"largest difference from L^2/(m l r^2), relative: {worst:.1e}")


if __name__ == "__main__":
    main()
