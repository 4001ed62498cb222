#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds report pages from made-up data, without a run and without the program that writes reports.

The data follows the format of the page (framework/report/README.md) through an encoder of its own,
so that a page made here checks how the page reads, whatever the program writes. Standard library only.

    sample_page.py KIND FILE     KIND: net, pair, surface, beams, mechanism, travel, large_net, many_bodies, no_frames, empty, single, killed, damaged
"""
import array
import base64
import hashlib
import html
import json
import math
import pathlib
import random
import re
import sys
import zlib

REPORT = pathlib.Path(__file__).resolve().parents[2] / "framework" / "report"

# --- arrays -----------------------------------------------------------------------------------

CODES = {"u8": "B", "i16": "h", "i32": "i", "f32": "f", "f64": "d"}
UNSIGNED = {"u8": "B", "i16": "H", "i32": "I"}


def encode(kind, shape, values, delta=False, planes=True, scale=None, offset=None):
    """One array of the page's data from raw values in row-major order."""
    if delta:
        width = len(values) // shape[0] if shape[0] else 0
        mask = {"u8": 0xFF, "i16": 0xFFFF, "i32": 0xFFFFFFFF}[kind]
        first = [v & mask for v in values[:width]]
        raw = array.array(UNSIGNED[kind], first)
        raw.extend((b - a) & mask for a, b in zip(values, values[width:]))
    else:
        raw = array.array(CODES[kind], values)
    if sys.byteorder == "big":
        raw.byteswap()
    data = raw.tobytes()
    if planes:
        size = raw.itemsize
        data = b"".join(data[p::size] for p in range(size))
    out = {"shape": shape, "type": kind, "delta": delta, "planes": planes}
    if scale is not None:
        out["scale"], out["offset"] = scale, offset
    out["data"] = base64.b64encode(zlib.compress(data, 6)).decode()
    return out


def quantise(shape, values, period, kind="i16"):
    """An array of integers that spread over the range of each of `period` interleaved components."""
    levels = {"i16": 65535, "i32": 4294967295}[kind]
    low = -(levels + 1) // 2
    scale, offset = [], []
    raw = [0] * len(values)
    for p in range(period):
        part = values[p::period]
        lo, hi = min(part), max(part)
        step = (hi - lo) / levels or 1.0
        scale.append(step)
        offset.append(lo - low * step)
        raw[p::period] = [min(round((v - lo) / step), levels) + low for v in part]
    return encode(kind, shape, raw, delta=True, scale=scale, offset=offset)


# --- the page ---------------------------------------------------------------------------------

PARTS = {
    "@STYLE@": ["vendor/uPlot.min.css", "page/page.css"],
    "@THREE@": ["vendor/three.min.js"],
    "@UPLOT@": ["vendor/uPlot.iife.min.js"],
}


def build_page(data, title="Sample", data_text=None):
    """The template with everything in it; the policy allows just these scripts and this style."""
    text = (REPORT / "page" / "page.html").read_text()
    parts = {key: "\n".join((REPORT / name).read_text() for name in names) for key, names in PARTS.items()}
    parts["@SCRIPT@"] = "\n".join(f.read_text() for f in sorted((REPORT / "page").glob("*.js")))
    parts["@TITLE@"] = html.escape(title)
    parts["@DATA@"] = (data_text if data_text is not None else json.dumps(data)).replace("<", "\\u003c")
    text = re.sub("@(STYLE|THREE|UPLOT|SCRIPT|TITLE|DATA)@", lambda m: parts[m.group(0)], text)

    def hashes(pattern):
        found = re.findall(pattern, text, re.DOTALL)
        return " ".join("'sha256-%s'" % base64.b64encode(hashlib.sha256(t.encode()).digest()).decode() for t in found)

    policy = "default-src 'none'; script-src %s; style-src %s; img-src data: blob:" % (
        hashes("<script>(.*?)</script>"), hashes("<style>(.*?)</style>"))
    return text.replace("@POLICY@", policy)


# --- made-up runs -----------------------------------------------------------------------------

OMEGA = 1.3                        # turn of the box about AXIS [rad/s]
AXIS = (0.48, 0.6, 0.64)
DURATION = 8.0


def turn(t):
    """Attitude of the box, w x y z."""
    half = 0.5 * OMEGA * t
    return [math.cos(half), *(math.sin(half) * a for a in AXIS)]


def rotate(q, r):
    w, x, y, z = q
    u = [y * r[2] - z * r[1] + w * r[0], z * r[0] - x * r[2] + w * r[1], x * r[1] - y * r[0] + w * r[2]]
    return [r[0] + 2 * (y * u[2] - z * u[1]), r[1] + 2 * (z * u[0] - x * u[2]), r[2] + 2 * (x * u[1] - y * u[0])]


