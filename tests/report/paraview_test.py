#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads what `ancora paraview` writes with VTK's own readers, and compares it with the rows.

    paraview_test.py ANCORA EXAMPLES      the program, the folder of the examples

Needs VTK and NumPy for Python (Debian: python3-vtk9). Exit status 77 with the reason if missing.
"""
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

SKIPPED = 77

try:
    import numpy as np
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOXML import vtkXMLGenericDataObjectReader, vtkXMLPolyDataReader
except ImportError as error:
    # The interpreter found first may not be the one that the distribution's packages are for.
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3") and "PARAVIEW_TEST_AGAIN" not in os.environ:
        os.environ["PARAVIEW_TEST_AGAIN"] = "1"
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    print(f"skipped: VTK for Python is not installed (python3-vtk9): {error}")
    sys.exit(SKIPPED)

failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print(f"  FAILED: {what}")
    return holds


def near(value, expected, what, relative=1e-6, absolute=1e-9):
    """Frames are in single precision."""
    value, expected = np.asarray(value, float), np.asarray(expected, float)
    if check(value.shape == expected.shape, f"{what}: shape {value.shape} instead of {expected.shape}"):
        scale = max(np.max(np.abs(expected), initial=0.0), 0.0)
        error = np.max(np.abs(value - expected), initial=0.0)
        check(error <= relative * scale + absolute, f"{what}: off by {error:.2e} of {scale:.2e}")


def read(path):
    """A file through two readers of VTK, which must agree and have nothing to say."""
    said = []
    found = []
    for reader in (vtkXMLPolyDataReader(), vtkXMLGenericDataObjectReader()):
        for event in ("ErrorEvent", "WarningEvent"):
            reader.AddObserver(event, lambda *_: said.append(event))
        reader.SetFileName(str(path))
        # the other one chooses by the type in the file and answers no to every file
        if isinstance(reader, vtkXMLPolyDataReader):
            check(reader.CanReadFile(str(path)), f"{path.name}: the reader does not take it")
        reader.Update()
        check(reader.GetErrorCode() == 0, f"{path.name}: error code {reader.GetErrorCode()}")
        found.append(reader.GetOutput())
    check(not said, f"{path.name}: {said}")
    a, b = found
    check(a.GetNumberOfCells() == b.GetNumberOfCells() and a.GetNumberOfPoints() == b.GetNumberOfPoints(), f"{path.name}: two readers differ")
    return a


def array(attributes, name):
    found = attributes.GetArray(name)
    return vtk_to_numpy(found) if check(found is not None, f"there is no array {name!r}") else np.zeros(0)


def names(data, name):
    found = data.GetFieldData().GetAbstractArray(name)
    return [found.GetValue(i) for i in range(found.GetNumberOfValues())] if check(found is not None, f"no names {name!r}") else []


def points(data):
    return vtk_to_numpy(data.GetPoints().GetData()).astype(float)


def cells(data):
    """Lists of points, in the order that cell data count."""
    return [[data.GetCell(i).GetPointId(k) for k in range(data.GetCell(i).GetNumberOfPoints())] for i in range(data.GetNumberOfCells())]


def rotation(w, x, y, z):
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


class Results:
    def __init__(self, folder):
        self.folder = folder
        with open(folder / "history.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.columns = {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}
        self.scene = json.loads((folder / "scene.json").read_text())
        self.frames = np.load(folder / "frames.npy")
        root = xml.parse(folder / "paraview.pvd").getroot()
        check(root.tag == "VTKFile" and root.get("type") == "Collection", "the list is no collection")
        self.files = [(float(e.get("timestep")), e.get("name"), e.get("file")) for e in root.iter("DataSet")]

    def vector(self, name, row, letters="xyz", before=""):
        return np.array([self.columns[f"{name}.{before}{c}"][row] for c in letters])


def test_bodies(results, row, data):
    scene, file = results.scene, points(data)
    check(names(data, "bodies") == [b["name"] for b in scene["bodies"]], "names of bodies")
    number, corners = array(data.GetCellData(), "body"), cells(data)
    for i, body in enumerate(scene["bodies"]):
        mine = np.flatnonzero(number == i)
        count = {"box": 6, "cylinder": 26, "sphere": 288, "capsule": 312}
        expected = sum(len(scene["meshes"][s["mesh"]]["triangles"]) // 3 if s["kind"] == "mesh" else count[s["kind"]] for s in body["shapes"])
        if body["pose"] == "none" or body.get("hidden") or (not body["shapes"] and body["nodes"]):
            expected = 0
        elif not body["shapes"]:
            expected = 1
        if not check(len(mine) == expected, f"{body['name']}: {len(mine)} cells instead of {expected}") or not expected:
            continue
        name, first = body["name"], mine[0]
        position = results.vector(name, row)
        near(array(data.GetCellData(), "velocity")[first], results.vector(name, row, before="v"), f"{name}: velocity", absolute=1e-8)
        if body["pose"] == "attitude":
            q = results.vector(name, row, "wxyz", "q")
            shown = array(data.GetCellData(), "quaternion")[first]
            near(shown * np.sign(shown @ q), q, f"{name}: attitude")
            R = rotation(*q)
            # rows have body axes, the file inertial ones
            near(array(data.GetCellData(), "angular_velocity")[first], R @ results.vector(name, row, before="w"), f"{name}: angular velocity", absolute=1e-8)
        else:
            R = np.eye(3)
        if not body["shapes"]:
            near(file[corners[first][0]], position, f"{name}: position")
        if [s["kind"] for s in body["shapes"]] == ["box"]:
            box = body["shapes"][0]
            center = position + R @ np.array(box["center"])
            size = np.array(box["size"])
            turn = R @ rotation(*box["quaternion"])
            volume = 0.0
            for cell in mine:
                face = file[corners[cell]]
                normal = np.cross(face[1] - face[0], face[2] - face[0])
                check(normal @ (face.mean(axis=0) - center) > 0, f"{name}: a face looks inwards")
                near(np.abs((face - center) @ turn), np.tile(size / 2, (4, 1)), f"{name}: corners", absolute=1e-6)
                volume += 2 * normal @ (face[0] - center) / 6
            near(volume, np.prod(size), f"{name}: volume", relative=1e-5)
        if body["shapes"] and all(s["kind"] == "sphere" for s in body["shapes"]):
            for cell in mine:
                face = file[corners[cell]]
                out = face.mean(axis=0) - position
                normal = np.cross(face[2] - face[0], face[3] - face[1])
                check(normal @ out > 0, f"{name}: a patch looks inwards")


def single(values):
    """Points are written in double precision, the rest in single."""
    return values.astype(np.float32).astype(float)


def test_networks(results, frame, data):
    number, ends, file = array(data.GetCellData(), "body"), cells(data), points(data)
    velocity = array(data.GetPointData(), "velocity")
    before = 0
    for i, body in enumerate(results.scene["bodies"]):
        if not body["nodes"]:
            continue
        n, name = body["nodes"], body["name"]
        at = 2 + body["first"] + {"none": 0, "position": 6, "attitude": 13}[body["pose"]]
        values = results.frames[frame]
        near(file[before:before + n], values[at:at + 3 * n].reshape(n, 3), f"{name}: nodes", relative=0)
        near(velocity[before:before + n], single(values[at + 3 * n:at + 6 * n]).reshape(n, 3), f"{name}: velocities", relative=0)
        mine = np.flatnonzero(number == i)
        triangles = body.get("triangles", [])
        of = [channel.get("of", "lines") for channel in body["channels"]]
        lines = body["lines"] if not triangles or "lines" in of else []
        check([ends[k] for k in mine] == [[a + before for a in corners] for corners in lines + triangles], f"{name}: lines and triangles")
        on_lines, on_triangles = mine[:len(lines)], mine[len(lines):]
        start = at + 6 * n
        for channel, place in zip(body["channels"], of):
            count = {"lines": len(body["lines"]), "nodes": n, "triangles": len(triangles)}[place]
            own = values[start:start + count]
            start += count
            if place == "nodes":
                shown = array(data.GetPointData(), channel["name"])[before:before + n]
            else:
                shown = array(data.GetCellData(), channel["name"])
                rest = on_triangles if place == "lines" else on_lines
                check(np.isnan(shown[rest]).all(), f"{name}: {channel['name']} where it has none")
                shown = shown[on_lines if place == "lines" else on_triangles]
            near(shown, single(own), f"{name}: {channel['name']}", relative=0)
        # nodes that have columns
        for column in results.columns:
            if column.startswith(f"{name}@") and column.endswith(".x") and column[len(name) + 1:-2].isdigit():
                node, label = before + int(column[len(name) + 1:-2]), column[:-2]
                row = int(values[0])
                near(file[node], results.vector(label, row), f"{label}: position")
                near(velocity[node], results.vector(label, row, before="v"), f"{label}: velocity", absolute=1e-8)
        before += n
    check(before == len(file), "points of networks")


def test_marks(results, row, data):
    scene = results.scene
    check(names(data, "constraints") == [c["name"] for c in scene["constraints"]], "names of constraints")
    check(names(data, "forces") == [f["name"] for f in scene["forces"]], "names of forces")
    force, kind, index = (array(data.GetPointData(), n) for n in ("force", "kind", "index"))
    place = points(data)
    expected = [(0, i) for i, c in enumerate(scene["constraints"]) if c["points"]]
    expected += [(1, i) for i, f in enumerate(scene["forces"]) if f["points"]]
    if not check(list(zip(kind, index)) == expected, "marks: kind and index"):
        return
    for k, (of, i) in enumerate(expected):
        mark = scene["forces" if of else "constraints"][i]
        name = mark["name"]
        if f"{name}.force.x" in results.columns:
            near(force[k], results.vector(f"{name}.force", row), f"{name}: force")
        at = 2 + mark["first"]
        frame = np.flatnonzero(results.frames[:, 0] == row)[0]
        near(place[k], results.frames[frame, at:at + 3], f"{name}: place", relative=0)


def test_example(program, examples, name, options, folder):
    print(name)
    out = folder / name
    settings = [word for option in options for word in ("--set", option)]
    subprocess.run([program, "run", examples / name / "model.toml", "--quiet", "--out", out, *settings], check=True, stdout=subprocess.DEVNULL)
    said = subprocess.run([program, "paraview", out], check=True, capture_output=True, text=True).stdout
    results = Results(out)
    count = len(results.frames)
    check(said == f"{count} frames, to be opened in ParaView: {out / 'paraview.pvd'}\n", f"said {said!r}")
    rows = results.frames[:, 0].astype(int)
    times = results.columns["t"][rows]
    parts = sorted({part for _, part, _ in results.files})
    for part in parts:
        found = [t for t, of, _ in results.files if of == part]
        check(found == list(times), f"times of {part} are not those of the rows")
    files = {(part, t): out / file for t, part, file in results.files}
    check(len({f.name for f in out.glob("paraview/*")} ^ {f.name for f in files.values()}) == 0, "files and list differ")
    for frame in sorted({0, 1, count // 3, count // 2, count - 1}):
        for part in parts:
            data = read(files[part, times[frame]])
            {"bodies": lambda: test_bodies(results, rows[frame], data),
             "networks": lambda: test_networks(results, frame, data),
             "marks": lambda: test_marks(results, rows[frame], data)}[part]()

    # one of seven, and the last; the list is replaced
    subprocess.run([program, "paraview", out, "--every", "7", "--quiet"], check=True)
    listed = sorted({t for t, _, _ in Results(out).files})
    check(listed == [times[f] for f in range(count) if f % 7 == 0 or f == count - 1], "--every 7")
    return parts


# Bodies that fall freely, each with a shape; its closed volume, and how much of it the polygons have.
SHAPES = {
    "wedge": ('{ mesh = "wedge.obj", scale = [0.5, 1.0, 2.0], position = [0.1, 0.2, 0.3], orientation = { axis = [1, 1, 0], angle = 1.0 } }', 1 / 6, 1.0),
    "pill": ("{ capsule = { radius = 0.1, from = [0, 0, 0], to = [0.3, 0, 0.4] }, color = \"red\" }", math.pi * 0.01 * 0.5 + 4 / 3 * math.pi * 0.001, 0.97),
    "pair": ("[{ box = [0.1, 0.2, 0.3] }, { cylinder = { radius = 0.1, from = [1, 0, 0], to = [1, 1, 0] } }]", 0.006 + math.pi * 0.01, 0.98),
    "air": ('"none"', 0.0, 1.0),
    "dot": (None, None, None),
}


def test_shapes(program, folder):
    """Every kind of shape that the manifest knows is a closed surface, seen from outside."""
    print("shapes")
    text = "[integrator]\ntype = \"rk4\"\nstep = 0.1\nend = 0.2\n[model]\ngravity = [0, 0, -9.81]\n"
    for name, (shape, _, _) in SHAPES.items():
        text += f'[[body]]\nname = "{name}"\ntype = "quaternion_body"\nmass = 1\ninertia = [1, 2, 2.5]\nangular_velocity = [1, 2, 3]\n'
        text += f"shape = {shape}\n" if shape else ""
    (folder / "wedge.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    (folder / "shapes.toml").write_text(text)
    subprocess.run([program, "run", "shapes.toml", "--quiet", "--out", "shapes"], check=True, cwd=folder, stdout=subprocess.DEVNULL)
    (folder / "wedge.obj").unlink()  # results need none of the model's files
    subprocess.run([program, "paraview", "shapes", "--quiet"], check=True, cwd=folder)
    results = Results(folder / "shapes")
    for _, _, file in results.files:
        data = read(folder / "shapes" / file)
        number, corners, place = array(data.GetCellData(), "body"), cells(data), points(data)
        for i, (name, (_, volume, least)) in enumerate(SHAPES.items()):
            mine = [corners[k] for k in np.flatnonzero(number == i)]
            if volume is None:
                check(len(mine) == 1 and len(mine[0]) == 1, f"{name}: no dot for a body of which nothing is known")
                continue
            found = sum(np.linalg.det(place[[polygon[0], polygon[k], polygon[k + 1]]]) / 6 for polygon in mine for k in range(1, len(polygon) - 1))
            check(least * volume - 1e-6 <= found <= volume + 1e-6, f"{name}: volume {found} instead of {volume}")


def test_refusals(program, folder):
    """What is told when there is nothing to write."""
    def refused(arguments, message):
        result = subprocess.run([program, "paraview", *arguments], capture_output=True, text=True, cwd=folder)
        check(result.returncode == 6 and result.stderr == f"error: {message}\n", f"{arguments}: {result.returncode}, {result.stderr!r}")

    refused(["nowhere"], 'there is no folder "nowhere"; name one that `ancora run` has written')
    top = folder / "quaternion_top"
    for name in ("frames.npy", "paraview.pvd"):
        (top / name).unlink()
    refused(["quaternion_top"], '"quaternion_top" has no frames; run the model without `frames = 0` in [output]')


def main():
    program, examples = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, options, expected in (
                ("box_with_truss", ["integrator.end=0.5", "output.every=0.02"], ["bodies", "marks", "networks"]),
                ("sail_net", ["integrator.end=1", 'output.points=["sail@0","sail@7"]'], ["bodies", "marks", "networks"]),
                ("spinning_sail", ["integrator.end=0.2"], ["marks", "networks"]),
                ("unfolding_panels", ["integrator.end=0.5"], ["bodies", "marks", "networks"]),
                ("block_on_incline", [], ["bodies", "marks"]),
                ("quaternion_top", ["integrator.end=1"], ["bodies"])):
            parts = test_example(program, examples, name, options, folder)
            check(parts == expected, f"{name}: parts {parts} instead of {expected}")
        test_shapes(program, folder)
        test_refusals(program, folder)
    print(f"{len(failures)} failed" if failures else "all passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
