// SPDX-License-Identifier: BSD-3-Clause
// Lines as solids: outlines of sections along cubics, as of beams, and round ropes along them.
"use strict";

// So many pieces have all lines of a body together, at most and at least this many each.
const SWEEP_PIECES = 2400;
const MOST_PIECES = 10;
const LEAST_PIECES = 3;
// Sections that would not be seen are drawn so large [of the scene].
const LEAST_SECTION = 0.001;

const ROUND_OUTLINE = Array.from({ length: 16 }, (_, k) => [Math.cos((Math.PI * k) / 8), Math.sin((Math.PI * k) / 8)]);

/** Twice the area of a triangle in a plane, positive anticlockwise. */
function turnOf([ax, ay], [bx, by], [cx, cy]) {
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
}

/** Triangles, by numbers of the points, that fill an outline: ears are cut off one by one. */
function fillOutline(points) {
    const left = points.map((_, k) => k);
    const triangles = [];
    const isEar = k => {
        const [a, b, c] = [left.at(k - 1), left[k], left[(k + 1) % left.length]];
        if (turnOf(points[a], points[b], points[c]) <= 0) return false;
        return left.every(p => p === a || p === b || p === c || turnOf(points[a], points[b], points[p]) < 0 ||
            turnOf(points[b], points[c], points[p]) < 0 || turnOf(points[c], points[a], points[p]) < 0);
    };
    while (left.length > 3) {
        const k = Math.max(left.findIndex((_, k) => isEar(k)), 0);
        triangles.push(left.at(k - 1), left[k], left[(k + 1) % left.length]);
        left.splice(k, 1);
    }
    return [...triangles, ...left];
}

/** An outline as its sides: of each its two points, with normals that are smooth but at edges. */
function sidesOf(points, factor) {
    const count = points.length;
    const at = k => points[(k + count) % count];
    const normals = points.map((p, k) => {
        const [dx, dy] = [at(k + 1)[0] - p[0], at(k + 1)[1] - p[1]];
        const length = Math.hypot(dx, dy) || 1;
        return [dy / length, -dx / length];
    });
    const meet = (k, other) => {
        const [n, m] = [normals[k], normals[(other + count) % count]];
        if (n[0] * m[0] + n[1] * m[1] < CREASE) return n;
        const length = Math.hypot(n[0] + m[0], n[1] + m[1]);
        return [(n[0] + m[0]) / length, (n[1] + m[1]) / length];
    };
    return points.flatMap((p, k) => [[p, meet(k, k - 1)], [at(k + 1), meet(k, k + 1)]]
        .map(([[x, y], [nx, ny]]) => ({ x: factor * x, y: factor * y, nx, ny })));
}

/** The lines of a network as solids, which its lines and points give way to. */
class SweptNetwork {
    constructor(network, place, size) {
        const { body, count } = network;
        this.network = network;
        this.count = count;
        this.pieces = Math.min(Math.max(Math.floor(SWEEP_PIECES / count), LEAST_PIECES), MOST_PIECES);
        network.update(place);
        const outlines = body.outlines?.length ? body.outlines : [{ points: ROUND_OUTLINE, hole: 0, radius: ropeRadius(network, size) }];
        this.of = body.line_outlines?.raw ?? new Int32Array(2 * count);
        this.sides = outlines.map(({ points, radius }) => {
            const reach = Math.max(...points.map(([x, y]) => Math.hypot(x, y)));
            return sidesOf(points, radius ?? Math.max(1, (LEAST_SECTION * size) / reach));
        });
        this.hole = outlines.map(({ hole }) => hole);
        this.hollow = this.hole.some(hole => hole > 0);
        this.corners = outlines[0].points.length;
        this.fill = this.hollow ? null : fillOutline(outlines[0].points);
        this.perRing = 2 * this.corners;
        this.perCap = this.hollow ? 2 * this.corners : this.corners;
        this.perLine = (this.pieces + 1) * this.perRing + 2 * this.perCap;
        this.values = new Float64Array(body.curves.width);
        this.places = new Float32Array(3 * this.perLine * count);
        this.normals = new Float32Array(this.places.length);
        this.shades = new Float32Array(this.places.length);
        const geometry = new THREE.BufferGeometry();
        for (const [name, values] of [["position", this.places], ["normal", this.normals], ["shade", this.shades]])
            geometry.setAttribute(name, new THREE.BufferAttribute(values, 3).setUsage(THREE.DynamicDrawUsage));
        geometry.setIndex(new THREE.BufferAttribute(this.indices(), 1));
        this.mesh = new THREE.InstancedMesh(geometry, sweptMaterial(network.ghost ? 0.35 : 1), 1);
        this.mesh.setMatrixAt(0, new THREE.Matrix4());
        this.mesh.frustumCulled = false;
        this.drawables = [this.mesh];
        network.drawables = network.drawables.filter(drawable => drawable !== network.lines && drawable !== network.points);
        [this.x, this.y, this.t, this.at] = [0, 1, 2, 3].map(() => new THREE.Vector3());
    }

