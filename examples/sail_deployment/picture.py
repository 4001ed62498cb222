#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws picture.svg: the sail at six times, coloured by its tension, and its spin and energy.

    python3 examples/sail_deployment/picture.py

Runs `ancora run` twice, with damping and without, 20 s. Needs nothing but Python, and `ancora` on
the PATH, in build/release, or named by --ancora.
"""
import math
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import picture_frame as frame

example = frame.Example(__file__, __doc__)
TIMES = (10.0, 17.0, 19.0, 22.0, 26.0, 60.0)
INK, BLUE, RED, GRAY = "#333333", "#1f4e9c", "#c1440e", "#999999"
WIDTH, TOP = 1200.0, 300.0


def run(folder, *settings):
    """Rows of history.csv of a run into the folder."""
    command = [example.options.ancora, "run", str(example.folder / "model.toml"), "--quiet",
               "--out", str(folder)]
    for setting in settings:
        command += ["--set", setting]
    subprocess.run(command, check=True)
    return frame.read(folder / "history.csv")


def project(x, y, z):
    """Seen from above at 50 degrees."""
    tilt = math.radians(50.0)
    return x, y * math.sin(tilt) + z * math.cos(tilt)


def colour(share):
    """From blue, slack, over to red."""
    share = min(max(share, 0.0), 1.0)
    low, high = (0x9f, 0xb4, 0xd6), (0xc1, 0x44, 0x0e)
    return "#%02x%02x%02x" % tuple(round(a + share * (b - a)) for a, b in zip(low, high))


def sail_at(scene, row, time, left, size):
    """The triangles of one frame, the highest last."""
    sail = next(body for body in scene["bodies"] if body["name"] == "sail")
    at, count = 2 + sail["first"], sail["nodes"]
    nodes = [row[at + 3 * i:at + 3 * i + 3] for i in range(count)]
    points = [project(*node) for node in nodes]
    before = [channel["name"] for channel in sail["channels"]].index("tension")
    tension = row[at + 6 * count + before * len(sail["triangles"]):]
    scale = size / 19.0
    out = []
    for k, corners in sorted(enumerate(sail["triangles"]),
                             key=lambda triangle: sum(nodes[n][2] for n in triangle[1])):
        path = " ".join("%.1f,%.1f" % (left + size / 2 + scale * points[n][0],
                                       TOP / 2 + 10 - scale * points[n][1]) for n in corners)
        out.append('<polygon points="%s" fill="%s" stroke="#00000044" stroke-width="0.5"/>' % (
            path, colour(tension[k] / 6.0)))
    out.append('<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s"/>' % (
        left + size / 2, TOP / 2 + 10, scale * 0.8, INK))
    out.append('<text x="%.1f" y="22" text-anchor="middle">%.1f s</text>' % (left + size / 2, time))
    return out


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    rows = run(folder / "damped")
    scene, moving = frame.frames(folder / "damped")
    free = run(folder / "free", "body.sail.damping=0")

out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 560" font-family="sans-serif" '
       'font-size="13" fill="%s">' % INK, '<rect width="1200" height="560" fill="white"/>']
size = WIDTH / len(TIMES)
for k, t in enumerate(TIMES):
    near = min(moving, key=lambda row: abs(rows[int(row[0])]["t"] - t))
    out += sail_at(scene, near, rows[int(near[0])]["t"], k * size, size)
rpm = 30.0 / math.pi
out += frame.curves(50, 520, TOP + 50, 180, "spin of the hub [rpm]", 8.0, 60, [
    (free, lambda row: rpm * row["hub.wz"], GRAY, "film without damping", 6.6),
    (rows, lambda row: rpm * row["hub.wz"], BLUE, "3.33 is the flat square's", 2.7)])
out += frame.curves(650, 520, TOP + 50, 180, "energy [J]", 120.0, 60, [
    (rows, lambda row: row["energy.total"], BLUE, "of motion and film", 52.0),
    (rows, lambda row: -row["work.nonideal"], RED, "taken by the film's damping", 68.0)])
out.append("</svg>")
(example.folder / "picture.svg").write_text("\n".join(out) + "\n")