def box_position(t):
    return [0.8 * math.sin(0.7 * t), 0.25 * t - 1.0, 0.6 * math.cos(0.5 * t)]


def net_nodes(t, rows, columns, size, shift=0.0):
    q, p = turn(t), box_position(t)
    nodes = []
    for i in range(rows):
        for j in range(columns):
            x, y = 1.5 + size * i / (rows - 1), size * (j / (columns - 1) - 0.5)
            z = 0.12 * size * math.sin(3.0 * x + 2.0 * t + shift) * (x - 1.5) / size
            r = rotate(q, [x, y, z])
            nodes += [p[0] + r[0], p[1] + r[1], p[2] + r[2]]
    return nodes


def grid_lines(rows, columns):
    lines = []
    for i in range(rows):
        for j in range(columns):
            n = i * columns + j
            if j + 1 < columns:
                lines += [n, n + 1]
            if i + 1 < rows:
                lines += [n, n + columns]
    return lines


def bounds(*points):
    """Least and greatest of x, y, z over flat lists of points."""
    return ([min(min(p[c::3]) for p in points) for c in range(3)], [max(max(p[c::3]) for p in points) for c in range(3)])


def summary(name, end=DURATION, steps=8000, wall=0.41, energy=4.1e-16):
    return {
        "ancora": "0.1.0",
        "model": name,
        "manifest": f"models/{name}.toml",
        "exit_reason": "completed",
        "abi_sha256": hashlib.sha256(b"abi").hexdigest(),
        "locked": True,
        "plugins": [{"name": n, "version": "0.1.0", "file": f"lib/{n}.so", "sha256": hashlib.sha256(n.encode()).hexdigest()}
                    for n in ("ancf_rigid_body", "truss", "position_constraint", "point_load", "emm")],
        "integrator": {"type": "emm", "step": end / steps, "end": end, "tolerance": None},
        "steps": steps, "substeps": steps, "wall_seconds": wall, "resumed_at": [], "files": {},
        "timings": {"step_seconds": 0.38, "factorise_seconds": 0.02, "solve_seconds": 0.11},
        "newton": {"iterations": 2 * steps + 31, "max_per_step": 4, "mean_per_step": 2 + 31 / steps},
        "factorisations": 812, "evaluations": 0, "redundant_rows": 0, "reactions": "unique",
        "energy": {"balance": {"max_abs": energy * 7600, "max_rel": energy}},
        "momentum": {"balance": {"max_abs": 1.7e-15, "max_rel": 1.1e-18}},
        "angular_momentum": {"balance": {"max_abs": 3.7e-12, "max_rel": 6.2e-17}},
        "constraint": {"position": {"max_abs": 2.2e-16, "max_rel": 7.4e-17},
                       "velocity": {"max_abs": 7.9e-14, "max_rel": 8.2e-14}},
        "events": [{"t": 1.25, "object": "net", "item": 17, "mode": "broken", "energy": 0.031},
                   {"t": 3.5, "force": "rubbing", "mode": "stick"}, {"t": 5.1, "force": "rubbing", "mode": "slip"}],
        "cost": {"ancf_rigid_body": {"seconds": 0.0227, "calls": 73244}, "truss": {"seconds": 0.107, "calls": 63243},
                 "position_constraint": {"seconds": 0.0021, "calls": 10008}, "emm": {"seconds": 0.274, "calls": 8000}},
        "final_state": {"t": end, "bodies": {"box": {"q": [0.1 * k for k in range(30)], "v": [0.0, 1.0, 2.0]}}},
    }


SYSTEM = [("energy.kinetic", "J"), ("energy.potential", "J"), ("energy.total", "J"), ("work.external", "J"),
          ("work.nonideal", "J"), ("work.projection", "J"), ("energy.balance", "J")]
SYSTEM += [(f"{n}.{c}", u) for n, u in (("momentum", "kg m/s"), ("angular_momentum", "kg m^2/s"),
                                        ("momentum.balance", "kg m/s"), ("angular_momentum.balance", "kg m^2/s"))
           for c in "xyz"]
SYSTEM += [("constraint.position", "m"), ("constraint.velocity", "m/s"), ("constraint.strain", "")]
BOX = [(f"box.{c}", "m") for c in "xyz"] + [(f"box.v{c}", "m/s") for c in "xyz"]
BOX += [(f"box.q{c}", "") for c in "wxyz"] + [(f"box.w{c}", "rad/s") for c in "xyz"]
BOX += [(f"root.force.{c}", "N") for c in "xyz"] + [(f"push.force.{c}", "N") for c in "xyz"]


