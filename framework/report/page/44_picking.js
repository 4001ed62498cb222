// SPDX-License-Identifier: BSD-3-Clause
// Which object lies under the pointer: attachments first, then what is nearest to the eye.
"use strict";

const PICK_PIXELS = 9;

class Picker {
    constructor(view) {
        this.view = view;
        this.caster = new THREE.Raycaster();
        this.point = new THREE.Vector3();
        this.a = new THREE.Vector3();
        this.b = new THREE.Vector3();
        this.mouse = new THREE.Vector2();
        let down = null;
        view.canvas.addEventListener("pointerdown", event => (down = [event.clientX, event.clientY]));
        view.canvas.addEventListener("pointerup", event => {
            if (!down || event.button !== 0) return;
            if (Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
            const { left, top } = view.canvas.getBoundingClientRect();
            state.set("select", this.pick(event.clientX - left, event.clientY - top)?.name ?? "");
        });
    }

    /** Pixels of a point of the scene, and its depth. */
    project(point) {
        const { clientWidth, clientHeight } = this.view.canvas;
        point.project(this.view.camera);
        return point.set((0.5 + 0.5 * point.x) * clientWidth, (0.5 - 0.5 * point.y) * clientHeight, point.z);
    }

    pick(x, y) {
        const [{ constraints, forces, solids, joints, networks, ropes }] = this.view.actors;
        const { toggles } = this.view;
        if (toggles.constraints)
            for (const markers of [constraints, forces]) {
                let n = 0;
                for (const object of markers.objects)
                    for (let k = 0; k < object.positions.width; k += 3, n += 3) {
                        const at = this.project(this.point.fromArray(markers.points, n));
                        if (at.z < 1 && Math.hypot(at.x - x, at.y - y) < PICK_PIXELS) return object;
                    }
            }
        let best = null;
        let depth = 1;
        const { clientWidth, clientHeight } = this.view.canvas;
        this.mouse.set((2 * x) / clientWidth - 1, 1 - (2 * y) / clientHeight);
        this.caster.setFromCamera(this.mouse, this.view.camera);
        // A joint shows through what stands before it, and is picked through it.
        for (const meshes of [toggles.joints ? [...joints.meshes, ...ropes.flatMap(({ drawables }) => drawables)] : [], solids.meshes]) {
            if (best) break;
            for (const hit of this.caster.intersectObjects(meshes, false)) {
                const z = this.project(this.point.copy(hit.point)).z;
                if (z >= depth) continue;
                depth = z;
                const part = hit.object.userData.parts[hit.instanceId];
                best = part.object ?? part;
            }
        }
        for (const network of networks) {
            const z = this.pickNetwork(network, x, y);
            if (z >= depth - (best ? 1e-4 : 0)) continue;
            depth = z;
            best = network.body;
        }
        return best;
    }

    /** Depth at which a network passes the pointer, 1 if it does not. */
    pickNetwork({ ends, nodes, count, places }, x, y) {
        let depth = places ? this.pickSurface(places, x, y) : 1;
        const at = count ? ends : nodes;
        const stride = count ? 6 : 3;
        for (let e = 0; e < at.length; e += stride) {
            const a = this.project(this.a.fromArray(at, e));
            const b = count ? this.project(this.b.fromArray(at, e + 3)) : a;
            if (a.z >= 1 || b.z >= 1) continue;
            const dx = b.x - a.x;
            const dy = b.y - a.y;
            const length = dx * dx + dy * dy;
            const s = length > 0 ? Math.min(Math.max(((x - a.x) * dx + (y - a.y) * dy) / length, 0), 1) : 0;
            if (Math.hypot(a.x + s * dx - x, a.y + s * dy - y) > 5) continue;
            depth = Math.min(depth, a.z + s * (b.z - a.z));
        }
        return depth;
    }

    /** Depth of the nearest triangle under the pointer. */
    pickSurface(places, x, y) {
        let depth = 1;
        for (let e = 0; e < places.length; e += 9) {
            const [a, b, c] = [this.a, this.b, this.point].map((corner, k) => this.project(corner.fromArray(places, e + 3 * k)));
            if (a.z >= 1 || b.z >= 1 || c.z >= 1) continue;
            const twice = (p, q) => (p.x - x) * (q.y - y) - (p.y - y) * (q.x - x);
            const shares = [twice(b, c), twice(c, a), twice(a, b)];
            const area = shares[0] + shares[1] + shares[2];
            if (!area || shares.some(share => share * area < 0)) continue;
            depth = Math.min(depth, (shares[0] * a.z + shares[1] * b.z + shares[2] * c.z) / area);
        }
        return depth;
    }
}
