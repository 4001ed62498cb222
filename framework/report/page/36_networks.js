// SPDX-License-Identifier: BSD-3-Clause
// A network's elements as lines, coloured by a channel, and its nodes as points.
"use strict";

// Above this many elements lines are a pixel wide.
const MANY_LINES = 4000;

class Network {
    constructor(body, ghost) {
        this.body = body;
        this.ghost = ghost;
        this.nodes = new Float32Array(body.nodes.width);
        this.count = body.lines ? body.lines.records : 0;
        this.drawables = [];
        this.channel = null;
        this.scale = null;
        if (this.count) this.addLines();
        if (!this.count || this.nodes.length / 3 <= 400) this.addPoints();
    }

    addLines() {
        this.ends = new Float32Array(6 * this.count);
        this.colours = new Float32Array(6 * this.count);
        this.values = new Float32Array(this.count);
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
        this.scale = scale;
        this.plain = rgbOf(plain);
        this.points?.material.uniforms.color.value.set(plain);
        this.fillPlain = true;
        if (this.width) this.lines.material.linewidth = this.width * (this.body.name === state.get("select") ? 1.7 : 1);
    }

    update(place) {
        const { nodes, ends } = this;
        this.body.nodes.blend(place.i, place.j, place.s, nodes);
        if (this.points) this.points.geometry.attributes.position.needsUpdate = true;
        if (!this.count) return;
        const numbers = this.body.lines.raw;
        for (let e = 0, k = 0; k < numbers.length; ++k) {
            const n = 3 * numbers[k];
            ends[e++] = nodes[n];
            ends[e++] = nodes[n + 1];
            ends[e++] = nodes[n + 2];
        }
        this.changing[0].needsUpdate = true;
        this.updateColours(place);
    }

    updateColours(place) {
        const { colours, values, channel, scale } = this;
        if (!channel) {
            if (!this.fillPlain) return;
            for (let e = 0; e < colours.length; ++e) colours[e] = this.plain[e % 3];
            this.fillPlain = false;
        } else {
            channel.track.blend(place.i, place.j, place.s, values);
            const { table } = scale;
            for (let k = 0, e = 0; k < values.length; ++k, e += 6) {
                const c = scale.index(values[k]);
                colours[e] = colours[e + 3] = table[c];
                colours[e + 1] = colours[e + 4] = table[c + 1];
                colours[e + 2] = colours[e + 5] = table[c + 2];
            }
        }
        this.changing[1].needsUpdate = true;
    }
}
