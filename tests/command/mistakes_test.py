# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes that beginners make: each message names the place, the cause and the cure.

usage: mistakes_test.py ANCORA
"""
import pathlib
import subprocess
import sys
import tempfile

ancora = pathlib.Path(sys.argv[1]).resolve()
failures = []

BASE = """\
[parameters]
k = 3.0

[model]
gravity = [0.0, 0.0, -9.81]

[[body]]
name = "arm"
type = "ancf_rigid_body"
size = [1.0, 0.1, 0.1]
density = 1000.0
position = [0.5, 0.0, 0.0]

[[body]]
name = "fore"
type = "ancf_rigid_body"
mass = 2.0
inertia = [0.01, 0.1, 0.1]
position = [1.5, 0.0, 0.0]

[[joint]]
name = "shoulder"
type = "revolute"
a = "ground"
b = "arm"
point = [0.0, 0.0, 0.0]
axis = [0.0, -1.0, 0.0]

[[joint]]
name = "elbow"
type = "revolute"
a = "arm"
b = "fore"
point = [1.0, 0.0, 0.0]
axis = "-y"
damping = "${k}"

[[force]]
name = "push"
type = "point_load"
at = "fore@[0.5, 0.0, 0.0]"
force = ["0", "0", "${k}*t"]

[integrator]
type = "emm"
step = 0.001
end = 0.02

