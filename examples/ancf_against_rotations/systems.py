# SPDX-License-Identifier: BSD-3-Clause
"""The systems of the study, each as a text for `ancora` in either formulation of its bodies.

A formulation is "ancf" (base vectors, exactly rigid), "penalty" (base vectors held by a finite
stiffness) or "quaternion". Everything else of a system is the same in all three.
"""

PENALTY = "1e9"  # Pa
GRAVITY = "[model]\nname = \"{}\"\ngravity = [0.0, 0.0, {}]\n"


def vector(x):
    return "[" + ", ".join(repr(float(c)) for c in x) + "]"


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def body(name, formulation, **keys):
    text = f"\n[[body]]\nname = \"{name}\"\n"
    if formulation == "quaternion":
        text += "type = \"quaternion_body\"\n"
    else:
        text += "type = \"ancf_rigid_body\"\n"
        text += f"penalty = {PENALTY if formulation == 'penalty' else 'inf'}\n"
    for key, value in keys.items():
        text += f"{key} = {value if not isinstance(value, (list, tuple)) else vector(value)}\n"
    return text


def joint(name, kind, **keys):
    text = f"\n[[constraint]]\nname = \"{name}\"\ntype = \"{kind}\"\n"
    for key, value in keys.items():
        text += f"{key} = \"{value}\"\n" if isinstance(value, str) else f"{key} = {vector(value)}\n"
    return text


class System:
    """A model without integrator, how long it runs, and the material points that are compared."""

    def __init__(self, name, title, end, points, text):
        self.name, self.title, self.end, self.points = name, title, end, points
        self.text = text  # of a formulation


def top():
    """The box of Sugano's Table 1, free in space: Euler's top."""
    def text(formulation):
        return GRAVITY.format("top", 0.0) + body(
            "box", formulation, size=[3.0, 2.0, 1.0], density=2700.0,
            angular_velocity=[0.3, 0.5, 0.8])

    points = ["box@[1, 0, 0]", "box@[0, 1, 0]", "box@[0, 0, 1]"]
    return System("top", "free top, 100 s", 100.0, points, text)


def chain(n, end):
    """A metre of n bars on ball joints, straight down at first, turning as a whole about its upper
    end and about itself."""
    length = 1.0 / n
    turn = [2.0, 1.0, 3.0]  # rad/s

    def text(formulation):
        out = GRAVITY.format(f"chain of {n}", -9.81)
        for i in range(n):
            at = [0.0, 0.0, -(i + 0.5) * length]
            # Of water's density and a third as thick as long.
            out += body(f"bar{i}", formulation, size=[length / 3, length / 3, length],
                        density=1000.0, position=at, velocity=cross(turn, at),
                        angular_velocity=turn)
        for i in range(n):
            above = "ground@[0, 0, 0]" if i == 0 else f"bar{i - 1}@[0, 0, {-0.5 * length!r}]"
            out += joint(f"ball{i}", "position", a=f"bar{i}@[0, 0, {0.5 * length!r}]", b=above)
        return out

    step = max(1, n // 10)
    points = []
    for i in range(step - 1, n, step):
        points += [f"bar{i}@[0, 0, {-0.5 * length!r}]", f"bar{i}@[{length!r}, 0, 0]"]
    title = f"chain of {n}, {end:g} s"
    return System(f"chain{n}", title, end, points, text)


def bricard(end):
    """Bricard's loop of five rods and the ground: one freedom, and a row that depends on others."""
    corners = [(1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 1, 1), (0, 0, 1), (1, 0, 1)]

    def text(formulation):
        out = GRAVITY.format("Bricard's loop", 0.0).replace("[0.0, 0.0, 0.0]", "[0.0, -9.81, 0.0]")
        for i in range(5):
            a, b = corners[i], corners[i + 1]
            along = [abs(y - x) for x, y in zip(a, b)]
            inertia = [0.01 / 6 if c else 1 / 12 + 0.01 / 12 for c in along]
            out += body(f"rod{i}", formulation, mass=1.0, inertia=inertia,
                        position=[0.5 * (x + y) for x, y in zip(a, b)])
        for i in range(6):
            before = [x - y for x, y in zip(corners[i], corners[i - 1])]
            behind = [x - y for x, y in zip(corners[(i + 1) % 6], corners[i])]
            out += joint(f"hinge{i}", "revolute", a="ground" if i == 0 else f"rod{i - 1}",
                         b="ground" if i == 5 else f"rod{i}", point=corners[i],
                         axis=cross(before, behind))
        return out

    points = [f"rod{i}@[{x}, {y}, {z}]" for i in range(5) for x, y, z in
              ((0.5, 0, 0), (0, 0.5, 0), (0, 0, 0.5))]
    return System("bricard", f"Bricard's loop, {end:g} s", end, points, text)


def net(end):
    """A square net of stiff threads in spin with a body on each corner, which tumble besides."""
    n, spacing = 8, 0.25
    half = 0.5 * (n - 1) * spacing
    corners = [(0, -half, -half), (n - 1, half, -half), (n * (n - 1), -half, half),
               (n * n - 1, half, half)]

    def text(formulation):
        out = GRAVITY.format("net", 0.0) + f"""
[[body]]
name = "net"
type = "truss"
grid = {{ counts = [{n}, {n}], spacing = [{spacing}, {spacing}], origin = [{-half}, {-half}, 0.0] }}
area = 1.0e-6
young = 3.0e9
density = 1420.0
spin = {{ axis = [0.0, 0.0, 1.0], rate = 1.0 }}
"""
        for i, (node, x, y) in enumerate(corners):
            at = [x, y, 0.0]
            # Beside the node, so that the pull of the net turns the body.
            out += body(f"box{i}", formulation, size=[0.2, 0.15, 0.1], density=100.0,
                        position=[x * (1 + 0.1 / abs(x)), y, 0.0],
                        velocity=[-y, x * (1 + 0.1 / abs(x)), 0.0], angular_velocity=[0, 0, 1])
            side = -0.1 if x > 0 else 0.1
            out += joint(f"tie{i}", "position", a=f"box{i}@[{side}, 0, 0]", b=f"net@{node}")
        return out

    points = [f"box{i}@[{x}, {y}, {z}]" for i in range(4) for x, y, z in
              ((0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1))] + ["net@27", "net@9"]
    return System("net", f"stiff net with bodies, {end:g} s", end, points, text)
