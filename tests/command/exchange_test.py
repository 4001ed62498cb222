#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""FMUs for model exchange, integrated by a master that knows nothing of Ancora: exchange_test.py ANCORA MASTER

Motion is compared with closed forms, and with `ancora run` by dopri5.
"""
import bisect
import csv
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
import zipfile

ANCORA, MASTER = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print(f"  FAILED: {what}")
    return holds


class Fmu:
    """An FMU of a model, unpacked, with its description looked through."""

    count = 0

    def __init__(self, folder, text, version, outputs, *options):
        Fmu.count += 1
        self.version, self.folder = version, folder / f"fmu{Fmu.count}"
        model = folder / f"model{Fmu.count}.toml"
        model.write_text(text)
        words = [word for name in outputs for word in ("--out", name)]
        made = subprocess.run([ANCORA, "fmu", model, "--fmi", str(version), "--file", folder / "it.fmu", *words, *options],
                              capture_output=True, text=True)
        assert made.returncode == 0, made.stderr
        with zipfile.ZipFile(folder / "it.fmu") as archive:
            archive.extractall(self.folder)
        (folder / "it.fmu").unlink()
        self.root = ET.parse(self.folder / "modelDescription.xml").getroot()
        self.num_states = len(self.rates())
        self.num_events = int(self.root.get("numberOfEventIndicators")) if version == 2 else \
            len(self.root.findall("ModelStructure/EventIndicator"))
        self.look_through()

    def variables(self):
        return list(self.root.find("ModelVariables"))

    def rates(self):
        return self.root.findall("ModelStructure/Derivatives/Unknown" if self.version == 2 else "ModelStructure/ContinuousStateDerivative")

    def look_through(self):
        """What the schemas and the text of both standards ask of a description."""
        order = [child.tag for child in self.root]
        known = ["ModelExchange", "CoSimulation", "UnitDefinitions", "LogCategories", "DefaultExperiment", "ModelVariables", "ModelStructure"]
        check(order == [tag for tag in known if tag in order] and "ModelExchange" in order, f"elements {order}")
        variables = self.variables()
        names = [variable.get("name") for variable in variables]
        references = [int(variable.get("valueReference")) for variable in variables]
        check(len(set(names)) == len(names) and len(set(references)) == len(references), "names or value references are not unique")
        structure = self.root.find("ModelStructure")
        if self.version == 2:
            tags = [child.tag for child in structure]
            check(tags == [tag for tag in ("Outputs", "Derivatives", "InitialUnknowns") if tag in tags], f"structure {tags}")
            of = {tag: [int(one.get("index")) - 1 for one in structure.findall(f"{tag}/Unknown")] for tag in tags}
            inner = [next(iter(variable)) for variable in variables]
            states = [int(inner[k].get("derivative")) - 1 for k in of["Derivatives"]]
        else:
            tags = [child.tag for child in structure]
            known = ["Output", "ContinuousStateDerivative", "InitialUnknown", "EventIndicator"]
            check(tags == sorted(tags, key=known.index), f"structure {tags}")
            place = {reference: k for k, reference in enumerate(references)}
            of = {tag: [place[int(one.get("valueReference"))] for one in structure.findall(tag)] for tag in known}
            states = [place[int(variables[k].get("derivative"))] for k in of["ContinuousStateDerivative"]]
            of = {"Outputs": of["Output"], "Derivatives": of["ContinuousStateDerivative"], "InitialUnknowns": of["InitialUnknown"],
                  "Events": of["EventIndicator"]}
        check(len(set(states)) == len(states) == self.num_states > 0, "states")
        for k in states + of["Derivatives"] + of.get("Events", []):
            check((variables[k].get("causality"), variables[k].get("variability")) == ("local", "continuous"), names[k])
        unknown = [k for k, variable in enumerate(variables) if variable.get("initial") == "calculated" and k not in of.get("Events", [])]
        check(of["InitialUnknowns"] == unknown, "initial unknowns")
        check(of.get("Outputs", []) == [k for k, variable in enumerate(variables) if variable.get("causality") == "output"], "outputs")

    def drive(self, scenario, *arguments):
        token = self.root.get("guid" if self.version == 2 else "instantiationToken")
        name = (self.root.find("ModelExchange") if self.root.find("ModelExchange") is not None else self.root.find("CoSimulation")).get("modelIdentifier")
        (library,) = self.folder.glob(f"binaries/*/{name}.so")
        resources = ("file://" if self.version == 2 else "") + str(self.folder / "resources") + "/"
        run = subprocess.run([MASTER, str(self.version), library, token, resources, str(self.num_states), str(self.num_events), scenario,
                              *map(str, arguments)], capture_output=True, text=True)
        check(run.returncode == 0, f"{scenario} {arguments}: {run.returncode} {run.stdout[-900:]} {run.stderr}")
        return run.stdout.splitlines()

    def rows(self, stop, step, count, variables, tolerance=0.0):
        lines = self.drive("run", repr(stop), repr(step), count, repr(tolerance), *variables)
        events = [int(line.split()[1]) for line in lines if line.startswith("events")]
        return [[float(x) for x in line.split()] for line in lines if line[0].isdigit()], events[0] if events else -1


def compare(rows, reference, tolerance, what):
    """`reference(t)` gives the values at a time."""
    check(len(rows) > 1, f"{what}: no rows")
    for t, *values in rows:
        for k, (value, right) in enumerate(zip(values, reference(t), strict=True)):
            check(abs(value - right) <= tolerance, f"{what}: value {k} is {value!r} instead of {right!r} at {t} s")


def run_of(folder, text, columns, stop, count):
    """Values by `ancora run` with dopri5 at `count` equal times."""
    model = folder / "right.toml"
    model.write_text(text)
    options = ["integrator.type=dopri5", "integrator.tolerance=1e-11", f"output.every={stop / count!r}"]
    run = subprocess.run([ANCORA, "run", model, "--quiet", "--out", folder / "right", *[word for option in options for word in ("--set", option)]],
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    with open(folder / "right/history.csv") as file:
        rows = list(csv.DictReader(file))
    times = [float(row["t"]) for row in rows]

    def at(t):
        k = bisect.bisect_left(times, t - 1e-9)
        assert abs(times[k] - t) < 1e-9, t
        return [float(rows[k][column]) for column in columns]

    return at


# --- models

HEAD = "[model]\nname = \"it\"\ngravity = [0, 0, -9.81]\n"


def integrator(stop, step=2e-3, kind="emm"):
    return f"[integrator]\ntype = \"{kind}\"\nstep = {step}\nend = {stop!r}\n"


def linkage(random):
    """Two bars in hinges, one of them driven by a table with corners, with springs; own states of a motor."""
    axis = [random.uniform(-1, 1) for _ in range(3)]
    return HEAD + f"""
