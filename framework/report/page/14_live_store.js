// SPDX-License-Identifier: BSD-3-Clause
// A run that comes record by record: tracks and columns that grow.
"use strict";

const LIVE_BYTES = 256e6;
const LIVE_RECORDS = 40000;

/** Rows and frames of a run that goes on. A long one is thinned: every other record goes. */
class LiveStore {
    constructor(columns, width) {
        this.columns = columns;
        this.width = width;
        this.rows = columns.map(() => []);
        this.times = this.rows[0];
        this.frames = new Float64Array(64 * width);
        this.most = Math.max(100, Math.min(LIVE_RECORDS, Math.floor(LIVE_BYTES / (8 * (columns.length + width)))));
        this.clear();
    }

    clear() {
        for (const row of this.rows) row.length = 0;
        this.every = 1;
        this.added = 0;
        this.stays = true;  // the newest, or it stands for the present only
    }

    get count() {
        return this.times.length;
    }

    /** Takes the records of one message; the newest is always there, whatever is thinned. */
    read(buffer) {
        const [kind, count] = new Uint32Array(buffer, 0, 2);
        const size = 8 * (this.columns.length + this.width);
        if (kind !== 1 || buffer.byteLength !== 8 + count * size) throw new Error("a message of another form");
        for (let k = 0; k < count; ++k) {
            const at = 8 + k * size;
            this.add(new Float64Array(buffer, at, this.columns.length), new Float64Array(buffer, at + 8 * this.columns.length, this.width));
        }
    }

    add(row, frame) {
        const { rows, width, times } = this;
        if (this.count > 1 && (!this.stays || times.at(-1) >= row[0])) for (const values of rows) values.pop();
        if (this.count >= this.most) this.thin();
        const n = this.count;
        if ((n + 1) * width > this.frames.length) {
            const larger = new Float64Array(2 * (n + 1) * width);
            larger.set(this.frames);
            this.frames = larger;
        }
        for (let c = 0; c < rows.length; ++c) rows[c].push(row[c]);
        this.frames.set(frame, n * width);
        this.stays = this.added++ % this.every === 0;
    }

    thin() {
        const kept = Math.ceil(this.count / 2);
        for (const values of this.rows) {
            for (let k = 0; k < kept; ++k) values[k] = values[2 * k];
            values.length = kept;
        }
        for (let k = 1; k < kept; ++k) this.frames.copyWithin(k * this.width, 2 * k * this.width, (2 * k + 1) * this.width);
        this.every *= 2;
    }
}

/** So many values from one on of every frame; read as a Track is. */
class LiveTrack {
    constructor(store, { first, width }) {
        this.store = store;
        this.first = first;
        this.width = width;
    }

    get records() {
        return this.store.count;
    }

    at(record, k) {
        return this.store.frames[record * this.store.width + this.first + k];
    }

    blend(i, j, s, out) {
        const { frames, width } = this.store;
        const a = i * width + this.first;
        const b = j * width + this.first;
        for (let k = 0; k < this.width; ++k) out[k] = frames[a + k] + s * (frames[b + k] - frames[a + k]);
    }

    /** Bounds so far. */
    ranges() {
        let min = Infinity;
        let max = -Infinity;
        const every = Math.max(1, Math.floor((this.records * this.width) / SAMPLED));
        for (let i = 0; i < this.records; i += every)
            for (let k = 0; k < this.width; ++k) {
                const x = this.at(i, k);
                if (x < min) min = x;
                if (x > max) max = x;
            }
        return { all: [min, max], most: [min, max] };
    }
}

/** Columns of the store as those of a finished run. */
function liveHistory(store) {
    const history = new RunHistory(store.columns, store.times, { row: k => store.rows[k + 1] });
    history.grows = true;
    return history;
}

/** The scene of a run that goes on, as loadScene() gives that of a finished one. */
async function liveScene(data, store) {
    const objects = [];
    for (const [kind, list] of [["body", data.bodies], ["constraint", data.constraints], ["force", data.forces]])
        for (const source of list) {
            const object = { ...source, kind, index: objects.length };
            for (const key of TRACKS)
                if (source[key] && !STILL_TRACKS.includes(key)) object[key] = new LiveTrack(store, source[key]);
            for (const key of STILL_TRACKS) if (source[key]) object[key] = await decodeArray(source[key], `the ${key} of ${source.name}`);
            for (const channel of object.channels ?? []) channel.track = new LiveTrack(store, channel.data);
            objects.push(object);
        }
    const of = kind => objects.filter(object => object.kind === kind);
    const [bodies, constraints, forces] = [of("body"), of("constraint"), of("force")];
    return {
        times: store.times, objects, iterations: null, bodies, constraints, forces,
        joints: data.joints, springs: data.springs, meshes: await decodeMeshes(data.meshes, "the model"),
        place: new Place(store.times), gravity: data.gravity, min: [-1, -1, -1], max: [1, 1, 1],
    };
}
