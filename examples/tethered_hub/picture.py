#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.png: the swing in and out of the plane, and the error of its frequencies.

    python3 examples/tethered_hub/picture.py

Runs `ancora` with --set six times, 2 s. Needs python3-matplotlib and `ancora` on the PATH, in
build/release, or named by --ancora.
"""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import picture_frame as frame

plt = frame.pyplot()
R, L, STIFFNESS = 1.0, 4.0, 1.0e6  # m, m, N; 1 kg, 1 rad/s
STEPS = ["1e-1", "5e-2", "2e-2", "1e-2", "5e-3"]
COLORS = {"in the plane": frame.BLUE, "out of it": frame.RED}


def run(example, step, tap):
    """Times [s] and the two angles of the tether [rad] about the hub's axes."""
    table = f"[[0.0, 0.0, 0.0, 0.0], [0.05, 0.0, {0.04 * tap}, {0.08 * tap}], [0.1, 0.0, 0.0, 0.0]]"
    rows = example.run(f"integrator.step={step}", f"force.tap.force={table}")
    times, angles = [], {"in the plane": [], "out of it": []}
    for row in rows:
        turn = 2.0 * math.atan2(row["hub.qz"], row["hub.qw"])
        root = [row["hub.x"] + R * math.cos(turn), row["hub.y"] + R * math.sin(turn), row["hub.z"]]
        x, y, z = (row[f"tether@1.{axis}"] - root[k] for k, axis in enumerate("xyz"))
        times.append(row["t"])
        along = math.cos(turn) * x + math.sin(turn) * y
        across = math.cos(turn) * y - math.sin(turn) * x
        angles["in the plane"].append(math.atan2(across, along))
        angles["out of it"].append(math.atan2(z, math.hypot(x, y)))
    return times, angles


def exact():
    """The frequencies of small swings, with the stretch of the wire (README)."""
    y = 0.0
    for _ in range(50):  # tension = centrifugal force
        y = (R + L * (1.0 + y)) / (0.5 * STIFFNESS * (y + 1.0) * (y + 2.0))
    l, k = L * (1.0 + y), 0.5 * STIFFNESS * (3.0 * y * y + 6.0 * y + 2.0) / L
    b, c = k - 1.0 + R / l + 4.0, (k - 1.0) * R / l
    return {"in the plane": math.sqrt(2.0 * c / (b + math.sqrt(b * b - 4.0 * c))),
            "out of it": math.sqrt(1.0 + R / l)}


def frequency(times, angle, every=10):
    """Of a sampled sinusoid: x(t - T) + x(t + T) = 2 cos(omega T) x(t), by least squares."""
    x = angle[every::every]
    T = times[every] - times[0]
    product = sum(b * (a + c) for a, b, c in zip(x, x[1:], x[2:]))
    return math.acos(product / sum(2.0 * b * b for b in x[1:-1])) / T


def main():
    example = frame.Example(__file__, __doc__)

    figure, (swing, errors) = plt.subplots(1, 2, figsize=(8.8, 3.8), width_ratios=[1.5, 1.0])
    expected = exact()
    found = {kind: [] for kind in expected}
    times, angles = run(example, "1e-2", 1.0)
    for kind, angle in angles.items():
        swing.plot(times, [1e3 * x for x in angle], color=COLORS[kind], lw=1.3, label=kind)
    # A hundredth of the tap: the squares of the angles do not show
    for step in STEPS:
        times, angles = run(example, step, 0.01)
        for kind, value in expected.items():
            omega = frequency(times, angles[kind])
            found[kind].append(abs(omega / value - 1.0))
            print(f"step {step} s, {kind}: {omega:.8f} rad/s, {omega / value - 1.0:+.2e}")

    frame.zero_line(swing)
    swing.set_xlim(0.0, 60.0)
    swing.set_ylim(-1.2, 1.5)
    frame.name_axes(swing, "Swing of the tether", x="t [s]", y="angle from the hub's radius [mrad]")
    frame.legend(swing, loc="upper right", ncol=2)
    for kind, off in found.items():
        errors.loglog([float(step) for step in STEPS], off, "o-", color=COLORS[kind], ms=4, lw=1.2,
                      label=kind)
    frame.name_axes(errors, "Relative error of the frequency", x="step [s]")
    frame.grid(errors)
    frame.legend(errors)
    figure.tight_layout()
    example.save(figure)


if __name__ == "__main__":
    main()
