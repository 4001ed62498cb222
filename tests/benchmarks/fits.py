#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fits that recover the truth: a servo drive's inertia, friction and constants, a beam's stiffness and damping, and a
film's thickness from its deployment. Each from noisy data, many times, with the scatter beside what each fit says.

    PYTHONPATH=build/release/python python3 tests/benchmarks/fits.py [REPETITIONS [MODEL...]]
"""

import pathlib
import sys
import time

import numpy as np

import ancora

ROOT = pathlib.Path(__file__).resolve().parents[2]

BEAM = """
[model]
gravity = [0.0, 0.0, -9.81]
[[body]]
name = "boom"
type = "beam"
from = [0, 0, 0]
to = [2, 0, 0]
elements = 6
section = { EA = 2.0e5, GA = 8.0e4, EI = 60.0, GJ = 40.0, mass = 0.9, rotary = 1.0e-4 }
damping = 4.0e-3
[[joint]]
name = "clamp"
type = "fixed"
a = "ground"
b = "boom@start"
[[force]]
name = "tug"
type = "point_load"
at = "boom@end"
force = [[0.0, 0, 0, 6], [0.4, 0, 0, 6], [0.41, 0, 0, 0], [10.0, 0, 0, 0]]
[integrator]
type = "emm"
step = 5.0e-3
end = 2.0
[output]
points = ["boom@end"]
"""

# A square film, gathered to seven tenths of its size, with masses on its corners: it is drawn open by the spin, and
# swings about its flat shape. What a thicker one weighs more slows it, what it is stiffer shortens the swings.
FILM = """
[model]
[[body]]
name = "sail"
type = "membrane"
grid = { counts = [7, 7], spacing = [0.7, 0.7], origin = [-2.1, -2.1, 0.0] }
rest = { grid = { counts = [7, 7], spacing = [1.0, 1.0] } }
young = 3.2e9
poisson = 0.34
thickness = 7.5e-6
density = 1420.0
damping = 1.0e7
tension_only = true
node_masses = [[0, 0.05], [6, 0.05], [42, 0.05], [48, 0.05], [24, 1.0]]
spin = { axis = [0.0, 0.0, 1.0], rate = 1.5 }
[integrator]
type = "emm"
step = 0.01
end = 2.5
[output]
points = ["sail@0"]
"""


def servo():
    text = (ROOT / "examples/servo_drive/model.toml").read_text()
    text = text.replace('axis = [0, 0, 1]\n', 'axis = [0, 0, 1]\nfriction = { effort = 0.6, viscous = 0.05 }\n', 1)
    truth = {"parameters.J": 0.05, "joint.shaft.friction.effort": 0.6, "force.motor.constant": 0.05,
             "force.motor.resistance": 1.2}
    start = {"parameters.J": 0.065, "joint.shaft.friction.effort": 0.4, "force.motor.constant": 0.058,
             "force.motor.resistance": 1.4}
    return text, truth, start, {"shaft.angle": 2e-3, "shaft.angle_rate": 0.02, "motor.current": 0.1}, 5


def beam():
    truth = {"body.boom.section.EI": 60.0, "body.boom.damping": 4e-3}
    start = {"body.boom.section.EI": 80.0, "body.boom.damping": 8e-3}
    return BEAM, truth, start, {"boom@end.z": 2e-3}, 2


def film():
    truth = {"body.sail.thickness": 7.5e-6}
    start = {"body.sail.thickness": 9.5e-6}
    return FILM, truth, start, {"sail@0.x": 5e-3, "sail@0.y": 5e-3}, 5


def run(name, repetitions):
    text, truth, start, noise, every = {"servo": servo, "beam": beam, "film": film}[name]()
    model = ancora.Model.parse(text)
    history = model.simulate().history(["t", *noise], every=every)
    t, by = np.asarray(history["t"]), list(truth)
    random = np.random.default_rng(20)

    def data():
        return {column: np.asarray(history[column]) + size * random.standard_normal(t.size)
                for column, size in noise.items()}

    begun = time.process_time()
    far = ancora.Model.parse(text, set=start).fit(t, data(), by)
    cost = time.process_time() - begun
    print(f"{name}: {t.size} times of {', '.join(noise)}; from afar in {cost:.1f} s of a processor"
          f"{'' if far.has_converged else ', not converged'}{', ' + far.remark if far.remark else ''}")
    values, deviations = [], []
    for _ in range(repetitions):
        found = model.fit(t, data(), by)
        values.append(found.values)
        deviations.append(found.deviations)
    scatter = np.sqrt(np.mean((np.array(values) - np.array(list(truth.values()))) ** 2, axis=0))
    said = np.sqrt(np.mean(np.array(deviations) ** 2, axis=0))
    is_right = far.has_converged
    for k, key in enumerate(by):
        off = (far.values[k] - truth[key]) / far.deviations[k]
        ratio = scatter[k] / said[k]
        # chi^2 of N degrees of freedom is within N (1 -+ 3.3 sqrt(2 / N)) in 999 of 1000 cases
        most = 3.3 * np.sqrt(2.0 / repetitions)
        good = abs(off) < 3.9 and 1.0 - most < ratio ** 2 < 1.0 + most
        is_right &= good
        print(f"  {key:<30} {start[key]:>9.4g} -> {far.values[k]:<12.6g} truth {truth[key]:<8.4g} {off:+5.1f} sigma; "
              f"sigma {said[k]:.2e}, of {repetitions} repetitions {scatter[k]:.2e}, ratio {ratio:.2f}"
              f"{'' if good else '  <- wrong'}")
    return is_right


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    results = [run(name, count) for name in sys.argv[2:] or ["servo", "beam", "film"]]
    sys.exit(0 if all(results) else 1)
