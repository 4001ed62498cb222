# SPDX-License-Identifier: BSD-3-Clause
"""Formulas that jump and have corners, tables in formulas, and what belongs to the ground, by runs of the command.

Impulses and ways of a mass under a load over time beside quadrature by Gauss between the known jumps and corners.

usage: formulas_test.py ANCORA
"""
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ancora = pathlib.Path(sys.argv[1]).resolve()
failures = []


def expect(is_right, what):
    if not is_right:
        failures.append(what)


def run(folder, text, *options, command="run"):
    (folder / "m.toml").write_text(text)
    result = subprocess.run([ancora, command, "m.toml", *options], cwd=folder, capture_output=True, text=True)
    if result.returncode != 0:
        failures.append(f"{text}\n{result.stderr}")
    return result


def last_row(folder):
    with open(folder / "results" / "m" / "history.csv") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return {key.split(" ")[0]: float(value) for key, value in rows[-1].items() if value}


# --- loads over time

GAUSS = [(0.0, 128 / 225)] + [
    (s * math.sqrt(5 + d * 2 * math.sqrt(10 / 7)) / 3, (322 - d * 13 * math.sqrt(70)) / 900)
    for d in (-1, 1) for s in (-1, 1)]


def integral(f, breaks, end):
    points = [0.0, *[b for b in breaks if 0 < b < end], end]
    total = 0.0
    for a, b in zip(points, points[1:]):
        for k in range(40):
            left, right = a + (b - a) * k / 40, a + (b - a) * (k + 1) / 40
            total += 0.5 * (right - left) * sum(w * f(0.5 * (left + right) + 0.5 * (right - left) * x) for x, w in GAUSS)
    return total


def smooth(s):
    s = min(max(s, 0.0), 1.0)
    return s**3 * (10 - 15 * s + 6 * s * s)


def piecewise(rows):
    def value(x):
        if x <= rows[0][0]:
            return rows[0][1]
        for (a, p), (b, q) in zip(rows, rows[1:]):
            if x <= b:
                return p + (q - p) * (x - a) / (b - a)
        return rows[-1][1]
    return value


# f(x, y) at x by rows, y by columns
MAP_X, MAP_Y = [0.0, 0.3, 0.6, 0.9], [-0.5, 0.0, 0.8]
MAP = [[1.0, 4.0, -2.0], [2.0, -1.0, 3.0], [0.0, 0.5, 5.0], [-3.0, 2.0, 1.0]]


def bilinear(x, y):
    return piecewise([(a, piecewise(list(zip(MAP_Y, row)))(y)) for a, row in zip(MAP_X, MAP)])(x)


END = 1.0
ROAD = [(0.0, 1.0), (0.213, 4.0), (0.57, -2.0), (0.8, 0.5)]
# Where the road passes a value of MAP_Y
MEETS = [a + (b - a) * (y - p) / (q - p) for (a, p), (b, q) in zip(ROAD, ROAD[1:]) for y in MAP_Y
         if min(p, q) < y < max(p, q)]