[output]
every = 0.01
"""


def place_of(text, marker):
    """LINE:COLUMN of what a message is to point to."""
    at = text.index(marker)
    line = text.count("\n", 0, at) + 1
    return f"{line}:{at - text.rfind(chr(10), 0, at)}"


def run(text, command, folder):
    (folder / "m.toml").write_text(text, encoding="utf-8")
    return subprocess.run([ancora, command, "m.toml"], cwd=folder, capture_output=True, text=True)


class Case:
    """BASE with `old` replaced by `new`; `at` is where the message points, `says` what is in it:
    the place too where `at` is None, in another file or where the reader of TOML gave up."""

    def __init__(self, old, new, at, *says, status=3, command="check", files=None, also=("", "")):
        assert old in BASE and also[0] in BASE, old
        self.text = BASE.replace(old, new, 1).replace(*also, 1)
        self.place = place_of(self.text, at) if at else None
        self.says, self.status, self.command, self.files = says, status, command, files or {}
        self.title = f"{old!r} -> {new!r}"

    def check(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file, content in self.files.items():
                (folder / file).write_text(content)
            result = run(self.text, self.command, folder)
        said = result.stderr
        if result.returncode != self.status:
            failures.append(f"{self.title}: status {result.returncode}, expected {self.status}\n{said}")
            return
        wanted = [*(["warning: "] if self.status == 0 else []),
                  *([f"m.toml:{self.place}: "] if self.place else []), *self.says]
        for part in wanted:
            if part not in said:
                failures.append(f"{self.title}: {part!r} is not in\n{said}")


ARM = 'type = "ancf_rigid_body"\nsize'
AXIS = "axis = [0.0, -1.0, 0.0]"
LOAD = 'force = ["0", "0", "${k}*t"]'
MOTOR = AXIS + '\nmotor = '
DRIVE = AXIS + '\ndrive = '


ROD = '[[body]]\nname = "rod"\nfrom = [0, 0, 3]\nto = [1, 0, 3]\n'


def force(keys):
    return '[[force]]\nname = "f"\n' + keys + '\n\n[integrator]'


CASES = [
    # --- units of columns, and degrees in them
    Case(AXIS, MOTOR + '{ effort = { file = "d.csv", column = "M" } }', '"d.csv"', "column \"M\"",
         "expected N m, since it acts on an angle, got kN", files={"d.csv": "t [s];M [kN]\n0;1\n1;2\n"}),
    Case(AXIS, MOTOR + '{ effort = { file = "d.csv", column = "M", unit = "kN" } }', None,
         "expected N m, since it acts on an angle, got kN", files={"d.csv": "t;M\n0;1\n1;2\n"}),
    Case(AXIS, DRIVE + '{ file = "q.csv", column = "q" }', None,
         "expected rad, since it acts on an angle, got mm", files={"q.csv": "t,q [mm]\n0,0\n1,2\n2,3\n"}),
    Case(AXIS, DRIVE + '{ motion = [[0, 0], [1, 180], [2, 90]], interpolation = "rest" }', "180], [2",
         "180 is 180 rad, 28.6 turns", 'write "180 deg"', status=0),
    Case(AXIS, DRIVE + '{ file = "q.csv", column = "q", interpolation = "rest" }', None,
         "the file has no unit for it, so that 90 is 90 rad", 'write unit = "deg" beside the file', status=0,
         files={"q.csv": "t,q\n0,0\n1,90\n2,30\n"}),
    # --- axes of inertia
    Case("mass = 2.0\ninertia = [0.01, 0.1, 0.1]",
         "size = [1, 0.1, 0.1]\ndensity = 3\ninertia_orientation = { axis = [0, 0, 1], angle = 0.1 }", None,
         'inertia_orientation: says how "inertia" lies in the body, and there is none'),
    # --- TOML
    Case(LOAD, 'force = [{ a = 1, }]', None, "a table in braces has no comma behind its last value"),
    Case("[[joint]]", "[joint.spring]\nx = [{ stiffness = .5 }]", None, "a digit stands on both sides of a point: 0.5"),
    Case('at = "fore@[0.5, 0.0, 0.0]"', 'at = "fore.tip"', '"fore.tip"', 'body "fore" has no frame "tip"',
         "name one with [[body.frame]]", '"fore@[x, y, z]"'),
    Case("[[body]]", "[body]", "[body]", "must be a list of tables", "write [[body]] above each body"),
    Case("[[joint]]", "[joint]", "[joint]", "write [[joint]] above each joint"),
    Case('type = "revolute"', "type = “revolute”", "“revolute”", "quotes are typographic", "write straight ones"),
    Case('name = "arm"', "name = «arm»", "«arm»", "quotes are typographic"),
    Case('type = "revolute"', "type = revolute", "revolute\na", 'stand in quotes: type = "revolute"'),
    Case("density = 1000.0", "density = 1000 kg/m^3", "kg/m^3", 'stand in quotes: density = "1000 kg/m^3"'),
    Case("density = 1000.0", "density = 1000,0", ",0", "a point stands before decimals; write density = 1000.0"),
    Case('name = "arm"', 'name = "arm', None, "m.toml:8:", 'the text is not closed; write name = "arm"'),
    Case('name = "arm"', 'name: "arm"', ': "arm"', 'between a key and its value stands =; write name = "arm"'),
    Case("[[body]]", "[[body]", None, "m.toml:7:", "the header is not closed; write [[body]]"),
    Case("[model]", "[model", None, "m.toml:4:", "the header is not closed; write [model]"),
    Case("[[body]]", "[[bodies]]", "bodies", 'unknown table "bodies"; write [[body]]'),
    Case("[[joint]]", "[[hinge]]", "hinge", 'unknown table "hinge"; write [[joint]] with its "type"'),
    Case("[[force]]", "[[spring]]", "spring", 'unknown table "spring"; write [[force]] with its "type"'),
    Case("[integrator]", "[simulation]", "simulation", 'write [integrator]'),
    Case("[parameters]", "[variables]", "variables", 'unknown table "variables"; write [parameters]'),
    Case("[model]", "[[model]]", "[[model]]", "must be one table", "write [model]"),
    Case("size = [1.0, 0.1, 0.1]", "size = (1.0, 0.1, 0.1)", "(1.0", "square brackets; write size = [1.0, 0.1, 0.1]"),
    Case("size = [1.0, 0.1, 0.1]", "size = {1.0, 0.1, 0.1}", None, "m.toml:10:", "square brackets; write size = [1.0, 0.1, 0.1]"),
    Case("size = [1.0, 0.1, 0.1]", "size = [1.0 0.1 0.1]", None, "m.toml:10:", "stand between commas", "write size = [1.0, 0.1, 0.1]"),
    Case("size = [1.0, 0.1, 0.1]", "size = [1,0; 0,1; 0,1]", None, "m.toml:10:", "a point stands before decimals",
         "write size = [1.0, 0.1, 0.1]"),
    Case("size = [1.0, 0.1, 0.1]", "size = [1., .1, .1]", None, "m.toml:10:", "write size = [1.0, 0.1, 0.1]"),
    Case("density = 1000.0", "density = 1000.", None, "m.toml:11:", "a digit stands on both sides of a point; write density = 1000.0"),
    Case("density = 1000.0", "density = 1000.0;", ";\n", "a line ends without ;; write density = 1000.0"),
    Case("density = 1000.0", "density == 1000.0", None, "m.toml:11:", "one = stands", "write density = 1000.0"),
    Case("density = 1000.0", "density = 1000.0 // steel", None, "m.toml:11:", "a comment begins with #",
         "write density = 1000.0  # steel"),
    Case("density = 1000.0", "density =", None, "m.toml:11:", '"density" has no value'),
    Case("density = 1000.0", "density = 1000.0\ndensity = 2.0", "2.0", '"density" stands twice', "first in line 11; remove one"),
    Case("density = 1000.0", 'density = 1000.0\n[[body.frame]]\nname = "tip"\nposition = [0.5, 0, 0]', None,
         "m.toml:15:", '"position" stands twice', "if it is the body's, write it above [[body.frame]]"),
    Case("k = 3.0", 'k = "3 N" + "2 N"', '+ "2 N"', "as a whole in one pair of quotes"),
    Case("[model]", "[model]\nproject_start = True", "True", "write project_start = true"),
    Case("[integrator]", "[integrater]", "integrater]", 'did you mean "integrator"?'),
    Case("[model]", "gravity = 1\n[model]", None, "[parameters]: gravity is not used", status=0),
    # --- keys and values
    Case("density", "densty", "densty", 'unknown key "densty"', 'did you mean "density"?'),
    Case("density = 1000.0", 'density = "1000 kg"', '"1000 kg"', "expected kg/m^3, got kg"),
    Case("density = 1000.0", "density = -1000.0", "-1000.0", "expected a value > 0"),
    Case("size = [1.0, 0.1, 0.1]", "size = [1.0, 0.1]", "[1.0, 0.1]", "expected"),
    Case("size = [1.0, 0.1, 0.1]\n", "", "[[body]]", '"size" is missing'),
    Case("mass = 2.0\n", "", "[[body]]\nname = \"fore\"", '"mass" is missing'),
    Case("inertia = [0.01, 0.1, 0.1]", "inertia = [0.01, 0.1, 1.0]", "[0.01, 0.1, 1.0]",
         "is larger than the sum of the other two"),
    Case("step = 0.001", "step = 0.0", "0.0\nend", "expected a value > 0 s"),
    Case("end = 0.02", "", "[integrator]", "end"),
    Case("density = 1000.0", 'density = "1000 kg/m3"', '"1000 kg/m3"', 'found "m3", which is no unit; write m^3'),
    Case("density = 1000.0", 'density = "1 kg/l"', '"1 kg/l"', 'found "l", which is no unit; write dm^3'),
    Case("density = 1000.0", 'density = "1,0 kg/m^3"', '"1,0', 'found ","', "a point stands before decimals"),
    Case("density = 1000.0", 'density = "k kg/m^3"', '"k kg', "a unit stands behind a number or a bracket, such as (2*k) kg"),
    Case("density = 1000.0", 'density = "$k"', '"$k"', 'found "$"', "a parameter k is written k, and ${k} in a text"),
    Case("density = 1000.0", "density = true", "true", "expected a number, got true"),
    Case("density = 1000.0", "density = 1000.0\nmass = 10.0", "10.0", "described twice",
         'either "size" with "density" or "mass"'),
    Case("mass = 2.0", "mass = -2.0", "-2.0", "expected a value > 0 kg"),
    Case("mass = 2.0", 'mass = "2 kN"', '"2 kN"', "expected kg, got kN"),
    Case("inertia = [0.01, 0.1, 0.1]", "inertia = [-0.01, 0.1, 0.1]", "[-0.01, 0.1, 0.1]", "-0.01 is negative"),
    Case("inertia = [0.01, 0.1, 0.1]", "inertia = [[0.1, 0.2, 0], [0.1, 0.1, 0], [0, 0, 0.1]]", "[[0.1, 0.2",
         "not symmetric", "entry (1, 2) is 0.2 and (2, 1) is 0.1"),
    Case("inertia = [0.01, 0.1, 0.1]\n", "", '[[body]]\nname = "fore"', '"inertia" is missing; give either'),
    Case("size = [1.0, 0.1, 0.1]", 'size = "1.0, 0.1, 0.1"', '"1.0, 0.1', "write it without quotes: [1.0, 0.1, 0.1]"),
    Case("gravity = [0.0, 0.0, -9.81]", "gravity = -9.81", "-9.81", "expected an array of 3 numbers", "write [x, y, z]"),
    Case("gravity = [0.0, 0.0, -9.81]", "g = [0.0, 0.0, -9.81]", "g = [", 'unknown key "g"; here it is called "gravity"'),
    Case("position = [0.5, 0.0, 0.0]", "location = [0.5, 0.0, 0.0]", "location", 'here it is called "position"'),
    Case("position = [0.5, 0.0, 0.0]", "position = [0.5, 0.0]", "[0.5, 0.0]", "got an array of 2 numbers; write [x, y, z]"),
    Case("position = [0.5, 0.0, 0.0]", "position = [0.5, 0.0, 0.0]\norientation = [0, 0, 30]", "[0, 0, 30]",
         "expected an array of 4 numbers or a table", "with keys of axis, angle"),
    Case("position = [0.5, 0.0, 0.0]", "position = [0.5, 0.0, 0.0]\norientation = [2, 0, 0, 0]", "[2, 0, 0, 0]",
         "has norm 2 and a rotation needs 1", "{axis = [...], angle = ...}"),
    Case("position = [0.5, 0.0, 0.0]", "position = [0.5, 0.0, 0.0]\nomega = [0, 0, 1]", "omega",
         'here it is called "angular_velocity"'),
    Case("step = 0.001", "dt = 0.001", "dt", 'unknown key "dt"; here it is called "step"'),
    Case("step = 0.001", "step = -0.001", "-0.001", "expected a value > 0 s"),
    Case("step = 0.001", 'step = "1 mm"', '"1 mm"', "expected s, got mm"),
    Case("end = 0.02", "duration = 0.02", "duration", 'here it is called "end"'),
    Case("end = 0.02", "end = -1.0", "-1.0\n\n[output]", "expected a value > 0 s"),
    Case('type = "emm"', 'type = "emm"\norder = 4', "order", "keys of one type alone go into [integrator.emm]: below it write order = 4"),
    Case('type = "emm"', 'type = "emm"\n[integrator.emm]', "step", '"step" stands below [integrator.emm]',
         "write it above that header"),
    Case('type = "emm"', 'type = "dopri5"\ntolerance = 0.0', "0.0\nstep", "expected a value > 0"),
    Case("every = 0.01", "interval = 0.01", "interval", 'here it is called "every"'),
    Case("every = 0.01", 'every = 0.01\ncolumns = ["shoulder.angel"]', '"shoulder.angel"', 'did you mean "shoulder.angle"?'),
    Case("every = 0.01", 'every = 0.01\npoints = "fore@[0, 0, 0]"', '"fore@[0, 0, 0]"', 'write ["fore@[0, 0, 0]"]'),
    Case("every = 0.01", 'every = 0.01\npoints = ["hand@[0, 0, 0]"]', '"hand@', 'there is no body "hand"'),
    Case("[integrator]\ntype = \"emm\"\nstep = 0.001\nend = 0.02\n", "", None, "missing table [integrator]",
         "with the keys type, step and end"),
    # --- names and types
    Case('name = "arm"\n', "", "[[body]]", 'missing key "name"'),
    Case('type = "ancf_rigid_body"\n', "", "[[body]]", 'missing key "type"'),
    Case('name = "fore"', 'name = "ground"', '"ground"\ntype', "this name is reserved; choose another"),
    Case('name = "elbow"', 'name = "shoulder"', '"shoulder"\ntype = "revolute"\na = "arm"', "already that of a joint at m.toml:22:8"),
    Case('a = "ground"', 'a = "world"', '"world"', 'what is fixed in space is called "ground"'),
    Case('a = "ground"', 'a = "arm"', '"arm"\npoint', "is the same as a: both are of one body"),
    Case('a = "ground"\nb = "arm"', 'parent = "ground"\nchild = "arm"', "parent", 'unknown key "parent"; here it is called "a"',
         'unknown key "child"; here it is called "b"'),
    Case('b = "arm"', 'b = "arm[0.5, 0, 0]"', '"arm[0.5', 'a point of a body is written "BODY@[x, y, z]"'),
    Case('b = "arm"', 'b = "arm@left"', '"arm@left"', "no numbered or named points; write a point"),
    Case('type = "ancf_rigid_body"\nmass', 'type = "revolute"\nmass', '"revolute"\nmass', "is a constraint, write [[joint]]"),
    Case('type = "revolute"', 'type = "Ball-Joint"', '"Ball-Joint"', 'write type = "spherical"'),
    Case('type = "revolute"', 'type = "ancf_rigid_body"', '"ancf_rigid_body"\na', "is a body, write [[body]]"),
    Case('type = "point_load"', 'type = "torque"', '"torque"', 'write type = "point_load"'),
    Case('type = "emm"', 'type = "rk45"', '"rk45"', 'write type = "dopri5"'),
    Case('type = "emm"', 'type = "RK4"', '"RK4"', 'write type = "rk4"'),
    Case('type = "emm"', 'type = "euler"', '"euler"', "integrator types: dopri5, emm"),
    Case("[model]", '[model]\nplugins = ["joint"]', '"joint"', 'write "joints" in plugins of [model]', status=4),
    Case('name = "fore"', 'name = "arm"', '"arm"\ntype = "ancf_rigid_body"\nmass', "already that of a body"),
    Case('name = "fore"', 'name = "fore arm"', '"fore arm"', "letters, digits, _ or -"),
    Case('b = "arm"', 'b = "amr"', '"amr"', 'did you mean "arm"?'),
    Case(ARM, ARM.replace("ancf_rigid_body", "rigid_body"), '"rigid_body"', "type"),
    Case('type = "revolute"', 'type = "hinge"', '"hinge"', "revolute"),
    Case('type = "emm"', 'type = "em"', '"em"', 'did you mean "emm"?'),
    Case("[integrator]", force('type = "springg"\non = "shoulder"\nstiffness = 1'), '"springg"', 'did you mean "spring'),
    Case("[integrator]", force('type = "elastic"\non = "shoulder"\nstiffness = 1'), '"elastic"',
         "spring_damper", "drive", "motor"),
    # --- points, frames, measures
    Case('b = "arm"', 'b = "arm.tip"', '"arm.tip"', 'has no frame "tip"', "[[body.frame]]"),
    Case('a = "ground"', 'a = "ground.pier"', '"ground.pier"', 'the ground has no frame "pier"', "[[frame]]"),
    Case('at = "fore@[0.5, 0.0, 0.0]"', 'at = "fore@[k, 0, 0]"', '"fore@[k, 0, 0]"', "${k}"),
    Case("[integrator]", force('type = "motor"\non = "shoulder.angel"\neffort = 1.0'), '"shoulder.angel"',
         'did you mean "angle"?'),
    Case("[integrator]", force('type = "motor"\non = "sholder.angle"\neffort = 1.0'), '"sholder.angle"', "measure"),
    Case("point = [0.0, 0.0, 0.0]\n", "", "[[joint]]", "point: is missing", "Give point = [x, y, z]"),
    Case(AXIS, 'axis = "w"', '"w"', "axis"),
    Case(AXIS, "axis = [0, 0, 0]", "[0, 0, 0]", "axis: has length zero"),
    Case(AXIS, 'axis = "Y"', '"Y"', 'write [x, y, z], or "x", "-y" for an axis'),
    Case(AXIS + "\n", "", "[[joint]]", "axis: is missing: give axis = [x, y, z]"),
    Case(AXIS, AXIS + '\nstart = "30 degrees"', '"30 degrees"', 'found "degrees", which is no unit; write deg'),
    Case(AXIS, AXIS + '\nstart = "30°"', '"30°"', "degrees are written deg behind a number"),
    Case(AXIS, AXIS + '\nstart = "30 mm"', '"30 mm"', "expected rad, got mm"),
    Case(AXIS, AXIS + "\nangle = 0.5", "angle", 'here it is called "start"'),
    Case(AXIS, AXIS + "\nlimits = { min = 0, max = 1 }", "min", 'here it is called "lower"', 'here it is called "upper"'),
    Case(AXIS, AXIS + "\nlimits = { lower = 1, upper = -1 }", "-1 }", "is not above lower"),
    Case(AXIS, AXIS + "\nspring = { k = 40 }", "k = 40", 'here it is called "stiffness"'),
    Case(AXIS, AXIS + "\nspring = { stiffness = -40 }", "-40", "stiffness: is not above zero"),
    Case(AXIS, AXIS + "\nfriction = 0.3", "friction", "radius: is missing: on an angle"),
    Case(AXIS, AXIS + "\nmotor = { torque = 3 }", "torque", 'here it is called "effort"'),
    Case(AXIS, AXIS + "\nservo = { kp = 3 }", "servo", "target: is missing"),
    # --- a unit that the measure decides: of a hinge, of a distance
    Case(AXIS, AXIS + '\nspring = "40 N/m"', '"40 N/m"', 'stiffness: expected N m/rad, since it acts on an angle, got N/m'),
    Case(AXIS, AXIS + '\ndamping = "2 N*s/m"', '"2 N*s/m"', "damping: expected N m s/rad, since it acts on an angle"),
    Case(AXIS, MOTOR + '"5 N"', '"5 N"', "effort: expected N m, since it acts on an angle, got N"),
    Case(AXIS, MOTOR + '{ effort = 5, limit = "3 N" }', '"3 N"', "limit: expected N m, since it acts on an angle"),
    Case(AXIS, AXIS + '\nlimits = { lower = "-3 cm", upper = 1 }', '"-3 cm"', "lower: expected rad, since it acts on an angle"),
    Case(AXIS, AXIS + '\nservo = { target = 0, kp = "40 N/m" }', '"40 N/m"', "kp: expected N m/rad"),
    Case(AXIS, AXIS + '\nfriction = { mu = 0.1, radius = 0.01, effort = "3 N" }', '"3 N"', "effort: expected N m"),
    Case("[integrator]", force('type = "spring"\non = "shoulder.angle"\nstiffness = "40 N/m"'), '"40 N/m"',
         "expected N m/rad, since it acts on an angle"),
    Case("[integrator]", force('type = "spring"\na = "arm@[0, 0, 0]"\nb = "fore@[0, 0, 0]"\nstiffness = "40 N*m"'),
         '"40 N*m"', "expected N/m, since it acts on a length"),
    Case("[integrator]", force('type = "spring"\na = "arm@[0, 0, 0]"\nb = "fore@[0, 0, 0]"\nstiffness = 40\nfree = "20 deg"'),
         '"20 deg"', "expected m, since it acts on a length"),
    Case(AXIS, DRIVE + '{ motion = { file = "b.csv", column = "q" } }', '"b.csv"', 'column "q" of "b.csv": expected rad, since it acts on an angle, got N',
         files={"b.csv": "t,q [N]\n0,0\n1,0\n"}),
    Case(AXIS, DRIVE + '{ motion = { file = "b.csv", column = "q" } }', '"b.csv"', 'column "t" of "b.csv": expected s, got deg',
         files={"b.csv": "t [deg],q [deg]\n0,0\n1,0\n"}),
    Case(AXIS, DRIVE + '[["0 s", 0], ["1 m", 0]]', '"1 m"', "motion[1][0]: expected s, got m"),
    Case(AXIS, DRIVE + '[[0, 0], [1, "1 N"]]', '"1 N"', "motion[1][1]: expected rad, since it acts on an angle, got N"),
    Case(LOAD, 'force = [[0, 0, 0, 0], ["1 m", 0, 0, 0]]', '"1 m"', "force[1][0]: expected s, got m"),
    Case(LOAD, 'force = [[0, 0, 0, 0], [1, 0, 0, "3 m"]]', '"3 m"', "force[1][3]: expected N, got m"),
    Case("[integrator]", force('type = "variable_spring"\non = "shoulder"\nstiffness = "40 N/m"'), '"40 N/m"',
         "expected N m/rad, since it acts on an angle"),
    Case("gravity = [0.0, 0.0, -9.81]", "gravity = [0.0, 0.0, -9810.0]", None, "gravity is 9810 m/s^2, more than on the Sun", status=0),
    Case("every = 0.01", "every = 10.0", None, "every = 10 s is longer than the run, 0.02 s", status=0),
    Case("[integrator]", force('type = "spring"\na = "arm@[0, 0, 0]"\nb = "arm@[0.1, 0, 0]"\nstiffness = 3'), '"arm@[0.1',
         "is a point of the same body as a", status=0),
    Case(AXIS, AXIS + '\nrotor = "1 kg"', '"1 kg"', "inertia: expected kg m^2, since it acts on an angle, got kg"),
    Case(AXIS, AXIS + '\nspring = { table = [[0, 0], ["3 cm", 1]] }', '"3 cm"', "table[1][0]: expected rad, since it acts on an angle, got cm"),
    Case(AXIS, AXIS + '\nspring = { table = [[0, 0], [1, "3 N"]] }', '"3 N"', "table[1][1]: expected N m, since it acts on an angle, got N"),
    # --- a unit of what has none
    Case(AXIS, AXIS + '\nfriction = { mu = "0.2 N", radius = 0.01 }', '"0.2 N"', "mu: expected a number without dimension, got N"),
    Case(AXIS, AXIS + '\nlimits = { lower = -1, upper = 1, restitution = "0.5 m" }', '"0.5 m"',
         "restitution: expected a number without dimension"),
    Case("[integrator]", force('type = "rope"\npoints = ["arm@[0, 0, 0]", "fore@[0, 0, 0]"]\nlength = "3 kg"'), '"3 kg"',
         "length: expected m, got kg"),
    Case("[model]", '[model]\nplugin_dirs = ["nowhere"]', '"nowhere"', 'plugin_dirs: there is no folder "nowhere"'),
    Case("point = [1.0, 0.0, 0.0]", "position = [1.0, 0.0, 0.0]", "position = [1.0", 'here it is called "point"'),
    Case('at = "fore@[0.5, 0.0, 0.0]"', 'at = "fore@(0.5, 0, 0)"', '"fore@(', "is not an attachment", "BODY@[x, y, z]"),
    Case('at = "fore@[0.5, 0.0, 0.0]"', 'at = "ground@[0, 0, 0]"', '[[force]]', "on the ground, nothing can move"),
    Case('at = "fore@[0.5, 0.0, 0.0]"\n', "", "[[force]]", "at: is missing; name the point"),
    Case("[integrator]", force('type = "spring"\na = "arm@[0, 0, 0]"\nstiffness = 10'), '[[force]]\nname = "f"',
         "b: is missing: the distance of two points needs both"),
    Case("[integrator]", force('type = "spring"\nstiffness = 10'), '[[force]]\nname = "f"', "acts on nothing: give on ="),
    Case("[integrator]", force('type = "spring"\na = "arm@[0.5, 0, 0]"\nb = "fore@[-0.5, 0, 0]"\nstiffness = 10\nfree = 0.1'),
         '"fore@[-0.5', "is at the same point as a", "free = 0"),
    Case("[integrator]", force('type = "spring"\na = "arm@[0, 0, 0]"\nb = "fore@[0, 0, 0]"\nstiffness = 10\nlength = 1'),
         "length", 'here it is called "free"'),
    Case("[integrator]", force('type = "rope"\npoints = ["arm@[0, 0, 0]", "fore@[0, 0, 0]"]\nlength = 0.55'),
         "0.55", "the rope is 0.55 m long at the start, and along its points it is 1 m", "make it longer"),
    Case("[integrator]", force('type = "sensor"\ninput = "g.value"\n[[force]]\nname = "g"\ntype = "sensor"\ninput = "f.value"'),
         '[[force]]\nname = "f"', "loop without delay: f reads g reads f", "give one of them a state"),
    # --- formulas
    Case(AXIS, MOTOR + '"0,5*sin(t)"', '"0,5', 'found ","', "a point stands before decimals"),
    Case(AXIS, MOTOR + '"5 sin(t)"', '"5 sin', "a product is written with *"),
    Case(AXIS, MOTOR + '"5 N*sin(t)"', '"5 N', "formulas are in SI without units"),
    Case(AXIS, MOTOR + '"5×t"', '"5×t"', "a product is written with *"),
    Case(AXIS, MOTOR + '"np.sin(t)"', '"np.sin', "functions are written without np."),
    Case(AXIS, MOTOR + '"ln(t + 1)"', '"ln(', "the natural logarithm is log"),
    Case(AXIS, MOTOR + '"if t > 1 then 3 else 4"', '"if t', "if(condition, this, else that)"),
    Case(AXIS, MOTOR + '"sin(t"', '"sin(t"', "to close"),
    Case(AXIS, MOTOR + '"t > 1 && t < 2"', '"t > 1 &&', 'joined by "and" and "or"'),
    Case(AXIS, MOTOR + '"t < 1 < 2"', '"t < 1 <', "a second comparison"),
    Case(AXIS, MOTOR + '"abs(t, 2)"', '"abs(', 'found 2 arguments of "abs", expected 1'),
    Case(AXIS, MOTOR + '"3*shoulder.omega"', '"3*shoulder.omega"', 'has no measure "omega"; its measures: angle'),
    Case(AXIS, DRIVE + '"t/0"', "drive", '"t/0", has no finite value at t = 0 s', "if(condition, ...)", status=5),
    Case(LOAD, 'force = [0, 0, "10 N*sin(t)"]', '[0, 0, "10 N', "formulas are in SI without units"),
    Case(LOAD, 'force = [0, 0, "10 m"]', '"10 m"', "expected N, got m"),
    Case(LOAD, 'force = "10 N"', '"10 N"', "a text alone names a file, formulas stand in an array", status=6),
    # --- tables and files
    Case(LOAD, "force = [[0, 0, 0, 1], [0.01, 0, 0, 1]]", "[[0, 0, 0, 1]", "ends at t = 0.01 s, and the run at t = 0.02 s",
         'say with "outside"'),
    Case(LOAD, "force = [[0, 0, 0, 1], [0, 0, 0, 1]]", "[[0, 0, 0, 1]", "times must increase", "a short ramp"),
    Case(LOAD, 'force = "load.csv"', None, "load.csv:2:5:", "found 3 columns, expected 4: t, x, y, z",
         files={"load.csv": "t,x,y,z\n0,1,2\n1,2,3,4\n"}),
    Case(LOAD, 'force = "load.csv"', None, "load.csv:2:1:", '"0,0" is no number; write a point before decimals',
         files={"load.csv": "t;x;y;z\n0,0;1,5;2;3\n1,0;2;3;4\n"}),
    Case(LOAD, 'force = "load.csv"', None, "load.csv:2:7:", "a number is missing; the columns are t, x, y, z",
         files={"load.csv": "t,x,y,z\n0,1,2,\n1,2,3,4\n"}),
    Case(LOAD, 'force = "load.csv"', None, "load.csv:3:1:", "times must increase",
         files={"load.csv": "t,x,y,z\n1,0,0,1\n0,0,0,1\n"}),
    Case(LOAD, 'force = "load.csv"', None, "load.csv: ", "needs at least two rows", files={"load.csv": ""}),
    Case(AXIS, MOTOR + '{ effort = { file = "b.csv", column = "torq" } }', '"torq"', 'did you mean "torque"?',
         files={"b.csv": "t,torque\n0,1\n1,2\n"}),
    Case(AXIS, MOTOR + '{ effort = { file = "b.csv", column = 5 } }', "5 }", "the file has columns 1 to 2, got 5",
         files={"b.csv": "t,torque\n0,1\n1,2\n"}),
    Case(AXIS, MOTOR + '{ effort = { file = "b.csv", column = "torque" } }', '"b.csv"', "decimal commas",
         'write decimal = ","', files={"b.csv": "t;torque\n0,0;1,5\n1,0;2,5\n"}),
    Case(AXIS, MOTOR + '{ effort = { file = "b.csv", col = "torque" } }', "col =", 'here it is called "column"',
         files={"b.csv": "t,torque\n0,1\n1,2\n"}),
    Case("[integrator]", '[[constraint]]\nname = "c"\ntype = "central_gravity"\nmu = 1e10\ncenter = [9, 0, 0]\non = "arm"\n'
         'points = ["fore@[0, 0, 0]"]\nmasses = [1.0]\n[integrator]', '"arm"\npoints', '"points" and "masses" stand beside it'),
    Case("[parameters]", 'include = ["parts.toml"]\n[parameters]', '"parts.toml"', "a relative path begins at the folder", status=6),
    Case("[parameters]", 'include = ["m.toml"]\n[parameters]', '"m.toml"', "the file includes itself: m.toml -> m.toml"),
    Case("[output]", 'include = ["x.toml"]\n[output]', "include", "belongs to the whole file; write it above the first table"),
    Case("[parameters]", 'include = ["arm.urdf"]\n[parameters]', None, "arm.urdf:1:1:", "this is XML and no TOML", "`ancora import",
         files={"arm.urdf": '<robot name="arm"/>\n'}),
    # --- parameters, generated objects
    Case("k = 3.0", 'k = "m"\nm = "k"', 'k = "m"', "needed for its own value: k -> m -> k", "give one of them a number"),
    Case("k = 3.0", 'k = "3 m + 2 kg"', '"3 m + 2 kg"', "kg added to m"),
    Case("k = 3.0", 'k = "sqrt(-1)"', '"sqrt(-1)"', "position 1: the result is not a number"),
    Case("k = 3.0", 'k = "1/0"', '"1/0"', "position 2: division by zero"),
    Case("k = 3.0", 'k = 3.0\nfile = "data.csv"', '"data.csv"', "parameters are numbers, and a text stands where it is used"),
    Case("k = 3.0", "k = 3.0\npi = 4", "pi = 4", "the name of a constant; choose another"),
    Case("k = 3.0", "k = 3.0\np = [[0, 0], [1]]", "[1]]", "expected a row of 2 numbers as the first one"),
    Case('damping = "${k}"', 'damping = "${k"', '"${k"', 'found no "}" to close'),
    Case('damping = "${k}"', 'damping = "k[0]"', '"k[0]"', '"k" is one number, it has no entries'),
    Case("[output]", '[[generate]]\nfor = {i = 3}\n[[generate.body]]\nname = "b"\ntype = "particle"\nmass = 1\n[output]',
         '"b"', "write an index of", "bead_${i}"),
    Case("[output]", '[[generate]]\n[[generate.body]]\nname = "b_${i}"\ntype = "particle"\nmass = 1\n[output]',
         "[[generate]]", 'missing key "for", as in for = {i = 10}'),
    Case("[output]", '[[generate]]\nfor = {i = 3}\n[[body]]\nname = "b_${i}"\ntype = "particle"\nmass = 1\n[output]',
         "[[generate]]", "nothing to generate; write [[generate.body]]"),
    Case("[output]", '[[generate]]\nfor = {i = 3}\n[[generate.bodies]]\nname = "b_${i}"\ntype = "particle"\n[output]',
         "bodies", 'here it is called "body"'),
    # --- joints that cannot be, contacts that overlap
    Case("[output]", '[[joint]]\nname = "hand"\ntype = "spherical"\na = "ground@[2, 0, 1]"\nb = "fore@[0.5, 0, 0]"\n[output]',
         '[[joint]]\nname = "hand"', "is -1 instead of 0", "correct positions", "project_start = true", status=5),
    Case("[output]", '[[joint]]\nname = "rod"\ntype = "distance"\na = "ground@[2, 0, 0]"\nb = "fore@[0.5, 0, 0]"\n[output]',
         '"fore@[0.5, 0, 0]"', "is at the same point as a", 'type "spherical"'),
    Case("[output]", '[[joint]]\nname = "c"\ntype = "contact"\na = "fore"\nb = "ground"\nradius = 0.5\n'
         "plane = { normal = [0, 0, 1] }\n[output]", '[[joint]]\nname = "c"', "0.5 below zero", "move it apart", status=5),
    Case("[output]", '[[joint]]\nname = "c"\ntype = "contact"\na = "fore"\nb = "ground"\nplane = { normal = [0, 0, 1], '
         "point = [0, 0, -2] }\nrestitution = 1.5\n[output]", "1.5\n[output]", "expected a value >= 0 and <= 1"),
    Case("[output]", '[[joint]]\nname = "g"\ntype = "gear"\nteeth = [1, 2]\na = "shoulder"\nb = "elbow"\n[output]',
         'a = "shoulder"', 'unknown key "a"', "valid keys: on, teeth"),
    Case("[output]", '[[joint]]\nname = "hand"\ntype = "revolute"\na = "ground"\nb = "fore"\npoint = [2, 0, 0]\naxis = "y"\n'
         "[output]", None, "redundant", "those of least norm", status=0),
    Case(ARM, 'type = "ancf_rigid_body"\nvelocity = [0, 1, 0]\nsize', '[[joint]]', "changes at a rate of 1",
         "correct velocities", status=5),
    Case("[output]", '[[body]]\nname = "rod"\ntype = "truss"\nfrom = [0, 0, 0]\nto = [1, 0, 0]\nyoung = 1e9\narea = 1e-4\n'
         "density = 0\n[output]", '[[body]]\nname = "rod"', "has no mass", "give it mass or tie it", status=5, command="run"),
    Case("[output]", '[[body]]\nname = "rod"\ntype = "ancf_rigid_body"\nfrom = [0, 0, 0]\nmass = 1\nradius = 1\n[output]',
         '[[body]]\nname = "rod"', "to: is missing: a rod is given by both its ends"),
    Case("[output]", '[[body]]\nname = "film"\ntype = "membrane"\nmesh = "s.msh"\nyoung = 1e9\npoisson = 0.3\n'
         "thickness = 1e-5\ndensity = 1000\n[output]", None, "s.msh:2:1:", "save the mesh with Mesh.MshFileVersion = 4.1",
         files={"s.msh": "$MeshFormat\n4.0 0 8\n$EndMeshFormat\n"}),
    Case("size = [1.0, 0.1, 0.1]", 'size = [1.0, 0.1, 0.1]\nshape = "box"', '"box"', "expected a table such as {box"),
    Case("[model]", '[model]\nstart = "rest"', '"rest"', 'expected "given", "equilibrium" or "steady_spin"'),
    Case(AXIS, MOTOR + '"K*t"', '"K*t"', 'found "K"', 'did you mean the parameter "k"?'),
    Case(AXIS, MOTOR + '"5*sin(2*pi*T)"', '"5*sin(2*pi*T)"', 'found "T"', '"t"'),
    Case(AXIS, MOTOR + '"t**2"', '"t**2"', 'expected "^" for a power'),
    Case(AXIS, MOTOR + '"2t"', '"2t"', "2 tonnes", 'write "2*t"'),
    Case(AXIS, MOTOR + '"sine(t)"', '"sine(t)"', 'expected a function; did you mean "sin"?'),
    Case(AXIS, MOTOR + '"if(t = 1, 2, 3)"', '"if(t = 1, 2, 3)"', 'found "="'),
    Case(AXIS, MOTOR + '"if(t == 1, 2, 3)"', '"if(t == 1, 2, 3)"', "hardly ever equal"),
    Case(AXIS, MOTOR + '"t > 1 ? 2 : 3"', '"t > 1 ? 2 : 3"', "if(condition, this, else that)"),
    Case(AXIS, MOTOR + '"step(t, 2, 1)"', '"step(t, 2, 1)"', "ends before it begins", "1 - step(x, from, to)"),
    Case(AXIS, AXIS + "\nmotor = 'table(\"road.csv\", t)'", "'table(", "road.csv", "does not exist", status=6),
    Case(AXIS, AXIS + "\nmotor = 'table(\"road.csv\", t)'", "'table(", "must increase from row to row",
         files={"road.csv": "t,z\n0,1\n1,2\n1,3\n"}),
    Case(AXIS, AXIS + "\nmotor = 'table(\"map.csv\", t, 2*t)'", "'table(", "values of its second argument",
         "in the first row, must increase", files={"map.csv": "x,0,2,1\n0,1,2,3\n1,3,4,5\n"}),
    Case(AXIS, AXIS + "\nmotor = 'table(\"map.csv\", t, 2*t)'", "'table(", "two or more of each",
         files={"map.csv": "x,0,2\n0,1,2\n"}),
    Case(AXIS, MOTOR + '"${kk}*t"', '"${kk}*t"', 'found "kk", which is no parameter; there are: k'),
    Case(AXIS, MOTOR + '"sqrt(0.01 - t)"', "motor", 'force "shoulder.motor"', "sqrt(0.01 - t)",
         "has no finite value at t = 0.01", "if(condition, ...)", status=5, command="run"),
    Case(LOAD, 'force = ["0", "0", "log(0.01 - t)"]', "[[force]]", 'force "push"', "log(0.01 - t)",
         "no finite value", status=5, command="run"),
    # --- starts and drives
    Case(AXIS, DRIVE + '"0.5 + t^2"', "drive", "shoulder.angle is 0 at the start",
         'force "shoulder.drive" begins at 0.5: write start = 0.5 in joint "shoulder"', status=5),
    Case(AXIS, DRIVE + '"0.5 + t"', "drive", "and its rate 0", "begins at 0.5 with the rate 1",
         "write start = { angle = 0.5, angle_rate = 1 }", status=5),
    Case(AXIS, AXIS + '\nstart = 0.5\ndrive = "0.5 + t"', "drive", "with the rate 1",
         'interpolation = "rest"', status=5),
    Case("[integrator]", force('type = "drive"\non = "elbow"\nmotion = "0.1*t^2"').replace(
        "[integrator]", '[[force]]\nname = "g"\ntype = "drive"\non = "elbow.angle"\nmotion = "0.1*t"\n\n[integrator]'),
         "[[force]]\nname = \"g\"", "elbow.angle is prescribed twice", 'force "f"', 'force "g"', "remove one of them", status=5),
    Case(AXIS, AXIS + "\nstart = 0.3\nlimits = { lower = -0.1, upper = 0.1 }", "limits", "shoulder.limits",
         "0.2 below zero", status=5),
    Case("point = [1.0, 0.0, 0.0]", "point = [1.0, 0.0, 0.0]\nstart = 30", "30", "4.77 turns", '"30 deg"', status=0),
    Case(AXIS, AXIS + "\nlimits = { lower = -90, upper = 90 }", "-90", "lower: -90 is -90 rad, -14.3 turns", '"-90 deg"', status=0),
    Case(AXIS, AXIS + "\nspring = { stiffness = 2, free = 60 }", "60 }", "free: 60 is 60 rad", '"60 deg"', status=0),
    Case(AXIS, MOTOR + '"relay.value"', '"relay.value"', 'there is no measure "relay.value"', 'any signal commands'),
    # --- plausible?
    Case("inertia = [0.01, 0.1, 0.1]", "inertia = [1e4, 1e5, 1e5]", "[[body]]\nname = \"fore\"", "radius of gyration",
         "kg m^2", status=0),
    Case("inertia = [0.01, 0.1, 0.1]", "inertia = [1e-8, 1e-7, 1e-7]", "[[body]]\nname = \"fore\"",
         "radius of gyration", "30 mm", status=0),
    Case("point = [1.0, 0.0, 0.0]", "point = [1000.0, 0.0, 0.0]", '[[joint]]\nname = "elbow"',
         'm from the centre of "arm"', '"300 mm"', status=0),
    Case("[integrator]", '[[body]]\nname = "loose"\ntype = "particle"\nmass = 1.0\n\n[integrator]',
         '[[body]]\nname = "loose"', "nothing ties it", "add a joint or a force", status=0),
    Case("end = 0.02", "end = 0.0002", None, "less than a step", "shorter step", status=0),
    Case("every = 0.01", "every = 0.0001", None, "every = 0.0001 s is less than a step", status=0),
    # --- flexible bodies, sections
    Case("[output]", ROD + 'type = "beam"\nsection = { shape = "tube", radius = 0.1, thickness = 0.01 }\nE = 2e11\n'
         "poisson = 0.3\ndensity = 7800\n[output]", "E = 2e11", 'unknown key "E"; here it is called "young"'),
    Case("[output]", ROD + 'type = "beam"\nsection = { shape = "circle", diameter = 0.1 }\nyoung = 2e11\npoisson = 0.3\n'
         "density = 7800\n[output]", "diameter", 'write "radius", half of it'),
    Case("[output]", ROD.replace("[0, 0, 3]", '"mast.top"') + 'type = "cable"\nEA = 1e6\nmass = 1\n[output]', '"mast.top"',
         'there is no body "mast"'),
    # --- laws in joints
    Case(AXIS, AXIS + "\nlimits = [-1, 1]", "[-1, 1]", "expected a number or a table { lower = ..., upper = ...",
         "got an array of 2 numbers"),
    Case(AXIS, AXIS + "\nservo = { position = 1, kp = 100 }", "position = 1", 'here it is called "target"'),
    Case(AXIS, AXIS + "\ndrive = { velocity = 1 }", "velocity = 1", 'here it is called "rate"'),
    Case(AXIS, AXIS + '\ndrive = "course.xlsx"', '"course.xlsx"', "is a workbook; save its sheet as CSV", status=6,
         files={"course.xlsx": "PK"}),
    Case("[output]", ROD + 'type = "ancf_rigid_body"\nmass = 1\n[[force]]\nname = "s"\ntype = "spring"\na = "rod.to"\n'
         'b = "arm"\nstiffness = 10\n[output]', '"rod.to"', 'body "rod" has no frame "to"', 'did you mean "rod@to"?'),
    Case("[output]", ROD + 'type = "ancf_rigid_body"\nmass = 1\n[[joint]]\nname = "s"\ntype = "spherical"\na = "rod.to"\n'
         'b = "arm"\n[output]', '"rod.to"', 'body "rod" has no frame "to"; did you mean "rod@to"?'),
    Case("[output]", force('type = "rope"\npoints = ["ground", "fore"]\nlength = 1.4').replace("[integrator]", "[output]"),
         "1.4", "the rope is 1.4 m long at the start, and along its points it is 1.5 m", "or give it a stiffness"),
    Case("[output]", '[[force]]\nname = "rub"\ntype = "coulomb_friction"\non = "elbow"\nfriction = 0.3\n[output]',
         "friction = 0.3", 'here it is called "mu_kinetic"'),
    # --- settings
    Case("gravity = [0.0, 0.0, -9.81]", 'gravity = "-z"', '"-z"', "write [x, y, z]"),
    Case("every = 0.01", 'every = 0.01\ncolumns = ["elbow.torque"]', '"elbow.torque"', "; of elbow there are "),
    # --- objects by the many
    Case("[output]", '[[generate]]\nfor = { side = ["left", "right", 3] }\n[[generate.body]]\nname = "p_${side}"\n'
         'type = "particle"\nmass = 1\n[output]', "3] }", "a list holds values or names"),
    Case("[output]", '[[generate]]\nfor = { side = [] }\n[[generate.body]]\nname = "p_${side}"\n'
         'type = "particle"\nmass = 1\n[output]', "[] }", "or a list of values or names"),
    # --- units
    Case('damping = "${k}"', 'damping = "3 Nms/rad"', '"3 Nms/rad"', 'found "Nms", which is no unit; write N*m*s'),
    Case("density = 1000.0", 'density = "62 lbs/ft^3"', '"62 lbs/ft^3"', "write lb"),
    # --- scenery
    Case("[integrator]", '[[shape]]\nbody = "arm"\nbox = [1, 1, 1]\n\n[integrator]', '"arm"\nbox',
         'expected "ground"', "shape = { ... }"),
    Case("[integrator]", '[[shape]]\nboxx = [1, 1, 1]\n\n[integrator]', "boxx", 'did you mean "box"?'),
    Case("[integrator]", '[[frame]]\nname = "x"\n\n[integrator]', '"x"', "means a coordinate"),
    # --- what tries of others have found
    Case("k = 3.0", "k = 3.0\nt = 0.1", '"${k}*t"', 't in "3*t" is the time', "give that another name"),
    Case('k = 3.0', 'k = 3.0\nx = 2', '"-k*x"', 'x in "-k*x" is what this formula reads by that name (of its point)',
         "or write ${x} for it", also=(LOAD, 'force = ["-k*x", 0, 0]')),
    Case('k = 3.0', 'k = 3.0\nrate = 2', '"5*rate"', 'rate in "5*rate" is what this formula reads', "(of its measure)",
         also=(AXIS, AXIS + '\nmotor = "5*rate"')),
    Case("k = 3.0", 'k = "3 N/m"', '"${k}"', "expected N m s/rad, since it acts on an angle, got kg/s^2"),
    Case("[output]", ROD.replace("[0, 0, 3]", '"am@[0, 0, 0]"') + 'type = "ancf_rigid_body"\nmass = 1\n[output]',
         '"am@[0, 0, 0]"', 'there is no body "am"; did you mean "arm"?'),
    Case(AXIS, DRIVE + '{ file = "course.csv", colum = "q" }', 'colum = "q"', 'unknown key "colum"; did you mean "column"?',
         files={"course.csv": "t,q\n0,0\n1,0\n"}),
    Case(AXIS, DRIVE + '"course.csv"', None, "course.csv:2:5: ", "found 3 columns, expected 2: t, motion",
         'name those that are meant: { file = "...", column = "..." }', files={"course.csv": "t,q,p\n0,0,0\n1,0,0\n"}),
    Case("[output]", ROD + 'type = "beam"\nsection = { shape = "tube", radius = 0.1, thickness = 0.01 }\nyoung = 210\n'
         'poisson = 0.3\ndensity = 7800\n[output]', "210", "210 Pa, which is softer than jelly", 'write "210 GPa"', status=0),
    Case("inertia = [0.01, 0.1, 0.1]", "inertia = 0.1", "0.1\nposition", "write [x, y, z]"),
    Case("inertia = [0.01, 0.1, 0.1]", "inertia = { xx = 0.01, yy = 0.1, zz = 0.1 }", "{ xx", "write [x, y, z]"),
    Case("position = [1.5, 0.0, 0.0]", "position = { x = 1.5 }", "{ x = 1.5 }", "got a table; write [x, y, z]"),
    Case(LOAD, "force = 5", "5\n\n[integrator]", "got 5 N; write [x, y, z]"),
    Case("gravity = [0.0, 0.0, -9.81]", "gravity = [0, 0, 9,81]", "[0, 0, 9,81]", "with a point before decimals"),
    Case(LOAD, 'force = ["0", "0", "10*fore.angle"]', '["0", "0", "10*', 'body "fore" has no value "angle"', "that of a joint"),
    Case(AXIS, MOTOR + '"-3*shoulder.rate"', '"-3*shoulder.rate"', 'its rate is "shoulder.angle_rate"'),
    Case('damping = "${k}"', "damper = 3", "damper", 'here it is called "damping"'),
    Case('damping = "${k}"', "stiffness = 3", "stiffness", 'here it is called "spring"'),
    Case('damping = "${k}"', "torque = 3", "torque", 'here it is called "motor"'),
    Case('damping = "${k}"', "release = { time = 5 }", "time", 'here it is called "at"'),
    Case('damping = "${k}"', "limits = { lower = 0.5, upper = 1 }", "limits", "let a joint start within its limits", status=5),
    Case('type = "emm"', 'method = "emm"', "method", 'here it is called "type"'),
    Case('type = "emm"\n', "", "[integrator]", 'missing key "type"', "`ancora plugins` lists"),
    Case("[output]", force('type = "rope"\na = "arm@[0, 0, 0]"\nb = "ground@[0, 0, 1]"\nlength = 9').replace(
        "[integrator]", "[output]"), 'a = "arm@[0, 0, 0]"', 'here it is called "points"'),
    Case("[output]", '[[joint]]\nname = "g"\ntype = "gear"\na = "shoulder"\nb = "elbow"\n[output]', 'a = "shoulder"',
         'here it is called "on"'),
    Case('at = "fore@[0.5, 0.0, 0.0]"', 'on = "fore@[0.5, 0.0, 0.0]"', 'on = "fore@', 'here it is called "at"'),
    Case("[output]", '[[generate]]\ncount = 3\n[[generate.body]]\nname = "p_${i}"\ntype = "particle"\nmass = 1\n[output]',
         "count", 'here it is called "for"'),
    Case("gravity = [0.0, 0.0, -9.81]", "gravity = [0.0, 0.0, -9.81", None, "m.toml:7:",
         'the array of "gravity" in line 5 is not closed; write ] at its end'),
    Case("gravity = [", "// down\ngravity = [", None, "m.toml:5:", "a comment begins with #; write # down"),
    Case("[0.0, 0.0, -9.81]", "[0.0, 0.0, - 9.81]", None, "m.toml:5:", "a sign stands at its number: -9.81"),
    Case("[[force]]", '[model]\nname = "x"\n[[force]]', None, "m.toml:38:", "[model] stands twice, first in line 4"),
    Case("mass = 2.0", 'mass = 2.0\nshape = { box = [1, 1, 1], color = "qqqq" }', '"qqqq"', "a name as on the web"),
    # --- what the next eight models have found
    Case('type = "emm"', 'type = "emm"\nbody = [{ name = "b" }]', "body = [{", "[integrator]: body stands below the header",
         "move it above all headers", "[[body]]"),
    Case("k = 3.0", "k = 3.0\nmodel = { gravity = [0, 0, 0] }", "model = {", "[parameters]: model stands below the header"),
    Case("[parameters]", 'shape = [\n  { box = [1, 1, 1],\n    color = "red" },\n]\n[parameters]', None, "m.toml:2:",
         "a table in braces stays in one line"),
    Case("[output]", '[[contact]]\nname = "c"\n[output]', "contact", 'unknown table "contact"; write [[joint]]'),
    Case(AXIS, AXIS + "\nmotor = 1\nmotor = 2", None, "m.toml:29:", "if it is a second law, make it a [[force]]"),
    Case(AXIS, DRIVE + '{ motion = "course.csv", column = "q" }', 'column = "q"', 'unknown key "column"',
         'a column is that of a file: { file = "...", column = "..." }', files={"course.csv": "t,q\n0,0\n1,0\n"}),
    Case('damping = "${k}"', 'damping = "2*abs(rate)"', '"2*abs(rate)"', 'found "rate"',
         'a law of value and rate is a formula, as a "motor" has it'),
    Case("density = 1000.0", 'density = "pow(10, 3)"', '"pow(10', "expected a function; a power is written a^b"),
    Case("density = 1000.0", 'density = "gamma(2)"', '"gamma(2)"', "expected a function; there are abs, acos, "),
    Case("[output]", force('type = "motor"\non = "fore.z"\neffort = 1').replace("[integrator]", "[output]"), '"fore.z"',
         '"fore.z" is a value of formulas and conditions', 'joint of type "measure" from "ground" to "fore"',
         "displacement_z"),
    Case("point = [1.0, 0.0, 0.0]", 'point = [1.0, 0.0, 0.0]\nstart = "15*2"', '"15*2"', 'start: "15*2" is 30 rad',
         'write "(15*2) deg"', status=0),
    Case("[output]", ROD + 'type = "ancf_rigid_body"\nmass = 1\n[[joint]]\nname = "s"\ntype = "universal"\na = "ground"\n'
         'b = "rod"\npoint = [0, 0, 3]\n[output]', '[[joint]]\nname = "s"', "axis_a: is missing", "or the end of a link"),
]

with tempfile.TemporaryDirectory() as name:
    right = run(BASE, "run", pathlib.Path(name))
    if right.returncode != 0 or right.stderr != "":
        failures.append(f"the model without mistakes: status {right.returncode}\n{right.stderr}")
    # A particle is one point, which its name says
    BALL = ('[[body]]\nname = "ball"\ntype = "particle"\nmass = 1\nposition = [0, 0, -1]\n[[force]]\nname = "hang"\n'
            'type = "spring"\na = "arm@[0, 0, 0]"\nb = {}\nstiffness = 3\n[output]')
    histories = []
    for point in ('"ball"', '"ball@[0, 0, 0]"'):
        done = run(BASE.replace("[output]", BALL.format(point)), "run", pathlib.Path(name))
        history = pathlib.Path(name, "results", "m", "history.csv")
        histories.append(history.read_bytes() if done.returncode == 0 else done.stderr)
    if histories[0] != histories[1] or not isinstance(histories[0], bytes):
        failures.append(f"a particle by its name: {histories[0][:300]!r}")
assert len(CASES) >= 76
for case in CASES:
    case.check()
print(f"{len(CASES)} mistakes")
for failure in failures:
    print("FAILED", failure)
sys.exit(1 if failures else 0)
