#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Many pendulums at once, with the interface of a Gymnasium vector environment, and a controller that is
learned in them: the cross-entropy method tries one controller in each copy.

    python3 vector_environment.py
"""

import numpy as np

import ancora

HIGHEST = 24.0  # V
OBSERVED = ["hinge.angle", "hinge.angle_rate"]


class Upright:
    """Bars that fall from near the upright position, each on the shaft of a DC motor.

    The methods are those of ``gymnasium.vector.VectorEnv``: observations are (copies, 2), the angle from
    upright [rad] and its rate [rad/s]; actions (copies, 1), voltages in units of the highest.
    """

    def __init__(self, num_envs, horizon=1.0, frame_skip=5, seed=0):
        self.num_envs = num_envs
        self._random = np.random.default_rng(seed)
        self._frame_skip = frame_skip
        model = ancora.Model("upright", gravity=[0, 0, -9.81])
        model.body("bar", "ancf_rigid_body", size=[0.05, 0.05, 0.6], density=800.0, penalty=np.inf,
                   position=[0, 0, 0.3])
        # the angle is measured from where the bar stands in the file: upright
        model.joint("hinge", "revolute", a="ground", b="bar", point=[0, 0, 0], axis=[0, 1, 0], start=0.05)
        model.force("motor", "dc_motor", on="hinge", voltage=0.0, resistance=1.2, inductance=0.004,
                    constant=0.05, ratio=20.0)
        model.integrator("emm", step=2e-3, end=horizon)
        lean = self._random.uniform(-0.08, 0.08, num_envs)
        self._batch = model.batch(num_envs, inputs="motor.voltage", columns=OBSERVED,
                                  parameters={"joint.hinge.start": lean})

    def reset(self):
        self._batch.reset()
        return self._batch.values(), {}

    def step(self, actions):
        seen = self._batch.step(HIGHEST * np.clip(actions, -1.0, 1.0), count=self._frame_skip)
        status = self._batch.status
        reward = -seen[:, 0] ** 2
        return seen, reward, status == 2, status == 1, {}


def returns(environment, gains):
    """Sum of rewards of linear controllers, one in each copy."""
    seen, _ = environment.reset()
    total = np.zeros(environment.num_envs)
    while True:
        actions = -(gains * seen).sum(axis=1, keepdims=True)
        seen, reward, failed, ended, _ = environment.step(actions)
        total += np.where(failed, -1.0, reward)
        if ended.any():
            return total, seen


def main(copies=32, rounds=6, seed=1):
    random = np.random.default_rng(seed)
    environment = Upright(copies)
    mean, spread = np.zeros(2), np.array([5.0, 1.0])
    for k in range(rounds):
        gains = mean + spread * random.standard_normal((copies, 2))
        total, _ = returns(environment, gains)
        best = gains[np.argsort(total)[-copies // 4:]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.02
        print(f"round {k + 1}: best return {total.max():.4f}, gains {mean[0]:.2f}, {mean[1]:.2f}")
    _, seen = returns(environment, np.broadcast_to(mean, (copies, 2)))
    print(f"{copies} bars lean by at most {np.abs(seen[:, 0]).max():.1e} rad after a second")
    return np.abs(seen[:, 0]).max()


if __name__ == "__main__":
    main()
