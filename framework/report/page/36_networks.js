// SPDX-License-Identifier: BSD-3-Clause
// A network's elements as lines, its triangles as a surface, coloured by a channel, its nodes as points.
"use strict";

// Lines on a surface are darker than it.
const ON_SURFACE = 0.62;

// Above this many elements lines are a pixel wide.
const MANY_LINES = 4000;

class Network {
    constructor(body, ghost) {
        this.body = body;
        this.ghost = ghost;
        this.nodes = new Float32Array(body.nodes.width);
        this.exact = new Float64Array(body.nodes.width);
        this.count = body.lines ? body.lines.records : 0;
        this.nodeShades = new Float32Array(this.nodes.length);
        this.drawables = [];
        this.channel = null;
        this.scale = null;
        if (this.count) this.addLines();
        if (body.triangles) this.addSurface();
        if (!this.count || (!this.surface && this.nodes.length / 3 <= 400)) this.addPoints();
    }

    addLines() {
        this.ends = new Float32Array(6 * this.count);
        this.colours = new Float32Array(6 * this.count);
        if (this.count > MANY_LINES) this.addThinLines();
        else this.addWideLines();
        for (const data of this.changing) data.setUsage(THREE.DynamicDrawUsage);
        this.lines.material.transparent = this.ghost;
        this.lines.material.opacity = this.ghost ? 0.4 : 1;
        this.lines.frustumCulled = false;
        this.drawables.push(this.lines);
    }

