#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.png: angle, voltage and current of the drive against the exact sampled solution.

    python3 examples/servo_drive/picture.py

Runs `ancora` once, 1 s. Needs python3-matplotlib, python3-numpy and `ancora` on the PATH, in
build/release, or named by --ancora.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import picture_frame as frame
import numpy as np

plt = frame.pyplot()
J, R, L, K = 0.05, 1.2, 0.004, 0.05 * 20.0  # kg m^2, ohm, H, N m/A behind the gear
T, KP, KI, KD, TF, LIMIT = 5e-3, 60.0, 40.0, 4.0, 10e-3, 24.0
LAG = 1.0 / (2.0 * np.pi * 80.0)  # s, of the encoder
END = 1.5


def exact():
    """Rows t, angle, current, voltage at the samples: between them the drive is linear."""
    A = np.zeros((5, 5))  # angle, rate, current, encoder, voltage
    A[0, 1] = 1.0
    A[1, 2] = K / J
    A[2, 1], A[2, 2], A[2, 4] = -K / L, -R / L, 1.0 / L
    A[3, 0], A[3, 3] = 1.0 / LAG, -1.0 / LAG
    P, pieces = np.eye(5), 2**14  # exp(A T): Taylor's series of a short piece, squared
    for k in range(13, 0, -1):
        P = np.eye(5) + (A * T / pieces) @ P / k
    for _ in range(14):
        P = P @ P
    x, integral, derivative, last, rows = np.zeros(5), 0.0, 0.0, None, []
    for k in range(int(round(END / T)) + 1):
        t = k * T
        wanted = np.interp(t, [0.0, 0.1, 0.1001, 2.0], [0.0, 0.0, 1.0, 1.0])
        error = wanted - x[3]
        change = 0.0 if last is None else error - last
        last = error
        derivative = (TF * derivative + change) / (TF + T)
        command = KP * error + integral + KD * derivative
        growth = KI * T * error
        if not (command > LIMIT and growth > 0.0) and not (command < -LIMIT and growth < 0.0):
            integral += growth
        x[4] = min(max(command, -LIMIT), LIMIT)
        rows.append((t, x[0], x[2], x[4]))
        x = P @ x
    return np.array(rows)


def main():
    example = frame.Example(__file__, __doc__)
    rows = example.run()
    reference = exact()
    t = np.array([row["t"] for row in rows])
    figure, axes = plt.subplots(1, 3, figsize=(11.0, 3.4), layout="constrained")
    for k, (name, title, unit) in enumerate((("shaft.angle", "Angle", "rad"),
                                             ("motor.current", "Current", "A"),
                                             ("pid.command", "Voltage", "V"))):
        values = np.array([row[name] for row in rows])
        axes[k].plot(t, values, color=frame.BLUE, label="run")
        axes[k].plot(reference[:, 0], reference[:, 1 + k], ".", markersize=2.0, color=frame.RED,
                     label="exact at the samples")
        frame.name_axes(axes[k], title, "t [s]", unit)
        at = np.interp(reference[:, 0], t, values)
        if name != "pid.command":
            print(f"{title}: largest difference at the samples "
                  f"{np.abs(at - reference[:, 1 + k]).max():.2g} {unit}")
    frame.legend(axes[0])
    example.save(figure)


if __name__ == "__main__":
    main()
