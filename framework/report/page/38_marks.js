// SPDX-License-Identifier: BSD-3-Clause
// Attachments of constraints and forces as rings and lines, forces as arrows, paths of points.
"use strict";

// An object on more points than this acts on a group of nodes, which are shown as such: it gets no rings and no lines.
const MOST_MARKED = 12;

// Where what is not there is drawn: behind everything that a camera sees.
const NOWHERE = 1e18;

/** Whether a constraint has opened for good. */
function isOpen({ holds }, place) {
    return Boolean(holds) && holds.at(place.i, 0) < 0.5;
}

/** Points of attachment, a line between those of one object that lie apart, a halo about the selected. */
class Markers {
    /** `drawn`: names of objects that something else shows. */
    constructor(objects, key, drawn) {
        this.key = key;
        const size = object => object.positions.width / 3;
        const shown = objects.filter(object => object.positions && !drawn.has(object.name));
        const marked = shown.filter(object => size(object) <= MOST_MARKED);
        this.objects = [...marked, ...shown.filter(object => size(object) > MOST_MARKED)];
        this.numMarked = marked.length;
        const count = this.objects.reduce((sum, object) => sum + size(object), 0);
        const joins = marked.reduce((sum, object) => sum + Math.max(size(object) - 1, 0), 0);
        this.points = new Float32Array(3 * count);
        this.ends = new Float32Array(6 * joins);
        const dots = new THREE.BufferGeometry();
        dots.setAttribute("position", new THREE.BufferAttribute(this.points, 3).setUsage(THREE.DynamicDrawUsage));
        const lines = new THREE.BufferGeometry();
        lines.setAttribute("position", new THREE.BufferAttribute(this.ends, 3).setUsage(THREE.DynamicDrawUsage));
        dots.setDrawRange(0, marked.reduce((sum, object) => sum + size(object), 0));
        this.dots = new THREE.Points(dots, pointMaterial(12, 2, true));
        this.lines = new THREE.LineSegments(lines, new THREE.LineBasicMaterial({ transparent: true, opacity: 0.55 }));
        const halo = new THREE.BufferGeometry();
        halo.setAttribute("position", dots.attributes.position);
        this.halo = new THREE.Points(halo, pointMaterial(20, 2.5, true));
        this.halo.renderOrder = 3;
        this.drawables = [this.lines, this.dots, this.halo];
        for (const drawable of this.drawables) drawable.frustumCulled = false;
        this.dots.renderOrder = 3;
    }

    paint() {
        this.dots.material.uniforms.color.value.set(palette()[this.key]);
        this.lines.material.color.set(palette()[this.key]);
        this.halo.material.uniforms.color.value.set(palette().select);
        let first = 0;
        this.halo.geometry.setDrawRange(0, 0);
        for (const { name, positions } of this.objects) {
            const count = positions.width / 3;
            if (name === state.get("select")) this.halo.geometry.setDrawRange(first, count);
            first += count;
        }
    }

    update(place) {
        const { points, ends } = this;
        let n = 0;
        let e = 0;
        for (const [index, object] of this.objects.entries()) {
            const { positions } = object;
            const first = n;
            const open = isOpen(object, place);
            for (let k = 0; k < positions.width; ++k) points[n++] = open ? NOWHERE : drawn(positions, place, k);
            for (let k = 3; index < this.numMarked && k < positions.width; k += 3, e += 6)
                for (let c = 0; c < 3; ++c) {
                    ends[e + c] = points[first + c];
                    ends[e + 3 + c] = points[first + k + c];
                }
        }
        this.dots.geometry.attributes.position.needsUpdate = true;
        this.lines.geometry.attributes.position.needsUpdate = true;
    }
}

/** Vectors of one instanced mesh, one for each object. */
function arrowMesh(geometry, count, ghost) {
    const mesh = new THREE.InstancedMesh(geometry, solidMaterial([0, 0], ghost ? 0.35 : 1), count);
    geometry.setAttribute("marked", new THREE.InstancedBufferAttribute(new Float32Array(count), 1));
    mesh.material.uniforms.edge.value = 1;
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    mesh.frustumCulled = false;
    return mesh;
}