    /** A pixel wide: all that graphics interfaces have of their own, and cheap. */
    addThinLines() {
        const geometry = new THREE.BufferGeometry();
        this.changing = [new THREE.BufferAttribute(this.ends, 3), new THREE.BufferAttribute(this.colours, 3)];
        geometry.setAttribute("position", this.changing[0]);
        geometry.setAttribute("color", this.changing[1]);
        this.lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ vertexColors: true }));
    }

    addWideLines() {
        const geometry = new THREE.LineSegmentsGeometry();
        geometry.setPositions(this.ends);
        geometry.setColors(this.colours);
        this.changing = [geometry.attributes.instanceStart.data, geometry.attributes.instanceColorStart.data];
        this.width = this.count > 600 ? 1.7 : 2.6;
        this.lines = new THREE.LineSegments2(geometry, new THREE.LineMaterial({ vertexColors: true, linewidth: this.width }));
    }

    /** Each triangle with corners of its own, which have its colour or those of its nodes. */
    addSurface() {
        this.corners = this.body.triangles.raw;
        this.places = new Float32Array(3 * this.corners.length);
        this.shades = new Float32Array(3 * this.corners.length);
        this.trianglesAt = new Float32Array(this.nodes.length / 3);
        for (const node of this.corners) ++this.trianglesAt[node];
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("position", new THREE.BufferAttribute(this.places, 3).setUsage(THREE.DynamicDrawUsage));
        geometry.setAttribute("shade", new THREE.BufferAttribute(this.shades, 3).setUsage(THREE.DynamicDrawUsage));
        // Of one instance: the library at hand has no other mesh.
        this.surface = new THREE.InstancedMesh(geometry, surfaceMaterial(this.ghost ? 0.28 : 1), 1);
        this.surface.setMatrixAt(0, new THREE.Matrix4());
        this.surface.frustumCulled = false;
        this.drawables.push(this.surface);
        if (this.width) this.width *= 0.55;
    }

    addPoints() {
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("position", new THREE.BufferAttribute(this.nodes, 3).setUsage(THREE.DynamicDrawUsage));
        this.points = new THREE.Points(geometry, pointMaterial(this.count ? 6 : 8, 0, false));
        this.points.frustumCulled = false;
        this.drawables.push(this.points);
    }

    /** Colours by a decoded channel and its scale, or plainly. */
    paint(channel, scale, plain) {
        this.channel = this.ghost ? null : channel;
        this.values = null;
        this.scale = scale;
        this.plain = rgbOf(plain);
        this.points?.material.uniforms.color.value.set(plain);
        this.fillPlain = true;
        if (this.width) this.lines.material.linewidth = this.width * (this.body.name === state.get("select") ? 1.7 : 1);
    }

    update(place) {
        const { nodes, ends, places, corners } = this;
        this.body.nodes.blend(place.i, place.j, place.s, this.exact);
        for (let k = 0; k < nodes.length; ++k) nodes[k] = this.exact[k] - drawOrigin.getComponent(k % 3);
        if (this.points) this.points.geometry.attributes.position.needsUpdate = true;
        if (this.surface) {
            gather(nodes, corners, places);
            this.surface.geometry.attributes.position.needsUpdate = true;
        }
        if (this.count) {
            gather(nodes, this.body.lines.raw, ends);
            this.changing[0].needsUpdate = true;
        }
        this.updateColours(place);
    }

    updateColours(place) {
        if (!this.channel) {
            if (!this.fillPlain) return;
            this.fillPlain = false;
            for (let k = 0; k < this.nodeShades.length; ++k) this.nodeShades[k] = this.plain[k % 3];
            this.shadeByNodes();
        } else {
            this.values ??= new Float32Array(this.channel.track.width);
            this.channel.track.blend(place.i, place.j, place.s, this.values);
            if (this.channel.of === "nodes") this.shadeNodes();
            else if (this.channel.of === "triangles") this.shadeTriangles();
            else this.shadeLines();
        }
        if (this.count) this.changing[1].needsUpdate = true;
        if (this.surface) this.surface.geometry.attributes.shade.needsUpdate = true;
    }

    /** Lines and triangles have the colours of their nodes. */
    shadeByNodes() {
        const { nodeShades, colours, shades, corners } = this;
        if (this.count) gather(nodeShades, this.body.lines.raw, colours);
        if (!this.surface) return;
        gather(nodeShades, corners, shades);
        for (let k = 0; this.count && k < colours.length; ++k) colours[k] *= ON_SURFACE;
    }

    shadeNodes() {
        const { values, nodeShades, scale: { table } } = this;
        for (let n = 0; n < values.length; ++n) {
            const c = this.scale.index(values[n]);
            for (let x = 0; x < 3; ++x) nodeShades[3 * n + x] = table[c + x];
        }
        this.shadeByNodes();
    }

    /** Lines have the mean of the triangles at their ends. */
    shadeTriangles() {
        const { values, nodeShades, shades, corners, trianglesAt, scale: { table } } = this;
        nodeShades.fill(0);
        for (let k = 0; k < corners.length; ++k) {
            const c = this.scale.index(values[Math.floor(k / 3)]);
            const share = 1 / trianglesAt[corners[k]];
            for (let x = 0; x < 3; ++x) nodeShades[3 * corners[k] + x] += share * table[c + x];
        }
        this.shadeByNodes();
        for (let k = 0; k < corners.length; ++k) {
            const c = this.scale.index(values[Math.floor(k / 3)]);
            for (let x = 0; x < 3; ++x) shades[3 * k + x] = table[c + x];
        }
    }

    /** A surface is plain then. */
    shadeLines() {
        const { values, colours, shades, scale: { table } } = this;
        for (let k = 0, e = 0; k < values.length; ++k, e += 6) {
            const c = this.scale.index(values[k]);
            for (let x = 0; x < 3; ++x) colours[e + x] = colours[e + 3 + x] = table[c + x];
        }
        for (let e = 0; this.surface && e < shades.length; ++e) shades[e] = this.plain[e % 3];
    }
}

/** Three numbers of each of the chosen. */
function gather(from, chosen, to) {
    for (let k = 0, e = 0; k < chosen.length; ++k) {
        const n = 3 * chosen[k];
        to[e++] = from[n];
        to[e++] = from[n + 1];
        to[e++] = from[n + 2];
    }
}
