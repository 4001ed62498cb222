#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Opens report pages in a headless Chromium and looks at what they do.

    page_test.py                made-up samples, compared with the data they were made from
    page_test.py PAGE...        reports made by `ancora report`: drawn, silent, self-contained
    page_test.py --only NAME    one of the checks of the samples, by the name that it is reported with
    page_test.py --large        the two large samples, with load and frame times

Needs Chromium, chromedriver and Selenium for Python (Debian: chromium-driver, python3-selenium).
Exit status 77 with the reason if they are missing.
"""
import base64
import bisect
import csv
import io
import json
import math
import os
import pathlib
import shutil
import socket
import sys
import tempfile
import time

SKIPPED = 77

try:
    from selenium import webdriver
    from selenium.common.exceptions import TimeoutException
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    # The interpreter found first may not be the one that the distribution's packages are for.
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3") and "PAGE_TEST_AGAIN" not in os.environ:
        os.environ["PAGE_TEST_AGAIN"] = "1"
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    print("skipped: Selenium for Python is not installed (python3-selenium)")
    sys.exit(SKIPPED)

import sample_page
from png_picture import Picture

CHROMIUM = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
DRIVER = shutil.which("chromedriver")
if not CHROMIUM or not DRIVER:
    print("skipped: %s is not installed (chromium, chromium-driver)" % ("chromedriver" if CHROMIUM else "Chromium"))
    sys.exit(SKIPPED)

try:
    socket.gethostbyname("localhost")
except OSError as error:
    print(f"skipped: chromedriver is reached through localhost, which has no address here: {error}")
    sys.exit(SKIPPED)

failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print(f"  FAILED: {what}")
    return holds


def near(value, expected, tolerance, what):
    return check(abs(value - expected) <= tolerance, f"{what}: {value!r} instead of {expected!r} within {tolerance:.3g}")


# --- the browser ------------------------------------------------------------------------------


class Browser:
    def __init__(self, webgl=True):
        options = Options()
        options.binary_location = CHROMIUM
        arguments = ["--headless=new", "--no-sandbox", "--hide-scrollbars", "--window-size=1100,760", "--force-device-scale-factor=1"]
        arguments += ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"] if webgl else ["--disable-3d-apis"]
        for argument in arguments:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        self.driver.set_script_timeout(1200)
        self.driver.set_page_load_timeout(1200)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def open(self, path, fragment="", expect="true", patience=600):
        """Opens a page anew; gives the seconds until it says that all is drawn."""
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        begin = time.monotonic()
        self.driver.get(pathlib.Path(path).resolve().as_uri() + fragment)
        self.wait(lambda: self.run("return document.documentElement.dataset.ready"), "the page says that it is drawn", patience)
        took = time.monotonic() - begin
        ready = self.run("return document.documentElement.dataset.ready")
        check(ready == expect, f"ready is {ready!r} instead of {expect!r}: {self.text('#alerts')}")
        return took

    def wait(self, condition, what, patience=600):
        end = time.monotonic() + patience
        while time.monotonic() < end:
            if condition():
                return True
            time.sleep(0.02)
        return check(False, f"waited {patience} s in vain: {what}")

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def go(self, fragment):
        """Changes the address's fragment, as a link would."""
        self.driver.execute_async_script("""
            const [fragment, done] = arguments;
            if (location.hash === fragment) return done();
            addEventListener("hashchange", () => setTimeout(done), { once: true });
            location.hash = fragment;""", fragment)

    def settle(self):
        """Two pictures later everything that was asked for is drawn."""
        self.driver.execute_async_script("const f = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => f()))")

    def values(self):
        return {k: float(v) for k, v in self.run(
            "return [...document.querySelectorAll('#values [data-name]')].map(e => [e.dataset.name, e.dataset.value])")}

    def time(self):
        return float(self.run("return document.querySelector('#time').dataset.value"))

    def picture(self, selector):
        # The driver gives a picture ten seconds, whatever limit is set.
        for _ in range(60):
            self.settle()
            try:
                return Picture(self.driver.find_element(By.CSS_SELECTOR, selector).screenshot_as_png)
            except TimeoutException:
                continue
        raise TimeoutException(f"no picture of {selector} within ten seconds, sixty times")

    def is_silent(self):
        """No warning or error, and nothing asked of any address but the page's own."""
        own = self.driver.current_url.split("#")[0]
        for entry in self.driver.get_log("browser"):
            check(entry["level"] not in ("WARNING", "SEVERE"), f"console: {entry['level']} {entry['message'][:300]}")
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] != "Network.requestWillBeSent":
                continue
            url = message["params"]["request"]["url"]
            inside = url.split("#")[0] == own or url.startswith(("data:", "blob:", "about:"))
            check(inside, f"asks for {url[:200]}")


# --- checks -----------------------------------------------------------------------------------


def check_policy(path):
    """The page forbids what it does not bring along."""
    text = pathlib.Path(path).read_text()
    head = text[:text.index("<style>")]
    check("default-src 'none'" in head, "policy: default-src is not 'none'")
    check("unsafe" not in head, "policy has an unsafe-… source")
    check(not any(word in text[:text.index('id="ancora-data"')] for word in ("src=\"http", "href=\"http", "url(http")), "refers to an address")


def check_scene(browser):
    """Bodies are drawn, move with the time, and a plot's line goes along."""
    browser.run("document.querySelector('[data-toggle=grid][aria-pressed=true]')?.click()")
    start, end = (float(browser.run(f"return document.querySelector('#scrub').{name}")) for name in ("min", "max"))
    browser.go(f"#t={start + 0.1 * (end - start)}")
    first = browser.picture("#scene canvas")
    background = first.pixel(2, 2)
    drawn = first.share(lambda x, y: max(abs(a - b) for a, b in zip(first.pixel(x, y), background)) > 24)
    check(drawn > 0.002, f"scene: only {drawn:.2%} of it differs from the background")
    place = browser.run("return document.querySelector('.now')?.style.transform")
    browser.go(f"#t={start + 0.55 * (end - start)}")
    moved = browser.picture("#scene canvas").differs_from(first)
    check(moved > 0.001, f"scene: {moved:.2%} changes with the time")
    check(place != browser.run("return document.querySelector('.now')?.style.transform"), "the line of the time in the plots stands still")


