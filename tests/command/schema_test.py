# SPDX-License-Identifier: BSD-3-Clause
"""`ancora schema` by an independent validator: what is right passes, what is wrong does not.

usage: schema_test.py ANCORA SOURCE_DIR; exit status 77 without tomllib or jsonschema.
"""
import copy
import json
import pathlib
import subprocess
import sys

try:
    import tomllib

    import jsonschema
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

ancora, source = sys.argv[1], pathlib.Path(sys.argv[2])
failures = []


def output(*arguments):
    return subprocess.run([ancora, *arguments], check=True, capture_output=True, text=True).stdout


schema = json.loads(output("schema"))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)


def expect(is_right, title, manifest):
    errors = [f"{list(e.absolute_path)}: {e.message[:200]}" for e in validator.iter_errors(manifest)]
    if is_right and errors:
        failures.append(f"{title}: refused: {errors[0]}")
    if not is_right and not errors:
        failures.append(f"{title}: accepted")


# Every manifest that is shipped, and what --print makes of it.
manifests = sorted(source.glob("examples/*/*.toml"))
assert len(manifests) >= 17, manifests
for file in manifests:
    # no model; its plugin is not built here
    if file.name != "study.toml" and file.parent.name not in ("custom_constraint", "custom_integrator"):
        expect(True, str(file), tomllib.loads(file.read_text()))
        if file.name == "model.toml":
            expect(True, f"{file} --print", tomllib.loads(output("check", "--print", str(file))))

# The types' own examples, by which their plugins are checked, too.
num_examples = 0
for entry in json.loads(output("describe", "--all", "--json")):
    for text in entry["examples"]:
        keys = tomllib.loads(text)
        title = f"{entry['kind']} {entry['name']}: {text!r}"
        if entry["kind"] == "integrator":
            expect(True, title, {"integrator": {"type": entry["name"], entry["name"]: keys}})
        else:
            one = {"name": "x", "type": entry["name"]} | keys
            expect(True, title, {entry["kind"]: [one]})
            expect(True, title, {"generate": [{"for": {"i": 3}, entry["kind"]: [one]}]})
            expect(False, f"unknown key, {title}", {entry["kind"]: [one | {"no_such_key": 1}]})
            for parameter in entry["parameters"]:
                if parameter["required"]:
                    left = {key: one[key] for key in one if key != parameter["name"]}
                    expect(False, f"without {parameter['name']}, {title}", {entry["kind"]: [left]})
        num_examples += 1
assert num_examples >= 30, num_examples

base = tomllib.loads("""
include = ["common.toml"]
[parameters]
r = 0.02
L = "250 mm"
p = [1, "L/2", inf]
[model]
name = "a"
gravity = [0, 0, "-9.81 m/s^2"]
plugins = ["truss"]
[[body]]
name = "box"
type = "ancf_rigid_body"
size = ["L", 2, 1]
density = 2700
penalty = inf
shape = [{ sphere = "40 mm", color = [1, 0, 0.5], opacity = 0.5 }, { rod = { from = [0, 0, 0], to = "p", radius = "r" } }]
[[body]]
name = "boom_${n}"
type = "truss"
from = [0, 0, 0]
to = "p"
area = "pi*r^2"
young = "70 GPa"
density = 0
mass = "lumped"
groups.rim.young = 1e9
shape = "none"
[[constraint]]
name = "pin"
type = "position"
a = "box@[${L/2}, 0, 0]"
b = "boom@0"
[[generate]]
for = {i = "n", j = [1, 3]}
[[generate.force]]
name = "f_${i}"
type = "point_load"
at = "box@[0, 0, 0]"
force = ["${r}*t", "0", "0"]
[integrator]
type = "emm"
step = "1 ms"
end = 1
[integrator.emm]
max_iterations = 20
[integrator.dopri5]
[output]
every = 0.01
points = ["box@[0, 0, 0]"]
columns = ["box.w?", "*.x"]
forces = "all"
""")
expect(True, "base", base)


def broken(title, change):
    manifest = copy.deepcopy(base)
    change(manifest)
    expect(False, title, manifest)


def put(*path, value):
    def change(manifest):
        at = manifest
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value

    broken(f"{'.'.join(map(str, path))} = {value!r}", change)


put("solver", value={})
put("include", value=3)
put("parameters", "a-b", value=1)
put("parameters", "a", value=True)
put("parameters", "a", value=[[1]])
put("model", "gravty", value=[0, 0, 0])
put("model", "gravity", value=[0, -9.81])
put("model", "gravity", value=[0, 0, True])
put("model", "plugins", value="emm")
put("model", "project_start", value=1)
put("body", value={})
put("body", 0, "type", value="ancf_rigid_boddy")
put("body", 0, "type", value=3)
put("body", 0, "name", value="1st")
put("body", 0, "name", value="energy")
put("body", 0, "densty", value=2700)
put("body", 0, "density", value=-1)
put("body", 0, "density", value=[1])
put("body", 0, "density", value="heavy!")
put("body", 0, "size", value=[1, 2])
put("body", 0, "size", value=[1, 2, 0])
put("body", 0, "size", value=["", 2, 1])
put("body", 0, "start", value="relaxd")
put("body", 0, "shape", value="nothing")
put("body", 0, "shape", value={"ball": 1})
put("body", 0, "shape", value={"box": [1, 2]})
put("body", 0, "shape", value=[{"sphere": 1, "opacity": 2}])
put("body", 0, "shape", value={"cylinder": {"radius": 1, "from": [0, 0, 0]}})
put("constraint", 0, "shape", value="none")
put("body", 1, "mass", value="lump")
put("body", 1, "tension_only", value=1)
put("body", 1, "nodes", value=[[0, 0], [1, 1]])
put("body", 1, "groups", "rim", "yung", value=1)
put("constraint", 0, "a", value=1)
put("constraint", 0, "type", value="truss")  # a body
put("generate", 0, "for", value={})
put("generate", 0, "for", value={"i": -1})
put("generate", 0, "for", value={"i": [1, [2], 3]})
put("generate", 0, "bodies", value=[])
put("generate", 0, "force", 0, "at", value=3)
put("integrator", "type", value="emn")
put("integrator", "step", value=0)
put("integrator", "stp", value=0.1)
put("integrator", "emm", value={"max_iteration": 3})
put("integrator", "emm", value={"max_iterations": 2.5})
put("output", "every", value=0)
put("output", "forces", value="some")
broken("body without type", lambda m: m["body"][0].pop("type"))
broken("body without name", lambda m: m["body"][0].pop("name"))
broken("generate without for", lambda m: m["generate"][0].pop("for"))

# A message points at the key that is wrong, not at a list of alternatives that all fail.
errors = list(validator.iter_errors({"body": [{"name": "b", "type": "truss", "yung": 1}]}))
if not any("'yung' was unexpected" in e.message for e in errors):
    failures.append(f"message of an unknown key: {[e.message[:200] for e in errors]}")

# Every key of every type has a title and a description.
for name, definition in schema["definitions"].items():
    for key, value in definition.get("properties", {}).items():
        if "." in name and key != "type" and not {"title", "description"} <= value.keys():
            failures.append(f"{name}: {key} is not described")

print("\n".join(failures) if failures else f"{len(manifests)} manifests, {num_examples} examples")
sys.exit(1 if failures else 0)
