// SPDX-License-Identifier: BSD-3-Clause
// Joints by their kinds, springs as coils, links as rods, frames as three axes.
"use strict";

// Kinds that other words stand for, as they are drawn.
const JOINT_LOOKS = {
    hinge: "revolute", pin: "revolute", gear: "revolute", slider: "prismatic", ball: "spherical", weld: "fixed", hooke: "universal",
};

// Laws on a distance that are no springs are drawn as a cylinder with its rod.
const CYLINDERS = new Set(["damper", "motor", "servo", "drive"]);

// Kinds along whose axis a spring is a coil.
const SLIDES = new Set(["prismatic", "cylindrical", "in_line"]);

/** Two directions across an axis. */
function acrossOf(axis) {
    const x = new THREE.Vector3(Math.abs(axis.x) < 0.6 ? 1 : 0, Math.abs(axis.x) < 0.6 ? 0 : 1, 0);
    x.addScaledVector(axis, -x.dot(axis)).normalize();
    return [x, new THREE.Vector3().crossVectors(axis, x)];
}

/**
 * The parts of one joint of a size r: [side, unit shape, matrix in that side's axes], of which the
 * side "axis" is a line on a. `a` and `b` are the joint's points, `axisA`, `axisB` its directions.
 */
function jointParts(kind, r, a, b, axisA, axisB) {
    const scaled = (at, x, y = x, z = x) => new THREE.Matrix4().makeScale(x * r, y * r, z * r).setPosition(at);
    const on = (at, axis, length, thick) => along(at, axis, length * r, thick * r);
    const square = (at, axis, wide, length) => {
        const [x, y] = acrossOf(axis);
        return new THREE.Matrix4().makeBasis(x, y, axis).scale(new THREE.Vector3(wide * r, wide * r, length * r)).setPosition(at);
    };
    const line = ["axis", "disc", on(a, axisA, 7, 0.08)];
    const hole = direction => on(b, direction, 1, 1);
    switch (kind) {
    case "revolute":
        return [["a", "disc", on(a, axisA, 1.5, 0.62)], ["b", "disc", on(b, axisB, 2.6, 0.36)], line];
    case "prismatic":
        return [["a", "block", square(a, axisA, 1.5, 2.2)], ["b", "block", square(b, axisB, 0.8, 5)], line];
    case "cylindrical":
        return [["a", "disc", on(a, axisA, 2, 0.85)], ["b", "disc", on(b, axisB, 5, 0.45)], line];
    case "screw":
        return [["a", "nut", on(a, axisA, 1.4, 1.05)], ["b", "disc", on(b, axisB, 5, 0.4)], ["b", "thread", on(b, axisB, 4.6, 0.62)], line];
    case "spherical": {
        const away = b.length() > 1e-9 ? b.clone().normalize().negate() : Z_AXIS;
        return [["a", "ball", scaled(a, 0.75)], ["b", "dome", hole(away)]];
    }
    case "universal":
    case "constant_velocity":
        return [["a", "disc", on(a, axisA, 2.6, 0.3)], ["b", "disc", on(b, axisB, 2.6, 0.3)], ["a", "ball", scaled(a, kind === "universal" ? 0.5 : 0.8)],
            ["axis", "disc", on(a, axisA, 4.4, 0.07)], ["axis on b", "disc", on(b, axisB, 4.4, 0.07)]];
    case "planar":
        return [["a", "block", square(a, axisA, 4.5, 0.12)], ["b", "disc", on(b, axisB, 0.5, 0.9)], ["axis", "disc", on(a, axisA, 3, 0.07)]];
    case "in_line":
        return [["a", "disc", on(a, axisA, 8, 0.22)], ["b", "ball", scaled(b, 0.6)]];
    case "in_plane":
        return [["a", "block", square(a, axisA, 4.5, 0.12)], ["b", "ball", scaled(b, 0.55)], ["axis", "disc", on(a, axisA, 3, 0.07)]];
    case "revolute_spherical":
        return [["a", "disc", on(a, axisA, 1.8, 0.5)], ["axis", "disc", on(a, axisA, 5, 0.07)], ["b", "ball", scaled(b, 0.6)]];
    case "parallel":
    case "perpendicular":
    case "orientation":
        return [];  // they tie directions and no point
    case "fixed":
        return [["a", "block", scaled(a, 1.15)]];
    case "distance":
        return [["a", "ball", scaled(a, 0.45)], ["b", "ball", scaled(b, 0.45)]];
    default:
        return [["a", "ball", scaled(a, 0.5)], ["b", "ball", scaled(b, 0.42)]];
    }
}

/** A direction of an array, or z where there is none. */
function directionOf(axis) {
    const direction = new THREE.Vector3(...(axis ?? [0, 0, 1]));
    return direction.lengthSq() > 0 ? direction.normalize() : direction.copy(Z_AXIS);
}

