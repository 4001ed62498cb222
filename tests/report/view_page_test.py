#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Follows a run of `ancora view` in a headless Chromium, and drives it: view_page_test.py ANCORA

Exit status 77 with the reason if Chromium, chromedriver or Selenium are missing.
"""
import pathlib
import sys
import tempfile
import time

import page_test
from page_test import ActionChains, Browser, check
from view_run import MODEL, View


def newest(browser, column):
    return browser.run("return report.live.store.rows[report.live.store.columns.findIndex(({ name }) => name === arguments[0])].at(-1)", column)


def follow(browser, view):
    """The page follows the run, pauses, steps, and shows what was."""
    browser.driver.get(view.address)
    browser.wait(lambda: browser.run("return document.documentElement.dataset.ready") == "true", "the page is drawn")
    t = browser.time()
    browser.wait(lambda: browser.time() > t + 0.05, "the time goes on")
    check(browser.text("#model") == "bob and motor", browser.text("#model"))
    browser.run("document.querySelector('#run').click()")
    browser.wait(lambda: not browser.run("return report.live.state.running"), "paused")
    browser.wait(lambda: browser.time() == newest(browser, "t"), "the newest is shown")
    t = browser.time()
    steps = browser.run("return report.live.state.steps")
    time.sleep(0.3)
    check(newest(browser, "t") == t and browser.time() == t, "time goes on while it is paused")
    browser.run("document.querySelector('#step').click()")
    browser.wait(lambda: browser.run("return report.live.state.steps") == steps + 1, "one step")
    browser.wait(lambda: abs(browser.time() - t - 2e-3) < 1e-9, "one step is shown")
    browser.run("report.transport.seek(0.5 * report.transport.end)")
    check(abs(browser.time() - 0.5 * newest(browser, "t")) < 1e-6, "what was is not shown")
    browser.run("document.querySelector('#now').click()")
    browser.wait(lambda: browser.time() == newest(browser, "t"), "back at the present")


def drive(browser):
    """The slider of an input turns the motor; it follows the model again when released."""
    check(newest(browser, "table.wz") == 0.0, "the table turns by itself")
    browser.run("""
        const slider = document.querySelector('.knob[data-name="motor.voltage"] input[type=range]');
        slider.value = 0.75;
        slider.dispatchEvent(new Event("input"));
        document.querySelector('#run').click();""")
    browser.wait(lambda: newest(browser, "table.wz") > 0.1, "the table turns")
    browser.wait(lambda: browser.run("return report.live.state.running"), "it runs again")
    browser.wait(lambda: browser.run("return report.live.knobs.inputs[0].field.value") == "0.75", "the field shows what was set")
    release = "document.querySelector('.knob[data-name=\"motor.voltage\"] button')"
    check(not browser.run(f"return {release}.disabled"), "what was set can be released")
    browser.run(f"{release}.click()")
    browser.wait(lambda: browser.run(f"return {release}.disabled"), "released")


def pull(browser):
    """A drag from the bob pulls it; the work is shown, and the balance stays."""
    check(abs(newest(browser, "bob.x")) < 1e-12, "the bob moves by itself")
    before = newest(browser, "work.external")
    x, y = browser.run("""
        const body = report.runs[0].scene.bodies.find(({ name }) => name === "bob");
        const at = report.picker.project(positionAt(body, report.runs[0].scene.place, new THREE.Vector3()));
        const { left, top } = report.view.canvas.getBoundingClientRect();
        return [left + at.x, top + at.y];""")
    camera = browser.run("return report.view.camera.position.toArray()")
    actions = ActionChains(browser.driver, duration=30)
    actions.w3c_actions.pointer_action.move_to_location(int(x), int(y)).pointer_down().move_to_location(int(x) + 60, int(y))
    actions.perform()
    browser.wait(lambda: browser.run("return Boolean(report.live.state.pull)"), "the command pulls")
    browser.wait(lambda: abs(newest(browser, "bob.x")) > 0.02, "the bob moves")
    check(browser.run("return report.view.camera.position.toArray()") == camera, "a pull turns the view")
    release = ActionChains(browser.driver, duration=0)
    release.w3c_actions.pointer_action.pointer_up()
    release.perform()
    browser.wait(lambda: not browser.run("return report.live.state.pull"), "let go")
    work = newest(browser, "work.external") - before
    check(work > 0.01, f"the pull has worked {work} J")
    balance = newest(browser, "energy.balance")
    check(abs(balance) < 1e-11 * work + 1e-11, f"energy.balance is {balance} J")
    browser.wait(lambda: browser.run("return Math.abs(Number(document.querySelector('.tile[data-name=\"work.external\"]').dataset.value))") > 0.01, "the work is shown")


def end(browser, view):
    """A new start, the end, and what stays when the command has gone."""
    browser.run("document.querySelector('#restart').click()")
    browser.wait(lambda: newest(browser, "t") < 0.5, "back at the start")
    browser.run("report.live.send({ do: 'pace', value: 0 })")
    browser.wait(lambda: browser.run("return report.live.state.done"), "the end of the run")
    browser.wait(lambda: abs(browser.time() - 20.0) < 1e-6, "the end is shown")
    count = browser.run("return report.live.store.count")
    check(count > 900, f"{count} records of a run of a thousand")
    check(view.end()[0] == 0, "Ctrl-C")
    browser.wait(lambda: browser.text("#status") == "ended", "the page says that the command has ended")
    browser.run("report.transport.seek(7.5)")
    check(abs(browser.time() - 7.5) < 1e-6, "what was stays to be looked at")


def main():
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model.toml"
        model.write_text(MODEL.replace("{end}", "20.0"))
        with View(str(pathlib.Path(sys.argv[1]).resolve()), "model.toml", cwd=folder) as view, Browser() as browser:
            browser.driver.set_window_size(560, 620)
            for test in (lambda: follow(browser, view), lambda: drive(browser), lambda: pull(browser), lambda: end(browser, view)):
                test()
            for entry in browser.driver.get_log("browser"):
                check(entry["level"] not in ("WARNING", "SEVERE"), f"console: {entry['level']} {entry['message'][:300]}")
    print(f"{len(page_test.failures)} failed" if page_test.failures else "all passed")
    return 1 if page_test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
