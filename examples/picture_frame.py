# SPDX-License-Identifier: BSD-3-Clause
"""What the pictures of the examples share: runs of `ancora` with --set, colours, panels.

Needs python3-matplotlib for drawing, and `ancora` on the PATH, in build/release, or named by
--ancora.
"""
import argparse
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
