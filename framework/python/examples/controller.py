#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A controller in the loop: a DC motor holds a pendulum upright, by a law in Python at 1 kHz.

    python3 controller.py
"""

import numpy as np

import ancora


def pendulum():
    model = ancora.Model("upright", gravity=[0, 0, -9.81])
    model.body("bar", "ancf_rigid_body", size=[0.6, 0.05, 0.05], density=800.0, penalty=np.inf,
               position=[0.02, 0, 0.2993], orientation={"axis": [0, 1, 0], "angle": -1.504})
    model.joint("hinge", "revolute", a="ground", b="bar", point=[0, 0, 0], axis=[0, 1, 0])
    model.force("motor", "dc_motor", on="hinge", voltage=0.0, resistance=1.2, inductance=0.004,
                constant=0.05, ratio=20.0)
    model.integrator("emm", step=1e-3, end=3.0)
    model["model.project_start"] = True
    return model


def main():
    sim = pendulum().simulate()
    for _ in sim.steps():
        tip = sim.point("bar@[0.3, 0, 0]")
        lean = np.arctan2(tip.position[0], tip.position[2])  # rad from upright
        rate = sim["hinge.angle_rate"]
        sim.inputs["motor.voltage"] = float(np.clip(-60.0 * lean - 6.0 * rate, -24.0, 24.0))
    print(f"leans by {abs(lean):.1e} rad after {sim.time:g} s")
    print(f"energy balance {sim.statistics['energy_max_rel']:.0e}, relative")
    return lean


if __name__ == "__main__":
    main()
