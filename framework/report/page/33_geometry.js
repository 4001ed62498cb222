// SPDX-License-Identifier: BSD-3-Clause
// Unit shapes that solids, joints and arrows are put together of, and surfaces of triangles.
"use strict";

/** No line is drawn where the texture's coordinates are these. */
function withoutLines(geometry) {
    const { position } = geometry.attributes;
    geometry.setAttribute("uv", new THREE.BufferAttribute(new Float32Array(2 * position.count).fill(0.5), 2));
    return geometry;
}

/** A cylinder of radius and height 1 along z, rims as lines, nothing on the caps. */
function unitCylinder() {
    const geometry = new THREE.CylinderGeometry(1, 1, 1, 96);
    geometry.rotateX(Math.PI / 2);
    const { normal, uv } = geometry.attributes;
    for (let k = 0; k < uv.count; ++k)
        if (Math.abs(normal.getZ(k)) > 0.5) uv.setXY(k, 0.125, 0.5);
    return geometry;
}

function unitSphere() {
    const geometry = new THREE.SphereGeometry(1, 40, 24);
    geometry.rotateX(Math.PI / 2);
    return geometry;
}

/** The side of a cylinder alone, and the half of a sphere above it: a capsule is three of these. */
function unitTube() {
    return withoutLines(new THREE.CylinderGeometry(1, 1, 1, 28, 1, true).rotateX(Math.PI / 2));
}

function unitDome() {
    return withoutLines(new THREE.SphereGeometry(1, 28, 10, 0, 2 * Math.PI, 0, 0.5 * Math.PI).rotateX(Math.PI / 2));
}

function unitCone() {
    return withoutLines(new THREE.ConeGeometry(1, 1, 20).translate(0, 0.5, 0).rotateX(Math.PI / 2));
}

/** A tube of a radius along a curve: `at(s)` for s from 0 to 1 gives points of it. */
function tubeAlong(at, segments, radius, sides = 8) {
    const points = Array.from({ length: segments + 1 }, (_, i) => at(i / segments));
    const positions = [];
    const normals = [];
    const index = [];
    const tangent = new THREE.Vector3();
    const across = new THREE.Vector3();
    const third = new THREE.Vector3();
    const normal = new THREE.Vector3();
    points.forEach((point, i) => {
        tangent.subVectors(points[Math.min(i + 1, segments)], points[Math.max(i - 1, 0)]).normalize();
        // The frame goes along without turning about the curve.
        if (i === 0) across.set(Math.abs(tangent.x) < 0.6 ? 1 : 0, Math.abs(tangent.x) < 0.6 ? 0 : 1, 0);
        across.addScaledVector(tangent, -across.dot(tangent)).normalize();
        third.crossVectors(tangent, across);
        for (let k = 0; k < sides; ++k) {
            const angle = (2 * Math.PI * k) / sides;
            normal.copy(across).multiplyScalar(Math.cos(angle)).addScaledVector(third, Math.sin(angle));
            positions.push(point.x + radius * normal.x, point.y + radius * normal.y, point.z + radius * normal.z);
            normals.push(normal.x, normal.y, normal.z);
            const a = i * sides + k;
            const b = i * sides + ((k + 1) % sides);
            if (i < segments) index.push(a, b, a + sides, b, b + sides, a + sides);
        }
    });
    return geometryOf(positions, normals, index);
}

function geometryOf(positions, normals, index) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(positions), 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(normals), 3));
    geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(index), 1));
    return withoutLines(geometry);
}

/** Geometries with positions, normals and an index as one. */
function joined(...parts) {
    const positions = [];
    const normals = [];
    const index = [];
    for (const { attributes, index: own } of parts) {
        const first = positions.length / 3;
        positions.push(...attributes.position.array);
        normals.push(...attributes.normal.array);
        for (const k of own.array) index.push(first + k);
    }
    return geometryOf(positions, normals, index);
}

/** A ring of radius 1 about z. */
function unitRing() {
    return tubeAlong(s => new THREE.Vector3(Math.cos(2 * Math.PI * s), Math.sin(2 * Math.PI * s), 0), 48, 0.13);
}

/** A flat spring about z: three turns of a wire from its middle out to radius 1. */
function unitSpiral() {
    return tubeAlong(s => {
        const radius = 0.3 + 0.7 * s;
        return new THREE.Vector3(radius * Math.cos(6 * Math.PI * s), radius * Math.sin(6 * Math.PI * s), 0);
    }, 120, 0.065, 7);
}

// Of the circle of a round arrow.
const ROUND_ARROW = 1.5 * Math.PI;

