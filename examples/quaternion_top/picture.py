#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.png: the angular velocity of the top, its error, and what accuracy costs.

    python3 examples/quaternion_top/picture.py

Runs `ancora` on this model and on tumbling_box with --set, about twenty times, 3 s. Needs
python3-matplotlib and `ancora` on the PATH, in build/release, or named by --ancora.
"""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import picture_frame as frame

plt = frame.pyplot()
MODELS = {"quaternion_body": "model.toml",
          "ancf_rigid_body": "../tumbling_box/model.toml"}
J = (6750.0, 13500.0, 17550.0)  # kg m^2
START = (0.3, 0.5, 0.8)  # rad/s
RED, GREEN, BLUE, INK = frame.RED, frame.GREEN, frame.BLUE, frame.INK


def first_kind(phi, m):
    """Incomplete elliptic integral F(phi | m) by Carlson's duplication."""
    s = math.sin(phi)
    x, y, z = 1.0 - s * s, 1.0 - m * s * s, 1.0
    for _ in range(30):
        shift = math.sqrt(x * y) + math.sqrt(y * z) + math.sqrt(z * x)
        x, y, z = (x + shift) / 4.0, (y + shift) / 4.0, (z + shift) / 4.0
    return s / math.sqrt((x + y + z) / 3.0)


def jacobi(u, m):
    """sn, cn, dn of u by the arithmetic-geometric mean."""
    a, b, ratios = 1.0, math.sqrt(1.0 - m), []
    for _ in range(6):
        a, b, c = (a + b) / 2.0, math.sqrt(a * b), (a - b) / 2.0
        ratios.append(c / a)
    phi = 2.0 ** len(ratios) * a * u
    for ratio in reversed(ratios):
        phi = (phi + math.asin(ratio * math.sin(phi))) / 2.0
    return math.sin(phi), math.cos(phi), math.sqrt(1.0 - m * math.sin(phi) ** 2)


def eulers_top():
    """The exact angular velocity in body axes as a function of time (Landau, Lifshitz, sec. 37)."""
    T2 = sum(j * w * w for j, w in zip(J, START))
    L2 = sum((j * w) ** 2 for j, w in zip(J, START))
    high, low = T2 * J[2] - L2, L2 - T2 * J[0]
    amplitudes = (math.sqrt(high / (J[0] * (J[2] - J[0]))), math.sqrt(high / (J[1] * (J[2] - J[1]))),
                  math.sqrt(low / (J[2] * (J[2] - J[0]))))
    rate = math.sqrt((J[2] - J[1]) * low / (J[0] * J[1] * J[2]))
    m = (J[1] - J[0]) * high / ((J[2] - J[1]) * low)
    u_0 = first_kind(math.atan2(START[1] / amplitudes[1], START[0] / amplitudes[0]), m)

    def omega(t):
        sn, cn, dn = jacobi(rate * t + u_0, m)
        return amplitudes[0] * cn, amplitudes[1] * sn, amplitudes[2] * dn

    return omega


class Run:
    """A run of one of the models: times, angular velocity, accelerations evaluated."""

    def __init__(self, example, body, *settings):
        rows = example.run(*settings, model=MODELS[body])
        self.t = [row["t"] for row in rows]
        self.omega = [tuple(row["box.w" + axis] for axis in "xyz") for row in rows]
        self.evaluations = example.summary["evaluations"]

    def errors(self, exact):
        return [math.dist(w, exact(t)) for t, w in zip(self.t, self.omega)]


def main():
    example = frame.Example(__file__, __doc__)
    exact = eulers_top()

    figure = plt.figure(figsize=(8.8, 6.2))
    grid = figure.add_gridspec(2, 2, height_ratios=[1.0, 1.25])
    top, error, cost = (figure.add_subplot(cell) for cell in (grid[0, :], grid[1, 0], grid[1, 1]))
    def run(body, *settings):
        return Run(example, body, *settings)

    dopri5, rk4, emm = ("integrator.type=" + name for name in ("dopri5", "rk4", "emm"))
    curves = [
        ("ancf_rigid_body, emm, 1 ms", GREEN, run("ancf_rigid_body", emm)),
        ("quaternion_body, dopri5, 10⁻¹²", BLUE, run("quaternion_body", dopri5)),
        ("ancf_rigid_body, dopri5, 10⁻¹²", RED, run("ancf_rigid_body", dopri5))]
    series = []
    for body, color in (("quaternion_body", BLUE), ("ancf_rigid_body", RED)):
        series.append((body + ", dopri5", color, "o-", [
            run(body, dopri5, f"integrator.tolerance=1e-{k}") for k in range(5, 15, 2)]))
        series.append((body + ", rk4", color, "s--", [
            run(body, rk4, f"integrator.step={h}", "output.every=0.1")
            for h in ("0.1", "0.05", "0.02", "0.01", "5e-3", "2e-3")]))

    shown = curves[1][2]
    for i, color in enumerate((RED, GREEN, BLUE)):
        top.plot(shown.t, [w[i] for w in shown.omega], color=color, lw=1.4,
                 label=r"$\omega_%s$" % "xyz"[i])
        times = [0.25 * k for k in range(41)]
        top.plot(times, [exact(t)[i] for t in times], "o", color=INK, ms=3.2, mfc="white", mew=0.8)
    top.set_xlim(0.0, 10.0)
    frame.name_axes(top, "Angular velocity: quaternion_body (lines) and Euler's top (dots)",
                    x="t [s]",
                    y="ω, body axes [rad/s]")
    frame.legend(top, 10, ncol=3, loc="center", bbox_to_anchor=(0.59, 0.68))

    for name, color, result in curves:
        off = result.errors(exact)
        print(f"{name}: largest error {max(off):.1e} rad/s, {result.evaluations} accelerations")
        error.semilogy(result.t[1:], [max(x, 1e-17) for x in off[1:]], color=color, lw=1.1,
                       label=name)
    error.set_xlim(0.0, 10.0)
    error.set_ylim(1e-15, 1e-3)
    frame.name_axes(error, "Error over time", x="t [s]", y="error of ω [rad/s]")
    frame.legend(error, 8.5, loc="upper right")

    for name, color, style, runs in series:
        worst = [max(result.errors(exact)) for result in runs]
        print(name + ":", ", ".join(f"{r.evaluations} -> {w:.1e}" for r, w in zip(runs, worst)))
        cost.loglog([result.evaluations for result in runs], worst, style, color=color, ms=4,
                    lw=1.1, mfc="white", label=name)
    frame.name_axes(cost, "What accuracy costs",
                    x="accelerations evaluated in 10 s",
                    y="largest error of ω [rad/s]")
    frame.grid(cost)
    frame.legend(cost, 8.5)
    figure.tight_layout()
    example.save(figure, dpi=90)


if __name__ == "__main__":
    main()