    /** Quadrangles between rings, caps at both ends. */
    indices() {
        const index = [];
        const { pieces, corners, perRing, perCap, perLine, fill } = this;
        for (let line = 0; line < this.count; ++line) {
            const first = line * perLine;
            for (let ring = first; ring < first + pieces * perRing; ring += perRing)
                for (let k = 0; k < perRing; k += 2)
                    index.push(ring + k, ring + k + 1, ring + k + perRing, ring + k + 1, ring + k + 1 + perRing, ring + k + perRing);
            for (const cap of [0, 1].map(end => first + (pieces + 1) * perRing + end * perCap))
                if (fill) for (const k of fill) index.push(cap + k);
                else
                    for (let k = 0; k < corners; ++k) {
                        const next = (k + 1) % corners;
                        index.push(cap + k, cap + next, cap + corners + k, cap + next, cap + corners + next, cap + corners + k);
                    }
        }
        return new Uint32Array(index);
    }

    paint(selected) {
        const { uniforms } = this.mesh.material;
        uniforms.select.value.set(palette().select);
        uniforms.marked.value = this.network.body.name === selected ? 1 : 0;
    }

    update(place) {
        this.network.body.curves.blend(place.i, place.j, place.s, this.values);
        for (let line = 0; line < this.count; ++line) this.sweep(line);
        const { attributes } = this.mesh.geometry;
        for (const name of ["position", "normal", "shade"]) attributes[name].needsUpdate = true;
    }

    sweep(line) {
        const { network: { ends, colours }, values, pieces, places, normals, shades, x, y, t, at } = this;
        const e = 6 * line;
        const c = 12 * line;
        const [from, to] = [this.sides[this.of[2 * line]], this.sides[this.of[2 * line + 1]]];
        const holes = [this.hole[this.of[2 * line]], this.hole[this.of[2 * line + 1]]];
        let n = 3 * line * this.perLine;
        let cap = n + 3 * (pieces + 1) * this.perRing;
        const put = (to, k, px, py) => {
            for (let i = 0; i < 3; ++i) to[k + i] = px * x.getComponent(i) + py * y.getComponent(i);
        };
        for (let ring = 0; ring <= pieces; ++ring) {
            const s = ring / pieces;
            const r = 1 - s;
            const [a, ta, b, tb] = [r * r * (1 + 2 * s), s * r * r, s * s * (3 - 2 * s), -s * s * r];
            const [da, dta, dtb] = [-6 * s * r, r * (1 - 3 * s), s * (3 * s - 2)];
            for (let i = 0; i < 3; ++i) {
                const [p, q, u, v] = [ends[e + i], ends[e + 3 + i], values[c + i], values[c + 6 + i]];
                at.setComponent(i, a * p + ta * u + b * q + tb * v);
                t.setComponent(i, da * (p - q) + dta * u + dtb * v);
                x.setComponent(i, r * values[c + 3 + i] + s * values[c + 9 + i]);
            }
            t.normalize();
            x.addScaledVector(t, -x.dot(t)).normalize();
            y.crossVectors(t, x);
            const isEnd = ring === 0 || ring === pieces;
            const hole = r * holes[0] + s * holes[1];
            for (let k = 0; k < this.perRing; ++k, n += 3) {
                const [one, two] = [from[k], to[k]];
                const [px, py] = [r * one.x + s * two.x, r * one.y + s * two.y];
                put(places, n, px, py);
                put(normals, n, one.nx, one.ny);
                for (let i = 0; i < 3; ++i) {
                    places[n + i] += at.getComponent(i);
                    shades[n + i] = r * colours[e + i] + s * colours[e + 3 + i];
                }
                if (!isEnd || k % 2) continue;
                for (const factor of this.hollow ? [1, hole] : [1]) {
                    const m = cap + 3 * (k / 2) + (factor === 1 ? 0 : 3 * this.corners);
                    put(places, m, factor * px, factor * py);
                    for (let i = 0; i < 3; ++i) {
                        places[m + i] += at.getComponent(i);
                        normals[m + i] = (ring ? 1 : -1) * t.getComponent(i);
                        shades[m + i] = shades[n + i];
                    }
                }
            }
            if (isEnd) cap += 3 * this.perCap;
        }
    }
}

/** Those of the networks whose lines run along curves. */
function sweptNetworks(networks, place, size) {
    return networks.filter(({ body, count }) => body.curves && count > 0 && count <= MANY_LINES)
        .map(network => new SweptNetwork(network, place, size));
}
