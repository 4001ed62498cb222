// SPDX-License-Identifier: BSD-3-Clause
// The arrays of the page's data: base64, zlib, byte planes, differences, scale.
"use strict";

const ELEMENT_TYPES = {
    u8: Uint8Array,
    i16: Int16Array,
    i32: Int32Array,
    f32: Float32Array,
    f64: Float64Array,
};

/** Numbers in records along the first axis; kept as they came, scaled when read. */
class Track {
    constructor(shape, raw, scale, offset) {
        this.shape = shape;
        this.raw = raw;
        this.records = shape[0];
        this.width = shape.slice(1).reduce((a, b) => a * b, 1);
        this.scaled = Boolean(scale || offset);
        this.period = (scale ?? offset ?? [1]).length;
        this.scale = Float64Array.from(scale ?? new Array(this.period).fill(1));
        this.offset = Float64Array.from(offset ?? new Array(this.period).fill(0));
    }

    /** Element k of a record. */
    at(record, k) {
        const p = k % this.period;
        return this.offset[p] + this.scale[p] * this.raw[record * this.width + k];
    }

    /** Writes (1 - s) record i + s record j. */
    blend(i, j, s, out) {
        const { raw, width, period, scale, offset } = this;
        const a = i * width;
        const b = j * width;
        if (s === 0 || i === j) {
            for (let p = 0; p < period; ++p) {
                const c = scale[p];
                const d = offset[p];
                for (let k = p; k < width; k += period) out[k] = d + c * raw[a + k];
            }
            return;
        }
        for (let p = 0; p < period; ++p) {
            const c = scale[p];
            const d = offset[p];
            for (let k = p; k < width; k += period)
                out[k] = d + c * (raw[a + k] + s * (raw[b + k] - raw[a + k]));
        }
    }

    /** A record as it lies in memory if it is not scaled, as a copy if it is. */
    row(record) {
        if (!this.scaled) return this.raw.subarray(record * this.width, (record + 1) * this.width);
        const out = new Float64Array(this.width);
        this.blend(record, record, 0, out);
        return out;
    }

    /** Least and greatest value of all, and the bounds that a hundredth of the values lies beyond. */
    ranges() {
        let min = Infinity;
        let max = -Infinity;
        const row = new Float64Array(this.width);
        const some = [];
        const every = Math.max(1, Math.floor((this.records * this.width) / SAMPLED));
        for (let i = 0, next = 0; i < this.records; ++i, next -= this.width) {
            this.blend(i, i, 0, row);
            for (const x of row) {
                if (x < min) min = x;
                if (x > max) max = x;
            }
            for (; next < this.width; next += every) some.push(row[next]);
        }
        some.sort((a, b) => a - b);
        const cut = Math.floor(0.005 * some.length);
        return { all: [min, max], most: [some[cut], some[some.length - 1 - cut]] };
    }
}

// So many values stand for all where they are sorted.
const SAMPLED = 20000;

function bytesOfBase64(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const characters = atob(text);
    const bytes = new Uint8Array(characters.length);
    for (let i = 0; i < bytes.length; ++i) bytes[i] = characters.charCodeAt(i);
    return bytes;
}

async function inflate(bytes, size) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const out = new Uint8Array(size);
    const reader = stream.getReader();
    let filled = 0;
    for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        if (filled + value.length > size) throw new Error(`more than the ${size} bytes of its shape`);
        out.set(value, filled);
        filled += value.length;
    }
    if (filled !== size) throw new Error(`${filled} bytes instead of the ${size} of its shape`);
    return out;
}

/** Byte p of every element stands in plane p; puts the elements together. */
function joinPlanes(bytes, width) {
    const count = bytes.length / width;
    const out = new Uint8Array(bytes.length);
    for (let p = 0; p < width; ++p)
        for (let i = 0, from = p * count, to = p; i < count; ++i, to += width) out[to] = bytes[from + i];
    return out;
}

/** Sums differences along the first axis; the element type wraps as the encoder's did. */
function undoDifferences(values, width) {
    for (let k = width; k < values.length; ++k) values[k] += values[k - width];
}

/** Reads one array; `what` names it in the message of an error. */
async function decodeArray(array, what) {
    try {
        const Type = ELEMENT_TYPES[array.type];
        if (!Type) throw new Error(`element type "${array.type}" is unknown`);
        const count = array.shape.reduce((a, b) => a * b, 1);
        let bytes = await inflate(bytesOfBase64(array.data), count * Type.BYTES_PER_ELEMENT);
        if (array.planes) bytes = joinPlanes(bytes, Type.BYTES_PER_ELEMENT);
        const raw = new Type(bytes.buffer);
        if (array.delta) undoDifferences(raw, array.shape[0] ? count / array.shape[0] : 0);
        return new Track(array.shape, raw, array.scale, array.offset);
    } catch (error) {
        throw new Error(`the data of ${what} cannot be read: ${error.message}`);
    }
}