[[body]]
name = "upper"
type = "ancf_rigid_body"
size = [0.6, 0.1, 0.1]
density = {random.uniform(500, 2000)}
penalty = inf
position = [0.3, 0, 0]
[[body]]
name = "lower"
type = "ancf_rigid_body"
size = [0.4, 0.08, 0.08]
density = {random.uniform(500, 2000)}
penalty = inf
position = [0.8, 0, 0]
[[joint]]
name = "shoulder"
type = "revolute"
a = "ground"
b = "upper"
point = [0, 0, 0]
axis = [{axis[0]}, 1.5, {axis[2]}]
spring = {{ stiffness = {random.uniform(5, 40)}, damping = {random.uniform(0.1, 1)} }}
[[joint]]
name = "elbow"
type = "revolute"
a = "upper"
b = "lower"
point = [0.6, 0, 0]
axis = [0, 1, 0]
rotor = {{ inertia = "2e-4 kg*m^2", ratio = 20 }}
[[force]]
name = "push"
type = "point_load"
at = "lower@[0.2, 0, 0]"
force = [[0, 0, 0, 0], [0.3, 0, 5, 3], [0.45, 2, -5, 3], [9, 2, 0, 0]]
[[force]]
name = "motor"
type = "dc_motor"
on = "elbow"
voltage = 5.0
resistance = 1.5
inductance = 0.02
constant = 0.2
"""


def bounces(height, restitution, t):
    """Height of a ball that is dropped, by closed form, and its impacts so far."""
    g = 9.81
    fall = math.sqrt(2 * height / g)
    if t <= fall:
        return height - 0.5 * g * t * t, 0
    left, speed, count = t - fall, restitution * g * fall, 1
    while left > 2 * speed / g:
        left -= 2 * speed / g
        speed *= restitution
        count += 1
    return speed * left - 0.5 * g * left * left, count


def ball(height, restitution):
    return HEAD + f"""
