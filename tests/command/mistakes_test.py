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
    """BASE with `old` replaced by `new`; `at` is where the message points, `says` what is in it."""

    def __init__(self, old, new, at, *says, status=3, command="check", files=None):
        assert old in BASE, old
        self.text = BASE.replace(old, new, 1)
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
        kind = "warning: " if self.status == 0 else f"m.toml:{self.place}: "
        wanted = [kind, *([f"m.toml:{self.place}: "] if self.place else []), *self.says]
        for part in wanted:
            if part not in said:
                failures.append(f"{self.title}: {part!r} is not in\n{said}")


ARM = 'type = "ancf_rigid_body"\nsize'
AXIS = "axis = [0.0, -1.0, 0.0]"
LOAD = 'force = ["0", "0", "${k}*t"]'
MOTOR = AXIS + '\nmotor = '
DRIVE = AXIS + '\ndrive = '


def force(keys):
    return '[[force]]\nname = "f"\n' + keys + '\n\n[integrator]'


CASES = [
    # --- TOML
    Case("[[body]]", "[body]", "[body]", "must be a list of tables", "write [[body]] above each body"),
    Case("[[joint]]", "[joint]", "[joint]", "write [[joint]] above each joint"),
    Case('type = "revolute"', "type = “revolute”", "“revolute”", "quotes are typographic", "write straight ones"),
    Case('name = "arm"', "name = «arm»", "«arm»", "quotes are typographic"),
    Case('type = "revolute"', "type = revolute", "revolute\na", 'stand in quotes: type = "revolute"'),
    Case("density = 1000.0", "density = 1000 kg/m^3", "kg/m^3", 'stand in quotes: density = "1000 kg/m^3"'),
    Case("density = 1000.0", "density = 1000,0", ",0", "Error while parsing"),
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
    # --- names and types
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
    Case('at = "fore@[0.5, 0.0, 0.0]"', 'at = "fore"', '"fore"\nforce', "BODY@[x, y, z]", "BODY.FRAME"),
    Case('at = "fore@[0.5, 0.0, 0.0]"', 'at = "fore@[k, 0, 0]"', '"fore@[k, 0, 0]"', "${k}"),
    Case("[integrator]", force('type = "motor"\non = "shoulder.angel"\neffort = 1.0'), '"shoulder.angel"',
         'did you mean "angle"?'),
    Case("[integrator]", force('type = "motor"\non = "sholder.angle"\neffort = 1.0'), '"sholder.angle"', "measure"),
    Case("point = [0.0, 0.0, 0.0]\n", "", "[[joint]]", "point: is missing", "Give point = [x, y, z]"),
    Case(AXIS, 'axis = "w"', '"w"', "axis"),
    # --- formulas
    Case(AXIS, MOTOR + '"k*t"', '"k*t"', 'found "k", which is a parameter: write ${k}'),
    Case(LOAD, 'force = ["0", "0", "k*t"]', '["0", "0", "k*t"]', 'found "k", which is a parameter: write ${k}'),
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
    # --- scenery
    Case("[integrator]", '[[shape]]\nbody = "arm"\nbox = [1, 1, 1]\n\n[integrator]', '"arm"\nbox',
         'expected "ground"', "shape = { ... }"),
    Case("[integrator]", '[[shape]]\nboxx = [1, 1, 1]\n\n[integrator]', "boxx", 'did you mean "box"?'),
    Case("[integrator]", '[[frame]]\nname = "x"\n\n[integrator]', '"x"', "means a coordinate"),
]

with tempfile.TemporaryDirectory() as name:
    right = run(BASE, "run", pathlib.Path(name))
    if right.returncode != 0 or right.stderr != "":
        failures.append(f"the model without mistakes: status {right.returncode}\n{right.stderr}")
assert len(CASES) >= 40
for case in CASES:
    case.check()
print(f"{len(CASES)} mistakes")
for failure in failures:
    print("FAILED", failure)
sys.exit(1 if failures else 0)
