#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Repeats the figures of Sugano's paper with two example models, and adds two of its own.

    python3 examples/sugano_figures/figures.py

Runs `ancora` with --set, reads history.csv, and writes six PNG files beside this script. Needs
python3-matplotlib and `ancora` on the PATH, in build/release, or named by --ancora.
Takes about 10 s.
"""
import argparse
import csv
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent
PENALTIES = ["1e6", "1e7", "1e8", "1e9", "1e10", "1e11"]
STEPS = ["1e-4", "1e-3", "1e-2", "1e-1"]
COLORS = ["#c1440e", "#e08e2b", "#2f6f4f", "#1f4e9c", "#7a3b8f", "#333333"]
MODEL_NAMES = {"tumbling_box": "box", "box_with_truss": "box with truss"}


class Ancora:
    """Runs a model of examples/ and returns its history as a dictionary of columns."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder

    def run(self, model, **settings):
        command = [self.program, "run", str(EXAMPLES / model / "model.toml"), "--quiet"]
        command += ["--out", str(self.folder / "results")]
        for key, value in settings.items():
            command += ["--set", key.replace("__", ".") + "=" + value]
        subprocess.run(command, check=True)
        with open(self.folder / "results" / "history.csv", newline="") as file:
            rows = list(csv.reader(file))
        return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}


def power(text):
    """"1e-3" as math text."""
    return "∞" if text == "inf" else r"$10^{%d}$" % round(math.log10(float(text)))


def exact_omega_z(times):
    """The free rigid box's angular velocity about z: Euler's equations by Runge-Kutta, to 1e-12."""
    Jx, Jy, Jz = 6750.0, 13500.0, 17550.0

    def rate(w):
        return ((Jy - Jz) / Jx * w[1] * w[2], (Jz - Jx) / Jy * w[2] * w[0],
                (Jx - Jy) / Jz * w[0] * w[1])

    def moved(w, k, h):
        return tuple(x + h * y for x, y in zip(w, k))

    w, result = (0.3, 0.5, 0.8), [0.8]
    for t_0, t_1 in zip(times, times[1:]):
        h = (t_1 - t_0) / 10
        for _ in range(10):
            k_1 = rate(w)
            k_2 = rate(moved(w, k_1, h / 2))
            k_3 = rate(moved(w, k_2, h / 2))
            k_4 = rate(moved(w, k_3, h))
            for k, share in ((k_1, 6), (k_2, 3), (k_3, 3), (k_4, 6)):
                w = moved(w, k, h / share)
        result.append(w[2])
    return result


def turned_by(history, other):
    """Angle between the last attitudes of two runs [rad]."""
    a = [history["box.q" + c][-1] for c in "wxyz"]
    b = [other["box.q" + c][-1] for c in "wxyz"]
    sign = 1.0 if sum(x * y for x, y in zip(a, b)) >= 0.0 else -1.0
    return 4.0 * math.asin(0.5 * math.sqrt(sum((x - sign * y) ** 2 for x, y in zip(a, b))))


def finish(figure, name):
    figure.savefig(HERE / name, dpi=110, bbox_inches="tight")
    plt.close(figure)
    print(HERE / name)


def penalty_sweep(ancora, model, name):
    """Figs. 5 and 8: omega_z for growing penalty, and its distance from the rigid body."""
    runs = {a: ancora.run(model, body__box__penalty=a) for a in PENALTIES}
    if model == "tumbling_box":
        times = runs["1e6"]["t"]
        rigid, rigid_name = exact_omega_z(times), "Euler's top, exact"
    else:
        reference = ancora.run(model, body__box__penalty="inf")
        times, rigid = reference["t"], reference["box.wz"]
        rigid_name = "exactly rigid, α = ∞"

    figure, (top, bottom) = plt.subplots(2, 1, figsize=(7.2, 6.6), sharex=True)
    for a, color in zip(PENALTIES, COLORS):
        top.plot(times, runs[a]["box.wz"], color=color, lw=1.0, label="α = " + power(a) + " Pa")
        error = [abs(w - r) for w, r in zip(runs[a]["box.wz"], rigid)]
        windows = range(0, len(error) - 10, 10)
        bottom.semilogy([times[i + 5] for i in windows],
                        [max(error[i:i + 11]) for i in windows], color=color, lw=1.0)
    top.plot(times, rigid, "k--", lw=1.3, dashes=(4, 3), label=rigid_name)
    top.set_ylabel(r"$\omega_z$ [rad/s]")
    top.set_title(f"Angular velocity of the {MODEL_NAMES[model]} for growing penalty, Δt = 1 ms",
                  fontsize=11)
    top.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    bottom.set_ylabel(r"$|\omega_z - \omega_{z,\mathrm{rigid}}|$ [rad/s]" + "\nlargest in 0.1 s")
    bottom.set_xlabel("t [s]")
    bottom.set_ylim(1e-7, 3e-2)
    bottom.set_xlim(0.0, 10.0)
    for axes in (top, bottom):
        axes.grid(alpha=0.3)
    finish(figure, name)
    return runs


