#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes sail.msh, the net of the sail in Gmsh's format 4.1.

    python3 examples/sail_net/make_mesh.py

A square of 10 m with 20 x 20 cells, centred at the origin, and four tethers from the corners of the
hub, a square of 1 m, to the tips. Gmsh itself is not needed; it opens the file.
"""
import pathlib

CELLS = 20
SPACING = 0.5  # m
POINTS = {"tip": CELLS // 2, "hub": 1}  # cells from the centre, along both directions


def node(i, j):
    """Number of the node i, j cells from the centre."""
    return (j + CELLS // 2) * (CELLS + 1) + i + CELLS // 2 + 1


def main():
    half = CELLS // 2
    rows = range(-half, half + 1)
    position = {node(i, j): (i * SPACING, j * SPACING) for j in rows for i in rows}

    # Named points: entity k for corner k, counted like the nodes
    corners = [(-1, -1), (1, -1), (-1, 1), (1, 1)]
    named = {f"{name}_{k}": node(x * cells, y * cells)
             for name, cells in POINTS.items() for k, (x, y) in enumerate(corners)}
    points = {number: tag for tag, number in enumerate(named.values(), 1)}

    # Lines: entity 1 the net, entity 2 the tethers
    net = [(node(i, j), node(i + 1, j)) for j in rows for i in rows if i < half]
    net += [(node(i, j), node(i, j + 1)) for j in rows for i in rows if j < half]
    tethers = [(named[f"hub_{k}"], named[f"tip_{k}"]) for k in range(4)]

    # Physical groups: each point its own, the tips together, and the lines of the two entities
    group = {name: k for k, name in enumerate(named, 1)}
    out = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(group) + 3)]
    out += [f'0 {tag} "{name}"' for name, tag in group.items()]
    out += ['0 9 "tips"', '1 1 "net"', '1 2 "tether"', "$EndPhysicalNames"]

    out += ["$Entities", f"{len(named)} 2 0 0"]
    for name, number in named.items():
        x, y = position[number]
        groups = [group[name]] + ([9] if name.startswith("tip") else [])
        out.append(f"{points[number]} {x} {y} 0 {len(groups)} {' '.join(map(str, groups))}")
    edge = half * SPACING
    out += [f"{k} {-edge} {-edge} 0 {edge} {edge} 0 1 {k} 0" for k in (1, 2)]
    out += ["$EndEntities"]

    n = len(position)
    out += ["$Nodes", f"1 {n} 1 {n}", f"1 1 0 {n}", *map(str, position)]
    out += [f"{x} {y} 0" for x, y in position.values()] + ["$EndNodes"]

    total = len(named) + len(net) + len(tethers)
    out += ["$Elements", f"{len(named) + 2} {total} 1 {total}"]
    tag = iter(range(1, total + 1))
    for number in named.values():
        out += [f"0 {points[number]} 15 1", f"{next(tag)} {number}"]
    for entity, lines in ((1, net), (2, tethers)):
        out.append(f"1 {entity} 1 {len(lines)}")
        out += [f"{next(tag)} {a} {b}" for a, b in lines]
    out.append("$EndElements")

    file = pathlib.Path(__file__).resolve().parent / "sail.msh"
    file.write_text("\n".join(out) + "\n")
    print(f"{file}: {n} nodes, {len(net)} lines and {len(tethers)} tethers")


if __name__ == "__main__":
    main()
