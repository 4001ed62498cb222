// SPDX-License-Identifier: BSD-3-Clause
// The 3D view: camera, ground, drawing on demand.
"use strict";

THREE.ColorManagement.enabled = false;  // colours are those of the style sheet, mixed as they are

const FIELD_OF_VIEW = 35;  // degrees, of the height
// Where the eye is at first: obliquely above [rad].
const AZIMUTH = Math.atan2(-0.82, 0.45);
const ELEVATION = Math.atan2(0.42, Math.hypot(0.82, 0.45));
const STEEPEST = 0.5 * Math.PI - 1e-4;

/** 1, 2 or 5 times a power of ten, not above x. */
function roundStep(x) {
    const power = 10 ** Math.floor(Math.log10(x));
    return power * ([5, 2, 1].find(step => step * power <= x * (1 + 1e-9)) ?? 1);
}

// About as many points tell how large a scene is.
const MOST_SAMPLES = 200000;
// So much of the machine's size is the arrow of the greatest force: longer ones hide bodies that they lie along.
const ARROW_SHARE = 0.18;
// A machine that is smaller than this part of its way would have arrows that nobody sees.
const LEAST_MACHINE = 0.15;
// One whose way is this many times its size is a speck beside it: the view goes along.
const TRAVELS = 8;
// So many objects tell where the machine is.
const CENTRE_OBJECTS = 24;

/** The middle of what moves, a mean over objects, or null. */
function centreAt({ bodies }, place, out) {
    const moved = bodies.filter(({ name, position, nodes }) => name !== "ground" && (position || nodes));
    const step = Math.max(1, Math.ceil(moved.length / CENTRE_OBJECTS));
    const at = new THREE.Vector3();
    let count = 0;
    out.set(0, 0, 0);
    for (let k = 0; k < moved.length; k += step)
        if (positionAt(moved[k], place, at)) {
            out.add(at);
            ++count;
        }
    return count ? out.divideScalar(count) : null;
}

/** The same as it is drawn. */
const drawnCentreAt = (scene, place, out) => centreAt(scene, place, out)?.sub(drawOrigin) ?? null;

/** The least of one coordinate of points, times a sign. */
function least(points, c, sign) {
    let x = Infinity;
    for (let k = c; k < points.length; k += 3) x = Math.min(x, sign * points[k]);
    return x;
}

/** Points of a shape in body axes, with the size about each. */
function outlineOf({ kind, size, center = [0, 0, 0], quaternion, radius, from, to, mesh, scale }, meshes) {
    if (kind === "sphere") return [{ at: new THREE.Vector3(...center), radius }];
    if (kind === "cylinder" || kind === "capsule") return [from, to].map(end => ({ at: new THREE.Vector3(...end), radius }));
    if (kind !== "box" && kind !== "mesh") return [];
    const low = [0, 1, 2].map(c => (kind === "box" ? -0.5 * size[c] : least(meshes[mesh].points, c, 1)));
    const high = [0, 1, 2].map(c => (kind === "box" ? 0.5 * size[c] : -least(meshes[mesh].points, c, -1)));
    const turn = placed(center, quaternion, kind === "mesh" ? scale : [1, 1, 1]);
    return [0, 1, 2, 3, 4, 5, 6, 7].map(k => ({ radius: 0, at: new THREE.Vector3(
        ...[0, 1, 2].map(c => (k >> c & 1 ? high : low)[c])).applyMatrix4(turn) }));
}

/**
 * Points of what is shown over the run, with the size about them, to place the camera by; `arrow`
 * is the length of a force of one newton. They are as drawn, of what travels about its centre.
 */
