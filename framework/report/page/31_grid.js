// SPDX-License-Identifier: BSD-3-Clause
// The ground: lines that fade away from the middle, every fifth stronger.
"use strict";

const GRID_PIECES = 24;

/** A grid in the plane of x and y, with cells of so many metres, out to a radius. */
function makeGrid(cell, reach) {
    const points = [];
    const shades = [];
    const lines = Math.floor(reach / cell);
    for (let n = -lines; n <= lines; ++n) {
        const strength = n % 5 === 0 ? 0.42 : 0.2;
        const half = Math.sqrt(reach * reach - n * n * cell * cell);
        for (let k = 0; k < GRID_PIECES; ++k)
            for (const end of [k, k + 1]) {
                const along = half * ((2 * end) / GRID_PIECES - 1);
                const r = Math.hypot(along, n * cell) / reach;
                const fade = Math.max(0, 1 - r * r) ** 2;
                points.push([along, n * cell]);
                shades.push(strength * fade);
            }
    }
    // Both directions: the second is the first with x and y exchanged.
    const positions = new Float32Array([...points.flatMap(([x, y]) => [x, y, 0]), ...points.flatMap(([x, y]) => [y, x, 0])]);
    const colours = new Float32Array([...shades, ...shades].flatMap(shade => [1, 1, 1, shade]));
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(colours, 4));
    const material = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
    return new THREE.LineSegments(geometry, material);
}
