// SPDX-License-Identifier: BSD-3-Clause
// The scene alone, picture by picture, for `ancora video`, which drives this page.
"use strict";

// What H.264 encoders offer, the best first: High, Main, Baseline at level 5.2.
const VIDEO_CODECS = {
    mp4: ["avc1.640034", "avc1.4d0034", "avc1.42e034", "avc1.640028", "avc1.4d0028", "avc1.42e028"],
    webm: ["vp09.00.51.08", "vp09.00.41.08", "vp8"],
};
const BITS_PER_PIXEL = 0.18;
const SECONDS_BETWEEN_KEYS = 2;
// What can be left out, as it is called in commands and here.
const FILM_PARTS = { grid: "grid", joints: "joints", points: "constraints", forces: "arrows" };
const MOST_WAITING = 4;  // pictures in the encoder

function base64Of(buffer) {
    const bytes = buffer instanceof ArrayBuffer ? new Uint8Array(buffer) : new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    let text = "";
    for (let k = 0; k < bytes.length; k += 0x8000) text += String.fromCharCode(...bytes.subarray(k, k + 0x8000));
    return btoa(text);
}

class Film {
    constructor() {
        this.texts = [];
        this.chunks = [];
        document.body.classList.add("film");
    }

    /** A piece of the text of the scene's JSON. */
    take(text) {
        this.texts.push(text);
    }

    /** @param view [azimuth, elevation] of the eye [rad], or null; `without` what is not drawn */
    async begin({ width, height, theme, colour, view, without = [] }) {
        state.set("theme", theme);
        applyTheme();
        this.scene = await loadScene(JSON.parse(this.texts.join("")), "the run", () => {});
        this.texts = [];
        const channels = new Channels([{ scene: this.scene }]);
        await channels.choose(colour);
        this.view = makeView([{ scene: this.scene }]);
        if (!this.view) throw new Error("this browser has no WebGL 2");
        for (const part of without) this.view.toggle(FILM_PARTS[part], false);
        if (view) this.view.fit(...view);
        channels.repaint(() => {});
        this.view.paint(body => channels.of(body));
        this.picture = new OffscreenCanvas(width, height);
        this.context = this.picture.getContext("2d", { alpha: false });
        this.ratio = pixelRatio();
        const { times } = this.scene;
        // As many digits as tell neighbours apart.
        let closest = Infinity;
        for (let k = 1; k < times.length; ++k) if (times[k] > times[k - 1]) closest = Math.min(closest, times[k] - times[k - 1]);
        this.digits = Number.isFinite(closest) ? Math.min(Math.max(Math.ceil(-Math.log10(closest)) + 1, 0), 9) : 3;
        return channels.names;
    }

    draw(frame) {
        const { view, context, picture: { width, height }, ratio } = this;
        const t = this.scene.times[frame];
        view.setTime(t);
        view.render();
        if (view.canvas.width !== width || view.canvas.height !== height)
            throw new Error(`the picture has ${view.canvas.width} by ${view.canvas.height} pixels`);
        context.drawImage(view.canvas, 0, 0);
        context.textAlign = "left";
        context.fillStyle = palette().text;
        context.font = `${18 * ratio}px system-ui, sans-serif`;
        context.fillText(`t = ${t.toFixed(this.digits).replace("-", MINUS)} s`, 14 * ratio, height - 14 * ratio);
        drawLegendOn(context, width, height, ratio);
    }

    /** A frame as a PNG, in base64. */
    async png(frame) {
        this.draw(frame);
        return base64Of(await (await this.picture.convertToBlob({ type: "image/png" })).arrayBuffer());
    }

    /** @param kind mp4 or webm. Gives the codec, or "" if there is none for it. */
    async record(kind, rate) {
        const { width, height } = this.picture;
        const settings = { width, height, framerate: rate, bitrate: Math.round(BITS_PER_PIXEL * width * height * rate), latencyMode: "quality" };
        if (typeof VideoEncoder === "undefined") return "";
        for (const codec of VIDEO_CODECS[kind])
            if ((await VideoEncoder.isConfigSupported({ ...settings, codec })).supported) {
                this.rate = rate;
                this.failure = null;
                this.encoder = new VideoEncoder({
                    output: (chunk, { decoderConfig } = {}) => this.keep(chunk, decoderConfig),
                    error: error => (this.failure = error),
                });
                this.encoder.configure({ ...settings, codec });
                return codec;
            }
        return "";
    }

    keep(chunk, config) {
        const bytes = new Uint8Array(chunk.byteLength);
        chunk.copyTo(bytes);
        const out = { data: base64Of(bytes), key: chunk.type === "key", number: Math.round((chunk.timestamp * this.rate) / 1e6) };
        if (config?.description) out.description = base64Of(config.description);
        if (config?.colorSpace) out.colours = { matrix: config.colorSpace.matrix, primaries: config.colorSpace.primaries, transfer: config.colorSpace.transfer };
        this.chunks.push(out);
    }

    /** Frames as the pictures from number `first` on; gives what the encoder has made so far. */
    async encode(frames, first) {
        const every = Math.max(1, Math.round(SECONDS_BETWEEN_KEYS * this.rate));
        for (const [k, frame] of frames.entries()) {
            while (this.encoder.encodeQueueSize > MOST_WAITING && !this.failure) await new Promise(resolve => setTimeout(resolve, 2));
            if (this.failure) throw this.failure;
            this.draw(frame);
            const picture = new VideoFrame(this.picture, { timestamp: Math.round(((first + k) * 1e6) / this.rate), duration: Math.round(1e6 / this.rate) });
            this.encoder.encode(picture, { keyFrame: (first + k) % every === 0 });
            picture.close();
        }
        return this.chunks.splice(0);
    }

    async end() {
        await this.encoder.flush();
        if (this.failure) throw this.failure;
        this.encoder.close();
        return this.chunks.splice(0);
    }
}
