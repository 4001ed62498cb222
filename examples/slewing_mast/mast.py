"""Writes the finite-element model of a lattice mast: nodes, K and M, as a program for finite elements would.

A square mast of 0.4 m along x, in 12 bays of 0.5 m, of tubes (E A = 2.1e6 N, 0.15 kg/m), pin-jointed, with a diagonal
in each face and one across each bay. Masses are lumped.
"""
import math
import sys
from pathlib import Path

BAYS, BAY, SIDE, EA, LINE_MASS = 12, 0.5, 0.4, 2.1e6, 0.15


def lattice():
    corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
    nodes = [(BAY * i, SIDE * y, SIDE * z) for i in range(BAYS + 1) for y, z in corners]
    bars = []
    for i in range(BAYS + 1):
        at = 4 * i
        bars += [(at + k, at + (k + 1) % 4) for k in range(4)] + [(at, at + 2)]
        if i < BAYS:
            bars += [(at + k, at + 4 + k) for k in range(4)]
            bars += [(at + k, at + 4 + (k + 1) % 4) for k in range(4)]
    return nodes, bars


def matrices(nodes, bars):
    K, M = {}, {}
    for a, b in bars:
        d = [nodes[b][c] - nodes[a][c] for c in range(3)]
        length = math.sqrt(sum(x * x for x in d))
        for i, j, sign in ((a, a, 1), (b, b, 1), (max(a, b), min(a, b), -1)):
            for p in range(3):
                for q in range(3):
                    row, column = 3 * i + p + 1, 3 * j + q + 1
                    value = sign * EA / length**3 * d[p] * d[q]
                    if row >= column and value != 0.0:
                        K[row, column] = K.get((row, column), 0.0) + value
        for node in (a, b):
            for p in range(3):
                M[3 * node + p + 1] = M.get(3 * node + p + 1, 0.0) + 0.5 * LINE_MASS * length
    return K, M


def main(folder):
    nodes, bars = lattice()
    K, M = matrices(nodes, bars)
    size = 3 * len(nodes)
    with open(folder / "nodes.csv", "w") as out:
        out.write("id, x, y, z\n")
        for i, x in enumerate(nodes, 1):
            out.write(f"{i}, {x[0]:g}, {x[1]:g}, {x[2]:g}\n")
    with open(folder / "K.mtx", "w") as out:
        out.write(f"%%MatrixMarket matrix coordinate real symmetric\n{size} {size} {len(K)}\n")
        for (i, j), value in sorted(K.items()):
            out.write(f"{i} {j} {value:.12g}\n")
    with open(folder / "M.mtx", "w") as out:
        out.write(f"%%MatrixMarket matrix coordinate real symmetric\n{size} {size} {len(M)}\n")
        for i, value in sorted(M.items()):
            out.write(f"{i} {i} {value:.12g}\n")
    if "--truss" in sys.argv:  # the same mast as a body `truss`, node by node
        place = ", ".join(f"[{x[0]:g}, {x[1]:g}, {x[2]:g}]" for x in nodes)
        ends = ", ".join(f"[{a}, {b}]" for a, b in bars)
        print(f"nodes = [{place}]\nelements = [{ends}]")


if __name__ == "__main__":
    main(Path(__file__).parent)