function samplePoints(scene, arrow, travels) {
    const { times, bodies, constraints, forces, joints, springs, meshes } = scene;
    const samples = [];
    const centres = new Array(times.length);
    const about = i => {
        if (!travels) return drawOrigin;
        return (centres[i] ??= centreAt(scene, { i, j: i, s: 0 }, new THREE.Vector3()) ?? drawOrigin);
    };
    const frames = Math.min(Math.max(Math.floor(MOST_SAMPLES / (8 * bodies.length + constraints.length + forces.length + 1)), 2), 40);
    const step = Math.max(1, Math.floor(times.length / frames));
    const vector = (track, i, k = 0) => new THREE.Vector3(track.at(i, k), track.at(i, k + 1), track.at(i, k + 2));
    const ties = [...joints, ...springs].flatMap(({ a, b }) => [a, b]);
    const turn = new THREE.Quaternion();
    const add = (list, pose) => list.forEach(({ at, radius }) => samples.push({ at: pose(at.clone()), radius }));
    if (!travels) add(ties.filter(({ body }) => body < 0).map(({ position }) => ({ at: new THREE.Vector3(...position).sub(drawOrigin), radius: 0 })), at => at);
    bodies.forEach(({ name, position, quaternion, nodes, shapes }, index) => {
        // Scenery may be far larger than what moves on it
        if (name === "ground") return;
        const outline = (shapes ?? []).flatMap(shape => outlineOf(shape, meshes));
        const own = [...outline, ...ties.filter(({ body }) => body === index).map(({ position: at }) => ({ at: new THREE.Vector3(...at), radius: 0 }))];
        const every = nodes ? 3 * Math.max(1, Math.floor(nodes.width / 3 / 200)) : 0;
        for (let i = 0; i < times.length; i += step) {
            if (position) {
                const origin = vector(position, i).sub(about(i));
                if (quaternion) readQuaternion(quaternion, i, turn);
                else turn.identity();
                if (own.length) add(own, at => at.applyQuaternion(turn).add(origin));
                else samples.push({ at: origin, radius: 0 });
            }
            for (let k = 0; nodes && k < nodes.width; k += every) samples.push({ at: vector(nodes, i, k).sub(about(i)), radius: 0 });
        }
    });
    for (const object of [...constraints, ...forces]) {
        const { positions, force } = object;
        if (!positions || !force) continue;
        const scale = isOnGround(object) ? -arrow : arrow;
        const tip = i => samples.push({ at: vector(positions, i).sub(about(i)).addScaledVector(vector(force, i), scale), radius: 0 });
        for (let i = 0; i < times.length; i += step) tip(i);
        // a blow may fall between those frames
        let most = 0;
        for (let i = 0; i < times.length; ++i) if (vector(force, i).lengthSq() > vector(force, most).lengthSq()) most = i;
        if (times.length) tip(most);
    }
    return samples;
}

// So many frames tell how large the machine is.
const SIZED_FRAMES = 24;

/** The largest extent of a scene's bodies at any one time: less than that of all times for what travels. */
function machineSize({ times, bodies, meshes }) {
    const moved = bodies.filter(({ name, position, nodes }) => name !== "ground" && (position || nodes));
    const reaches = moved.map(({ shapes }) => (shapes ?? []).flatMap(shape => outlineOf(shape, meshes))
        .reduce((most, { at, radius }) => Math.max(most, at.length() + radius), 0));
    const step = Math.max(1, Math.floor(times.length / SIZED_FRAMES));
    let size = 0;
    for (let i = 0; i < times.length; i += step) {
        const low = [Infinity, Infinity, Infinity];
        const high = [-Infinity, -Infinity, -Infinity];
        const add = (x, c, reach) => {
            low[c] = Math.min(low[c], x - reach);
            high[c] = Math.max(high[c], x + reach);
        };
        moved.forEach(({ position, nodes }, b) => {
            for (let c = 0; position && c < 3; ++c) add(position.at(i, c), c, reaches[b]);
            const every = nodes ? 3 * Math.max(1, Math.floor(nodes.width / 600)) : 1;
            for (let k = 0; nodes && k < nodes.width; k += every) for (let c = 0; c < 3; ++c) add(nodes.at(i, k + c), c, 0);
        });
        const extent = Math.hypot(...[0, 1, 2].map(c => high[c] - low[c]));
        if (Number.isFinite(extent)) size = Math.max(size, extent);
    }
    return size;
}

