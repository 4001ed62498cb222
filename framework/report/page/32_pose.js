// SPDX-License-Identifier: BSD-3-Clause
// Where bodies are between two frames: positions linearly, attitudes along the shorter great circle.
"use strict";

const scratch4 = new Float64Array(4);
const scratch3 = new Float64Array(3);
const other = new THREE.Quaternion();

/** Reads a unit quaternion (stored w, x, y, z) of a frame. */
function readQuaternion(track, record, out) {
    track.blend(record, record, 0, scratch4);
    return out.set(scratch4[1], scratch4[2], scratch4[3], scratch4[0]).normalize();
}

/** The attitude at a place in time; unity for bodies without one. */
function attitudeAt(object, place, out) {
    if (!object.quaternion) return out.set(0, 0, 0, 1);
    readQuaternion(object.quaternion, place.i, out);
    if (place.s > 0) out.slerp(readQuaternion(object.quaternion, place.j, other), place.s);
    return out;
}

/** The reference point at a place in time; for networks the middle of the nodes. */
function positionAt(object, place, out) {
    if (object.position) {
        object.position.blend(place.i, place.j, place.s, scratch3);
        return out.fromArray(scratch3);
    }
    if (object.positions) {
        for (let k = 0; k < 3; ++k) out.setComponent(k, blended(object.positions, place, k));
        return out;
    }
    if (!object.nodes) return null;
    const { nodes } = object;
    const count = nodes.width / 3;
    const sum = [0, 0, 0];
    for (let n = 0; n < nodes.width; ++n) sum[n % 3] += blended(nodes, place, n);
    return out.fromArray(sum).divideScalar(count);
}

/**
 * The point about which all is drawn: graphics have seven digits, which far from the origin are too
 * few. The view moves it.
 */
const drawOrigin = new THREE.Vector3();

/** The reference point as it is drawn. */
function drawnAt(object, place, out) {
    return positionAt(object, place, out)?.sub(drawOrigin) ?? null;
}

/** One element of a track of points as it is drawn. */
function drawn(track, place, k) {
    return blended(track, place, k) - drawOrigin.getComponent(k % 3);
}

/** One element of a track at a place in time. */
function blended(track, place, k) {
    const a = track.at(place.i, k);
    return place.s === 0 ? a : a + place.s * (track.at(place.j, k) - a);
}
