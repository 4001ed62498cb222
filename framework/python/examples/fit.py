#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A fit: stiffness and damping of a spring from a measured motion, with scipy.

    python3 fit.py
"""

import numpy as np

import ancora

MEASURED = {"stiffness": 137.0, "damping": 2.3}  # what the fit does not know


def motion(stiffness, damping):
    model = ancora.Model("oscillator")
    model.body("cart", "particle", mass=2.0, position=[1.2, 0, 0])
    model.force("spring", "spring_damper", a="ground@[0, 0, 0]", b="cart@0", stiffness=stiffness,
                damping=damping, free=1.0)
    model.integrator("emm", step=2e-3, end=2.0)
    return model.simulate().history(["t", "cart.x"], every=5)["cart.x"]


def main():
    from scipy.optimize import least_squares
    noise = 1e-5 * np.random.default_rng(3).standard_normal(len(motion(**MEASURED)))
    measured = motion(**MEASURED) + noise
    fit = least_squares(lambda p: motion(*p) - measured, x0=[100.0, 1.0], x_scale=[100.0, 1.0])
    stiffness, damping = fit.x
    print(f"stiffness {stiffness:.3f} N/m, damping {damping:.4f} N s/m, "
          f"residual {np.std(fit.fun):.1e} m, {fit.nfev} evaluations")
    return fit.x


if __name__ == "__main__":
    main()