/** One colour for all instances of these meshes. */
function paintAll(meshes, colour) {
    const value = new THREE.Color(colour);
    for (const mesh of meshes) {
        for (let k = 0; k < mesh.count; ++k) mesh.setColorAt(k, value);
        if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
}

/** Whether the force of an object, which is that on its first point, is one on the ground: drawn is what the ground answers. */
function isOnGround({ points = [] }) {
    return points.length > 1 && /^ground(?![\w-])/.test(points[0]) && points.some(point => !/^ground(?![\w-])/.test(point));
}

/** Torques as arrows round their axis, the greatest of the run a fixed share of the machine. */
class RoundArrows {
    constructor(objects, size, ghost) {
        this.size = size;
        this.objects = objects.filter(object => object.torque && object.positions);
        this.mesh = arrowMesh(unitRoundArrow(), this.objects.length, ghost);
        this.drawables = this.objects.length ? [this.mesh] : [];
        this.matrix = new THREE.Matrix4();
        this.from = new THREE.Vector3();
        this.axis = new THREE.Vector3();
        this.turn = new THREE.Quaternion();
        this.sizes = new THREE.Vector3();
    }

    paint(colour) {
        paintAll(this.drawables, colour);
    }

    /** `full` is the radius of the greatest torque [m]. */
    update(place, largest, full) {
        this.objects.forEach((object, k) => {
            for (let c = 0; c < 3; ++c) {
                this.from.setComponent(c, drawn(object.positions, place, c));
                this.axis.setComponent(c, blended(object.torque, place, c));
            }
            if (isOnGround(object)) this.axis.negate();
            const torque = this.axis.length();
            // A small torque is a thin short arrow; its radius goes with the root, so that it stays seen.
            const radius = largest > 0 ? full * Math.sqrt(torque / largest) : 0;
            if (torque > 0) this.turn.setFromUnitVectors(Z_AXIS, this.axis.divideScalar(torque));
            this.sizes.setScalar(radius < 1e-3 * this.size ? 0 : radius);
            this.mesh.setMatrixAt(k, this.matrix.compose(this.from, this.turn, this.sizes));
        });
        this.mesh.instanceMatrix.needsUpdate = true;
    }
}

// Of the machine: the thickness of an arrow, at most a part of its length; its head is so many times as long.
const ARROW_THICKNESS = 0.0028;
const ARROW_SLENDER = 0.05;
const ARROW_HEAD = 5.5;

/** Forces at their points: shafts and heads, the greatest of the run a fixed share of the machine. */
class Arrows {
    constructor(objects, key, size, ghost) {
        this.key = key;
        this.size = size;
        this.objects = objects.filter(object => object.force && object.positions);
        this.shafts = arrowMesh(new THREE.CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0), this.objects.length, ghost);
        this.heads = arrowMesh(new THREE.ConeGeometry(1, 1, 20).translate(0, 0.5, 0), this.objects.length, ghost);
        this.drawables = this.objects.length ? [this.shafts, this.heads] : [];
        this.matrix = new THREE.Matrix4();
        this.from = new THREE.Vector3();
        this.along = new THREE.Vector3();
        this.up = new THREE.Vector3(0, 1, 0);
        this.turn = new THREE.Quaternion();
        this.sizes = new THREE.Vector3();
    }

    paint(colour) {
        paintAll(this.drawables, colour);
    }

    /** `full` is the length of the greatest force [m], which both runs and kinds share. */
    update(place, largest, full) {
        this.objects.forEach((object, k) => {
            for (let c = 0; c < 3; ++c) {
                this.from.setComponent(c, drawn(object.positions, place, c));
                this.along.setComponent(c, blended(object.force, place, c));
            }
            const force = this.along.length();
            const length = largest > 0 ? (full * force) / largest : 0;
            const thickness = Math.min(ARROW_THICKNESS * this.size, ARROW_SLENDER * full);
            const thick = length < 1e-3 * this.size ? 0 : Math.min(thickness, 0.12 * length);
            const head = Math.min(ARROW_HEAD * thickness, 0.45 * length);
            if (isOnGround(object)) this.along.negate();
            if (force > 0) this.turn.setFromUnitVectors(this.up, this.along.divideScalar(force));
            this.sizes.set(thick, length - head, thick);
            this.shafts.setMatrixAt(k, this.matrix.compose(this.from, this.turn, this.sizes));
            this.from.addScaledVector(this.along, length - head);
            this.sizes.set(0.42 * head * (thick > 0), head * (thick > 0), 0.42 * head * (thick > 0));
            this.heads.setMatrixAt(k, this.matrix.compose(this.from, this.turn, this.sizes));
        });
        this.shafts.instanceMatrix.needsUpdate = true;
        this.heads.instanceMatrix.needsUpdate = true;
    }
}

/** The greatest "force" or "torque" over all frames, by its magnitude [N, N m]. */
function largestVector(objects, key) {
    let largest = 0;
    for (const { [key]: vector } of objects)
        for (let i = 0; vector && i < vector.records; ++i)
            largest = Math.max(largest, Math.hypot(vector.at(i, 0), vector.at(i, 1), vector.at(i, 2)));
    return largest;
}

// More points than this along one path are not told apart.
const PATH_POINTS = 4000;

/** The path of an object's reference point up to the present time. */
class Path {
    constructor(object, times) {
        this.every = Math.max(1, Math.ceil(times.length / PATH_POINTS));
        this.count = Math.ceil(times.length / this.every);
        const points = new Float64Array(3 * (this.count + 1));
        const place = new Place(times);
        const at = new THREE.Vector3();
        for (let n = 0; n < this.count; ++n) {
            place.i = place.j = n * this.every;
            positionAt(object, place, at)?.toArray(points, 3 * n);
        }
        this.object = object;
        this.points = points;
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(points), 3).setUsage(THREE.DynamicDrawUsage));
        this.line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ transparent: true, opacity: 0.8 }));
        this.line.frustumCulled = false;
        this.at = at;
    }

    paint(colour) {
        this.line.material.color.set(colour);
    }

    update(place) {
        const { position } = this.line.geometry.attributes;
        const n = Math.min(Math.floor(place.i / this.every) + 1, this.count);
        for (let k = 0; k < 3 * n; ++k) position.array[k] = this.points[k] - drawOrigin.getComponent(k % 3);
        drawnAt(this.object, place, this.at)?.toArray(position.array, 3 * n);
        position.needsUpdate = true;
        this.line.geometry.setDrawRange(0, n + 1);
    }

    dispose() {
        this.line.geometry.dispose();
        this.line.material.dispose();
    }
}