def check_machine_tiles(browser, folder):
    """The tiles of the machine are the extremes of the columns of history.csv."""
    scene = json.loads((folder / "scene.json").read_text())
    with open(folder / "history.csv", newline="") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    norm = lambda row, name: math.dist([row[f"{name}.{c}"] for c in "xyz"], [0, 0, 0])
    reactions = [name[:-2] for name in rows[0] if name.endswith(".on_b.force.x") or (
        name.endswith(".force.x") and name[:-8] in [constraint["name"] for constraint in scene["constraints"]])]
    bodies = [body["name"] for body in scene["bodies"] if f"{body['name']}.x" in rows[0]]
    expected = {
        "Largest reaction": max((norm(row, name) for row in rows for name in reactions), default=0.0),
        "Farthest from start": max((math.dist(*[[row[f"{name}.{c}"] for c in "xyz"] for row in (rows[0], here)]) for here in rows for name in bodies), default=0.0),
    }
    tiles = dict(browser.run("""
        return [...document.querySelectorAll("#headline .tile")].map(tile => [
            tile.querySelector(".tile-label").textContent, tile.querySelector(".tile-value").firstChild.textContent])"""))
    for label, value in expected.items():
        is_shown = value > 1e-9  # ways of what rests are rounding
        if not check((label in tiles) == is_shown, f"tiles: {label} in {list(tiles)}, {value}") or not is_shown:
            continue
        near(float(tiles[label].replace("\u2212", "-")), value, 6e-4 * value, f"tile {label!r}")
    names = list(tiles)
    check(not any(label in tiles for label in expected) or names.index("Energy balance") > max(names.index(label) for label in expected if label in tiles),
          f"tiles: the solver's before the machine's: {names}")