LOADS = [
    ("if(t < 0.3137, 2, 5)", lambda t: 2 if t < 0.3137 else 5, [0.3137]),
    ("if(t > 0.2 and t <= 0.2004, 300, 0)", lambda t: 300 if 0.2 < t <= 0.2004 else 0, [0.2, 0.2004]),
    ("3*step(t, 0.111, 0.777)", lambda t: 3 * smooth((t - 0.111) / 0.666), [0.111, 0.777]),
    ("floor(7*t)", lambda t: math.floor(7 * t), [k / 7 for k in range(1, 7)]),
    ("if(mod(t, 0.3) < 0.13, 4, -1)", lambda t: 4 if t % 0.3 < 0.13 else -1, [0.13, 0.3, 0.43, 0.6, 0.73, 0.9]),
    ("table(\"road.csv\", t)", piecewise(ROAD), [x for x, _ in ROAD]),
    ("2*table(\"many.csv\", \"z\", t)", lambda t: 2 * piecewise(ROAD)(t), [x for x, _ in ROAD]),
    ("table([[0, 1], [0.5, 3]], t)", piecewise([(0, 1), (0.5, 3)]), [0.5]),
    ("table(\"map.csv\", t, 2 - 3*t)", lambda t: bilinear(t, 2 - 3 * t), [0.3, 0.4, 0.6, 2 / 3, 2.5 / 3, 0.9]),
    ("1 + table(\"wide.csv\", table(\"road.csv\", t), t)", lambda t: 1 + bilinear(t, piecewise(ROAD)(t)),
     sorted([0.213, 0.3, 0.57, 0.6, 0.8, 0.9] + MEETS)),
]
# What an order leaves of smooth parts; jumps that were stepped over would leave 1e-3
ALLOWED = {"emm": 1e-5, "rk4": 1e-9, "dopri5": 1e-7}
for formula, f, breaks in LOADS:
    impulse = integral(f, breaks, END)
    way = integral(lambda t: (END - t) * f(t), breaks, END)
    for integrator, allowed in ALLOWED.items():
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "road.csv").write_text("".join(f"{x},{y}\n" for x, y in ROAD))
            (folder / "map.csv").write_text("corner," + ",".join(map(str, MAP_Y)) + "\n" + "".join(
                f"{x}," + ",".join(map(str, row)) + "\n" for x, row in zip(MAP_X, MAP)))
            (folder / "wide.csv").write_text("0;" + ";".join(map(str, MAP_X)) + "\n" + "".join(
                f"{y};" + ";".join(str(row[k]) for row in MAP) + "\n" for k, y in enumerate(MAP_Y)))
            (folder / "many.csv").write_text("t [ms];y;z [mm]\n" + "".join(
                f"{1e3 * x};7;{1e3 * y}\n" for x, y in ROAD))
            run(folder, f"""\
[[body]]
name = "ball"
type = "particle"
mass = 2.0
[[force]]
name = "push"
type = "point_load"
at = "ball@0"
force = ['{formula}', "0", "0"]
[integrator]
type = "{integrator}"
step = 0.01
end = {END}
""")
            row = last_row(folder)
        for column, exact in (("ball.vx", impulse / 2), ("ball.x", way / 2)):
            error = abs(row[column] - exact)
            # Products of two tables are curved between corners, which a midpoint rule sees
            curved = 10 if "map" in formula or "wide" in formula else 1
            expect(error <= curved * allowed * (1 + abs(exact)), f"{integrator}, {formula}: {column} is off by {error:.2e}")

# --- the ground

ARM = """\
[model]
gravity = [0, 0, -9.81]
[[body]]
name = "arm"
type = "ancf_rigid_body"
size = [1.0, 0.1, 0.1]
density = 100.0
position = [1.5, 0.0, 2.0]
%s
[[joint]]
name = "hinge"
type = "revolute"
b = "arm"
%s
[integrator]
type = "emm"
step = 0.01
end = 0.5
[output]
%s
"""
SCENERY = """
[[shape]]
box = [20, 4, 0.1]
position = [0, 0, -0.05]
[[shape]]
body = "ground"
cylinder = { radius = "5 cm", from = [1, 0, 0], to = [1, 0, 2] }
color = "steelblue"
[[frame]]
name = "pier"
position = [1.0, 0.0, 2.0]
axis = "-y"
"""
FRAME = '\n[[body.frame]]\nname = "root"\nposition = [-0.5, 0, 0]\naxis = [0, -1, 0]\n'
ends = []
for extra, joint, output in [
    ("", 'a = "ground"\npoint = [1, 0, 2]\naxis = [0, -1, 0]', ""),
    ("", 'a = "ground"\npoint = [1, 0, 2]\naxis = "-y"', ""),
    (FRAME + SCENERY, 'a = "ground.pier"', 'points = ["ground.pier"]'),
]:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text = ARM % (extra, joint, output)
        if "pier" in joint:
            text = text.replace('b = "arm"', 'b = "arm.root"')
        run(folder, text)
        row = last_row(folder)
        ends.append((row["arm.x"], row["arm.z"], row["hinge.angle"]))
        scene = json.loads((folder / "results" / "m" / "scene.json").read_text())
        names = [body["name"] for body in scene["bodies"]]
        if extra:
            expect(names == ["arm", "ground"], f"bodies of the scene: {names}")
            ground = scene["bodies"][1]
            expect(len(ground["shapes"]) == 2, f"scenery: {ground}")
            expect(abs(row["ground.pier.x"] - 1) + abs(row["ground.pier.z"] - 2) == 0, "the frame as a point")
            printed = run(folder, text, "--print", command="check").stdout
            again = run(folder, printed, "--print", command="check").stdout
            expect(printed == again and "[[shape]]" in printed, "--print keeps what belongs to the ground")
            report = subprocess.run([ancora, "report", "results/m"], cwd=folder, capture_output=True, text=True)
            expect(report.returncode == 0, report.stderr)
        else:
            expect(names == ["arm"], f"bodies of the scene: {names}")
