// SPDX-License-Identifier: BSD-3-Clause
// A run of the data: its history by column names, its scene by tracks.
"use strict";

/** Where a time lies in ascending times: the indices beside it and the share of the second. */
class Place {
    constructor(times) {
        this.times = times;
        this.i = 0;
        this.j = 0;
        this.s = 0;
    }

    find(t) {
        const { times } = this;
        const last = times.length - 1;
        let low = 0;
        let high = last;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (times[middle] <= t) low = middle;
            else high = middle - 1;
        }
        this.i = low;
        this.j = Math.min(low + 1, last);
        const length = times[this.j] - times[low];
        this.s = length > 0 ? Math.min(Math.max((t - times[low]) / length, 0), 1) : 0;
        return this;
    }
}

/** Columns over time. */
class RunHistory {
    constructor(columns, t, values) {
        this.columns = columns;
        this.t = t;
        this.values = values;
        this.place = new Place(t);
        this.grows = false;
        this.index = new Map(columns.map((column, k) => [column.name, k]));
        this.rows = new Map();
    }

    has(name) {
        return this.index.has(name);
    }

    unit(name) {
        return this.columns[this.index.get(name)]?.unit ?? "";
    }

    row(name) {
        const k = this.index.get(name);
        if (k === undefined) return null;
        if (k === 0) return this.t;
        if (!this.rows.has(name)) this.rows.set(name, this.values.row(k - 1));
        return this.rows.get(name);
    }

    /** The value of a column between two rows; NaN if there is none. */
    at(name, t) {
        const row = this.row(name);
        if (!row || !row.length) return NaN;
        const { i, j, s } = this.place.find(t);
        return row[i] + s * (row[j] - row[i]);
    }
}

async function loadHistory(data, label) {
    const [t, values] = await Promise.all([
        decodeArray(data.t, `the times of the history of ${label}`),
        decodeArray(data.values, `the columns of the history of ${label}`),
    ]);
    if (values.records !== data.columns.length - 1)
        throw new Error(`the history of ${label} has ${values.records} rows of values for ${data.columns.length - 1} columns`);
    return new RunHistory(data.columns, columnOf(t), values);
}

/** All values of a track of one axis. */
function columnOf(track) {
    return track.scaled ? Float64Array.from({ length: track.records }, (_, i) => track.at(i, 0)) : track.raw;
}

const TRACKS = ["position", "quaternion", "nodes", "curves", "lines", "triangles", "line_outlines", "positions", "force", "torque", "holds"];
const STILL_TRACKS = ["lines", "triangles", "line_outlines"];

/** Decodes every track of a scene but channels, which wait until they are looked at. */
async function loadScene(data, label, progress) {
    const times = columnOf(await decodeArray(data.times, `the frames' times of ${label}`));
    const objects = [];
    const jobs = [];
    const lists = [["body", data.bodies], ["constraint", data.constraints], ["force", data.forces]];
    for (const [kind, list] of lists)
        for (const source of list ?? []) {
            const object = { ...source, kind, source, index: objects.length };
            objects.push(object);
            for (const key of TRACKS)
                if (source[key]) jobs.push([object, key, `${source.name}.${key} of ${label}`]);
        }
    // A few at a time: inflating runs beside the script.
    let next = 0;
    const work = async () => {
        while (next < jobs.length) {
            const [object, key, what] = jobs[next++];
            object[key] = await decodeArray(object[key], what);
            if (!STILL_TRACKS.includes(key) && object[key].records !== times.length)
                throw new Error(`the data of ${what} cannot be read: ${object[key].records} records for ${times.length} frames`);
            progress(next / jobs.length);
        }
    };
    await Promise.all(Array.from({ length: 6 }, work));
    const iterations = data.iterations ? columnOf(await decodeArray(data.iterations, `the iterations of ${label}`)) : null;
    const meshes = await decodeMeshes(data.meshes ?? [], label);
    const of = kind => objects.filter(object => object.kind === kind);
    return {
        times,
        objects,
        iterations,
        bodies: of("body"),
        constraints: of("constraint"),
        forces: of("force"),
        joints: data.joints ?? [],
        springs: data.springs ?? [],
        meshes,
        place: new Place(times),
        min: data.min,
        max: data.max,
        gravity: data.gravity ?? [0, 0, 0],
    };
}

async function decodeMeshes(list, label) {
    const meshes = [];
    for (const [k, mesh] of list.entries()) {
        const [points, triangles] = await Promise.all([
            decodeArray(mesh.points, `the points of mesh ${mesh.name} of ${label}`),
            decodeArray(mesh.triangles, `the triangles of mesh ${mesh.name} of ${label}`)]);
        meshes[k] = { name: mesh.name, points: points.raw, triangles: triangles.raw };
    }
    return meshes;
}

/** A channel of a network, decoded on first use. */
async function loadChannel(body, name) {
    const channel = body.channels?.find(channel => channel.name === name);
    if (!channel) return null;
    channel.track ??= await decodeArray(channel.data, `${body.name}.${name}`);
    channel.ranges ??= channel.track.ranges();
    return channel;
}
