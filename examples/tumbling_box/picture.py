#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.svg from a run: the box, its angular velocity, its energy balance.

    ancora run examples/tumbling_box/model.toml
    python3 examples/tumbling_box/picture.py results/model/history.csv examples/tumbling_box/picture.svg

Needs nothing but Python.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import picture_frame as frame

WIDTH, LEFT, RIGHT = 860, 64, 16
STRIP = 150  # height of the row of boxes
PANEL, GAP = 140, 56
SIZE = (3.0, 2.0, 1.0)  # m, as in model.toml
COLORS = {"box.wx": frame.RED, "box.wy": frame.GREEN, "box.wz": frame.BLUE}
LABELS = {"box.wx": "ω_x", "box.wy": "ω_y", "box.wz": "ω_z"}
INK, PALE = frame.INK, "#d8d8d8"


def rotate(q, p):
    """Body to inertial axes by the unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    R = ((1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
         (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
         (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)))
    return [sum(a * b for a, b in zip(row, p)) for row in R]


def project(p):
    """Isometric view; the third number is the distance towards the eye."""
    x, y, z = p
    return 0.866 * (y - x), 0.5 * (x + y) - z, x + y + z


def box(q, at_x, at_y, scale):
    faces = []
    for axis in range(3):
        others = [k for k in range(3) if k != axis]
        for side in (-0.5, 0.5):
            corners, depth = [], 0.0
            for a, b in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)):
                p = [0.0, 0.0, 0.0]
                p[axis], p[others[0]], p[others[1]] = (
                    side * SIZE[axis], a * SIZE[others[0]], b * SIZE[others[1]])
                x, y, d = project(rotate(q, p))
                corners.append(f"{at_x + scale * x:.1f},{at_y + scale * y:.1f}")
                depth += d
            faces.append((depth, corners, ("#e9b99f", "#b5cfbf", "#b3c3de")[axis]))
    faces.sort()
    return "".join(f'<polygon points="{" ".join(c)}" fill="{fill}" stroke="{INK}" '
                   f'stroke-width="1" stroke-linejoin="round"/>\n' for _, c, fill in faces[3:])


def text(x, y, words, anchor="middle", color=INK, size=13):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}" '
            f'font-size="{size}">{words}</text>\n')


def panel(top, times, curves, low, high, ticks, title, width=1.4):
    def px(t):
        return LEFT + (WIDTH - LEFT - RIGHT) * t / times[-1]

    def py(value):
        return top + PANEL * (high - value) / (high - low)

    out = text(LEFT, top - 10, title, "start")
    for value, label in ticks:
        out += (f'<path d="M{LEFT},{py(value):.1f}H{WIDTH - RIGHT}" stroke="{PALE}"/>\n'
                + text(LEFT - 8, py(value) + 4, label, "end"))
    for t in range(0, round(times[-1]) + 1, 2):
        out += text(px(t), top + PANEL + 18, f"{t} s")
    for values, color in curves:
        points = " ".join(f"{px(t):.1f},{py(v):.1f}" for t, v in zip(times, values))
        out += (f'<polyline points="{points}" fill="none" stroke="{color}" '
                f'stroke-width="{width}" stroke-linejoin="round"/>\n')
    return out


def main(history, picture):
    rows = frame.read(history)
    data = {name: [row[name] for row in rows] for name in rows[0]}
    every = slice(None, None, 2)
    times = data["t"][every]
    height = STRIP + 2 * (PANEL + GAP) + 34
    out = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
           f'font-family="sans-serif">\n<rect width="{WIDTH}" height="{height}" fill="white"/>\n')

    # the box at 0, 2, ... 10 s
    quaternions = list(zip(*(data["box.q" + c] for c in "wxyz")))
    for t in range(0, 11, 2):
        row = min(range(len(data["t"])), key=lambda k: abs(data["t"][k] - t))
        at_x = LEFT + (WIDTH - LEFT - RIGHT) * (t + 1) / 12
        out += box(quaternions[row], at_x, STRIP / 2, 24)
        out += text(at_x, STRIP - 2, f"{t} s")

    top = STRIP + 44
    out += panel(top, times, [(data[k][every], c) for k, c in COLORS.items()], -0.8, 1.1,
                 [(v, f"{v:g}") for v in (-0.5, 0, 0.5, 1)],
                 "angular velocity in body axes, rad/s")
    for k, name in enumerate(COLORS):
        out += text(WIDTH - RIGHT - 40 * (2 - k), top - 10, LABELS[name], "end", COLORS[name])

    top += PANEL + GAP
    energy = data["energy.total"][0]
    balance = [b / energy for b in data["energy.balance"][every]]
    out += panel(top, times, [(balance, INK)], -1e-15, 1e-15,
                 [(-1e-15, "−10⁻¹⁵"), (0, "0"), (1e-15, "10⁻¹⁵")],
                 "energy balance, relative to the energy", 1.0)

    with open(picture, "w", encoding="utf-8") as file:
        file.write(out + "</svg>\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
