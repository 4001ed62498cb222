#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs examples, makes their reports and takes the pictures that the READMEs show.

    screenshots.py ANCORA EXAMPLES [NAME...]     the program, the folder of the examples; default: all

A picture goes to EXAMPLES/NAME/report.png. Each shows a moment and a view that are written below as
the page's address says them. Needs what page_test.py needs, and Pillow to make the files small.
"""
import io
import pathlib
import subprocess
import sys
import tempfile

import page_test

try:
    from PIL import Image
except ImportError:
    Image = None

# name: (options of the run, fragment of the address[, buttons above the scene that are pressed])
PICTURES = {
    "block_on_incline": ([], "#t=0.3&camera=0.65,-0.75,0.5,0.2,0,0.17"),
    "box_with_truss": (["integrator.end=5"], "#t=0.6&camera=5,-5,3.2,0.8,0.3,-0.2", ["Forces"]),
    "crane": ([], "#t=7.5"),
    "differential": ([], "#t=3"),
    "double_wishbone": ([], "#t=0.25"),
    "driven_pendulum": ([], "#t=1.5"),
    "first_mechanism": ([], "#t=1.5"),
    "hanging_cable": ([], "#t=0.5"),
    "hanging_chain": (["integrator.end=2"], "#t=0.7"),
    "inverse_kepler": ([], "#t=7.5&camera=0.9,-1.5,4.5,0.9,0,0", ["Path"]),
    "knife_edge_on_slope": ([], "#t=1", ["Path"]),
    "line_with_nonideal_force": ([], "#t=1", ["Path"]),
    "quaternion_top": ([], "#t=3&camera=3.5,-4,2.5,0,0,0&columns=box.wx;box.wy;box.wz"),
    "ring_of_beads": ([], "#t=1"),
    "robot_arm": ([], "#t=0.8"),
    "sail_net": (["integrator.end=3"], "#t=2"),
    "servo_drive": ([], "#t=0.2&columns=motor.current;pid.command"),
    "spinning_net": (["integrator.end=1"], "#t=0.3"),
    "spinning_sail": ([], "#t=1.35&camera=8,-11,8,0,0,-0.5"),
    "tethered_hub": ([], "#t=30"),
    "tumbling_box": ([], "#t=3&camera=3.5,-4,2.5,0,0,0&columns=box.wx;box.wy;box.wz"),
    "turbine": ([], "#t=5"),
}
WIDTH, HEIGHT = 1200, 940  # of the window, of which the browser keeps 140 for itself


def take(browser, page, fragment, buttons, picture):
    browser.open(page, fragment + "&theme=light", patience=300)
    browser.settle()
    for name in buttons:
        browser.driver.find_element(page_test.By.XPATH, f"//button[normalize-space()='{name}']").click()
        browser.settle()
    png = browser.driver.get_screenshot_as_png()
    if Image:
        image = Image.open(io.BytesIO(png)).convert("RGB").quantize(256, dither=Image.Dither.NONE)
        image.save(picture, optimize=True)
    else:
        picture.write_bytes(png)
    print(f"{picture}: {picture.stat().st_size / 1e3:.0f} kB", flush=True)


def main():
    program, examples = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder, page_test.Browser() as browser:
        browser.driver.set_window_size(WIDTH, HEIGHT)
        for name in sys.argv[3:] or PICTURES:
            options, fragment, *buttons = PICTURES[name]
            settings = [word for option in options for word in ("--set", option)]
            # The label in the page is the folder as given.
            for command in (["run", (examples / name / "model.toml").resolve(), "--out", f"results/{name}", *settings], ["report", f"results/{name}"]):
                subprocess.run([program, *command, "--quiet"], check=True, cwd=folder, stdout=subprocess.DEVNULL)
            take(browser, pathlib.Path(folder) / f"results/{name}/report.html", fragment, *(buttons or [[]]), examples / name / "report.png")


if __name__ == "__main__":
    main()
