#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A parameter study: the period of a pendulum over its amplitude, against the elliptic integral.

    python3 parameter_study.py
"""

import numpy as np

import ancora

LENGTH = 1.0  # m


def period(amplitude):
    """By the times at which the pendulum comes to its turning point again."""
    model = ancora.Model("swing", gravity=[0, 0, -9.81])
    model.body("ball", "particle", mass=1.0,
               position=[LENGTH * np.sin(amplitude), 0, -LENGTH * np.cos(amplitude)])
    model.constraint("rod", "distance", a="ball@0", b="ground@[0, 0, 0]")
    model.integrator("dopri5", step=1e-3, end=8.0, tolerance=1e-11)
    history = model.simulate().history(["t", "ball.x"])
    t, x = history.t, history["ball.x"]
    # where x passes zero, by inverse interpolation between steps
    down = [i for i in range(len(x) - 1) if x[i] > 0 >= x[i + 1]]
    zeros = []
    for i in down:
        near = slice(max(i - 2, 0), i + 4)
        order = np.argsort(x[near])
        zeros.append(np.interp(0.0, x[near][order], t[near][order]))
    return zeros[1] - zeros[0]


def exact(amplitude):
    """4 sqrt(l/g) K(sin(a/2)), by the arithmetic-geometric mean."""
    a, b = 1.0, np.cos(amplitude / 2)
    while abs(a - b) > 1e-15:
        a, b = (a + b) / 2, np.sqrt(a * b)
    return 2 * np.pi / a * np.sqrt(LENGTH / 9.81)


def main():
    print("amplitude [deg]   period [s]   exact [s]")
    worst = 0.0
    for degrees in (5, 30, 60, 90, 120):
        amplitude = np.radians(degrees)
        found, right = period(amplitude), exact(amplitude)
        worst = max(worst, abs(found / right - 1))
        print(f"{degrees:15}   {found:10.6f}   {right:9.6f}")
    return worst


if __name__ == "__main__":
    main()
