// SPDX-License-Identifier: BSD-3-Clause
// What is fixed in bodies: boxes, spheres, rods, meshes, one instanced mesh per kind.
"use strict";

// three.js's number for a test that what is hidden passes.
const GREATER_DEPTH = 6;

const Z_AXIS = new THREE.Vector3(0, 0, 1);

/** Where the bodies of a scene are drawn, as matrices. */
class Poses {
    constructor(bodies) {
        this.matrices = new Map([[null, new THREE.Matrix4()]]);
        for (const body of bodies) if (body.position) this.matrices.set(body, new THREE.Matrix4());
        this.position = new THREE.Vector3();
        this.quaternion = new THREE.Quaternion();
        this.unit = new THREE.Vector3(1, 1, 1);
    }

    of(body) {
        return this.matrices.get(body);
    }

    update(place) {
        for (const [body, pose] of this.matrices) {
            if (!body) {
                pose.makeTranslation(-drawOrigin.x, -drawOrigin.y, -drawOrigin.z);
                continue;
            }
            drawnAt(body, place, this.position);
            attitudeAt(body, place, this.quaternion);
            pose.compose(this.position, this.quaternion, this.unit);
        }
    }
}

/** A matrix that moves, turns (stored w, x, y, z) and scales. */
function placed(at, quaternion, scale) {
    const [w, x, y, z] = quaternion ?? [1, 0, 0, 0];
    return new THREE.Matrix4().compose(new THREE.Vector3(...(at ?? [0, 0, 0])),
        new THREE.Quaternion(x, y, z, w).normalize(), new THREE.Vector3(...scale));
}

/** A matrix that puts a unit shape along z on the way from a point on, so long and so thick. */
function along(from, direction, length, thick) {
    const turn = new THREE.Quaternion().setFromUnitVectors(Z_AXIS, direction);
    return new THREE.Matrix4().compose(from, turn, new THREE.Vector3(thick, thick, length));
}

/** The parts [unit shape, matrix into body axes] that a shape is put together of. */
function partsOf(shape) {
    const { kind, radius } = shape;
    if (kind === "box") return [["box", placed(shape.center, shape.quaternion, shape.size)]];
    if (kind === "sphere") return [["sphere", placed(shape.center, null, [radius, radius, radius])]];
    if (kind === "mesh") return [[`mesh ${shape.mesh}`, placed(shape.center, shape.quaternion, shape.scale)]];
    if (kind !== "cylinder" && kind !== "capsule") return [];
    const from = new THREE.Vector3(...shape.from);
    const to = new THREE.Vector3(...shape.to);
    const direction = to.clone().sub(from);
    const length = direction.length();
    if (length > 0) direction.divideScalar(length);
    else direction.copy(Z_AXIS);
    const middle = from.clone().addScaledVector(direction, 0.5 * length);
    if (kind === "cylinder") return [["cylinder", along(middle, direction, length, radius)]];
    return [["tube", along(middle, direction, length, radius)], ["dome", along(to, direction, radius, radius)],
        ["dome", along(from, direction.clone().negate(), radius, radius)]];
}

/**
 * Unit shapes fixed in bodies: [{ unit, body (null: ground), local, object, colour, opacity }], of
 * which `object` is what is selected with it and `colour()` is asked for whenever all is painted.
 */
class Parts {
    constructor(parts, meshes, { opacity = 1, through = 0 } = {}) {
        const groups = new Map();
        for (const part of parts) {
            const key = `${part.unit} ${part.opacity ?? 1}`;
            if (!groups.has(key)) groups.set(key, []);
            groups.get(key).push(part);
        }
        this.meshes = [];
        this.ghosts = [];
        for (const group of groups.values()) {
            const [{ unit }] = group;
            const source = UNIT_SHAPES[unit];
            const geometry = source ? source.make() : meshes[Number(unit.slice(5))]?.geometry.clone();
            if (!geometry) continue;
            const material = solidMaterial(source?.lines ?? [1, 1], opacity * (group[0].opacity ?? 1));
            const mesh = new THREE.InstancedMesh(geometry, material, group.length);
            geometry.setAttribute("marked", new THREE.InstancedBufferAttribute(new Float32Array(group.length), 1));
            mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
            mesh.frustumCulled = false;
            mesh.userData.parts = group;
            this.meshes.push(mesh);
            if (!through) continue;
            // Seen faintly through what stands before it.
            const behind = new THREE.InstancedMesh(geometry, solidMaterial(source?.lines ?? [1, 1], through), group.length);
            behind.material.depthFunc = GREATER_DEPTH;
            behind.instanceMatrix = mesh.instanceMatrix;
            behind.frustumCulled = false;
            behind.renderOrder = 2;
            this.ghosts.push([behind, mesh]);
        }
        this.drawables = [...this.meshes, ...this.ghosts.map(([behind]) => behind)];
        this.matrix = new THREE.Matrix4();
        this.colour = new THREE.Color();
    }

    paint(selected) {
        const { edge, select } = palette();
        for (const mesh of this.meshes) {
            const { marked } = mesh.geometry.attributes;
            mesh.material.uniforms.edge.value = edge;
            mesh.material.uniforms.select.value.set(select);
            mesh.userData.parts.forEach(({ object, colour }, k) => {
                mesh.setColorAt(k, this.colour.set(colour()));
                marked.setX(k, selected && object?.name === selected ? 1 : 0);
            });
            mesh.instanceColor.needsUpdate = true;
            marked.needsUpdate = true;
        }
        for (const [behind, mesh] of this.ghosts) {
            behind.instanceColor = mesh.instanceColor;
            behind.material.uniforms.edge.value = edge;
            behind.material.uniforms.select.value.set(select);
        }
    }

    /** Those of constraints that have opened at a place in time are gone. */
    update(poses, place) {
        for (const mesh of this.meshes) {
            const { parts } = mesh.userData;
            for (let k = 0; k < parts.length; ++k) {
                if (place && parts[k].object && isOpen(parts[k].object, place)) this.matrix.makeScale(0, 0, 0);
                else this.matrix.multiplyMatrices(poses.of(parts[k].body), parts[k].local);
                mesh.setMatrixAt(k, this.matrix);
            }
            mesh.instanceMatrix.needsUpdate = true;
            mesh.boundingSphere = null;
        }
    }
}

/** The solids of all bodies; a small ball for a body that has none. */
function solidsOf({ bodies, meshes }, size, ghost, colourOf) {
    const parts = [];
    for (const body of bodies) {
        if (!body.position || body.hidden) continue;
        const shapes = body.shapes?.length ? body.shapes : [{ kind: "sphere", radius: 0.008 * size }];
        for (const shape of shapes)
            for (const [unit, local] of partsOf(shape))
                parts.push({
                    unit: body.skeleton && unit === "sphere" ? "ball" : unit, body, local, object: body, opacity: shape.opacity,
                    colour: () => (shape.color && !ghost ? shape.color : colourOf(body)),
                });
    }
    return new Parts(parts, meshes, { opacity: ghost ? 0.28 : 1 });
}