[[body]]
name = "ball"
type = "particle"
mass = 0.3
position = [0, 0, {0.05 + height}]
[[constraint]]
name = "floor"
type = "contact"
a = "ball"
b = "ground"
radius = 0.05
plane = {{ normal = [0, 0, 1] }}
restitution = {restitution}
"""


def smooth(folder):
    """Mechanisms with time events and states of objects keep to the runs, and to the constraints; their states are kept."""
    random.seed(3)
    for version in (2, 3):
        columns = ["shoulder.angle", "elbow.angle", "lower.z", "motor.current", "constraint.position", "energy.balance", "lower.vz"]
        text = linkage(random) + integrator(0.8)
        fmu = Fmu(folder, text, version, columns, "--type", "me", "--in", "motor.voltage=5")
        right = run_of(folder, text, columns[:4], 0.8, 8)
        names = [variable.get("name") for variable in fmu.variables()]
        places = [names.index(name) for name in columns]
        rows, events = fmu.rows(0.8, 1e-3, 8, places, tolerance=1e-7)
        compare([row[:5] for row in rows], right, 2e-7, f"linkage by {version}")
        check(events >= 2, f"linkage by {version}: {events} events, corners of the table are some")
        check(all(row[5] < 1e-7 and abs(row[6]) < 1e-6 for row in rows), f"linkage by {version}: constraints or energy {rows}")
        # Long steps leave the constraints; projections bring the states back to them.
        rows, events = fmu.rows(0.8, 1.6e-2, 8, places, tolerance=1e-10)
        compare([row[:4] for row in rows], lambda t: right(t)[:3], 2e-3, f"linkage by {version}, long steps")
        check(events > 5, f"linkage by {version}: {events} projections")
        fmu.drive("state", 0.4, 4e-3, places[3])
        fmu.drive("derivative", 0.2, 4e-3, names.index("motor.voltage"), places[6], names.index("time"))


def impacts(folder):
    """Balls bounce at the times and to the heights of the closed form, by the importer's steps and by the FMU's own."""
    random.seed(5)
    for version in (2, 3):
        height, restitution, h = random.uniform(0.3, 2), random.uniform(0.5, 0.9), 2.0 ** -10
        stop = h * round(3.5 * math.sqrt(2 * height / 9.81) / h)
        fmu = Fmu(folder, ball(height, restitution) + integrator(stop, h), version, ["ball.z", "energy.balance"], "--type", "both")
        check(fmu.num_events >= 1, "there are no event indicators")
        rows, events = fmu.rows(stop, 5e-3, 12, range(2))
        compare(rows, lambda t: (0.05 + bounces(height, restitution, t)[0], 0.0), 1e-9, f"ball from {height} m, {restitution}")
        count = bounces(height, restitution, stop)[1]
        check(count <= events <= 2 * count + 2, f"{events} events of {count} impacts")
        fmu.drive("state", stop, 5e-3, 0)
        fmu.drive("order")
        if version == 2:
            continue
        # Steps of co-simulation end early, at the impact.
        times = [float(line.split()[0]) for line in fmu.drive("early", stop, h, 0) if line[0].isdigit()]
        rests = []
        speed, t = restitution * math.sqrt(2 * 9.81 * height), math.sqrt(2 * height / 9.81)
        while t < stop:
            rests.append(t)
            t += 2 * speed / 9.81
            speed *= restitution
        are_right = len(times) == len(rests) and all(abs(t - right) <= 1e-9 for t, right in zip(times, rests))
        check(are_right, f"early returns at {times}, impacts at {rests}")


# A block on a rail with dry friction, pushed to and fro: it slides, turns, sticks and lets go.
RUBBING = HEAD + """
[[body]]
name = "block"
type = "ancf_rigid_body"
size = [0.2, 0.2, 0.2]
density = 250
penalty = inf
velocity = [1.2, 0, 0]
[[joint]]
name = "rail"
type = "prismatic"
a = "ground"
b = "block"
point = [0, 0, 0]
axis = [1, 0, 0]
friction = { effort = 6.0 }
[[force]]
name = "push"
type = "point_load"
at = "block@[0, 0, 0]"
force = ["12*sin(4*t)", "0", "0"]
"""

# A box that falls flat: four feet meet at once, again and again, and come to rest.
FOUR_FEET = HEAD + """
[[body]]
name = "box"
type = "ancf_rigid_body"
size = [0.4, 0.3, 0.2]
density = 500
penalty = inf
position = [0, 0, 0.5]
[[generate]]
for = { i = 2, j = 2 }
[[generate.constraint]]
name = "foot_${i}${j}"
type = "contact"
a = "box@[${0.4*i - 0.2}, ${0.3*j - 0.15}, -0.1]"
b = "ground"
plane = { normal = [0, 0, 1] }
restitution = 0.4
"""


def switching(folder):
    """Modes that change, several at once among them, are those of the run."""
    for version, model, stop, columns in ((2, RUBBING, 3.0, ["block.x", "block.vx", "rail.friction.work", "energy.balance"]),
                                          (3, FOUR_FEET, 1.5, ["box.z", "box.vz", "energy.balance"])):
        text = model + integrator(stop)
        fmu = Fmu(folder, text, version, columns, "--type", "me")
        right = run_of(folder, text, columns, stop, 12)
        rows, events = fmu.rows(stop, 2e-3, 12, range(len(columns)))
        compare(rows, right, 1e-7, f"{columns[0]}")
        check(3 <= events < 60, f"{columns[0]}: {events} events")


# A slider that a relay pushes back beyond one of two bounds, and on beyond the other.
RELAY = HEAD + """
[[body]]
name = "slider"
type = "ancf_rigid_body"
size = [0.2, 0.2, 0.2]
density = 250
penalty = inf
velocity = [1, 0, 0]
[[joint]]
name = "rail"
type = "prismatic"
a = "ground"
b = "slider"
point = [0, 0, 0]
axis = "x"
[[force]]
name = "relay"
type = "relay"
input = "rail.displacement"
on_at = 0.4
off_at = -0.3
on = -60
off = 60
[[force]]
name = "push"
type = "actuator"
on = "rail"
command = "relay.value"
"""


def relayed(t):
    """Position, force and number of switches: parabolas between the bounds."""
    x, v, force, switched, left = 0.0, 1.0, 60.0, 0, t
    while True:
        a, bound = force / 2.0, 0.4 if force > 0 else -0.3
        meets = (-v + math.copysign(math.sqrt(v * v + 2 * a * (bound - x)), a)) / a
        if meets > left:
            return x + v * left + 0.5 * a * left * left, force, switched
        x, v, left = bound, v + a * meets, left - meets
        force, switched = -force, switched + 1


def relays(folder):
    """A relay with hysteresis: its switches are state events of the importer's, its output discrete between them."""
    stop = 3.0
    for version in (2, 3):
        fmu = Fmu(folder, RELAY + integrator(stop), version, ["slider.x", "relay.value", "relay.switched"], "--type", "me")
        check(fmu.num_events >= 1, "a relay has no event indicator")
        rows, events = fmu.rows(stop, 1e-2, 25, range(3))
        compare(rows, relayed, 1e-9, f"slider under a relay by FMI {version}")
        switches = relayed(stop)[2]
        check(switches >= 4 and switches <= events <= 2 * switches + 2, f"{events} events of {switches} switches")