def test_surfaces(browser, path, truth):
    """Corners of triangles and ends of lines are where the nodes are, in the colours of their values."""
    browser.open(path)
    check(not browser.run("return document.querySelector('#channel option[value=stress]') === null"), "no channel to choose")
    for channel, of in (("stress", "nodes"), ("tension", "triangles"), ("none", None)):
        browser.go(f"#channel={channel}&t=0")
        browser.wait(lambda: browser.run("return report.channels.name || 'none'") == channel, f"channel {channel}")
        browser.run("return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
        shown = browser.run("""
            const [network] = report.view.actors[0].networks;
            const { scale } = report.channels;
            return { shades: [...network.shades], places: [...network.places], lines: [...network.colours], nodes: [...network.nodes],
                     stops: scale && scale.stops, low: scale && scale.min, high: scale && scale.max, plain: palette().plain }""")
        corners = truth["triangles"]
        check(shown["places"] == [x for n in corners for x in shown["nodes"][3 * n:3 * n + 3]], f"{channel}: corners are not at their nodes")

        def colour(value):
            if of is None:
                return [int(shown["plain"][k:k + 2], 16) / 255 for k in (1, 3, 5)]
            place = round((value - shown["low"]) / (shown["high"] - shown["low"]) * 255) / 255 * (len(shown["stops"]) - 1)
            k = min(int(place), len(shown["stops"]) - 2)
            a, b = ([int(stop[c:c + 2], 16) / 255 for c in (1, 3, 5)] for stop in shown["stops"][k:k + 2])
            return [x + (place - k) * (y - x) for x, y in zip(a, b)]

        values = truth.get(channel)
        if of is not None:
            low, high = min(values), max(values)
            if low < 0 < high:  # zero is in the middle
                low, high = -max(-low, high), max(-low, high)
            near(shown["low"], low, 1e-2 * (high - low), f"{channel}: lower end of the scale")
            near(shown["high"], high, 1e-2 * (high - low), f"{channel}: upper end of the scale")
        expected = [x for k, n in enumerate(corners) for x in colour(None if of is None else values[n if of == "nodes" else k // 3])]
        off = max(abs(a - b) for a, b in zip(shown["shades"], expected))
        # a step of the scale, and one of the values as they are stored
        check(len(shown["shades"]) == len(expected) and off < 0.03, f"{channel}: colours of triangles, off by {off}")
        check(max(shown["lines"]) < 1 and min(shown["lines"]) >= 0, f"{channel}: colours of lines")
    # a click into a triangle, beside all lines
    at = browser.run("""
        const [network] = report.view.actors[0].networks;
        const middle = new THREE.Vector3();
        for (let k = 0; k < 9; ++k) middle.setComponent(k % 3, middle.getComponent(k % 3) + network.places[k] / 3);
        const { x, y } = report.picker.project(middle);
        return report.picker.pick(x, y)?.name ?? ''""")
    check(at == "film", f"a triangle is picked as {at!r}")


def test_beams(browser, path, truth):
    """Outlines stand across the curves of their lines; grey has no value; what has opened is gone; supports answer loads."""
    browser.open(path, "#channel=stress&t=1")
    shown = browser.run("""
        const [actors] = report.view.actors;
        const swept = name => {
            const { places, shades, normals, pieces, corners, perLine, perRing, count } = actors.round.find(({ network }) => network?.body.name === name);
            return { places: [...places], shades: [...shades], normals: [...normals], pieces, corners, perLine, perRing, count };
        };
        return { tube: swept("tube"), bar: swept("bar"), rope: swept("rope"), valueless: palette().valueless, size: report.view.size }""")

    def rings(body):
        """Of each line and ring: its part of the line, and corners of the outline."""
        for line in range(body["count"]):
            for ring in range(body["pieces"] + 1):
                first = line * body["perLine"] + ring * body["perRing"]
                yield line, ring / body["pieces"], [body["places"][3 * (first + 2 * k):3 * (first + 2 * k) + 3] for k in range(body["corners"])]

    tube, bar, rope = shown["tube"], shown["bar"], shown["rope"]
    off_circle = off_radius = 0.0
    for line, s, corners in rings(tube):
        middle = [sum(corner[k] for corner in corners) / len(corners) for k in range(3)]
        off_circle = max(off_circle, abs(math.hypot(middle[0], middle[2]) - 1.0), abs(middle[1]))
        radius = truth["radii"][line] + s * (truth["radii"][line + 1] - truth["radii"][line])
        off_radius = max(off_radius, max(abs(math.dist(corner, middle) - radius) for corner in corners))
    near(off_circle, 0.0, truth["angle"] ** 4 / 100, "tube: its middle is off the circle")
    near(off_radius, 0.0, 1e-4, "tube: radii")
    off = 0.0
    for line, s, corners in rings(bar):
        turn = truth["twist"] * (line + s)
        if s not in (0.0, 0.5, 1.0):  # where the axis that is linear between ends has turned evenly
            continue
        for (x, y), corner in zip(truth["section"], corners):
            # axis 3 is y, axis 1 turns from z to x, axis 2 is their product
            e1, e2 = (math.sin(turn), math.cos(turn)), (math.cos(turn), -math.sin(turn))
            expected = (2.0 + x * e1[0] + y * e2[0], truth["length"] * (line + s), x * e1[1] + y * e2[1])
            off = max(off, math.dist(corner, expected))
    near(off, 0.0, 1e-3, "bar: corners of the I")
    off = max(abs(sum(c[2] for c in corners) / len(corners) - truth["rope"](sum(c[0] for c in corners) / len(corners)))
              for _, _, corners in rings(rope))
    near(off, 0.0, 1e-3, "rope: its middle is off the parabola")
    grey = [int(shown["valueless"][k:k + 2], 16) / 255 for k in (1, 3, 5)]
    check(max(abs(a - b) for a, b in zip(rope["shades"], grey * (len(rope["shades"]) // 3))) < 1e-6, "what has no stress is not grey")
    check(len({tuple(bar["shades"][k:k + 3]) for k in range(0, len(bar["shades"]), 3)}) == 1 and bar["shades"][:3] != grey, "bar: one colour")
    check(len({tuple(tube["shades"][k:k + 3]) for k in range(0, len(tube["shades"]), 3)}) == 6, "tube: a colour for each element")

    for t, is_there in ((1, True), (7.9, False)):
        browser.go(f"#channel=stress&t={t}")
        browser.settle()
        points = browser.run("return [...report.view.actors[0].constraints.points]")
        order = browser.run("return report.view.actors[0].constraints.objects.map(({ name }) => name)")
        first = 6 * order.index("guide")
        check((max(map(abs, points[first:first + 6])) < 10.0) == is_there, f"guide at {t} s: {points[first:first + 6]}")
    up = browser.run("""
        const { shafts } = report.view.actors[0].reactions;
        return shafts.instanceMatrix.array[6]""")  # z of the shaft's axis
    check(up > 0.0, f"the reaction of the ground points down: {up}")
    at = browser.run("""
        const ring = report.view.actors[0].networks.find(({ body }) => body.name === "tube");
        const { x, y } = report.picker.project(new THREE.Vector3().fromArray(ring.nodes, 9));
        return report.picker.pick(x, y)?.name ?? ''""")
    check(at == "tube", f"a beam is picked as {at!r}")


def check_plots(browser, least, least_ink=31):
    """Every plot has curves, or points: ink in its own canvas that is neither axis nor grid."""
    plots = browser.run("""
        return report.board.plots.map(({ plan, chart }) => {
            const { left, top, width, height } = chart.bbox;
            const data = chart.ctx.getImageData(left, top, width, height).data;
            let ink = 0;
            for (let k = 0; k < data.length; k += 4)
                if (data[k + 3] > 120 && Math.max(data[k], data[k + 1], data[k + 2]) - Math.min(data[k], data[k + 1], data[k + 2]) > 60) ++ink;
            return [plan.title, ink];
        })""")
    check(len(plots) >= least, f"{len(plots)} plots instead of at least {least}: {[title for title, _ in plots]}")
    for title, ink in plots:
        check(ink >= least_ink, f"plot {title!r} has {ink} coloured pixels")


def ticks_of(browser, title):
    texts = browser.run("return report.board.plots.find(plot => plot.plan.title === arguments[0]).chart.axes[1]._values", title)
    return [float(text.replace("\u2212", "-")) for text in texts], texts


def slerp_error(values, t):
    """Angle between the shown attitude and the exact one."""
    exact = sample_page.turn(t)
    dot = sum(values[f"quaternion.{c}"] * e for c, e in zip("wxyz", exact))
    return 2 * math.acos(min(abs(dot), 1.0))


def test_motion(browser, path):
    """At each time there is something where the box and the net's nodes are, seen by the camera."""
    browser.open(path, "#theme=light")
    browser.run("document.querySelectorAll('[data-toggle][aria-pressed=true]').forEach(button => button.click())")
    for t in (0.0, 2.5, 6.0):
        browser.go(f"#t={t}")
        browser.run("document.querySelector('#legend').hidden = true")
        nodes = sample_page.net_nodes(t, 9, 9, 3.0)
        turn, middle = sample_page.turn(t), sample_page.box_position(t)
        corners = [sample_page.rotate(turn, [x, y, z]) for x in (-0.9, 0.9) for y in (-0.5, 0.5) for z in (-0.3, 0.3)]
        points = [[a + b for a, b in zip(middle, corner)] for corner in corners] + [nodes[k:k + 3] for k in range(0, len(nodes), 12)]
        places = browser.run("""
            const { clientWidth: w, clientHeight: h } = report.view.canvas;
            return arguments[0].map(point => {
                const at = new THREE.Vector3(...point).project(report.view.camera);
                return [(0.5 + 0.5 * at.x) * w, (0.5 - 0.5 * at.y) * h];
            })""", points)
        picture = browser.picture("#scene canvas")
        background = picture.pixel(2, 2)

        def drawn(place, reach):
            x, y = map(round, place)
            patch = [(x + i, y + j) for i in range(-reach, reach + 1) for j in range(-reach, reach + 1)]
            return [max(abs(a - b) for a, b in zip(picture.pixel(*p), background)) > 40 for p in patch
                    if 0 <= p[0] < picture.width and 0 <= p[1] < picture.height]

        for what, group in (("corners of the box", places[:8]), ("nodes", places[8:])):
            missing = sum(not any(drawn(place, 1)) for place in group)
            check(missing == 0, f"t = {t}: {missing} of {len(group)} {what} are not where they should be")


def test_values(browser, path, truth):
    """What the panel shows at frames and between them, against the data before it was encoded."""
    frames = len(truth["times"])
    browser.open(path, "#t=0&select=box")
    for k in (0, 1, 7, frames // 2, frames - 1):
        t = truth["times"][k]
        browser.go(f"#t={t!r}&select=box")
        near(browser.time(), t, 0, "time")
        values = browser.values()
        for c, name in enumerate("xyz"):
            near(values[f"position.{name}"], truth["position"][3 * k + c], 0.51 * truth["position_step"][c], f"frame {k}, position.{name}")
        check(slerp_error(values, t) < 1e-4, f"frame {k}: attitude is {slerp_error(values, t):.2e} rad off")
        norm = sum(values[f"quaternion.{c}"] ** 2 for c in "wxyz")
        near(norm, 1.0, 1e-12, f"frame {k}: norm of the quaternion")
    for k, s in ((3, 0.25), (40, 0.5), (99, 0.8)):
        a, b = truth["times"][k], truth["times"][k + 1]
        t = a + s * (b - a)
        browser.go(f"#t={t!r}&select=box")
        values = browser.values()
        for c, name in enumerate("xyz"):
            p, q = truth["position"][3 * k + c], truth["position"][3 * k + 3 + c]
            near(values[f"position.{name}"], p + s * (q - p), 0.51 * truth["position_step"][c], f"between frames, position.{name}")
        # The turn is steady, so that slerp is exact but for quantisation.
        check(slerp_error(values, t) < 1e-4, f"between frames: attitude is {slerp_error(values, t):.2e} rad off")
        row = bisect.bisect_right(truth["history_times"], t) - 1
        h0, h1 = truth["history_times"][row:row + 2]
        v0, v1 = truth["table"]["box.vx"][row:row + 2]
        near(values["box.vx"], v0 + (t - h0) / (h1 - h0) * (v1 - v0), 1e-6, "velocity between rows")


def test_reaction(browser, path, truth):
    """A force that jumps from end to end of its range: its differences wrap."""
    browser.open(path, "#t=0&select=root")
    for k in range(0, len(truth["times"]), 9):
        t = truth["times"][k]
        browser.go(f"#t={t!r}&select=root")
        for c, expected in zip("xyz", sample_page.reaction(t)):
            near(browser.values()[f"force.{c}"], expected, 50 / 65535, f"reaction {c} at {t}")
    browser.go("#t=1&select=push")
    near(browser.values()["force.z"], 2 * math.sin(1.0), 1e-6, "applied force, single precision")


def test_plots(browser, path, truth):
    """Standing plots, true scale of the balance, selection and columns, shared zoom."""
    browser.open(path)
    check_plots(browser, 11)
    largest = max(map(abs, truth["table"]["energy.balance"]))
    numbers, texts = ticks_of(browser, "Energy balance")
    check(len(numbers) >= 3, f"balance: ticks {texts}")
    check(0.3 * largest < max(map(abs, numbers)) <= 1.2 * largest, f"balance: ticks {texts} for values up to {largest:.2e}")
    check(len(set(texts)) == len(texts), f"balance: ticks are not told apart: {texts}")
    check(all("e\u2212" in text for text in texts if text != "0"), f"balance: ticks {texts} have no exponent")
    numbers, texts = ticks_of(browser, "Constraint violation")
    check(all(math.isclose(math.log10(x), round(math.log10(x)), abs_tol=1e-9) for x in numbers), f"violation: ticks {texts}")

    browser.go("#t=1&select=box&columns=box.x;root.force.x")
    titles = browser.run("return report.board.plots.map(plot => plot.plan.title)")
    for title in ("box position", "box velocity", "box angular velocity", "box.x", "root.force.x"):
        check(title in titles, f"no plot {title!r}")
    shown = browser.run("return report.board.plots.find(plot => plot.plan.title === 'box velocity').items[0].value.textContent")
    near(float(shown.replace("\u2212", "-")), 0.56 * math.cos(0.7), 1e-4, "value beside a plot")

    # the address holds any name
    names = ["a;b", "50 %", "%3B", 'say "hi", [x']
    kept = browser.run("return splitNames(joinNames(arguments[0]))", names)
    check(kept == names, f"names of columns come back from the address as {kept}")

    browser.run("report.board.zoom([2, 3])")
    browser.settle()
    ranges = browser.run("return report.board.plots.map(({ chart }) => [chart.scales.x.min, chart.scales.x.max])")
    check(all(r == [2, 3] for r in ranges), f"zoom is not shared: {ranges}")
    over = browser.driver.find_element(By.CSS_SELECTOR, "#plots .u-over")
    # Not two clicks: how fast they follow each other would depend on the machine.
    browser.run("arguments[0].dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))", over)
    ranges = browser.run("return report.board.plots.map(({ chart }) => [chart.scales.x.min, chart.scales.x.max])")
    check(all(r == [0, sample_page.DURATION] for r in ranges), f"double click does not reset: {ranges}")

    width = over.size["width"]
    ActionChains(browser.driver).move_to_element_with_offset(over, round(0.25 * width), 0).click().perform()
    near(browser.time(), 0.75 * sample_page.DURATION, 0.02, "time after a click in a plot")
    ActionChains(browser.driver).move_to_element(over).click_and_hold().move_by_offset(-round(0.25 * width), 0).release().perform()
    near(browser.time(), 0.25 * sample_page.DURATION, 0.02, "time after dragging in a plot")


def test_keyboard(browser, path, truth):
    browser.open(path, "#t=0&select=box")
    body = browser.driver.find_element(By.TAG_NAME, "body")
    body.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    near(browser.time(), truth["times"][2], 0, "two frames on")
    body.send_keys(Keys.ARROW_LEFT)
    near(browser.time(), truth["times"][1], 0, "one frame back")
    body.send_keys(Keys.END)
    near(browser.time(), sample_page.DURATION, 0, "End")
    body.send_keys(Keys.HOME)
    near(browser.time(), 0, 0, "Home")
    body.send_keys(Keys.SPACE)
    browser.wait(lambda: browser.time() > 0.05, "space plays")
    body.send_keys(Keys.SPACE)
    stopped = browser.time()
    time.sleep(0.3)
    near(browser.time(), stopped, 0, "space pauses")
    body.send_keys(Keys.HOME, Keys.ARROW_RIGHT)
    browser.wait(lambda: f"t={truth['times'][1]!r}" in browser.run("return location.hash"), "the address takes up the time")
    check("select=box" in browser.run("return location.hash"), "the address keeps the selection")
    body.send_keys(Keys.ESCAPE)
    near(browser.values()["energy.total"], 7600, 1e-3, "values of the whole system")


def test_picking(browser, path):
    """A click on the picture of a body selects it, one beside it selects nothing."""
    browser.open(path, "#t=0&theme=light")
    browser.run("document.querySelector('#scene').scrollIntoView()")  # the driver's offsets count from the middle of what is seen
    x, y = browser.run("""
        const at = new THREE.Vector3(...arguments[0]).project(report.view.camera);
        return [(0.5 * at.x) * report.view.canvas.clientWidth, (-0.5 * at.y) * report.view.canvas.clientHeight]""", sample_page.box_position(0))
    canvas = browser.driver.find_element(By.CSS_SELECTOR, "#scene canvas")
    ActionChains(browser.driver).move_to_element_with_offset(canvas, round(x), round(y)).click().perform()
    check(browser.run("return document.querySelector('#select').value") == "box", "a click on the box does not select it")
    ActionChains(browser.driver).move_to_element_with_offset(canvas, -round(0.48 * canvas.size["width"]), -round(0.48 * canvas.size["height"])).click().perform()
    check(browser.run("return document.querySelector('#select').value") == "", "a click beside everything keeps the selection")


def test_view(browser, path):
    """Camera from the address, colours by a channel, switches, following."""
    browser.open(path, "#t=2&camera=9,-9,6,0,0,0")
    for x, expected in zip(browser.run("return report.view.camera.position.toArray()"), (9, -9, 6)):
        near(x, expected, 1e-9, "camera from the address")
    check(browser.run("return report.view.toggles.follow") is False, "the view goes along with what stays where it is")
    first = browser.picture("#scene canvas")
    browser.go("#channel=strain")
    browser.wait(lambda: "strain" in browser.text("#legend"), "the legend shows the chosen channel")
    check(browser.picture("#scene canvas").differs_from(first) > 0.0005, "the net's colours do not change with the channel")
    for name in ("grid", "arrows", "constraints", "traces"):
        before = browser.picture("#scene canvas")
        browser.run("document.querySelector(`[data-toggle=${arguments[0]}]`).click()", name)
        check(browser.picture("#scene canvas").differs_from(before) > 0.0001, f"switch {name} changes nothing")
    browser.go("#t=2&select=box")
    browser.run("document.querySelector('[data-toggle=follow]').click()")
    browser.go("#t=5")
    target = browser.run("return report.view.controls.target.toArray()")
    for c in range(3):
        near(target[c], sample_page.box_position(5)[c] - sample_page.box_position(2)[c], 1e-3, "camera's target while it follows")


def drawn_share(browser):
    """Of the picture's height that the film's corners span, and how far their middle is from the picture's."""
    return browser.run("""
        const { view } = report, { nodes } = view.actors[0].scene.bodies[1], place = view.actors[0].scene.place.find(view.t);
        view.camera.updateMatrixWorld();
        const points = [0, 1, 2, 3].map(n => new THREE.Vector3(...[0, 1, 2].map(c => nodes.at(place.i, 3 * n + c))).sub(drawOrigin).project(view.camera));
        const span = c => Math.max(...points.map(p => p[c])) - Math.min(...points.map(p => p[c]));
        const middle = c => points.reduce((sum, p) => sum + p[c], 0) / 4;
        return [0.5 * Math.max(span("x"), span("y")), Math.hypot(middle("x"), middle("y"))];""")


def test_travel(browser, path):
    """A machine on an orbit: the view is as near as it is and goes along, and nothing jumps by what single precision leaves."""
    browser.open(path, "#t=0")
    check(browser.run("return document.querySelector('[data-toggle=follow]').ariaPressed") == "true", "the view does not follow what travels")
    for t in (0, 2.5, 8):
        browser.go(f"#t={t}")
        share, off = drawn_share(browser)
        check(0.2 < share < 1.0, f"the machine spans {share:.3g} of the picture at t = {t}")
        check(off < 0.1, f"the machine is {off:.3g} off the middle of the picture at t = {t}")
        target = browser.run("return report.view.controls.target.clone().add(drawOrigin).toArray()")
        for c, x in enumerate(sample_page.travel_centre(t)):
            near(target[c], x, 6.0, f"camera's target at t = {t}")
    for k in (0, 37, 101):
        t = sample_page.DURATION * k / 160
        browser.go(f"#t={t!r}")
        browser.settle()
        nodes = browser.run("""
            const { networks: [film], poses, scene } = report.view.actors[0];
            const hub = poses.of(scene.bodies[0]).elements;
            return Array.from(film.nodes, (x, n) => x - hub[12 + n % 3]);""")
        expected = [x for corner in sample_page.FILM for x in sample_page.rotate(sample_page.turn(t), corner)]
        for x, wanted in zip(nodes, expected, strict=True):
            near(x, wanted, 1e-5, f"a node of the film beside the hub at t = {t}")
    # what is drawn, not what is meant: without the machine the picture is another one
    picture = browser.picture("#scene canvas")
    browser.run("""
        for (const { drawables } of [report.view.actors[0].solids, ...report.view.actors[0].networks]) for (const d of drawables) d.visible = false;
        report.view.draw();""")
    check(picture.differs_from(browser.picture("#scene canvas")) > 0.001, "the machine is not drawn")
    # a link with a camera shows what it was made of
    browser.run("report.view.keepCamera()")
    before = browser.run("return report.view.camera.position.toArray()")
    link = browser.run("return location.hash")
    browser.open(path, link)
    for x, expected in zip(browser.run("return report.view.camera.position.toArray()"), before):
        near(x, expected, 0.2, "camera of a link")
    browser.run("document.querySelector('[data-toggle=follow]').click()")
    eye = "return report.view.camera.position.clone().add(drawOrigin).toArray()"
    before = browser.run(eye)
    browser.go("#t=2")
    for x, expected in zip(browser.run(eye), before):
        near(x, expected, 1e-3, "the eye with follow off")
    check(drawn_share(browser)[1] > 1, "the view goes along with follow off")


def test_themes(browser, path):
    colours, pictures = [], []
    for theme in ("light", "dark"):
        browser.open(path, f"#theme={theme}&t=1")
        colours.append(browser.run("return getComputedStyle(document.body).backgroundColor"))
        pictures.append(browser.picture("#scene canvas").pixel(2, 2))
        check_plots(browser, 11)
    check(colours[0] != colours[1], "both themes have one background")
    check(sum(pictures[0]) > 600 and sum(pictures[1]) < 150, f"scene's backgrounds: {pictures}")
    browser.run("document.querySelector('#theme').click()")
    check(browser.run("return getComputedStyle(document.body).backgroundColor") == colours[0], "the button does not change the theme")


def test_pair(browser, path):
    browser.open(path, "#t=3")
    check_scene(browser)
    series = browser.run("return report.board.plots.find(plot => plot.plan.title === 'Energy').plan.series.map(({ label, ghost }) => [label, ghost])")
    check(len(series) == 6 and sum(ghost for _, ghost in series) == 3, f"two runs: curves {series}")
    rows = browser.text("#compare")
    check("rk4" in rows and "\u00d7756" in rows, f"comparison: {rows[:300]}")
    differences = browser.run("return [...document.querySelectorAll('#differences tbody tr')].map(row => [...row.children].map(cell => cell.textContent))")
    check(["body.box.mass", "2.0", "3.5"] in differences and ["force.push.follow", "\u2013", "true"] in differences, f"what differs: {differences}")
    check(not any(key.startswith("integrator") for key, *_ in differences), f"what the manifests tell is told twice: {differences}")
    check(browser.run("return report.view.actors.length") == 2, "the second run is not in the scene")


def test_mechanism(browser, path, poses):
    """Joints stand where their bodies are and are drawn by kind; springs reach from end to end; torques turn."""
    browser.open(path, "#t=0&theme=light")
    kinds = sample_page.KINDS
    # What is drawn fills the view, wherever reference points are.
    points = sample_page.FAR_ENDS + [p for k, kind in enumerate(kinds) for p, _ in [sample_page.arm_pose(kind, k, 0.0)]]
    places = browser.run("""
        report.view.camera.updateMatrixWorld();
        return arguments[0].map(point => new THREE.Vector3(...point).project(report.view.camera).toArray().slice(0, 2));""", points)
    reach = max(abs(x) for place in places for x in place)
    check(0.6 < reach < 1, f"the farthest of what is drawn is at {reach:.3f} of the view's half")
    for t in (0.0, 2.4, 5.6):
        browser.go(f"#t={t!r}")
        browser.settle()
        shown = browser.run("""
            const { joints, torques, scene } = report.view.actors[0];
            const matrix = new THREE.Matrix4(), at = new THREE.Vector3(), turn = new THREE.Quaternion(), size = new THREE.Vector3();
            const read = (mesh, k) => { mesh.getMatrixAt(k, matrix); matrix.decompose(at, turn, size); return [at.toArray(), size.toArray()]; };
            return {
                onB: joints.parts.meshes.flatMap(mesh => mesh.userData.parts.map((part, k) => [part, read(mesh, k)]))
                    .filter(([part]) => part.body?.name.startsWith("arm_")).map(([part, [at]]) => [part.object.name, at]),
                spirals: joints.parts.meshes.flatMap(mesh => mesh.userData.parts.map((part, k) => [part, read(mesh, k)]))
                    .filter(([part]) => part.unit === "spiral").map(([part, [at]]) => [part.object.name, at]),
                between: joints.between.map(({ item, mesh, length }) => [item.name, ...read(mesh, 0), length]),
                torque: (read(torques.mesh, 0), new THREE.Vector3(0, 0, 1).applyQuaternion(turn).multiplyScalar(size.x).toArray()),
            };""")
        ends = {}
        for k, kind in enumerate(kinds):
            p, q = sample_page.arm_pose(kind, k, t)
            ends[kind] = (p, [a + b for a, b in zip(p, sample_page.rotate(q, [-0.5, 0.0, 0.0]))])
            found = [at for name, at in shown["onB"] if name == f"joint_{kind}"]
            check(bool(found) != (kind == "fixed"), f"{kind}: {len(found)} parts on the second body")
            for at in found:
                check(math.dist(at, ends[kind][1]) < 2e-3, f"{kind} at t = {t}: stands at {at}, its body's point is {ends[kind][1]}")
        check([name for name, _ in shown["spirals"]] == 2 * ["joint_revolute.spring"], f"springs on angles: {shown['spirals']}")
        middle = [sum(at[c] for _, at in shown["spirals"]) / 2 for c in range(3)]
        check(math.dist(middle, ends["revolute"][1]) < 2e-3, f"springs on an angle at t = {t}: stand about {middle}")
        exact = {"joint_distance": ([1.4 * 3, 2.2, 0.0], ends["distance"][1]), "coil": (ends["revolute"][0], [2.8 - 0.4, 0.0, 0.0]),
                 "ground_coil": ([0.4, 0.0, -0.9], ends["revolute"][0])}
        check({name for name, *_ in shown["between"]} == set(exact), f"between points: {shown['between']}")
        for name, at, size, length in shown["between"]:
            a, b = exact[name]
            check(math.dist(at, [(x + y) / 2 for x, y in zip(a, b)]) < 2e-3, f"{name} at t = {t}: its middle is {at}")
            near(size[2] * length, math.dist(a, b), 2e-3, f"{name} at t = {t}: length")
        torque = 2.0 * math.cos(1.5 * t)
        x, y, z = shown["torque"]
        check(abs(x) + abs(z) < 1e-6 and y * torque > 0, f"torque of {torque} about y is drawn about {shown['torque']}")

    names = browser.run("return report.view.actors[0].solids.meshes.flatMap(mesh => mesh.userData.parts.map(({ body }) => body.name))")
    check("base_odd" not in names and "base_revolute" in names, f"a hidden body is drawn, or one that is not is missing: {names}")
    picture = browser.picture("#scene canvas")
    rust = picture.share(lambda x, y: (lambda p: p[0] > 1.7 * p[1] and p[0] > 3 * p[2] and p[0] > 80)(picture.pixel(x, y)))
    check(rust > 0.0005, f"the mesh in its colour takes {rust:.3%} of the scene")
    for name in ("joints", "frames"):
        before = browser.picture("#scene canvas")
        browser.run("document.querySelector(`[data-toggle=${arguments[0]}]`).click()", name)
        check(browser.picture("#scene canvas").differs_from(before) > 0.0005, f"switch {name} changes nothing")
    browser.run("document.querySelector('[data-toggle=joints]').click()")
    titles = browser.run("return report.board.plots.map(plot => plot.plan.title)")
    check(titles[:5] == ["Joint angles (1\u20138 of 10)", "Joint angles (9\u201310 of 10)", "Joint angle rates", "Torques in joints",
                         "Forces in joints and springs"], f"plots of joints come first: {titles[:6]}")
    check(not any("displacement" in title for title in titles), f"a plot of nothing but rounding: {titles}")
    curves = browser.run("return report.board.plots.slice(0, 5).map(({ plan }) => [plan.unit, plan.series.map(({ label }) => label)])")
    check(curves[1:] == [["rad", ["link_7", "link_8"]], ["rad/s", ["joint_revolute"]],
                         ["N m", ["joint_revolute.motor", "link_0.drive"]], ["N", ["coil"]]], f"curves of joints: {curves}")

    browser.go("#t=0&camera=5.6,-4,3,5.6,0,0")
    browser.run("document.querySelector('#scene').scrollIntoView()")
    browser.picture("#scene canvas")  # the camera has come to where the link says
    x, y = browser.run("""
        report.view.camera.updateMatrixWorld();
        const at = new THREE.Vector3(5.6, 0, 0).project(report.view.camera);
        return [(0.5 * at.x) * report.view.canvas.clientWidth, (-0.5 * at.y) * report.view.canvas.clientHeight]""")
    canvas = browser.driver.find_element(By.CSS_SELECTOR, "#scene canvas")
    ActionChains(browser.driver).move_to_element_with_offset(canvas, round(x), round(y)).click().perform()
    chosen = browser.run("return document.querySelector('#select').value")
    check(chosen == "joint_spherical", f"a click on a joint selects {chosen}, not its constraint")
    browser.go("#t=1&select=motor")
    near(browser.values()["torque.y"], 2.0 * math.cos(1.5), 0.01, "torque in the panel")


def saved(browser, action, patience=600):
    """What the page gives the browser to save: name, type, bytes."""
    browser.run("""
        window.found = null;
        window.saveFile = async (blob, name) => {
            const bytes = new Uint8Array(await blob.arrayBuffer());
            let text = "";
            for (let k = 0; k < bytes.length; k += 30000) text += String.fromCharCode(...bytes.subarray(k, k + 30000));
            window.found = [name, blob.type, btoa(text)];
        };""")
    browser.run(action)
    browser.wait(lambda: browser.run("return Boolean(window.found)"), f"something to save after {action}", patience)
    name, kind, data = browser.run("return window.found") or ["", "", ""]
    return name, kind, base64.b64decode(data)


def test_exports(browser, path, truth):
    """A picture, a table, a video, the full screen."""
    browser.open(path, "#t=1&theme=light")
    name, kind, data = saved(browser, "document.querySelector('#save-picture').click()")
    check(name == "box_with_net_t_1s.png" and kind == "image/png", f"picture: {name}, {kind}")
    picture, seen = Picture(data), browser.picture("#scene canvas")
    check((picture.width, picture.height) == (seen.width, seen.height), f"picture: {picture.width} x {picture.height}")
    drawn = picture.share(lambda x, y: max(abs(a - b) for a, b in zip(picture.pixel(x, y), picture.pixel(2, 2))) > 24)
    check(drawn > 0.01, f"picture: only {drawn:.2%} of it differs from the background")

    name, kind, data = saved(browser, "[...document.querySelectorAll('figure.plot')].find(e => e.dataset.title === 'Energy').querySelector('.save').click()")
    check(name == "box_with_net_Energy.csv" and kind == "text/csv", f"table: {name}, {kind}")
    rows = list(csv.reader(io.StringIO(data.decode())))
    check(rows[0] == ["t [s]", "Energy: kinetic [J]", "Energy: potential [J]", "Energy: total [J]"], f"table: heads {rows[0]}")
    check(len(rows) == len(truth["history_times"]) + 1, f"table: {len(rows)} rows")
    for k in (0, 400, 1600):
        near(float(rows[k + 1][0]), truth["history_times"][k], 0, "table: time")
        near(float(rows[k + 1][1]), truth["table"]["energy.kinetic"][k], 1e-3, "table: kinetic energy")

    browser.run("const speed = document.querySelector('#speed'); speed.selectedIndex = speed.options.length - 1; speed.dispatchEvent(new Event('change'))")
    name, kind, data = saved(browser, "document.querySelector('#save-video').click()", 120)
    check(name in ("box_with_net.webm", "box_with_net.mp4") and kind.startswith("video/"), f"video: {name}, {kind}")
    check(len(data) > 2000 and (data[:4] == b"\x1a\x45\xdf\xa3" or data[4:8] == b"ftyp"), f"video: {len(data)} bytes, begins with {data[:8]!r}")
    check(not browser.run("return report.transport.playing || report.video.recording"), "the run plays on after its video")

    browser.driver.find_element(By.CSS_SELECTOR, "#full-screen").click()
    browser.wait(lambda: browser.run("return document.fullscreenElement?.id") == "screen", "the scene fills the screen", 10)
    browser.run("return document.exitFullscreen()")


def test_narrow(browser, path):
    """Nothing is wider than a small screen, and the scene comes first."""
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": False})
    browser.open(path, "#t=1")
    wide = browser.run("return [...document.querySelectorAll('body *')].filter(e => e.checkVisibility({ contentVisibilityAuto: true }) && e.getBoundingClientRect().right > 391 && !e.closest('.scroll')).map(e => e.tagName + '.' + e.className)")
    check(not wide, f"wider than the screen: {wide[:5]}")
    tops = browser.run("return ['#scene', '#headline', '#plots', '#about'].map(id => document.querySelector(id).getBoundingClientRect().top)")
    check(tops == sorted(tops) and tops[0] < 400, f"scene, figures, plots and what was run stand at {tops}")
    browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_troubles(browser, paths):
    browser.open(paths["no_frames"], "#t=1&select=box")
    check("no frames" in browser.text("#scene-message"), "no word about missing frames")
    check_plots(browser, 8)
    near(browser.values()["box.vy"], 0.25, 1e-7, "values without frames")
    browser.is_silent()
    browser.open(paths["empty"])
    check("no rows" in browser.text("#alerts"), "no word about the empty history")
    browser.is_silent()
    browser.open(paths["single"], "#select=box")
    near(browser.values()["position.y"], -1.0, 1e-4, "value of the only frame")
    check_plots(browser, 11, 5)  # half a small ring each
    browser.is_silent()
    browser.open(paths["killed"])
    check("no summary" in browser.text("#alerts") and "resumed" in browser.text("#alerts"), "no word about the missing summary")
    browser.is_silent()
    browser.open(paths["damaged"], expect="error")
    check("box.position" in browser.text("#error"), f"message of the damage: {browser.text('#error')!r}")
    check("box with net" in browser.text("h1"), "the header is missing from a damaged page")
    check_plots(browser, 8)
    for text, words in (("{\"format\": 2, \"runs\": []}", "format 2"), ("{\"format\": 1, \"runs\": []}", "no run"), ("{\"form", "not JSON")):
        paths["broken"].write_text(sample_page.build_page(None, data_text=text))
        browser.open(paths["broken"], expect="error")
        check(words in browser.text("#error"), f"message of {text!r}: {browser.text('#error')!r}")
        browser.is_silent()


def test_without_webgl(browser, path):
    browser.open(path, "#t=1&select=box")
    check("WebGL" in browser.text("#scene-message"), "no word about missing WebGL")
    check_plots(browser, 11)
    near(browser.values()["position.y"], -0.75, 1e-4, "values without WebGL")


def measure(browser, path, title):
    """Times of one page: until it is drawn, and per frame with its readback."""
    took = browser.open(path, patience=300)
    frame = browser.run("""
        const gl = report.view.renderer.getContext(), pixel = new Uint8Array(4), n = 40;
        const { start, end } = report.board;
        const times = { update: 0, draw: 0, all: 0 };
        for (let k = 0; k < n; ++k) {
            const t = start + (k + 0.37) / n * (end - start);
            let now = performance.now();
            const begin = now;
            report.view.setTime(t);
            times.update += performance.now() - now;
            now = performance.now();
            report.view.render();
            gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
            times.draw += performance.now() - now;
            report.board.setTime(t);
            report.panel.setTime(t);
            report.transport.setTime(t);
            times.all += performance.now() - begin;
        }
        for (const key in times) times[key] /= n;
        return times;""")
    size = pathlib.Path(path).stat().st_size / 1e6
    print(f"  {title}: {size:.1f} MB, drawn after {took:.2f} s; per frame {frame['all']:.1f} ms, of it tracks {frame['update']:.1f} ms, picture {frame['draw']:.1f} ms")
    check_scene(browser)
    browser.is_silent()


def run_all(webgl, tests):
    """Those that need no picture of the scene run without: drawing without a graphics card takes most of the time."""
    with Browser(webgl) as browser:
        for name, test in tests.items():
            if sys.argv[1:2] == ["--only"] and name not in sys.argv[2:]:
                continue
            begin = time.monotonic()
            test(browser)
            browser.is_silent()
            print(f"{name} ({time.monotonic() - begin:.1f} s)", flush=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if sys.argv[1:] == ["--large"]:
            for kind in ("large_net", "many_bodies"):
                path = folder / f"{kind}.html"
                path.write_text(sample_page.sample(kind)[0])
                with Browser() as browser:
                    measure(browser, path, kind)
        elif len(sys.argv) > 1 and sys.argv[1] != "--only":
            with Browser() as browser:
                for path in sys.argv[1:]:
                    print(path)
                    check_policy(path)
                    browser.open(path)
                    has_scene = browser.run("return Boolean(report.view)")
                    check_plots(browser, 4)
                    check_machine_tiles(browser, pathlib.Path(path).parent)
                    if has_scene:
                        check_scene(browser)
                    browser.is_silent()
        else:
            paths, truths = {"broken": folder / "broken.html"}, {}
            for kind in ("net", "pair", "surface", "beams", "mechanism", "travel", "no_frames", "empty", "single", "killed", "damaged"):
                paths[kind] = folder / f"{kind}.html"
                text, truths[kind] = sample_page.sample(kind)
                paths[kind].write_text(text)
            net, truth = paths["net"], truths["net"]
            check_policy(net)
            run_all(False, {
                "without WebGL": lambda browser: test_without_webgl(browser, net),
                "values": lambda browser: test_values(browser, net, truth),
                "reaction": lambda browser: test_reaction(browser, net, truth),
                "plots": lambda browser: test_plots(browser, net, truth),
                "keyboard": lambda browser: test_keyboard(browser, net, truth),
                "troubles": lambda browser: test_troubles(browser, paths),
            })
            run_all(True, {
                "scene": lambda browser: (browser.open(net), check_scene(browser)),
                "motion": lambda browser: test_motion(browser, net),
                "surfaces": lambda browser: test_surfaces(browser, paths["surface"], truths["surface"]),
                "beams": lambda browser: test_beams(browser, paths["beams"], truths["beams"]),
                "picking": lambda browser: test_picking(browser, net),
                "view": lambda browser: test_view(browser, net),
                "travel": lambda browser: test_travel(browser, paths["travel"]),
                "themes": lambda browser: test_themes(browser, net),
                "two runs": lambda browser: test_pair(browser, paths["pair"]),
                "mechanism": lambda browser: test_mechanism(browser, paths["mechanism"], truths["mechanism"]),
                "exports": lambda browser: test_exports(browser, net, truth),
                "narrow": lambda browser: test_narrow(browser, paths["mechanism"]),
            })
    print(f"{len(failures)} failed" if failures else "all passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
