#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of a study in a browser: its script runs, and draws what the table holds.

    study_page_test.py ANCORA SOURCE

Needs Chromium; without one it is skipped.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CHROMIUM = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)


def main():
    command, source = sys.argv[1:3]
    if not CHROMIUM:
        print("skipped: Chromium is not installed")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([command, "sweep", pathlib.Path(source) / "examples/sweep/study.toml", "--out", folder / "out",
                        "--quiet"], check=True)
        page = folder / "out/study.html"
        shown = subprocess.run(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1300,1000",
             "--user-data-dir=" + str(folder / "profile"), "--virtual-time-budget=2000",
             "--enable-logging=stderr", "--dump-dom", page.as_uri()],
            capture_output=True, text=True, timeout=1200)
        console = [line for line in shown.stderr.splitlines() if "CONSOLE" in line]
        assert not console, console
        dom = shown.stdout
        assert ">16 of 16 cases<" in dom, dom[-3000:]
        axes = re.findall(r'data-axis="([^"]+)"', dom)
        for axis in ("force.spring.stiffness", "force.spring.damping", "ball.x", "ball.vx.largest", "ball.x at 0.5"):
            assert axis in axes, axes
        # Each axis has its unit in its title, where the column has one.
        titles = re.findall(r"<title>([^<]+)</title></text>", dom)
        for title in ("ball.x [m]", "ball.vx.largest [m/s]", "ball.x at 0.5 [m]", "energy.total [J]", "force.spring.stiffness"):
            assert title in titles, titles
        assert "<title>study</title>" in dom, dom[:800]
    print("the page draws", len(axes), "axes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