def platforms(folder):
    """Binaries of other platforms, from FMUs that were written there: told apart by their folders, here renamed."""
    def written(name, step, *options):
        (folder / "two.toml").write_text(ball(0.5, 0.0) + integrator(1.0))
        run = subprocess.run([ANCORA, "fmu", folder / "two.toml", "--fmi", "3", "--out", "ball.z", "--set",
                              f"integrator.step={step}", "--file", folder / name, *options],
                             capture_output=True, text=True)
        return run.returncode, run.stderr

    def elsewhere(name, to):
        """As from a machine with other libraries, so with another token."""
        files = zipfile.ZipFile(folder / name)
        token = files.read("resources/variables.txt").split(b"\n")[1]
        with zipfile.ZipFile(folder / to, "w", zipfile.ZIP_DEFLATED) as out:
            for one in files.namelist():
                text = files.read(one)
                if not one.startswith("binaries/"):
                    text = text.replace(token, b"{0" + token[2:])
                out.writestr(one.replace("x86_64-linux", "riscv64-linux").replace("aarch64-linux", "riscv64-linux"),
                             text)

    check(written("here.fmu", 1e-3)[0] == 0, "an FMU of this platform")
    elsewhere("here.fmu", "there.fmu")
    status, said = written("both.fmu", 1e-3, "--with", folder / "there.fmu")
    check(status == 0, said)
    here, both = (zipfile.ZipFile(folder / name) for name in ("here.fmu", "both.fmu"))
    own = [n for n in here.namelist() if n.startswith("binaries/")]
    other = [n for n in both.namelist() if n.startswith("binaries/riscv64-linux/")]
    check(len(other) == len(own) and set(here.namelist()) | set(other) == set(both.namelist()), f"inside: {other}")
    for name in here.namelist():
        check(here.read(name) == both.read(name), f"{name} differs with a second platform")
    for name in other:
        check(both.read(name) == here.read(own[other.index(name)]), f"{name} was changed")
    check(both.testzip() is None, "the archive is damaged")
    for wrong, options, why in (("there.fmu", (2e-3,), "of another model, or made with other options"),
                                ("here.fmu", (1e-3,), "has binaries of"),
                                ("two.toml", (1e-3,), "not made by `ancora fmu`")):
        status, said = written("none.fmu", *options, "--with", folder / wrong)
        check(status != 0 and why in said and not (folder / "none.fmu").exists(), f"{wrong}: {status} {said}")