def reaction(t):
    """A square wave along x, so that differences between frames wrap; smooth elsewhere."""
    return [40.0 if int(2 * t) % 2 == 0 else -40.0, 25.0 * math.sin(t), 12.0 + 5.0 * math.cos(3 * t)]


def history(rows, seed, balance=4e-15):
    chance = random.Random(seed)
    times = [DURATION * k / (rows - 1) for k in range(rows)]
    table = {name: [] for name, _ in SYSTEM + BOX}
    drift = [0.0] * 7
    for t in times:
        drift = [d + chance.gauss(0, 1) * math.sqrt(1 / rows) for d in drift]
        kinetic = 7500 + 90 * math.sin(2 * t)
        velocity = [0.56 * math.cos(0.7 * t), 0.25, -0.3 * math.sin(0.5 * t)]
        values = [kinetic, 7600 - kinetic, 7600.0, 3 * t, 0.0, 0.0, balance * drift[0],
                  210 * velocity[0], 210 * velocity[1], 210 * velocity[2], 2025.0, 6750.4, 14040.6,
                  *(1e-15 * d for d in drift[1:4]), *(2e-12 * d for d in drift[4:7]),
                  2e-16 * abs(drift[1]), 8e-14 * abs(drift[2]), 1e-16 * abs(drift[3]),
                  *box_position(t), *velocity, *turn(t), *(OMEGA * a for a in AXIS), *reaction(t), 0.0, 6.0, 2.0 * math.sin(t)]
        for (name, _), value in zip(SYSTEM + BOX, values):
            table[name].append(value)
    flat = [v for column in table.values() for v in column]
    return {"columns": [{"name": "t", "unit": "s"}] + [{"name": n, "unit": u} for n, u in SYSTEM + BOX],
            "t": encode("f64", [rows], times), "values": encode("f32", [len(table), rows], flat)}, times, table