/** How large joints are drawn: a share of the mechanism's size, less where they stand close. */
function jointSizes(joints, poses, size) {
    const points = joints.map(({ a, bodyA }) => new THREE.Vector3(...a.position).applyMatrix4(poses.of(bodyA)));
    const low = new THREE.Vector3(Infinity, Infinity, Infinity);
    const high = low.clone().negate();
    for (const point of points) {
        low.min(point);
        high.max(point);
    }
    const extent = points.length > 1 ? low.distanceTo(high) : 0;
    const full = 0.027 * Math.min(Math.max(extent, 0.4 * size), size);
    return points.map((point, i) => {
        if (points.length > 1500) return full * Math.min(1, 40 / points.length);
        let nearest = Infinity;
        points.forEach((other, k) => {
            const distance = point.distanceTo(other);
            // Several at one place share it.
            if (k !== i && distance > 1e-6 * size) nearest = Math.min(nearest, distance);
        });
        return Math.min(full, 0.2 * nearest);
    });
}

/** Joints and what lies between two points: springs and links. */
class Joints {
    constructor(scene, poses, size) {
        this.poses = poses;
        const find = point => (point.body < 0 ? null : scene.bodies[point.body]);
        const byName = new Map([...scene.constraints, ...scene.forces].map(object => [object.name, object]));
        const known = ({ a, b }) => [a, b].every(point => point.body < 0 || this.poses.of(find(point)));
        const joints = (scene.joints ?? []).filter(known).map(joint =>
            ({ ...joint, bodyA: find(joint.a), bodyB: find(joint.b), object: byName.get(joint.name) ?? joint }));
        const sizes = jointSizes(joints, poses, size);
        this.named = new Set(joints.map(({ name }) => name));
        const parts = [];
        this.between = [];
        joints.forEach((joint, i) => {
            const kind = JOINT_LOOKS[joint.kind] ?? joint.kind;
            const a = new THREE.Vector3(...joint.a.position);
            const b = new THREE.Vector3(...joint.b.position);
            const axisA = directionOf(joint.axes_a[0]);
            const axisB = joint.axes_b[0] ? directionOf(joint.axes_b[0]) : this.carried(axisA, joint);
            for (const [side, unit, local] of jointParts(kind, sizes[i], a, b, axisA, axisB)) {
                const isOnB = side.endsWith("b");
                parts.push({ unit, local, body: isOnB ? joint.bodyB : joint.bodyA, object: joint.object,
                    colour: () => palette().joint[side.startsWith("axis") ? 2 : isOnB ? 1 : 0] });
            }
            // A spring on the angle, as the key of a joint names it.
            const spiral = kind === "revolute" ? byName.get(`${joint.name}.spring`) : null;
            if (spiral)
                for (const side of [-1, 1]) {
                    const at = a.clone().addScaledVector(axisA, 1.05 * side * sizes[i]);
                    parts.push({ unit: "spiral", local: along(at, axisA, 2.3 * sizes[i], 2.3 * sizes[i]), body: joint.bodyA, object: spiral,
                        colour: () => palette().joint[3] });
                }
            const coiled = SLIDES.has(kind) ? byName.get(`${joint.name}.spring`) : null;
            if (coiled) {
                this.named.add(coiled.name);
                const back = Math.max(10 * sizes[i], 6 * sizes[i] - this.lowestWay(joint, scene.times));
                const from = a.clone().addScaledVector(axisA, -back).toArray();
                this.between.push(this.springOf({ ...joint, name: coiled.name, object: coiled, a: { ...joint.a, position: from } }, size, 1));
            }
            if (kind === "distance" || kind === "revolute_spherical") this.between.push(this.linkOf(joint, 0.16 * sizes[i]));
        });
        this.parts = new Parts(parts, [], { through: 0.3 });
        const springs = (scene.springs ?? []).filter(known).map(spring =>
            ({ ...spring, bodyA: find(spring.a), bodyB: find(spring.b), object: byName.get(spring.name) ?? spring }))
            .filter(({ object }) => !ROPES.has(object.type));
        for (const spring of springs) {
            this.named.add(spring.name);
            this.between.push(this.springOf(spring, size, springs.length));
        }
        this.drawables = [...this.parts.drawables, ...this.between.map(({ mesh }) => mesh)];
        this.meshes = [...this.parts.meshes, ...this.between.map(({ mesh }) => mesh)];
        this.p = new THREE.Vector3();
        this.d = new THREE.Vector3();
        this.matrix = new THREE.Matrix4();
        this.turn = new THREE.Quaternion();
        this.scale = new THREE.Vector3();
    }

    /** A direction of a in b's axes, as it is at the start. */
    carried(axis, { bodyA, bodyB }) {
        return axis.clone().transformDirection(this.poses.of(bodyA))
            .transformDirection(this.poses.of(bodyB).clone().invert());
    }

    /** How far b comes against the axis of a slide, over some frames of the run. */
    lowestWay(joint, times) {
        const place = new Place(times);
        const axis = new THREE.Vector3();
        const every = Math.max(1, Math.floor(times.length / 40));
        let lowest = 0;
        for (let i = 0; i < times.length; i += every) {
            place.i = place.j = i;
            this.poses.update(place);
            const [from, to] = this.ends(joint);
            axis.copy(directionOf(joint.axes_a[0])).transformDirection(this.poses.of(joint.bodyA));
            lowest = Math.min(lowest, to.sub(from).dot(axis));
        }
        this.poses.update(new Place(times));
        return lowest;
    }

