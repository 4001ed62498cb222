// SPDX-License-Identifier: BSD-3-Clause
// A network's elements as lines, coloured by a channel, and its nodes as points; a film as a surface.
"use strict";

// A force per length is one of a surface, whose triangles the lines are round.
const SURFACE_UNIT = "N/m";
// Lines on a surface are darker than it.
const ON_SURFACE = 0.62;

/** Triangles that lines between nodes make, three node numbers each. */
function trianglesOf(ends, count) {
    const above = Array.from({ length: count }, () => []);  // neighbours with higher numbers
    for (let k = 0; k < ends.length; k += 2) above[Math.min(ends[k], ends[k + 1])].push(Math.max(ends[k], ends[k + 1]));
    const out = [];
    const seen = new Int32Array(count).fill(-1);
    above.forEach((neighbours, a) => {
        for (const b of neighbours) seen[b] = a;
        for (const b of neighbours) for (const c of above[b]) if (seen[c] === a) out.push(a, b, c);
    });
    return out;
}

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
        if (body.channels?.some(({ unit }) => unit === SURFACE_UNIT)) this.addSurface();
        if (!this.count || (!this.surface && this.nodes.length / 3 <= 400)) this.addPoints();
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

    /** The triangles, coloured at their corners by what their lines have. */
    addSurface() {
        const count = this.nodes.length / 3;
        const triangles = trianglesOf(this.body.lines.raw, count);
        if (!triangles.length) return;
        this.shades = new Float32Array(3 * count);
        this.lineSums = new Float32Array(count);
        this.lineCounts = new Float32Array(count);
        for (const node of this.body.lines.raw) ++this.lineCounts[node];
        const geometry = new THREE.BufferGeometry();
        geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(triangles), 1));
        geometry.setAttribute("position", new THREE.BufferAttribute(this.nodes, 3).setUsage(THREE.DynamicDrawUsage));
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
        if (this.surface) this.surface.geometry.attributes.position.needsUpdate = true;
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
            const dark = this.surface ? ON_SURFACE : 1;
            for (let e = 0; e < colours.length; ++e) colours[e] = dark * this.plain[e % 3];
            for (let e = 0; this.surface && e < this.shades.length; ++e) this.shades[e] = this.plain[e % 3];
            this.fillPlain = false;
        } else {
            channel.track.blend(place.i, place.j, place.s, values);
            const { table } = scale;
            const dark = this.surface ? ON_SURFACE : 1;
            for (let k = 0, e = 0; k < values.length; ++k, e += 6) {
                const c = scale.index(values[k]);
                colours[e] = colours[e + 3] = dark * table[c];
                colours[e + 1] = colours[e + 4] = dark * table[c + 1];
                colours[e + 2] = colours[e + 5] = dark * table[c + 2];
            }
            if (this.surface) this.shadeNodes();
        }
        this.changing[1].needsUpdate = true;
        if (this.surface) this.surface.geometry.attributes.shade.needsUpdate = true;
    }

    /** Nodes have the mean of their lines. */
    shadeNodes() {
        const { values, lineSums, lineCounts, shades, scale } = this;
        const ends = this.body.lines.raw;
        lineSums.fill(0);
        for (let k = 0; k < ends.length; ++k) lineSums[ends[k]] += values[k >> 1];
        for (let n = 0; n < lineSums.length; ++n) {
            const c = scale.index(lineSums[n] / Math.max(lineCounts[n], 1));
            for (let x = 0; x < 3; ++x) shades[3 * n + x] = scale.table[c + x];
        }
    }
}