/** Three quarters of a ring of radius 1 about z, with a head that says which way round. */
function unitRoundArrow() {
    const head = 0.42;
    const end = ROUND_ARROW - head;
    const ring = tubeAlong(s => new THREE.Vector3(Math.cos(end * s), Math.sin(end * s), 0), 40, 0.055);
    const cone = new THREE.ConeGeometry(0.17, head, 18).translate(1, 0.5 * head, 0).rotateZ(end + 0.04);
    return joined(ring, cone);
}

/** A coil along z from 0 to `length`, its ends on the axis, of a wire. */
function coil(length, radius, turns, wire) {
    const straight = 0.12;
    const at = s => {
        const u = Math.min(Math.max((s - straight) / (1 - 2 * straight), 0), 1);
        const into = Math.min(s / straight, (1 - s) / straight, 1) ** 2;
        const angle = 2 * Math.PI * turns * u;
        return new THREE.Vector3(into * radius * Math.cos(angle), into * radius * Math.sin(angle), s * length);
    };
    return tubeAlong(at, 24 * turns, wire, 7);
}

// Faces that meet at a smaller angle look like one smooth surface.
const CREASE = Math.cos((38 * Math.PI) / 180);

/** A prism of six sides, radius and height 1. */
function unitNut() {
    const geometry = new THREE.CylinderGeometry(1, 1, 1, 6).toNonIndexed().rotateX(Math.PI / 2);
    geometry.computeVertexNormals();
    return withoutLines(geometry);
}

/** Six turns of a wire about z. */
function unitThread() {
    return tubeAlong(s => new THREE.Vector3(Math.cos(12 * Math.PI * s), Math.sin(12 * Math.PI * s), s - 0.5), 150, 0.12, 6);
}

/** A surface of triangles, smooth but where it has edges. */
function meshGeometry(points, triangles) {
    const count = triangles.length;
    const flat = new Float32Array(count);  // normals of the faces, one for each corner's place
    const areas = new Float32Array(count);
    const a = new THREE.Vector3();
    const b = new THREE.Vector3();
    const c = new THREE.Vector3();
    for (let t = 0; t < count; t += 3) {
        a.fromArray(points, 3 * triangles[t]);
        b.fromArray(points, 3 * triangles[t + 1]).sub(a);
        c.fromArray(points, 3 * triangles[t + 2]).sub(a);
        b.cross(c);
        const area = b.length();
        areas[t / 3] = area;
        (area > 0 ? b.divideScalar(area) : b.set(0, 0, 1)).toArray(flat, t);
    }
    // The corners of each point, one after the other.
    const first = new Uint32Array(points.length / 3 + 1);
    for (const p of triangles) ++first[p + 1];
    for (let p = 1; p < first.length; ++p) first[p] += first[p - 1];
    const next = first.slice(0, -1);
    const corners = new Uint32Array(count);
    for (let k = 0; k < count; ++k) corners[next[triangles[k]]++] = k;

    const positions = new Float32Array(3 * count);
    const normals = new Float32Array(3 * count);
    for (let k = 0; k < count; ++k) {
        const p = triangles[k];
        for (let x = 0; x < 3; ++x) positions[3 * k + x] = points[3 * p + x];
        const own = k - (k % 3);
        a.set(0, 0, 0);
        // A hub with very many spokes is left flat.
        if (first[p + 1] - first[p] > 200) a.fromArray(flat, own);
        else
            for (let i = first[p]; i < first[p + 1]; ++i) {
                const other = corners[i] - (corners[i] % 3);
                const dot = flat[own] * flat[other] + flat[own + 1] * flat[other + 1] + flat[own + 2] * flat[other + 2];
                if (dot > CREASE) a.addScaledVector(b.fromArray(flat, other), areas[other / 3] || 1e-30);
            }
        a.normalize().toArray(normals, 3 * k);
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
    return withoutLines(geometry);
}

// name: how it is made, and at so many parts of u and v it has lines
const UNIT_SHAPES = {
    box: { make: () => new THREE.BoxGeometry(1, 1, 1), lines: [1, 1] },
    block: { make: () => withoutLines(new THREE.BoxGeometry(1, 1, 1)), lines: [1, 1] },
    sphere: { make: unitSphere, lines: [4, 2] },
    ball: { make: () => withoutLines(new THREE.SphereGeometry(1, 28, 18)), lines: [1, 1] },
    cylinder: { make: unitCylinder, lines: [4, 1] },
    disc: { make: () => withoutLines(unitCylinder()), lines: [1, 1] },
    tube: { make: unitTube, lines: [1, 1] },
    dome: { make: unitDome, lines: [1, 1] },
    cone: { make: unitCone, lines: [1, 1] },
    ring: { make: unitRing, lines: [1, 1] },
    spiral: { make: unitSpiral, lines: [1, 1] },
    nut: { make: unitNut, lines: [1, 1] },
    thread: { make: unitThread, lines: [1, 1] },
};