    ends({ a, b, bodyA, bodyB }) {
        return [new THREE.Vector3(...a.position).applyMatrix4(this.poses.of(bodyA)),
            new THREE.Vector3(...b.position).applyMatrix4(this.poses.of(bodyB))];
    }

    meshOf(geometry, item) {
        const mesh = new THREE.InstancedMesh(geometry, solidMaterial([1, 1]), 1);
        geometry.setAttribute("marked", new THREE.InstancedBufferAttribute(new Float32Array(1), 1));
        mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
        mesh.frustumCulled = false;
        mesh.userData.parts = [item];
        return mesh;
    }

    linkOf(joint, radius) {
        return { item: joint, mesh: this.meshOf(withoutLines(unitCylinder()), joint), length: 1, thick: radius, colour: 0 };
    }

    /** A coil made for the length at the start, so that its wire stays round. */
    springOf(spring, size, count) {
        const [from, to] = this.ends(spring);
        const length = from.distanceTo(to) || 0.02 * size;
        const radius = Math.min(0.018 * size, 0.14 * length);
        if (CYLINDERS.has(spring.object.type)) {
            const tube = withoutLines(new THREE.CylinderGeometry(1, 1, 0.55, 20).translate(0, -0.225, 0).rotateX(Math.PI / 2));
            const rod = withoutLines(new THREE.CylinderGeometry(0.4, 0.4, 0.5, 14).translate(0, 0.25, 0).rotateX(Math.PI / 2));
            return { item: spring, mesh: this.meshOf(joined(tube, rod), spring), length: 1, thick: 0.7 * radius, colour: 3 };
        }
        if (count > 200) return { item: spring, mesh: this.meshOf(withoutLines(unitCylinder()), spring), length: 1, thick: 0.2 * radius, colour: 3 };
        const turns = Math.round(Math.min(Math.max((0.76 * length) / (0.95 * radius), 5), 14));
        const geometry = coil(length, radius, turns, Math.min(0.13 * radius, 0.0035 * size)).translate(0, 0, -0.5 * length);
        return { item: spring, mesh: this.meshOf(geometry, spring), length, thick: 1, colour: 3 };
    }

    paint(selected) {
        const colours = palette();
        this.parts.paint(selected);
        for (const { mesh, item, colour } of this.between) {
            mesh.material.uniforms.edge.value = colours.edge;
            mesh.material.uniforms.select.value.set(colours.select);
            mesh.setColorAt(0, new THREE.Color(colours.joint[colour]));
            mesh.instanceColor.needsUpdate = true;
            mesh.geometry.attributes.marked.setX(0, item.name === selected ? 1 : 0);
            mesh.geometry.attributes.marked.needsUpdate = true;
        }
    }

    update(place) {
        this.parts.update(this.poses, place);
        for (const { mesh, item, length, thick } of this.between) {
            this.p.fromArray(item.a.position).applyMatrix4(this.poses.of(item.bodyA));
            this.d.fromArray(item.b.position).applyMatrix4(this.poses.of(item.bodyB)).sub(this.p);
            const now = this.d.length();
            this.p.addScaledVector(this.d, 0.5);
            if (now > 0) this.turn.setFromUnitVectors(Z_AXIS, this.d.divideScalar(now));
            this.scale.set(thick, thick, Math.max(now, 1e-9) / length).multiplyScalar(isOpen(item.object ?? item, place) ? 0 : 1);
            mesh.setMatrixAt(0, this.matrix.compose(this.p, this.turn, this.scale));
            mesh.instanceMatrix.needsUpdate = true;
            mesh.boundingSphere = null;
        }
    }
}

/** Axes of all bodies that turn, and of their named frames. */
function framesOf({ bodies }, size) {
    const parts = [];
    const add = (body, frame, length) => {
        const turn = placed(frame.position, frame.quaternion, [1, 1, 1]);
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((axis, k) => {
            const direction = new THREE.Vector3(...axis);
            const colour = () => palette().axes[k];
            const shaft = along(direction.clone().multiplyScalar(0.4 * length), direction, 0.8 * length, 0.022 * length);
            const head = along(direction.clone().multiplyScalar(0.75 * length), direction, 0.25 * length, 0.065 * length);
            parts.push({ unit: "disc", body, local: turn.clone().multiply(shaft), object: body, colour });
            parts.push({ unit: "cone", body, local: turn.clone().multiply(head), object: body, colour });
        });
    };
    for (const body of bodies) {
        if (!body.position || !body.quaternion || body.hidden) continue;
        add(body, { position: [0, 0, 0], quaternion: [1, 0, 0, 0] }, 0.055 * size);
        for (const frame of body.frames ?? []) add(body, frame, 0.042 * size);
    }
    return new Parts(parts, [], { through: 0.35 });
}