class View {
    constructor(box, scenes) {
        this.box = box;
        this.renderer = new THREE.WebGLRenderer({ antialias: true, powerPreference: "high-performance" });
        this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
        this.renderer.setPixelRatio(pixelRatio());
        this.canvas = this.renderer.domElement;
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute("role", "img");
        this.canvas.setAttribute("aria-label", "Scene of the run; drag to orbit, wheel to zoom, right button to pan");
        box.prepend(this.canvas);

        this.carried = new Set();
        this.measure(scenes);
        this.stage = new THREE.Scene();
        this.camera = new THREE.PerspectiveCamera(FIELD_OF_VIEW, 1, this.size / 500, Math.max(this.size * 100, 4 * this.way));
        this.camera.up.copy(this.up);
        this.controls = new THREE.OrbitControls(this.camera, this.canvas);
        this.carried.add(this.camera.position).add(this.controls.target);
        this.controls.addEventListener("change", () => this.draw());
        this.controls.addEventListener("end", () => this.keepCamera());
        this.addActors(scenes);
        this.addGrid();
        this.toggles = { grid: true, joints: true, constraints: true, arrows: true, frames: false, traces: this.isPoint, follow: this.travels };
        this.arrowScale = 1;
        this.followed = null;
        this.at = new THREE.Vector3();
        this.t = 0;
        this.pending = 0;
        this.painted = false;
        this.onDraw = () => {};
        new ResizeObserver(() => this.resize()).observe(box);
        this.resize();
        this.fit();
        this.follow();
    }

    /** Extent of all frames of all runs, and which way is up. */
    measure(scenes) {
        const low = new THREE.Vector3(Infinity, Infinity, Infinity);
        const high = new THREE.Vector3(-Infinity, -Infinity, -Infinity);
        for (const scene of scenes) {
            low.min(new THREE.Vector3(...scene.min));
            high.max(new THREE.Vector3(...scene.max));
        }
        this.size = low.distanceTo(high) || 1;
        const gravity = new THREE.Vector3(...scenes[0].gravity);
        this.hasGravity = gravity.length() > 0;
        this.up = this.hasGravity ? gravity.normalize().negate() : new THREE.Vector3(0, 0, 1);
        const largest = key => Math.max(...scenes.map(({ constraints, forces }) => largestVector([...constraints, ...forces], key)));
        this.largestForce = largest("force");
        this.largestTorque = largest("torque");
        // Arrows are for the machine, not for the way that it goes; one that is a point has the way.
        this.way = this.size;
        const machine = Math.max(...scenes.map(machineSize));
        this.isPoint = !(machine > 0);  // of which the path is all that can be seen
        this.machine = machine || this.size;
        this.travels = TRAVELS * this.machine < this.way;
        const middle = low.clone().add(high).multiplyScalar(0.5);
        const isFar = middle.length() > TRAVELS * this.size;
        const first = this.travels && centreAt(scenes[0], new Place(scenes[0].times).find(this.t ?? -Infinity), new THREE.Vector3());
        this.moveOrigin(first || (isFar ? middle : new THREE.Vector3()));
        this.low = low.sub(drawOrigin);
        this.high = high.sub(drawOrigin);
        this.middle = middle.sub(drawOrigin);
        if (this.travels) this.size = this.machine;
        if (this.machine < LEAST_MACHINE * this.size) this.machine = LEAST_MACHINE * this.size;
        const arrow = this.largestForce > 0 ? (ARROW_SHARE * this.machine) / this.largestForce : 0;
        this.samples = scenes.flatMap(scene => samplePoints(scene, arrow, this.travels));
        if (!this.samples.length) this.samples = [{ at: low, radius: 0 }, { at: high, radius: 0 }];
        this.scenes = scenes;
    }

    /** All is drawn about another point; what is kept in drawn coordinates moves against it. */
    moveOrigin(to) {
        const way = to.clone().sub(drawOrigin);
        drawOrigin.copy(to);
        for (const point of this.carried) point.sub(way);
    }

    /** Draws these scenes from now on, with the camera and the grid as they are. */
    rebuild(scenes, channelOf) {
        for (const child of [...this.stage.children]) {
            if (child === this.grid) continue;
            this.stage.remove(child);
            child.geometry?.dispose();
            child.material?.dispose();
        }
        this.addActors(scenes);
        for (const actors of this.actors) actors.show(this.toggles);
        this.paint(channelOf);
        this.follow();
    }

