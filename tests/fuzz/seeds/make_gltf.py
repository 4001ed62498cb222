#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes one scene as glTF in three manners, and its triangles as OBJ by arithmetic of its own.

    make_gltf.py FOLDER     parts.glb, parts.gltf with parts.bin, parts_inside.gltf, parts_in_place.obj

The scene has nodes in nodes, by matrix and by translation, rotation and scale, one of them a mirror;
triangles with indices and without, a strip, a fan, interleaved and quantised positions; and what is
not drawn: lines, and a node outside the scene. Standard library only.
"""
import base64
import json
import math
import pathlib
import struct
import sys

buffer = bytearray()
views, accessors = [], []


def view(data, stride=None):
    while len(buffer) % 4:
        buffer.append(0)
    views.append({"buffer": 0, "byteOffset": len(buffer), "byteLength": len(data)} | ({"byteStride": stride} if stride else {}))
    buffer.extend(data)
    return len(views) - 1


def accessor(of, kind, count, shape, offset=0, **more):
    accessors.append({"bufferView": of, "byteOffset": offset, "componentType": kind, "count": count, "type": shape} | more)
    return len(accessors) - 1


BYTE, SHORT, FLOAT = 5121, 5123, 5126
QUANTISED = 5122

# --- numbers

wedge = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
faces = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
# normals stand before the positions, 24 bytes a point
interleaved = view(b"".join(struct.pack("<6f", 9, 9, 9, *p) for p in wedge), 24)
wedge_points = accessor(interleaved, FLOAT, 4, "VEC3", 12)
wedge_faces = accessor(view(struct.pack("<12H", *faces)), SHORT, 12, "SCALAR")
line_ends = accessor(view(struct.pack("<2B", 0, 3)), BYTE, 2, "SCALAR")

# a strip of four triangles, whole numbers that stand for shares of 1, padded to 8 bytes
steps = [(0, 0, 0), (0, 16384, 0), (16384, 0, 8192), (16384, 16384, 8192), (32767, 0, 0), (32767, 16384, 0)]
strip_points = accessor(view(b"".join(struct.pack("<3hh", *p, 0) for p in steps), 8), QUANTISED, 6, "VEC3", normalized=True)
strip = [tuple(x / 32767 for x in p) for p in steps]

fan = [(0, 0, 0), (1, 0, 0), (1, 1, 0.5), (0, 1, 0), (-1, 0.5, 0)]
fan_points = accessor(view(struct.pack("<15f", *(x for p in fan for x in p))), FLOAT, 5, "VEC3")
fan_order = [0, 1, 2, 3, 4]
fan_indices = accessor(view(struct.pack("<5B", *fan_order)), BYTE, 5, "SCALAR")

# three points each, without indices
loose = [(2, 0, 0), (2, 1, 0), (2, 0, 1)]
loose_points = accessor(view(struct.pack("<9f", *(x for p in loose for x in p))), FLOAT, 3, "VEC3")

meshes = [
    {"primitives": [{"attributes": {"POSITION": wedge_points}, "indices": wedge_faces},
                    {"attributes": {"POSITION": wedge_points}, "indices": line_ends, "mode": 1}]},
    {"primitives": [{"attributes": {"POSITION": strip_points}, "mode": 5},
                    {"attributes": {"POSITION": fan_points}, "indices": fan_indices, "mode": 6},
                    {"attributes": {"POSITION": loose_points}}]},
]

turn = [math.sin(0.3) / math.sqrt(3)] * 3 + [math.cos(0.3)]  # 0.6 rad about (1, 1, 1)
nodes = [
    {"name": "root", "rotation": [-math.sqrt(0.5), 0, 0, math.sqrt(0.5)], "scale": [0.5, 0.5, 0.5], "children": [1, 2, 3]},
    {"mesh": 0, "translation": [1, 2, 3]},
    {"mesh": 0, "matrix": [-2, 0, 0, 0, 0, 1, 0, 0, 0, 0.5, 1, 0, 4, 0, -1, 1]},  # mirrored and sheared
    {"translation": [0, 0, 5], "children": [4]},
    {"mesh": 1, "rotation": turn, "scale": [1, 2, 3]},
    {"mesh": 0, "translation": [100, 0, 0]},
]
document = {"asset": {"version": "2.0"}, "scene": 1, "scenes": [{"nodes": [5]}, {"nodes": [0]}], "nodes": nodes, "meshes": meshes,
            "extensionsUsed": ["KHR_mesh_quantization"], "extensionsRequired": ["KHR_mesh_quantization"]}

# --- where the triangles are, by matrices as lists of rows


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def local(node):
    if "matrix" in node:
        return [[node["matrix"][4 * j + i] for j in range(4)] for i in range(4)]
    x, y, z, w = node.get("rotation", [0, 0, 0, 1])
    s = node.get("scale", [1, 1, 1])
    t = node.get("translation", [0, 0, 0])
    r = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
         [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
         [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    return [[r[i][j] * s[j] for j in range(3)] + [t[i]] for i in range(3)] + [[0, 0, 0, 1]]


def moved(m, p):
    return tuple(sum(m[i][k] * (*p, 1)[k] for k in range(4)) for i in range(3))


def triangles_of(mesh):
    if mesh == 0:
        return [[wedge[i] for i in faces[k:k + 3]] for k in range(0, 12, 3)]
    out = [[strip[k], *((strip[k + 1], strip[k + 2]) if k % 2 == 0 else (strip[k + 2], strip[k + 1]))] for k in range(4)]
    out += [[fan[0], fan[k], fan[k + 1]] for k in range(1, 4)]
    return out + [loose]


def collect(index, parent, out):
    node = nodes[index]
    m = product(parent, local(node))
    det = (m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
           + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]))
    for a, b, c in triangles_of(node["mesh"]) if "mesh" in node else []:
        out.append([moved(m, p) for p in ((a, b, c) if det > 0 else (a, c, b))])
    for child in node.get("children", []):
        collect(child, m, out)


def main():
    folder = pathlib.Path(sys.argv[1])
    placed = []
    collect(0, [[float(i == j) for j in range(4)] for i in range(4)], placed)
    lines = ["# The triangles of parts.glb where its nodes put them; made by make_gltf.py"]
    lines += ["v %.9g %.9g %.9g" % p for t in placed for p in t]
    lines += [f"f {3 * k + 1} {3 * k + 2} {3 * k + 3}" for k in range(len(placed))]
    (folder / "parts_in_place.obj").write_text("\n".join(lines) + "\n")

    document.update(bufferViews=views, accessors=accessors)
    (folder / "parts.bin").write_bytes(buffer)
    for name, uri in (("parts.gltf", "parts.bin"), ("parts_inside.gltf", "data:application/octet-stream;base64," + base64.b64encode(buffer).decode())):
        (folder / name).write_text(json.dumps(document | {"buffers": [{"byteLength": len(buffer), "uri": uri}]}))
    text = json.dumps(document | {"buffers": [{"byteLength": len(buffer)}]}).encode()
    text += b" " * (-len(text) % 4)
    data = bytes(buffer) + b"\0" * (-len(buffer) % 4)
    whole = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
    (folder / "parts.glb").write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(whole)) + whole)


if __name__ == "__main__":
    main()
