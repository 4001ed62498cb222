#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.svg: the sail at four times, coloured by its tension, its spin and its energy.

    python3 examples/boom_sail/picture.py

Runs `ancora run`, 10 s. Needs nothing but Python, and `ancora` on the PATH, in build/release, or
named by --ancora.
"""
import math
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import picture_frame as frame

example = frame.Example(__file__, __doc__)
TIMES = (0.0, 14.0, 25.0, 40.0)
INK, BLUE, RED = "#333333", "#1f4e9c", "#c1440e"
SIZE, TOP = 300.0, 250.0


def project(x, y, z):
    """Seen from above at 50 degrees, from beside a diagonal."""
    turn, tilt = math.radians(20.0), math.radians(50.0)
    x, y = x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)
    return x, y * math.sin(tilt) + z * math.cos(tilt)


def colour(share):
    share = min(max(share, 0.0), 1.0)
    low, high = (0xc9, 0xd6, 0xea), (0x1f, 0x4e, 0x9c)
    return "#%02x%02x%02x" % tuple(round(a + share * (b - a)) for a, b in zip(low, high))


def sail_at(scene, row, time, left):
    def place(x):
        return "%.1f,%.1f" % (left + SIZE / 2 + 35.0 * x[0], TOP / 2 + 20 - 35.0 * x[1])

    out = []
    for body in scene["bodies"]:
        at, count = 2 + body["first"], body["nodes"]
        nodes = [project(*row[at + 3 * i:at + 3 * i + 3]) for i in range(count)]
        triangles = body.get("triangles", [])
        if triangles:
            before = [channel["name"] for channel in body["channels"]].index("tension")
            tension = row[at + 6 * count + before * len(triangles):]
        for k, corners in enumerate(triangles):
            out.append('<polygon points="%s" fill="%s" stroke="#00000033" stroke-width="0.5"/>' % (
                " ".join(place(nodes[n]) for n in corners), colour(tension[k] / 20.0)))
    for body in scene["bodies"]:
        at, count = 2 + body["first"], body["nodes"]
        nodes = [project(*row[at + 3 * i:at + 3 * i + 3]) for i in range(count)]
        if not body["lines"] or body.get("triangles"):
            continue
        out.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="2.4"/>' % (
            " ".join(place(x) for x in nodes), RED if body["name"].endswith("_3") else INK))
    out.append('<text x="%.1f" y="20" text-anchor="middle">%g s</text>' % (left + SIZE / 2, time))
    return out


with tempfile.TemporaryDirectory() as folder:
    results = pathlib.Path(folder) / "results"
    subprocess.run([example.options.ancora, "run", str(example.folder / "model.toml"), "--quiet",
                    "--out", str(results)], check=True)
    rows = frame.read(results / "history.csv")
    scene, moving = frame.frames(results)

out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 530" font-family="sans-serif" '
       'font-size="13" fill="%s">' % INK, '<rect width="1200" height="530" fill="white"/>']
for k, t in enumerate(TIMES):
    near = min(moving, key=lambda row: abs(rows[int(row[0])]["t"] - t))
    out += sail_at(scene, near, t, k * SIZE)
rpm = 30.0 / math.pi
out += frame.curves(50, 520, TOP + 70, 170, "spin of the hub [rpm]", 1.0, 40, [
    (rows, lambda row: rpm * row["hub.wz"], BLUE, "0.091 is the open sail's", 0.15)])
out += frame.curves(650, 520, TOP + 70, 170, "work since the start [J]", 80.0, 40, [
    (rows, lambda row: row["work.external"], BLUE, "of the drives", 83.0),
    (rows, lambda row: -row["work.nonideal"], RED, "taken by damping", 58.0)])
out.append("</svg>")
(example.folder / "picture.svg").write_text("\n".join(out) + "\n")