for end in ends[1:]:
    difference = max(abs(a - b) for a, b in zip(end, ends[0]))
    expect(difference <= 1e-12, f"the same joint, written otherwise: {difference:.1e}")

# --- laws inside of joints along whose axis a point slides, beside the same laws written as forces

LAWS = [("spring", "spring_damper", "{ stiffness = 40, free = 0.1, damping = 0.5 }", "stiffness = 40\nfree = 0.1\ndamping = 0.5"),
        ("damping", "damper", "2.0", "damping = 2.0"),
        ("motor", "motor", '"3*sin(5*t)"', 'effort = "3*sin(5*t)"')]
SLIDER = """[model]
gravity = [0, 0, -9.81]
[[body]]
name = "slider"
type = "ancf_rigid_body"
size = [0.2, 0.1, 0.1]
density = 300
[integrator]
type = "emm"
step = 0.01
end = 0.5
[[joint]]
name = "j"
type = "%s"
a = "ground"
b = "slider"
point = [0.1, 0, 0]
axis = [1, 2, 2]
%s
"""
for kind in ("in_line", "prismatic"):
    for key, law, inside, keys in LAWS:
        found = []
        for text in (f"{key} = {inside}", f'[[force]]\nname = "f"\ntype = "{law}"\non = "j"\n{keys}'):
            with tempfile.TemporaryDirectory() as name:
                run(pathlib.Path(name), SLIDER % (kind, text))
                end = last_row(pathlib.Path(name))
                found.append([end[c] for c in ("slider.x", "slider.y", "slider.z", "slider.qw", "j.displacement")])
        expect(max(abs(a - b) for a, b in zip(*found)) <= 1e-12, f"{key} inside of {kind} and beside it: {found}")
        expect(abs(found[0][-1]) > 1e-3, f"{key} inside of {kind} does not move")

# --- what types are called in manifests

plugins = json.loads(subprocess.run([ancora, "plugins", "--json"], check=True, capture_output=True, text=True).stdout)
types = {t["name"]: (t["heading"], t["joint_key"]) for p in plugins["plugins"] for t in p["types"]}
for name, called in {
    "revolute": ("[[joint]]", ""),
    "bushing": ("[[joint]]", ""),
    "spring_damper": ("[[force]]", "spring"),
    "damper": ("[[force]]", "damping"),
    "drive": ("[[force]]", "drive"),
    "motor": ("[[force]]", "motor"),
    "stop": ("[[force]]", "limits"),
    "coupler": ("[[constraint]]", ""),
    "particle": ("[[body]]", ""),
    "emm": ("[integrator]", ""),
}.items():
    expect(types.get(name) == called, f"{name} is called {types.get(name)}, expected {called}")
