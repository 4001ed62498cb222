// SPDX-License-Identifier: BSD-3-Clause
// Ropes over their points, and networks of few lines, as round as they are.
"use strict";

// More lines than these stay lines.
const MOST_ROUND = 400;
// Types of constraints and forces whose points a rope runs over, in their order.
const ROPES = new Set(["rope"]);

/** Round pieces between points, each with the colour of its line, and a ball at both ends. */
class RoundLines {
    /** `ends`: the points of each piece, six numbers; `colours` likewise. */
    constructor(ends, colours, radius, opacity) {
        this.ends = ends;
        this.colours = colours;
        this.radius = radius;
        this.count = ends.length / 6;
        const meshOf = (unit, count) => {
            const geometry = UNIT_SHAPES[unit].make();
            const mesh = new THREE.InstancedMesh(geometry, solidMaterial([1, 1], opacity), count);
            geometry.setAttribute("marked", new THREE.InstancedBufferAttribute(new Float32Array(count), 1));
            mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
            mesh.frustumCulled = false;
            mesh.setColorAt(0, new THREE.Color());
            return mesh;
        };
        this.pieces = meshOf("tube", this.count);
        this.balls = meshOf("ball", 2 * this.count);
        this.drawables = [this.pieces, this.balls];
        this.p = new THREE.Vector3();
        this.q = new THREE.Vector3();
        this.matrix = new THREE.Matrix4();
        this.turn = new THREE.Quaternion();
        this.scale = new THREE.Vector3();
    }

    update() {
        const { ends, colours, radius, p, q, matrix, turn, scale } = this;
        for (let k = 0; k < this.count; ++k) {
            p.fromArray(ends, 6 * k);
            q.fromArray(ends, 6 * k + 3);
            for (const [side, at] of [p, q].entries())
                this.balls.setMatrixAt(2 * k + side, matrix.makeScale(radius, radius, radius).setPosition(at));
            q.sub(p);
            const length = q.length();
            p.addScaledVector(q, 0.5);
            if (length > 0) turn.setFromUnitVectors(Z_AXIS, q.divideScalar(length));
            this.pieces.setMatrixAt(k, matrix.compose(p, turn, scale.set(radius, radius, Math.max(length, 1e-9))));
            const of = 6 * k;
            for (let c = 0; c < 3; ++c) {
                this.pieces.instanceColor.array[3 * k + c] = 0.5 * (colours[of + c] + colours[of + 3 + c]);
                this.balls.instanceColor.array[6 * k + c] = colours[of + c];
                this.balls.instanceColor.array[6 * k + 3 + c] = colours[of + 3 + c];
            }
        }
        for (const mesh of this.drawables) {
            mesh.instanceMatrix.needsUpdate = true;
            mesh.instanceColor.needsUpdate = true;
            mesh.boundingSphere = null;
        }
    }

    /** The selected one stands out. */
    mark(isSelected) {
        for (const mesh of this.drawables) {
            const { marked } = mesh.geometry.attributes;
            mesh.material.uniforms.edge.value = palette().edge;
            mesh.material.uniforms.select.value.set(palette().select);
            marked.array.fill(isSelected ? 1 : 0);
            marked.needsUpdate = true;
        }
    }
}

/** A rope from point to point of a constraint or a force. */
class Rope {
    constructor(object, size) {
        this.object = object;
        this.count = object.positions.width / 3 - 1;
        this.ends = new Float32Array(6 * this.count);
        this.colours = new Float32Array(6 * this.count);
        this.round = new RoundLines(this.ends, this.colours, 0.0024 * size, 1);
        for (const mesh of this.round.drawables) mesh.userData.parts = Array(mesh.count).fill(object);
        this.drawables = this.round.drawables;
    }

    paint(selected) {
        const colour = new THREE.Color(palette().joint[3]);
        for (let k = 0; k < this.colours.length; k += 3) colour.toArray(this.colours, k);
        this.round.mark(this.object.name === selected);
    }

    update(place) {
        const open = isOpen(this.object, place);
        for (let k = 0; k < this.count; ++k)
            for (let c = 0; c < 6; ++c) this.ends[6 * k + c] = open ? NOWHERE : drawn(this.object.positions, place, 3 * k + c);
        this.round.update();
    }
}

/** The ropes of a scene. */
function ropesOf({ constraints, forces }, size) {
    return [...constraints, ...forces]
        .filter(({ type, positions }) => ROPES.has(type) && positions && positions.width >= 6)
        .map(object => new Rope(object, size));
}

/** How thick round lines of a network are drawn, which says nothing of how thick they are. */
function ropeRadius({ ends, count }, size) {
    let length = 0;
    for (let e = 0; e < ends.length; e += 6) length += Math.hypot(ends[e + 3] - ends[e], ends[e + 4] - ends[e + 1], ends[e + 5] - ends[e + 2]);
    return Math.min(0.0024 * size, (0.12 * length) / count);
}

/** A network of few straight lines and no surface, as a truss: its lines are round, and give way to these. */
class RoundNetwork {
    constructor(network, place, size) {
        this.network = network;
        network.update(place);
        this.round = new RoundLines(network.ends, network.colours, ropeRadius(network, size), network.ghost ? 0.35 : 1);
        this.drawables = this.round.drawables;
        network.drawables = network.drawables.filter(drawable => drawable !== network.lines && drawable !== network.points);
    }

    paint(selected) {
        this.round.mark(this.network.body.name === selected);
    }

    update() {
        this.round.update();
    }
}

/** Those of the networks that are drawn so. */
function roundNetworks(networks, place, size) {
    return networks.filter(({ body, count, surface }) => count > 0 && count <= MOST_ROUND && !surface && !body.curves)
        .map(network => new RoundNetwork(network, place, size));
}
