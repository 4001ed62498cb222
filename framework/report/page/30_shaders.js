// SPDX-License-Identifier: BSD-3-Clause
// Materials of the scene: shaded solids with fine edges, round points.
"use strict";

// Light stands beside the eye, so that a body looks the same from everywhere.
const SOLID_VERTEX = `
attribute float marked;
varying float vMarked;
varying vec3 vNormal;
varying vec3 vColor;
varying vec2 vUv;
void main() {
    mat3 m = mat3(instanceMatrix);
    vec3 n = normal / vec3(dot(m[0], m[0]), dot(m[1], m[1]), dot(m[2], m[2]));
    vNormal = normalMatrix * (m * n);
    vColor = instanceColor;
    vUv = uv;
    vMarked = marked;
    gl_Position = projectionMatrix * modelViewMatrix * instanceMatrix * vec4(position, 1.0);
}`;

const SOLID_FRAGMENT = `
uniform vec2 lines;
uniform float edge;
uniform float opacity;
uniform vec3 select;
varying float vMarked;
varying vec3 vNormal;
varying vec3 vColor;
varying vec2 vUv;
void main() {
    vec3 n = normalize(vNormal);
    if (!gl_FrontFacing) n = -n;
    float key = max(dot(n, vec3(-0.36, 0.62, 0.70)), 0.0);
    // Black would have no shape.
    vec3 colour = max(vColor, vec3(0.05)) * (0.74 + 0.12 * n.y + 0.26 * key);
    vec2 g = vUv * lines;
    vec2 d = abs(fract(g - 0.5) - 0.5) / max(fwidth(g), vec2(1e-6));
    float width = 1.6 + 2.0 * vMarked;
    float line = 1.0 - smoothstep(width - 1.1, width, min(d.x, d.y));
    colour = mix(colour, select, 0.18 * vMarked);
    // Edges are darker, and lighter on what is dark itself.
    float bright = dot(vColor, vec3(0.30, 0.59, 0.11));
    vec3 drawn = mix(mix(colour, vec3(1.0), 0.45), colour * edge, smoothstep(0.16, 0.30, bright));
    gl_FragColor = vec4(mix(colour, mix(drawn, select, vMarked), line), opacity);
}`;

/** Lambert shading with darker lines at so many parts of u and v; `marked` instances stand out. */
function solidMaterial(lines, opacity = 1) {
    return new THREE.ShaderMaterial({
        uniforms: {
            lines: { value: new THREE.Vector2(...lines) },
            edge: { value: 0.45 },
            opacity: { value: opacity },
            select: { value: new THREE.Color() },
        },
        vertexShader: SOLID_VERTEX,
        fragmentShader: SOLID_FRAGMENT,
        transparent: opacity < 1,
        depthWrite: opacity === 1,
        // A ghost where the first run is stays behind it.
        polygonOffset: opacity < 1,
        polygonOffsetFactor: 2,
        polygonOffsetUnits: 8,
        side: THREE.DoubleSide,
    });
}

const SURFACE_VERTEX = `
attribute vec3 shade;
varying vec3 vShade;
varying vec3 vAt;
void main() {
    vec4 at = modelViewMatrix * vec4(position, 1.0);
    vShade = shade;
    vAt = at.xyz;
    gl_Position = projectionMatrix * at;
}`;

const SURFACE_FRAGMENT = `
uniform float opacity;
varying vec3 vShade;
varying vec3 vAt;
void main() {
    vec3 n = normalize(cross(dFdx(vAt), dFdy(vAt)));
    if (n.z < 0.0) n = -n;
    float key = max(dot(n, vec3(-0.36, 0.62, 0.70)), 0.0);
    gl_FragColor = vec4(vShade * (0.74 + 0.12 * n.y + 0.26 * key), opacity);
}`;

/** A film of flat triangles, seen from both sides. */
function surfaceMaterial(opacity) {
    return new THREE.ShaderMaterial({
        uniforms: { opacity: { value: opacity } },
        vertexShader: SURFACE_VERTEX,
        fragmentShader: SURFACE_FRAGMENT,
        transparent: opacity < 1,
        depthWrite: opacity === 1,
        // Lines on it are before it.
        polygonOffset: true,
        polygonOffsetFactor: 1.5,
        polygonOffsetUnits: 4,
        side: THREE.DoubleSide,
    });
}

const SWEPT_VERTEX = `
attribute vec3 shade;
varying vec3 vShade;
varying vec3 vNormal;
void main() {
    vShade = shade;
    vNormal = normalMatrix * normal;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const SWEPT_FRAGMENT = `
uniform float opacity;
uniform float marked;
uniform vec3 select;
varying vec3 vShade;
varying vec3 vNormal;
void main() {
    vec3 n = normalize(vNormal);
    if (!gl_FrontFacing) n = -n;
    float key = max(dot(n, vec3(-0.36, 0.62, 0.70)), 0.0);
    vec3 colour = max(vShade, vec3(0.05)) * (0.70 + 0.14 * n.y + 0.32 * key);
    gl_FragColor = vec4(mix(colour, select, 0.3 * marked), opacity);
}`;

/** Solids along lines, with a colour at every corner. */
function sweptMaterial(opacity) {
    return new THREE.ShaderMaterial({
        uniforms: { opacity: { value: opacity }, marked: { value: 0 }, select: { value: new THREE.Color() } },
        vertexShader: SWEPT_VERTEX,
        fragmentShader: SWEPT_FRAGMENT,
        transparent: opacity < 1,
        depthWrite: opacity === 1,
        side: THREE.DoubleSide,
    });
}

const POINT_VERTEX = `
uniform float size;
void main() {
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    gl_PointSize = size;
}`;

const POINT_FRAGMENT = `
uniform vec3 color;
uniform float size;
uniform float hole;
void main() {
    float r = length(gl_PointCoord - 0.5) * size;
    float outer = 0.5 * size - 1.0;
    float a = 1.0 - smoothstep(outer - 0.7, outer + 0.7, r);
    if (hole > 0.0) a *= smoothstep(outer - hole - 0.7, outer - hole + 0.7, r);
    if (a < 0.02) discard;
    gl_FragColor = vec4(color, a);
}`;

/** Discs of so many pixels across; rings if they have a hole. */
function pointMaterial(size, ring, onTop) {
    return new THREE.ShaderMaterial({
        uniforms: {
            color: { value: new THREE.Color() },
            size: { value: size * pixelRatio() },
            hole: { value: ring * pixelRatio() },
        },
        vertexShader: POINT_VERTEX,
        fragmentShader: POINT_FRAGMENT,
        transparent: true,
        depthTest: !onTop,
        depthWrite: false,
    });
}