with tempfile.TemporaryDirectory() as name:
    model = ARM % ("", 'a = "ground"\npoint = [1, 0, 2]\naxis = "y"\nspring = 3.0\ndamping = 1.0\ndrive = "0"', "")
    counts = json.loads(run(pathlib.Path(name), model, "--json", command="check").stdout)
expect([counts[key] for key in ("bodies", "joints", "constraints", "forces")] == [1, 1, 0, 3], f"counts {counts}")

print(f"{len(LOADS) * len(ALLOWED)} runs under loads, {len(ends)} joints")
# --- mass and centre of particles that lack some directions, beside the sums

for axes in ("x", "z", "yz", "zx", "xyz"):
    masses, places = (2.0, 3.0), ((1.0, 2.0, 3.0), (-4.0, 0.5, 1.0))
    text = "".join(f'[[body]]\nname = "p{i}"\ntype = "particle"\nmass = {m}\nposition = {list(x)}\n'
                   f'coordinates = "{axes}"\n' for i, (m, x) in enumerate(zip(masses, places)))
    with tempfile.TemporaryDirectory() as name:
        said = json.loads(run(pathlib.Path(name), text + '[integrator]\ntype = "emm"\nstep = 0.1\nend = 0.1\n',
                              "--json", command="check").stdout)
    expect(abs(said["mass"] - 5.0) < 1e-14, f"mass along {axes}: {said['mass']}")
    for i, axis in enumerate("xyz"):
        centre = sum(m * x[i] for m, x in zip(masses, places)) / 5.0
        if axis in axes:
            expect(abs(said["center_of_mass"][i] - centre) < 1e-14,
                   f"centre along {axes}: {said['center_of_mass']}")
    # a turn about axis i moves m along j by x_k; off the axes by the pair
    c = [sum(m * x[i] for m, x in zip(masses, places)) / 5.0 for i in range(3)]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        inertia = 0.0
        for along, across in ((j, k), (k, j)):
            if "xyz"[along] in axes and "xyz"[across] in axes:
                inertia += sum(m * (x[across] - c[across]) ** 2 for m, x in zip(masses, places))
        if len(axes) == 3:
            expect(abs(said["inertia"][i][i] - inertia) < 1e-12, f"inertia {axes}: {said['inertia']}, {inertia}")

# --- a column of a file inside a joint, with the law's own keys beside it

ARM = """[[body]]
name = "arm"
type = "ancf_rigid_body"
from = [0, 0, 0]
to = [1, 0, 0]
mass = 2
radius = 0.1
[[joint]]
name = "hinge"
type = "revolute"
a = "ground"
b = "arm@from"
axis = "z"
drive = {file = "course.csv", column = "q2", interpolation = "rest", outside = "hold"}
[integrator]
type = "emm"
step = 0.01
end = 1.5
"""
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "course.csv").write_text("t [s],q1 [deg],q2 [deg]\n0,0,0\n1,5,60\n")
    run(folder, ARM)
    # the cubic at rest at both ends, then held
    expect(abs(last_row(folder)["hinge.angle"] - math.pi / 3) < 1e-9, f"the end: {last_row(folder)['hinge.angle']}")
    run(folder, ARM.replace("end = 1.5", "end = 0.25"))
    expect(abs(last_row(folder)["hinge.angle"] - math.pi / 3 * (3 - 2 * 0.25) * 0.25 ** 2) < 1e-9,
           f"the way: {last_row(folder)['hinge.angle']}")
    # what the run keeps is the same model
    kept = subprocess.run([ancora, "run", "results/m/model.toml", "--out", "again", "--quiet"], cwd=folder,
                          capture_output=True, text=True)
    same = [(folder / at / "history.csv").read_bytes() for at in ("results/m", "again") if kept.returncode == 0]
    expect(len(same) == 2 and same[0] == same[1], f"the kept model: {kept.stderr}")

for failure in failures:
    print("FAILED", failure)
sys.exit(1 if failures else 0)
