// SPDX-License-Identifier: BSD-3-Clause
// Pulls a body by the pointer: a spring from the point that was taken to where the pointer is.
"use strict";

class Puller {
    /** `send` takes what the command is asked to do, `mayPull` says whether the present is shown. */
    constructor(view, picker, send, mayPull) {
        this.view = view;
        this.picker = picker;
        this.send = send;
        this.on = true;
        this.taken = null;
        this.normal = new THREE.Vector3();  // of the plane through the point, in which the pointer moves
        this.target = new THREE.Vector3();
        this.at = new THREE.Vector3();
        this.turn = new THREE.Quaternion();
        this.pending = false;
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(6), 3).setUsage(THREE.DynamicDrawUsage));
        this.line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ depthTest: false }));
        this.line.frustumCulled = false;
        this.line.renderOrder = 5;
        // Before the camera's own listeners: what is taken does not turn it.
        view.box.addEventListener("pointerdown", event => {
            if (event.button !== 0 || !this.on || !mayPull() || event.target !== view.canvas) return;
            this.take(event);
        }, true);
        view.canvas.addEventListener("pointermove", event => this.taken && this.move(event));
        for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) view.canvas.addEventListener(type, () => this.drop());
        const button = make("button", { type: "button", id: "pull", title: "Drag a body to pull it; beside bodies a drag turns the view", ariaPressed: "true" }, "Pull");
        button.addEventListener("click", () => {
            this.on = !this.on;
            button.ariaPressed = String(this.on);
        });
        byId("tools").querySelector(".switches").append(button);
    }

    pointer(event) {
        const { left, top, width, height } = this.view.canvas.getBoundingClientRect();
        return [event.clientX - left, event.clientY - top, width, height];
    }

    aim([x, y, width, height]) {
        const { caster, mouse } = this.picker;
        caster.setFromCamera(mouse.set((2 * x) / width - 1, 1 - (2 * y) / height), this.view.camera);
        return caster;
    }

    /** What lies under the pointer: a body with the point on it, or a node of a network. */
    find(place) {
        const [{ solids, networks }] = this.view.actors;
        const [hit] = this.aim(place).intersectObjects(solids.meshes, false);
        const part = hit?.object.userData.parts[hit.instanceId];
        const body = part?.object ?? part;
        if (body?.position && body.name !== "ground") return { body, point: hit.point.clone() };
        for (const { body: network, nodes } of networks) {
            let best = null;
            let nearest = 14;  // pixels
            for (let n = 0; n < nodes.length; n += 3) {
                const pixel = this.picker.project(this.at.fromArray(nodes, n));
                const distance = Math.hypot(pixel.x - place[0], pixel.y - place[1]);
                if (pixel.z < 1 && distance < nearest) [best, nearest] = [n / 3, distance];
            }
            if (best !== null) return { body: network, node: best, point: new THREE.Vector3().fromArray(nodes, 3 * best) };
        }
        return null;
    }

    take(event) {
        const found = this.find(this.pointer(event));
        if (!found) return;
        const { body, node, point } = found;
        const { view } = this;
        const start = { do: "pull", body: body.name, target: point.clone().add(drawOrigin).toArray() };
        if (node !== undefined) start.node = node;
        else {
            const { place } = view.actors[0].scene;
            found.local = point.clone().sub(drawnAt(body, place, this.at)).applyQuaternion(attitudeAt(body, place, this.turn).invert());
            start.point = found.local.toArray();
        }
        this.taken = found;
        this.target.copy(point);
        view.carried.add(this.target).add(point);
        view.camera.getWorldDirection(this.normal);
        view.controls.enabled = false;
        view.canvas.setPointerCapture(event.pointerId);
        view.stage.add(this.line);
        this.send(start);
        this.draw();
    }

    move(event) {
        const { ray: { origin, direction } } = this.aim(this.pointer(event));
        const distance = this.at.copy(this.taken.point).sub(origin).dot(this.normal) / direction.dot(this.normal);
        this.target.copy(origin).addScaledVector(direction, distance);
        this.draw();
        if (this.pending) return;
        this.pending = true;
        requestAnimationFrame(() => {
            this.pending = false;
            if (this.taken) this.send({ do: "pull", target: this.target.clone().add(drawOrigin).toArray() });
        });
    }

    drop() {
        if (!this.taken) return;
        for (const point of [this.target, this.taken.point]) this.view.carried.delete(point);
        this.taken = null;
        this.view.controls.enabled = true;
        this.view.stage.remove(this.line);
        this.send({ do: "drop" });
        this.view.draw();
    }

    /** The spring, from where its point is now. */
    draw() {
        if (!this.taken) return;
        const { body, node, local } = this.taken;
        const { place } = this.view.actors[0].scene;
        if (node === undefined) drawnAt(body, place, this.at).add(local.clone().applyQuaternion(attitudeAt(body, place, this.turn)));
        else for (let c = 0; c < 3; ++c) this.at.setComponent(c, drawn(body.nodes, place, 3 * node + c));
        const { position } = this.line.geometry.attributes;
        this.at.toArray(position.array, 0);
        this.target.toArray(position.array, 3);
        position.needsUpdate = true;
        this.line.material.color.set(palette().select);
        if (!this.line.parent) this.view.stage.add(this.line);
        this.view.draw();
    }
}
