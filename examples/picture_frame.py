# SPDX-License-Identifier: BSD-3-Clause
"""What the pictures of the examples share: runs of `ancora` with --set, colours, panels.

Needs python3-matplotlib for drawing, and `ancora` on the PATH, in build/release, or named by
--ancora.
"""
import argparse
import array
import csv
import json
import pathlib
import shutil
import subprocess
import tempfile

BLUE, RED, GREEN, ORANGE = "#1f4e9c", "#c1440e", "#2f6f4f", "#e08e2b"
INK, GRAY, LINE, GRID = "#333333", "#bbbbbb", "#cccccc", "#e4e4e4"


def read(history):
    """Rows of a history.csv, as dictionaries of numbers."""
    with open(history, newline="") as file:
        return [{name: float(x) for name, x in row.items()} for row in csv.DictReader(file)]


def frames(folder):
    """The scene of a results folder, and its frames, each with its row of history.csv in front."""
    scene = json.loads((folder / "scene.json").read_text())
    data = (folder / "frames.npy").read_bytes()
    begin = 10 + int.from_bytes(data[8:10], "little")
    numbers = array.array("f")
    numbers.frombytes(data[begin:])
    width = scene["values"] + 2
    return scene, [numbers[k:k + width] for k in range(0, len(numbers), width)]


class Example:
    """The example that a picture.py belongs to: its folder, its options, its runs, its picture."""

    def __init__(self, script, doc, **options):
        self.folder = pathlib.Path(script).resolve().parent
        build = self.folder.parents[1] / "build/release/bin/ancora"
        parser = argparse.ArgumentParser(description=doc.splitlines()[0])
        parser.add_argument("--ancora", default=shutil.which("ancora") or str(build))
        for name, value in options.items():
            parser.add_argument("--" + name, default=value)
        self.options = parser.parse_args()
        self.summary = {}  # of the last run

    def run(self, *settings, model="model.toml"):
        """Rows of a run with these TABLE.KEY=VALUE."""
        command = [self.options.ancora, "run", str(self.folder / model), "--quiet"]
        for setting in settings:
            command += ["--set", setting]
        with tempfile.TemporaryDirectory() as folder:
            results = pathlib.Path(folder) / "results"
            subprocess.run(command + ["--out", str(results)], check=True)
            self.summary = json.loads((results / "summary.json").read_text())
            return read(results / "history.csv")

    def save(self, figure, dpi=100):
        figure.savefig(self.folder / "picture.png", dpi=dpi)


def pyplot():
    """matplotlib.pyplot without a screen."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def name_axes(axes, title=None, x=None, y=None):
    if title is not None:
        axes.set_title(title, fontsize=11)
    if x is not None:
        axes.set_xlabel(x)
    if y is not None:
        axes.set_ylabel(y)


def zero_line(axes):
    axes.axhline(0.0, color=LINE, lw=0.8, zorder=0)


def grid(axes):
    axes.grid(color=GRID, lw=0.6)


def legend(axes, fontsize=9, **where):
    axes.legend(fontsize=fontsize, frameon=False, **where)


def curves(left, width, top, height, title, most, end, lines):
    """SVG of curves over the time, each (rows, value of a row, colour, name, place of the name).

    top: of the panel; the title stands above it. most, end: of the axes.
    """
    bottom = top + height
    out = ['<text x="%.0f" y="%.0f">%s</text>' % (left, top - 18, title)]
    for k in range(5):
        y = bottom - height * k / 4
        out.append('<line x1="%.0f" y1="%.1f" x2="%.0f" y2="%.1f" stroke="#e4e4e4"/>' % (
            left, y, left + width, y))
        out.append('<text x="%.0f" y="%.1f" text-anchor="end">%g</text>' % (left - 6, y + 4,
                                                                            most * k / 4))
    for t in range(0, end + 1, 10):
        out.append('<text x="%.1f" y="%.0f" text-anchor="middle">%d s</text>' % (
            left + width * t / end, bottom + 18, t))
    for rows, value, paint, name, place in lines:
        way = " ".join("%.1f,%.1f" % (left + width * row["t"] / end,
                                      bottom - height * value(row) / most) for row in rows)
        out.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="1.8"/>' % (
            way, paint))
        out.append('<text x="%.0f" y="%.0f" text-anchor="end" fill="%s">%s</text>' % (
            left + width, bottom - height * place / most, paint, name))
    return out