def chosen_steps(folder):
    """An integrator that chooses its steps has none in co-simulation; in model exchange they are the importer's."""
    text = ball(0.5, 0.0) + integrator(1.0, kind="dopri5")
    (folder / "adaptive.toml").write_text(text)
    run = subprocess.run([ANCORA, "fmu", folder / "adaptive.toml", "--file", folder / "a.fmu"], capture_output=True, text=True)
    check(run.returncode == 3 and "--type me" in run.stderr, run.stderr)
    run = subprocess.run([ANCORA, "fmu", folder / "adaptive.toml", "--type", "all"], capture_output=True, text=True)
    check(run.returncode == 2 and "expected cs, me or both" in run.stderr, run.stderr)
    # Without restitution it lies where it falls; the floor holds it.
    fmu = Fmu(folder, text, 3, ["ball.z", "floor.force.z"], "--type", "me")
    rows, _ = fmu.rows(1.0, 5e-3, 4, range(2))
    check(abs(rows[-1][1] - 0.05) < 1e-9 and abs(abs(rows[-1][2]) - 0.3 * 9.81) < 1e-8, f"the ball at rest: {rows}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for test in (smooth, impacts, switching, relays, platforms, chosen_steps):
            test(folder)
    print(f"{len(failures)} failed" if failures else "all passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