    addActors(scenes) {
        for (const { meshes } of scenes)
            for (const mesh of meshes) mesh.geometry ??= meshGeometry(mesh.points, mesh.triangles);
        this.actors = scenes.map((scene, k) => new Actors(scene, this.size, this.machine, k > 0));
        for (const actors of this.actors) actors.addTo(this.stage);
    }

    addGrid() {
        this.grid = makeGrid(roundStep(this.size / 12), 1.8 * this.size);
        this.grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.up);
        // Just below the lowest corner of the bounds.
        let lowest = Infinity;
        for (let k = 0; k < 8; ++k) {
            const corner = new THREE.Vector3(
                (k & 1 ? this.high : this.low).x, (k & 2 ? this.high : this.low).y, (k & 4 ? this.high : this.low).z);
            lowest = Math.min(lowest, corner.dot(this.up));
        }
        this.grid.position.copy(this.middle).addScaledVector(this.up, lowest - this.middle.dot(this.up) - 0.002 * this.size);
        this.grid.renderOrder = -1;
        this.carried.add(this.grid.position);
        this.stage.add(this.grid);
    }

    paint(channelOf) {
        const colours = palette();
        this.renderer.setClearColor(colours.scene);
        this.grid.material.color.set(colours.grid);
        for (const actors of this.actors) actors.paint(channelOf);
        this.painted = true;
        this.setTime(this.t);
    }

    /** The ground goes along with what travels, in whole cells. */
    moveGrid() {
        if (!this.travels) return;
        const away = drawnCentreAt(this.scenes[0], this.scenes[0].place.find(this.t), new THREE.Vector3())?.sub(this.grid.position);
        if (!away) return;
        away.addScaledVector(this.up, -away.dot(this.up)).applyQuaternion(this.grid.quaternion.clone().invert());
        const cell = 5 * roundStep(this.size / 12);
        away.set(cell * Math.round(away.x / cell), cell * Math.round(away.y / cell), 0);
        this.grid.position.add(away.applyQuaternion(this.grid.quaternion));
    }

    /**
     * Looks at all that any frame shows, of what travels beside its centre now, from an azimuth about
     * the vertical (from x towards y, if z is up) and an elevation above the horizontal plane [rad].
     */
    fit(azimuth = AZIMUTH, elevation = ELEVATION) {
        const side = Math.abs(this.up.x) > 0.9 ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(1, 0, 0);
        const depth = new THREE.Vector3().crossVectors(this.up, side).normalize();
        side.crossVectors(depth, this.up);
        // The controls lose the azimuth of an eye that is straight above.
        const height = Math.min(Math.max(elevation, -STEEPEST), STEEPEST);
        const out = side.clone().multiplyScalar(Math.cos(azimuth)).addScaledVector(depth, Math.sin(azimuth));
        const right = depth.multiplyScalar(Math.cos(azimuth)).addScaledVector(side, -Math.sin(azimuth));
        const back = out.multiplyScalar(Math.cos(height)).addScaledVector(this.up, Math.sin(height));
        const above = new THREE.Vector3().crossVectors(back, right);
        const slopeY = 0.92 * Math.tan((0.5 * FIELD_OF_VIEW * Math.PI) / 180);
        const slopeX = slopeY * this.camera.aspect;
        // In the camera's axes: the middle of what is seen, then the distance from which all of it is.
        const points = this.samples.map(({ at, radius }) => [at.dot(right), at.dot(above), at.dot(back), radius]);
        const middle = [0, 1, 2].map(c => {
            const low = points.reduce((least, p) => Math.min(least, p[c] - p[3]), Infinity);
            const high = points.reduce((most, p) => Math.max(most, p[c] + p[3]), -Infinity);
            return 0.5 * (low + high);
        });
        const distance = points.reduce((far, [x, y, z, radius]) => Math.max(far,
            z - middle[2] + radius + (Math.abs(x - middle[0]) + radius) / slopeX,
            z - middle[2] + radius + (Math.abs(y - middle[1]) + radius) / slopeY), 0);
        this.controls.target.set(0, 0, 0).addScaledVector(right, middle[0]).addScaledVector(above, middle[1]).addScaledVector(back, middle[2]);
        if (this.travels) {
            const centre = drawnCentreAt(this.scenes[0], this.scenes[0].place.find(this.t), new THREE.Vector3());
            if (centre) this.controls.target.add(centre);
        }
        this.camera.position.copy(this.controls.target).addScaledVector(back, distance || this.size);
        this.controls.update();
    }

    /** Where the eye of an address is measured from: with what travels it is beside its centre. */
    get base() {
        return this.travels ? [0, 0, 0] : drawOrigin.toArray();
    }

    /** Position and target as the address keeps them. */
    keepCamera() {
        const numbers = [...this.camera.position.toArray(), ...this.controls.target.toArray()].map((x, k) => x + this.base[k % 3]);
        state.set("camera", numbers.map(x => Number(x.toPrecision(5))).join(","));
    }

    readCamera(text) {
        const numbers = text.split(",").map(Number);
        if (numbers.length !== 6 || !numbers.every(Number.isFinite)) return;
        const own = numbers.map((x, k) => x - this.base[k % 3]);
        this.camera.position.fromArray(own);
        this.controls.target.fromArray(own, 3);
        this.controls.update();
    }

    resize() {
        const { clientWidth, clientHeight } = this.box;
        if (!clientWidth || !clientHeight) return;
        this.renderer.setSize(clientWidth, clientHeight, false);
        this.camera.aspect = clientWidth / clientHeight;
        this.camera.updateProjectionMatrix();
        this.render();
    }

    toggle(name, on) {
        this.toggles[name] = on;
        this.grid.visible = this.toggles.grid;
        for (const actors of this.actors) actors.show(this.toggles);
        if (name === "traces" || name === "follow") this.follow();
        this.draw();
    }

    /** Takes up the selected object: paths, and the camera's companion. */
    follow() {
        const name = state.get("select");
        for (const actors of this.actors) {
            const { objects, bodies } = actors.scene;
            const chosen = objects.filter(object => object.name === name);
            const traced = chosen.length ? chosen : bodies.length <= 12 ? bodies : bodies.slice(0, 12);
            actors.trace(this.stage, this.toggles.traces ? traced.filter(object => object.position || object.nodes || object.positions) : []);
            for (const path of actors.paths) path.paint(actors.ghost ? palette().ghost : palette().trace);
        }
        const { scene } = this.actors[0];
        const chosen = scene.objects.find(object => object.name === name);
        const object = chosen ?? scene.bodies[0];
        const where = this.travels && !chosen ? place => drawnCentreAt(scene, place, this.at) : place => drawnAt(object, place, this.at);
        this.carried.delete(this.followed?.last);
        this.followed = this.toggles.follow && object ? { where, last: new THREE.Vector3() } : null;
        const begin = this.followed && where(scene.place.find(this.t));
        if (begin) this.followed.last.copy(begin);
        if (this.followed) this.carried.add(this.followed.last);
        this.setTime(this.t);
    }

    setTime(t) {
        this.t = t;
        const centre = this.travels && centreAt(this.scenes[0], this.scenes[0].place.find(t), new THREE.Vector3());
        if (centre) this.moveOrigin(centre);
        const arrow = { largest: this.largestForce, torque: this.largestTorque, length: ARROW_SHARE * this.machine * this.arrowScale };
        for (const actors of this.actors) actors.update(t, arrow);
        const at = this.followed?.where(this.actors[0].scene.place.find(t));
        if (at) {
            const way = this.followed.last.subVectors(at, this.followed.last);
            this.camera.position.add(way);
            this.controls.target.add(way);
            this.followed.last.copy(at);
        }
        this.moveGrid();
        this.draw();
    }

    /** Draws before the next picture, once however often it is called. */
    draw() {
        if (this.pending) return;
        this.pending = requestAnimationFrame(() => {
            this.pending = 0;
            this.render();
        });
    }

    render() {
        if (!this.painted) return;  // shaders need the objects' colours
        this.renderer.render(this.stage, this.camera);
        this.onDraw();
    }
}