def step_sweep(ancora, model, name):
    """Figs. 6 and 9: energy kept for every step size."""
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(7.2, 6.0), sharex=True)
    styles = ["-", (0, (6, 2)), (0, (3, 2)), (0, (1, 2))]
    for h, color, style in zip(STEPS, COLORS, styles):
        history = ancora.run(model, body__box__penalty="1e9", integrator__step=h,
                             output__every="0.1")
        energy = history["energy.total"]
        label = "Δt = " + power(h) + " s"
        top.plot(history["t"], [e / 1e3 for e in energy], color=color, ls=style, lw=2.0,
                 label=label)
        bottom.plot(history["t"], [1e15 * (e - energy[0]) / energy[0] for e in energy],
                    color=color, lw=1.0, label=label)
    top.set_ylim(0.0, 1.25 * energy[0] / 1e3)
    top.set_ylabel("internal energy [kJ]")
    top.set_title(f"Energy of the {MODEL_NAMES[model]} for four step sizes, "
                  r"α = $10^{9}$ Pa", fontsize=11)
    top.legend(fontsize=8, loc="lower left", ncol=2, frameon=False)
    bottom.set_ylabel("change, relative [$10^{-15}$]")
    bottom.set_ylim(-3.0, 3.0)
    bottom.set_xlabel("t [s]")
    bottom.set_xlim(0.0, 10.0)
    for axes in (top, bottom):
        axes.grid(alpha=0.3)
    finish(figure, name)


def attitude_error(ancora, name):
    """Attitude at 10 s against a rigid run of 1e-5 s, over the penalty, for two steps."""
    exact = ancora.run("tumbling_box", integrator__step="1e-5", output__every="10")
    figure, axes = plt.subplots(figsize=(7.2, 4.4))
    for h, color, marker in (("1e-3", COLORS[0], "o"), ("1e-4", COLORS[3], "s")):
        errors = [
            turned_by(ancora.run("tumbling_box", body__box__penalty=a, integrator__step=h,
                                 output__every="10"), exact)
            for a in PENALTIES + ["1e12", "1e13"]
        ]
        axes.loglog([float(a) for a in PENALTIES + ["1e12", "1e13"]], errors, color=color,
                    marker=marker, ms=5, lw=1.0, label="Δt = " + power(h) + " s")
        axes.axhline(0.813 * float(h) ** 2, color=color, lw=0.8, ls=":")
        axes.text(1.2e6, 0.813 * float(h) ** 2 * 1.25, "0.813 Δt²", color=color, fontsize=8)
    axes.loglog([1e6, 1e13], [3e-2, 3e-9], color="#888888", lw=0.8, ls="--", label="3·10⁴ rad Pa / α")
    axes.set_xlabel("penalty α [Pa]")
    axes.set_ylabel("attitude error at 10 s [rad]")
    axes.set_title("The penalty's error falls as 1/α down to the error of the step", fontsize=11)
    axes.legend(fontsize=8, frameon=False)
    axes.grid(alpha=0.3)
    finish(figure, name)


def chatter(ancora, name):
    """Angular velocity minus that of the rigid body, unstrained against relaxed start."""
    settings = {"integrator__step": "1e-4", "integrator__end": "0.04", "output__every": "1e-4"}
    rigid = ancora.run("tumbling_box", body__box__penalty="inf", **settings)
    figure, panels = plt.subplots(1, 2, figsize=(9.6, 3.8), sharey=True)
    zoom = panels[1].inset_axes([0.14, 0.12, 0.8, 0.27])
    for panel, start in zip(panels, ("unstrained", "relaxed")):
        run = ancora.run("tumbling_box", body__box__penalty="1e9", body__box__start=start,
                         **settings)
        for component, color in zip("xyz", (COLORS[0], COLORS[2], COLORS[3])):
            column = "box.w" + component
            gap = [1e6 * (w - r) for w, r in zip(run[column], rigid[column])]
            for axes in (panel, zoom) if start == "relaxed" else (panel,):
                axes.plot([1e3 * t for t in run["t"]], gap, color=color, lw=0.9,
                          label=rf"$\omega_{component}$")
        panel.set_title(f'start = "{start}"', fontsize=11)
        panel.set_xlabel("t [ms]")
    zoom.set_ylim(-3.0, 1.0)
    zoom.set_title("the same, enlarged", fontsize=8)
    zoom.tick_params(labelsize=7)
    for axes in (*panels, zoom):
        axes.set_xlim(0.0, 40.0)
        axes.grid(alpha=0.3)
    panels[0].set_ylabel(r"$\omega - \omega_{\mathrm{rigid}}$ [$10^{-6}$ rad/s]")
    panels[1].legend(fontsize=9, loc="upper right", ncol=3, frameon=False)
    finish(figure, name)


def find_program():
    built = EXAMPLES.parent / "build" / "release" / "bin" / "ancora"
    return shutil.which("ancora") or (str(built) if built.exists() else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ancora", default=find_program(), help="the program to run")
    program = parser.parse_args().ancora
    if program is None:
        sys.exit("ancora is neither on the PATH nor in build/release; name it with --ancora")
    with tempfile.TemporaryDirectory() as folder:
        ancora = Ancora(program, pathlib.Path(folder))
        penalty_sweep(ancora, "tumbling_box", "fig5_box_penalty.png")
        step_sweep(ancora, "tumbling_box", "fig6_box_energy.png")
        penalty_sweep(ancora, "box_with_truss", "fig8_truss_penalty.png")
        step_sweep(ancora, "box_with_truss", "fig9_truss_energy.png")
        attitude_error(ancora, "attitude_error.png")
        chatter(ancora, "chatter.png")


if __name__ == "__main__":
    main()
