#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs models of extreme but legal values, and counts what becomes of them.

    tests/benchmarks/extreme_values.py build/release/bin/ancora --first 0 --count 1500

Sizes from 1e-6 to 10 m, masses from 1e-12 to 1e6 kg, finite penalties from 1e2 to 1e14 Pa, springs from 1e-6 to 1e10 N/m, under
every integrator. A run must close its balances, say that it is in doubt, or be refused in words. Any other model is kept beside
the results as NUMBER.toml, and the status is 1.
"""

import argparse
import collections
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

SEED = 900000
STEPS = 150
BALANCE = 1e-10  # relative; what emm promises
REST = 1e-25  # J: nothing moves, and a relative error means nothing


class Model:
    """The model of a number: bodies in a chain or loop of joints and springs."""

    def __init__(self, number):
        self.random = random.Random(SEED + number)
        self.size = self.power(-6, 1)
        self.rate = self.power(-2, 2)
        self.integrator = self.random.choice(["emm", "emm", "emm", "rk4", "dopri5"])
        self.lines = ["[model]", 'project_start = "far"']
        fall = self.random.choice([0, -9.81, -self.rate * self.rate * self.size])
        self.lines.append(f"gravity = [0, 0, {fall}]")
        count = self.random.randint(1, 4)
        self.has_particles = False
        for k in range(count):
            self.add_body(k)
        links = count - 1 if self.random.random() < 0.8 else count
        for k in range(links):
            self.add_link(k, count)
        step = self.power(-4, -1) / self.rate
        tolerance = "1e-12" if self.integrator == "emm" else "1e-8"
        self.lines += ["[integrator]", f'type = "{self.integrator}"', f"step = {step}"]
        self.lines += [f"end = {STEPS * step}", f"tolerance = {tolerance}"]

    def text(self):
        return "\n".join(self.lines) + "\n"

    def power(self, low, high):
        return 10 ** self.random.uniform(low, high)

    def vector(self, scale=1.0):
        unit = [self.random.uniform(-1, 1) for _ in range(3)]
        return [scale * x for x in unit]

    def add_body(self, k):
        kinds = ["ancf_rigid_body", "ancf_rigid_body", "quaternion_body", "particle"]
        if self.integrator == "emm":
            kinds.remove("quaternion_body")  # its mass matrix depends on its state
        kind = self.random.choice(kinds)
        place = self.vector(self.size)
        self.lines += ["[[body]]", f'name = "b{k}"', f'type = "{kind}"', f"position = {place}"]
        if kind == "particle":
            self.has_particles = True
            self.lines.append(f"mass = {self.power(-12, 6)}")
            return
        thin = [self.power(-3, 0) if self.random.random() < 0.3 else 1 for _ in range(3)]
        size = [self.size * t * self.random.uniform(0.2, 1) for t in thin]
        self.lines += [f"size = {size}", f"density = {self.power(0, 4)}"]
        axis, angle = self.vector(), self.random.uniform(-3, 3)
        self.lines.append(f"orientation = {{ axis = {axis}, angle = {angle} }}")
        self.lines.append(f"angular_velocity = {self.vector(self.rate)}")
        if kind == "ancf_rigid_body":
            penalty = self.random.choice(["inf", repr(self.power(2, 14))])
            self.lines.append(f"penalty = {penalty}")

    def add_link(self, k, count):
        on_ground = k == count - 1 or self.random.random() < 0.15
        a = f"ground@{self.vector(self.size)}" if on_ground else f"b{k}"
        b = f"b{(k + 1) % count}"
        at_a = a if "@" in a else f"{a}@[0, 0, 0]"
        if self.random.random() >= 0.5:
            self.lines += ["[[force]]", f'name = "s{k}"', 'type = "spring_damper"']
            self.lines += [f'a = "{at_a}"', f'b = "{b}@[0, 0, 0]"', f"stiffness = {self.power(-6, 10)}"]
            self.lines.append(f"damping = {self.random.choice([0, self.power(-6, 3)])}")
            return
        self.lines += ["[[constraint]]", f'name = "c{k}"']
        if self.has_particles:
            self.lines += ['type = "distance"', f'a = "{at_a}"', f'b = "{b}@[0, 0, 0]"']
        else:
            self.lines += ['type = "spherical"', f'a = "{a.split("@")[0]}"', f'b = "{b}"']
            self.lines.append(f"point = {self.vector(self.size)}")


def judge(model, program, seconds, folder):
    """(what became of it, is that right)."""
    file = folder / "model.toml"
    file.write_text(model.text())
    command = [program, "run", file, "--out", folder / "out", "--json", "--quiet"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"longer than {seconds} s", True
    if run.returncode in (3, 5):
        said = run.stderr.split("error:")[-1].split()
        if not said or "internal" in run.stderr:
            return f"status {run.returncode} without a cause", False
        return f"refused with status {run.returncode}", True
    if run.returncode == 4 and "no right-handed frame any more" in run.stderr:
        return "a soft body pressed inside out, refused", True
    if run.returncode != 0:
        return f"status {run.returncode}: {run.stderr.strip()[:200]}", False
    summary = json.loads(run.stdout)
    balances = [summary[key]["balance"] for key in ("energy", "momentum", "angular_momentum")]
    worst = max(balance["max_rel"] for balance in balances)
    if worst <= BALANCE:
        return "balances close", True
    if summary["doubts"]:
        return "told to be in doubt", True
    if summary["energy"]["balance"]["max_abs"] < REST:
        return "at rest", True
    if model.integrator != "emm" and math.isfinite(worst):
        return "explicit, with the method's error", True
    return f"wrong in silence: balance {worst:.2g} under {model.integrator}", False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="bin/ancora of a build")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1500)
    parser.add_argument("--seconds", type=float, default=20, help="limit of a run")
    parser.add_argument("--verbose", action="store_true", help="a line for each model")
    options = parser.parse_args()

    counts, wrong = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number in range(options.first, options.first + options.count):
            model = Model(number)
            what, is_right = judge(model, options.program, options.seconds, folder)
            counts[what.split(":")[0]] += 1
            if options.verbose or not is_right:
                print(f"{number}: {what}", flush=True)
            if not is_right:
                wrong += 1
                pathlib.Path(f"{number}.toml").write_text(model.text())
    for what, count in counts.most_common():
        print(f"{count:6} {what}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