def net_run(label="results/sample", frames=161, rows=9, columns=9, seed=1, shift=0.0, history_rows=1601, balance=4e-15):
    """A box that tumbles with a net behind it, a constraint between them, a force on the box."""
    times = [DURATION * k / (frames - 1) for k in range(frames)]
    size = 3.0
    position = [x for t in times for x in box_position(t)]
    quaternion = [x for t in times for x in turn(t)]
    nodes = [x for t in times for x in net_nodes(t, rows, columns, size, shift)]
    lines = grid_lines(rows, columns)
    count = len(lines) // 2
    force = [60 * math.sin(0.35 * (k % 37) + 1.5 * t) * math.exp(-0.001 * k) for t in times for k in range(count)]
    strain = [1e-6 * abs(f) for f in force]
    corner = [1.5, -0.5 * size, 0.0]
    attachment, reactions, pushed, pushes = [], [], [], []
    for t in times:
        p, q = box_position(t), turn(t)
        at = [a + b for a, b in zip(p, rotate(q, corner))]
        attachment += at + at
        reactions += reaction(t)
        pushed += [a + b for a, b in zip(p, rotate(q, [-1.0, 0.0, 0.5]))]
        pushes += [0.0, 6.0, 2.0 * math.sin(t)]
    low, high = bounds(position, nodes)
    columns_, history_times, table = history(history_rows, seed, balance)
    run = {
        "label": label, "summary": summary("box with net"), "checkpoint": False, "notes": [],
        "history": columns_,
        "scene": {
            "times": encode("f64", [frames], times, planes=True),
            "min": low, "max": high, "gravity": [0.0, 0.0, -9.81],
            "bodies": [
                {"name": "box", "type": "ancf_rigid_body", "position": quantise([frames, 3], position, 3),
                 "shapes": [{"kind": "box", "size": [2.0, 1.2, 0.8], "center": [0.0, 0.0, 0.0]},
                            {"kind": "cylinder", "from": [0.0, 0.0, 0.4], "to": [0.0, 0.0, 0.9], "radius": 0.25},
                            {"kind": "sphere", "radius": 0.3, "center": [-1.1, 0.0, 0.4]}],
                 "quaternion": quantise([frames, 4], quaternion, 4), "nodes": None, "lines": None, "channels": []},
                {"name": "net", "type": "truss", "shapes": [], "position": None, "quaternion": None,
                 "nodes": quantise([frames, len(nodes) // frames], nodes, 3), "lines": encode("i32", [count, 2], lines),
                 "channels": [{"name": "force", "unit": "N", "data": quantise([frames, count], force, 1)},
                              {"name": "strain", "unit": "", "data": quantise([frames, count], strain, 1, "i32")}]},
            ],
            "constraints": [{"name": "root", "type": "position", "points": ["box@[1.5, -1.5, 0]", "net@0"],
                             "positions": quantise([frames, 6], attachment, 3),
                             "force": quantise([frames, 3], reactions, 3)}],
            "forces": [{"name": "push", "type": "point_load", "points": ["box@[-1, 0, 0.5]"],
                        "positions": quantise([frames, 3], pushed, 3), "force": encode("f32", [frames, 3], pushes)}],
            "iterations": encode("f32", [frames], [float(2 + (k % 7 == 3)) for k in range(frames)]),
        },
    }
    truth = {"times": times, "position": position, "quaternion": quaternion, "history_times": history_times, "table": table,
             "position_step": [(max(position[c::3]) - min(position[c::3])) / 65535 for c in range(3)]}
    return run, truth


# --- a machine that travels

WAY = 7.0e6                        # radius of the circle that it goes along, as in an orbit [m]
FILM = ([-5, -5, 0], [5, -5, 0], [5, 5, 0], [-5, 5, 0])
HUB = [2.0, 1.0, 0.5]              # edges of its hub [m]


def travel_centre(t):
    """Of the hub: half a turn of a circle that is far larger than the machine."""
    angle = math.pi * t / DURATION
    return [WAY * math.cos(angle), WAY * math.sin(angle), 40.0]


def travel_run(label="results/travel", frames=161):
    """A hub with a film of ten metres that goes along an orbit, and turns about itself."""
    times = [DURATION * k / (frames - 1) for k in range(frames)]
    position = [x for t in times for x in travel_centre(t)]
    quaternion = [x for t in times for x in turn(t)]
    nodes = []
    for t in times:
        for corner in FILM:
            nodes += [a + b for a, b in zip(travel_centre(t), rotate(turn(t), corner))]
    low, high = bounds(position, nodes)
    bodies = [{"name": "hub", "type": "ancf_rigid_body", "position": encode("f64", [frames, 3], position),
               "quaternion": quantise([frames, 4], quaternion, 4), "nodes": None, "lines": None, "channels": [],
               "shapes": [{"kind": "box", "size": HUB, "center": [0.0, 0.0, 0.0]}]},
              {"name": "film", "type": "truss", "shapes": [], "position": None, "quaternion": None,
               "nodes": encode("f64", [frames, 12], nodes), "lines": encode("i32", [4, 2], [0, 1, 1, 2, 2, 3, 3, 0]),
               "channels": []}]
    scene = {"times": encode("f64", [frames], times), "min": low, "max": high, "gravity": [0.0, 0.0, 0.0], "bodies": bodies,
             "constraints": [], "forces": [], "iterations": None}
    return {"label": label, "summary": summary("travel"), "checkpoint": False, "notes": [], "history": None, "scene": scene}


KINDS = ["revolute", "prismatic", "cylindrical", "screw", "spherical", "universal", "planar", "fixed", "distance", "odd"]
SWING = 0.9                        # of the arms [rad], of the sliders [m / 3]


def arm_pose(kind, station, t):
    """Position and attitude of the second body of a joint: its reference point is 0.5 m beyond the joint."""
    phase = SWING * math.sin(1.5 * t)
    x, y = 1.4 * (station % 5), 2.2 * (station // 5)
    if kind in ("revolute", "spherical", "universal", "odd"):     # about y
        return [x + 0.5 * math.cos(phase), y, -0.5 * math.sin(phase)], [math.cos(phase / 2), 0.0, math.sin(phase / 2), 0.0]
    if kind in ("prismatic", "cylindrical", "screw"):            # along x
        turn = 0.0 if kind == "prismatic" else 2 * phase
        return [x + 0.5 + phase / 3, y, 0.0], [math.cos(turn / 2), math.sin(turn / 2), 0.0, 0.0]
    if kind == "planar":                                         # in the plane across z
        return [x + 0.5 + phase / 4, y + phase / 3, 0.0], [math.cos(phase / 2), 0.0, 0.0, math.sin(phase / 2)]
    return [x + 0.5, y, 0.0 if kind == "fixed" else 0.3 * phase], [1.0, 0.0, 0.0, 0.0]


def tetrahedron():
    """A mesh: points, and triangles seen counter-clockwise from outside."""
    return [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]


FAR_ENDS = [[3.0, 1.2, 0.0], [5.6, 1.0, 0.3]]


def mechanism_run(label="results/mechanism", frames=81, motor="2 N*m"):
    """A pair of bodies for each kind of joint, a spring between neighbours, a torque, shapes of all kinds."""
    times = [DURATION * k / (frames - 1) for k in range(frames)]
    still = {key: quantise([frames, n], [v for _ in times for v in value], n) for key, n, value in (("quaternion", 4, [1.0, 0.0, 0.0, 0.0]),)}
    bodies, joints, constraints, truth = [], [], [], {}
    axes = {"revolute": [0, 1, 0], "odd": [0, 1, 0], "universal": [0, 1, 0], "planar": [0, 0, 1], "spherical": None, "fixed": None, "distance": None}
    for k, kind in enumerate(KINDS):
        x, y = 1.4 * (k % 5), 2.2 * (k // 5)
        base_shapes = [{"kind": "capsule", "radius": 0.03, "from": [0, 0, 0], "to": [-0.4, 0, 0]}]
        if kind == "revolute":
            base_shapes = [{"kind": "mesh", "mesh": 0, "scale": [0.4, 0.4, 0.4], "center": [-0.4, -0.15, -0.15], "quaternion": [1, 0, 0, 0], "color": "#c05020"}]
        elif kind == "fixed":
            base_shapes = [{"kind": "box", "size": [0.4, 0.2, 0.2], "center": [-0.2, 0, 0], "quaternion": [math.cos(0.3), math.sin(0.3), 0, 0], "opacity": 0.4}]
        bodies.append({"name": f"base_{kind}", "type": "rigid", "shapes": base_shapes, "hidden": kind == "odd",
                       "position": quantise([frames, 3], [v for _ in times for v in (x, y, 0.0)], 3), "quaternion": still["quaternion"],
                       "nodes": None, "lines": None, "channels": []})
        poses = [arm_pose(kind, k, t) for t in times]
        truth[kind] = poses
        shapes = [{"kind": "capsule", "radius": 0.025, "from": [0, 0, 0], "to": [-0.5, 0, 0]}, {"kind": "sphere", "radius": 0.04, "center": [0, 0, 0]}]
        bodies.append({"name": f"arm_{kind}", "type": "rigid", "shapes": shapes, "skeleton": True,
                       "frames": [{"name": "tip", "position": [0.1, 0, 0], "quaternion": [1, 0, 0, 0]}] if k == 0 else [],
                       "position": quantise([frames, 3], [v for p, _ in poses for v in p], 3),
                       "quaternion": quantise([frames, 4], [v for _, q in poses for v in q], 4), "nodes": None, "lines": None, "channels": []})
        axis = axes.get(kind, [1, 0, 0])
        joints.append({"name": f"joint_{kind}", "kind": kind, "a": {"body": 2 * k, "position": [0, 0, 0]},
                       "b": {"body": 2 * k + 1, "position": [-0.5, 0, 0]}, "axes_a": [axis] if axis else [],
                       "axes_b": [[0, 0, 1]] if kind == "universal" else []})
        point = [v for _ in times for v in (x, y, 0.0)]
        constraints.append({"name": f"joint_{kind}", "type": kind, "points": [f"base_{kind}@[0, 0, 0]"], "positions": quantise([frames, 3], point, 3),
                            "force": None})
    # its reference point is far from what is drawn of it
    # A law on a joint's measure has no place of its own.
    constraints.append({"name": "joint_revolute.spring", "type": "spring", "points": [], "positions": None, "force": None, "torque": None})
    bodies.append({"name": "far", "type": "rigid", "shapes": [{"kind": "capsule", "radius": 0.05, "from": FAR_ENDS[0], "to": FAR_ENDS[1]}],
                   "position": quantise([frames, 3], [0.0] * (3 * frames), 3), "quaternion": still["quaternion"], "nodes": None, "lines": None, "channels": []})
    springs = [{"name": "coil", "a": {"body": 1, "position": [0, 0, 0]}, "b": {"body": 4, "position": [-0.4, 0, 0]}},
               {"name": "ground_coil", "a": {"body": -1, "position": [0.4, 0, -0.9]}, "b": {"body": 1, "position": [0, 0, 0]}}]
    torque = [v for t in times for v in (0.0, 2.0 * math.cos(1.5 * t), 0.0)]
    mesh_points, mesh_triangles = tetrahedron()
    table, history_times, values = history(801, 5)
    angle = [SWING * math.sin(1.5 * t) for t in history_times]
    rate = [1.5 * SWING * math.cos(1.5 * t) for t in history_times]
    table["columns"] += [{"name": "joint_revolute.angle", "unit": "rad"}, {"name": "joint_revolute.angle_rate", "unit": "rad/s"}]
    more = [angle, rate]
    for k in range(9):
        table["columns"].append({"name": f"link_{k}.angle", "unit": "rad"})
        more.append([0.1 * k + math.sin(t + k) for t in history_times])
    table["columns"].append({"name": "link_0.displacement", "unit": "m"})  # as rounding leaves it
    more.append([1e-16 * math.sin(t) for t in history_times])
    for name, unit in (("joint_revolute.motor", "N m"), ("link_0.drive", "N m"), ("coil", "N")):
        table["columns"].append({"name": f"{name}.effort", "unit": unit})
        more.append([len(name) * math.cos(t) for t in history_times])
    flat = [v for column in [*values.values(), *more] for v in column]
    table["values"] = encode("f32", [len(values) + len(more), len(history_times)], flat)
    return {"label": label, "summary": {**summary("mechanism"), "events": []}, "checkpoint": False, "notes": [], "history": table,
            "scene": {"times": encode("f64", [frames], times), "min": [-0.5, -0.6, -0.9], "max": [6.6, 3.0, 0.6], "gravity": [0.0, 0.0, -9.81],
                      "bodies": bodies, "constraints": constraints,
                      "forces": [{"name": "motor", "type": "motor", "points": ["base_revolute@[0, 0, 0]"],
                                  "positions": quantise([frames, 3], [0.0] * (3 * frames), 3), "force": None,
                                  "torque": encode("f32", [frames, 3], torque)}],
                      "joints": joints, "springs": springs,
                      "meshes": [{"name": "wedge.stl", "points": encode("f32", [4, 3], mesh_points), "triangles": encode("i32", [4, 3], mesh_triangles)}],
                      "iterations": None}}, truth


def surface_run(rows=7, columns=5, frames=11, label="results/film"):
    """A film of triangles with a value at each node and another of each triangle, the same at all times."""
    lines = grid_lines(rows, columns)
    triangles = []
    for i in range(rows - 1):
        for j in range(columns - 1):
            n = i * columns + j
            triangles += [n, n + columns, n + 1, n + 1, n + columns, n + columns + 1]
            lines += [n + columns, n + 1]
    times = [DURATION * k / (frames - 1) for k in range(frames)]
    nodes = [x for t in times for x in net_nodes(t, rows, columns, 3.0)]
    stress = [1e6 * (2.0 + math.sin(1.3 * n)) for n in range(rows * columns)]
    tension = [math.cos(0.7 * k) for k in range(len(triangles) // 3)]
    low, high = bounds(nodes)
    columns_, _, _ = history(101, 3)
    run = {
        "label": label, "summary": summary("film"), "checkpoint": False, "notes": [], "history": columns_,
        "scene": {
            "times": encode("f64", [frames], times, planes=True), "min": low, "max": high, "gravity": [0.0, 0.0, 0.0],
            "bodies": [{
                "name": "film", "type": "membrane", "shapes": [], "position": None, "quaternion": None,
                "nodes": quantise([frames, len(nodes) // frames], nodes, 3), "lines": encode("i32", [len(lines) // 2, 2], lines),
                "triangles": encode("i32", [len(triangles) // 3, 3], triangles),
                "channels": [{"name": "stress", "unit": "Pa", "of": "nodes", "data": quantise([frames, len(stress)], stress * frames, 1)},
                             {"name": "tension", "unit": "N/m", "of": "triangles", "data": quantise([frames, len(tension)], tension * frames, 1)}]}],
            "constraints": [], "forces": [], "iterations": encode("f32", [frames], [2.0] * frames)}}
    return run, {"triangles": triangles, "stress": stress, "tension": tension}


def beams_run(frames=11, label="results/beams"):
    """A tapered tube on a quarter of a circle, a twisted I, a rope, a support and a guide that opens in the middle."""
    times = [DURATION * k / (frames - 1) for k in range(frames)]
    angle, elements = 0.5 * math.pi / 6, 6
    tube = [(math.cos(k * angle), 0.0, math.sin(k * angle)) for k in range(elements + 1)]
    tube_curves, radii = [], [0.12 - 0.06 * k / elements for k in range(elements + 1)]
    for k in range(elements):
        for i in (k, k + 1):
            c, s = math.cos(i * angle), math.sin(i * angle)
            tube_curves += [-angle * s, 0.0, angle * c, 0.0, 1.0, 0.0]
    circle = [[math.cos(2 * math.pi * k / 24), math.sin(2 * math.pi * k / 24)] for k in range(24)]
    twist, length = 0.5 * math.pi / 4, 0.5
    bar = [(2.0, length * k, 0.0) for k in range(5)]
    section = [[-0.1, -0.2], [0.1, -0.2], [0.1, -0.15], [0.02, -0.15], [0.02, 0.15], [0.1, 0.15],
               [0.1, 0.2], [-0.1, 0.2], [-0.1, 0.15], [-0.02, 0.15], [-0.02, -0.15], [-0.1, -0.15]]
    bar_curves = []
    for k in range(4):
        for i in (k, k + 1):  # axis 3 is y, axis 1 turns from z to x
            bar_curves += [0.0, length, 0.0, math.sin(i * twist), 0.0, math.cos(i * twist)]
    rope = [(-1.0 + 0.5 * k, 0.0, -1.0 + 0.2 * (0.5 * k - 1.0) ** 2) for k in range(5)]
    rope_curves = []
    for k in range(4):
        for i in (k, k + 1):
            rope_curves += [0.5, 0.0, 0.2 * (0.5 * i - 1.0), 0.0, 1.0, 0.0]

    def body(name, kind, points, curves, outlines, of_lines, channels):
        count = len(points) - 1
        return {"name": name, "type": kind, "shapes": [], "position": None, "quaternion": None, "triangles": None,
                "nodes": quantise([frames, 3 * len(points)], [x for point in points for x in point] * frames, 3),
                "lines": encode("i32", [count, 2], [n for k in range(count) for n in (k, k + 1)]),
                "curves": quantise([frames, 12 * count], curves * frames, 12), "outlines": outlines,
                "line_outlines": encode("i32", [count, 2], of_lines) if outlines else None,
                "channels": [{"name": name, "unit": "Pa", "of": "lines", "data": quantise([frames, count], values * frames, 1)}
                             for name, values in channels]}

    outlines = [{"points": [[r * x, r * y] for x, y in circle], "hole": 0.8} for r in radii]
    bodies = [body("tube", "beam", tube, tube_curves, outlines, [n for k in range(elements) for n in (k, k + 1)],
                   [("stress", [1e6 * (k + 1.0) for k in range(elements)])]),
              body("bar", "beam", bar, bar_curves, [{"points": section, "hole": 0.0}], [0] * 8, [("stress", [2e6] * 4)]),
              body("rope", "cable", rope, rope_curves, [], [], [("tension", [5.0] * 4)])]
    opened = [1.0 if t < 0.5 * DURATION else 0.0 for t in times]
    constraints = [
        {"name": "support", "type": "fixed", "points": ["ground@[1, 0, 0]", "tube@0"], "positions": quantise([frames, 6], [1.0, 0.0, 0.0] * 2 * frames, 3),
         "force": quantise([frames, 3], [0.0, 0.0, -9.0] * frames, 3), "torque": None, "holds": None},
        {"name": "guide", "type": "position", "points": ["bar@0", "rope@4"], "positions": quantise([frames, 6], [2.0, 0.0, 0.0, *rope[-1]] * frames, 3),
         "force": None, "torque": None, "holds": quantise([frames, 1], opened, 1)}]
    low, high = bounds([x for point in tube + bar + rope for x in point])
    columns_, _, _ = history(101, 3)
    return {"label": label, "summary": summary("beams"), "checkpoint": False, "notes": [], "history": columns_,
            "scene": {"times": encode("f64", [frames], times, planes=True), "min": low, "max": high, "gravity": [0.0, 0.0, 0.0],
                      "bodies": bodies, "constraints": constraints, "forces": [], "iterations": encode("f32", [frames], [2.0] * frames)}}, {
        "radii": radii, "angle": angle, "section": section, "twist": twist, "length": length, "rope": lambda x: -1.0 + 0.2 * x * x}


def many_bodies_run(count=100, frames=10000):
    """Many boxes on circles, each turning about z, each its own way."""
    duration = 100.0
    times = [duration * k / (frames - 1) for k in range(frames)]
    bodies = []
    for b in range(count):
        rate, radius, height, spin = 0.1 + 0.004 * b, 3.0 + 0.25 * b, 0.15 * (b % 10), 0.8 + 0.05 * b
        angles = [rate * t + b for t in times]
        position = [0.0] * (3 * frames)
        position[0::3] = [radius * math.cos(a) for a in angles]
        position[1::3] = [radius * math.sin(a) for a in angles]
        position[2::3] = [height] * frames
        quaternion = [0.0] * (4 * frames)
        quaternion[0::4] = [math.cos(0.5 * spin * t) for t in times]
        quaternion[3::4] = [math.sin(0.5 * spin * t) for t in times]
        bodies.append({"name": f"body_{b}", "type": "quaternion_body",
                       "shapes": [{"kind": "box", "size": [1.2, 0.7, 0.4], "center": [0.0, 0.0, 0.0]}],
                       "position": quantise([frames, 3], position, 3), "quaternion": quantise([frames, 4], quaternion, 4),
                       "nodes": None, "lines": None, "channels": []})
    table, _, _ = history(2001, 3)
    return {"label": "results/many", "summary": summary("many bodies", duration, 100000, 12.0), "checkpoint": True,
            "notes": ["history thinned: every 50th row"], "history": table,
            "scene": {"times": encode("f64", [frames], times), "min": [-28.0, -28.0, -0.5], "max": [28.0, 28.0, 2.0],
                      "gravity": [0.0, 0.0, 0.0], "bodies": bodies, "constraints": [], "forces": [], "iterations": None}}


def first_only(run):
    """Leaves the first frame and row of a run, as one that was killed soon after its start."""
    def first(array_, axis=0):
        raw = zlib.decompress(base64.b64decode(array_["data"]))
        size = array.array(CODES[array_["type"]]).itemsize
        count = len(raw) // size
        elements = [bytes(raw[p * count + k] for p in range(size)) if array_["planes"] else raw[k * size:(k + 1) * size] for k in range(count)]
        width = count // array_["shape"][0]
        kept = elements[:width] if axis == 0 else elements[::array_["shape"][1]]
        shape = list(array_["shape"])
        shape[axis] = 1
        array_.update(shape=shape, planes=False, data=base64.b64encode(zlib.compress(b"".join(kept))).decode())

    first(run["history"]["t"])
    first(run["history"]["values"], 1)
    scene = run["scene"]
    for array_ in (scene["times"], scene["iterations"]):
        first(array_)
    for thing in scene["bodies"] + scene["constraints"] + scene["forces"]:
        for key in ("position", "quaternion", "nodes", "positions", "force"):
            if thing.get(key):
                first(thing[key])
        for channel in thing.get("channels", []):
            first(channel["data"])


def page_data(runs):
    return {"format": 1, "generator": "Ancora 0.1.0", "made": "2026-11-21T22:00:00Z", "runs": runs}


def sample(kind):
    """The text of a page of a kind, and what is true of it."""
    if kind == "net":
        run, truth = net_run()
        return build_page(page_data([run]), run["summary"]["model"]), truth
    if kind == "pair":
        first, truth = net_run("results/emm")
        second, _ = net_run("results/rk4", frames=97, seed=2, shift=0.5, history_rows=1001, balance=3e-12)
        second["summary"] = summary("box with net", steps=4000, wall=0.93, energy=3.1e-13)
        second["summary"]["integrator"]["type"] = "rk4"
        differences = [{"key": "--set", "first": "", "second": "body.box.mass=3.5"}, {"key": "body.box.mass", "first": "2.0", "second": "3.5"},
                       {"key": "force.push.follow", "first": "", "second": "true"}]
        return build_page({**page_data([first, second]), "differences": differences}, "Two runs"), truth
    if kind == "mechanism":
        run, truth = mechanism_run()
        return build_page(page_data([run]), "Mechanism"), truth
    if kind == "surface":
        run, truth = surface_run()
        return build_page(page_data([run]), "Film"), truth
    if kind == "beams":
        run, truth = beams_run()
        return build_page(page_data([run]), "Beams"), truth
    if kind == "travel":
        return build_page(page_data([travel_run()]), "Travel"), {}
    if kind == "large_net":
        run, truth = net_run("results/large", frames=200, rows=100, columns=100)
        run["summary"]["model"] = "large net"
        return build_page(page_data([run]), "Large net"), truth
    if kind == "many_bodies":
        return build_page(page_data([many_bodies_run()]), "Many bodies"), {}
    run, truth = net_run(frames=17)
    if kind == "no_frames":
        run["scene"] = None
    elif kind == "empty":
        run["scene"], run["summary"] = None, None
        run["history"]["t"] = encode("f64", [0], [])
        run["history"]["values"] = encode("f32", [len(run["history"]["columns"]) - 1, 0], [])
    elif kind == "single":
        run, truth = net_run(frames=2, history_rows=2)
        first_only(run)
    elif kind == "killed":
        run["summary"], run["checkpoint"] = None, True
    elif kind == "damaged":
        text = run["scene"]["bodies"][0]["position"]["data"]
        run["scene"]["bodies"][0]["position"]["data"] = text[:len(text) // 2 // 4 * 4]
    else:
        raise SystemExit(f"no sample of the kind {kind}")
    return build_page(page_data([run]), kind), truth


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    pathlib.Path(sys.argv[2]).write_text(sample(sys.argv[1])[0])
