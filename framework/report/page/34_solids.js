// SPDX-License-Identifier: BSD-3-Clause
// Boxes, spheres and cylinders of all bodies, one instanced mesh per kind.
"use strict";

/** A cylinder of radius and height 1 along z, rims as lines, nothing on the caps. */
function unitCylinder() {
    const geometry = new THREE.CylinderGeometry(1, 1, 1, 32);
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

const SOLID_KINDS = {
    box: { geometry: () => new THREE.BoxGeometry(1, 1, 1), lines: [1, 1] },
    sphere: { geometry: unitSphere, lines: [4, 2] },
    cylinder: { geometry: unitCylinder, lines: [4, 1] },
};

/** The matrix that takes the unit shape of a kind into body axes. */
function shapeMatrix(shape) {
    const matrix = new THREE.Matrix4();
    const place = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    const size = new THREE.Vector3(1, 1, 1);
    if (shape.kind === "box") {
        place.fromArray(shape.center ?? [0, 0, 0]);
        size.fromArray(shape.size);
    } else if (shape.kind === "sphere") {
        place.fromArray(shape.center ?? [0, 0, 0]);
        size.setScalar(shape.radius);
    } else {
        const from = new THREE.Vector3().fromArray(shape.from);
        const axis = new THREE.Vector3().fromArray(shape.to).sub(from);
        const length = axis.length();
        place.copy(from).addScaledVector(axis, 0.5);
        turn.setFromUnitVectors(new THREE.Vector3(0, 0, 1), axis.normalize());
        size.set(shape.radius, shape.radius, length);
    }
    return matrix.compose(place, turn, size);
}

class Solids {
    constructor(bodies, size, ghost) {
        this.ghost = ghost;
        this.parts = { box: [], sphere: [], cylinder: [] };
        this.bodies = bodies.filter(body => body.position);
        for (const body of this.bodies) {
            const shapes = body.shapes?.length ? body.shapes : [{ kind: "sphere", radius: 0.008 * size }];
            for (const shape of shapes)
                this.parts[shape.kind]?.push({ body, local: shapeMatrix(shape) });
        }
        this.meshes = [];
        for (const [kind, parts] of Object.entries(this.parts)) {
            if (!parts.length) continue;
            const { geometry, lines } = SOLID_KINDS[kind];
            const mesh = new THREE.InstancedMesh(geometry(), solidMaterial(lines, ghost ? 0.28 : 1), parts.length);
            mesh.geometry.setAttribute("marked", new THREE.InstancedBufferAttribute(new Float32Array(parts.length), 1));
            mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
            mesh.frustumCulled = false;
            mesh.userData.parts = parts;
            this.meshes.push(mesh);
        }
        this.poses = new Map(this.bodies.map(body => [body, new THREE.Matrix4()]));
        this.matrix = new THREE.Matrix4();
        this.position = new THREE.Vector3();
        this.quaternion = new THREE.Quaternion();
        this.unit = new THREE.Vector3(1, 1, 1);
        this.colour = new THREE.Color();
    }

    paint(colourOf) {
        const { edge, select } = palette();
        const selected = state.get("select");
        for (const mesh of this.meshes) {
            const { marked } = mesh.geometry.attributes;
            mesh.material.uniforms.edge.value = edge;
            mesh.material.uniforms.select.value.set(select);
            mesh.userData.parts.forEach(({ body }, k) => {
                mesh.setColorAt(k, this.colour.set(colourOf(body)));
                marked.setX(k, !this.ghost && body.name === selected ? 1 : 0);
            });
            mesh.instanceColor.needsUpdate = true;
            marked.needsUpdate = true;
        }
    }

    update(place) {
        for (const [body, pose] of this.poses) {
            positionAt(body, place, this.position);
            attitudeAt(body, place, this.quaternion);
            pose.compose(this.position, this.quaternion, this.unit);
        }
        for (const mesh of this.meshes) {
            const { parts } = mesh.userData;
            for (let k = 0; k < parts.length; ++k) {
                this.matrix.multiplyMatrices(this.poses.get(parts[k].body), parts[k].local);
                mesh.setMatrixAt(k, this.matrix);
            }
            mesh.instanceMatrix.needsUpdate = true;
            mesh.boundingSphere = null;
        }
    }
}
