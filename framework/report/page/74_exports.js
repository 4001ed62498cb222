// SPDX-License-Identifier: BSD-3-Clause
// What can be taken out of the page: a picture, a video, tables; and the full screen.
"use strict";

/** Gives the browser a file to save. */
function saveFile(blob, name) {
    const address = URL.createObjectURL(blob);
    const link = make("a", { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
}

/** A name for a file, of letters that every system takes. */
function fileName(what, ending) {
    const words = [byId("model").textContent, what].filter(Boolean).join(" ");
    return `${words.replace(/[^\p{L}\p{N}.-]+/gu, "_").replace(/^[_.]+|_+$/g, "").slice(0, 80) || "ancora"}.${ending}`;
}

/** A cell of a table, quoted where it must be. */
function cell(text) {
    return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/** Curves as a table: a column of times, one for each curve; empty where a curve has no value. */
function tableOf({ title, unit, series }, [times, ...curves]) {
    const head = ["t [s]", ...series.map(({ label }) => `${title}: ${label}${unit ? ` [${unit}]` : ""}`)];
    const lines = [head.map(cell).join(",")];
    // Values are of single precision: more digits would be made up.
    const value = x => (x === null || x === undefined ? "" : String(Number(x.toPrecision(8))));
    for (let i = 0; i < times.length; ++i) lines.push([String(times[i]), ...curves.map(curve => value(curve[i]))].join(","));
    return `${lines.join("\n")}\n`;
}

/** The scene as it is seen, with the legend of its colours, as a picture. */
function sceneBlob(view) {
    view.render();  // what was drawn is gone once it is shown
    const { canvas } = view;
    const picture = make("canvas", { width: canvas.width, height: canvas.height });
    const context = picture.getContext("2d");
    context.drawImage(canvas, 0, 0);
    drawLegendOn(context, canvas.width, canvas.height, canvas.width / canvas.clientWidth);
    return new Promise(resolve => picture.toBlob(resolve, "image/png"));
}

/** The legend as it stands on the page, drawn anew. */
function drawLegendOn(context, width, height, ratio) {
    const legend = byId("legend");
    if (legend.hidden) return;
    const [wide, thick, room] = [210 * ratio, 8 * ratio, 14 * ratio];
    const left = width - wide - room;
    const top = height - 34 * ratio;
    const stops = legend.dataset.stops.split(" ");
    const gradient = context.createLinearGradient(left, 0, left + wide, 0);
    stops.forEach((stop, k) => gradient.addColorStop(k / (stops.length - 1), stop));
    context.fillStyle = gradient;
    context.fillRect(left, top, wide, thick);
    context.fillStyle = palette().text;
    context.font = `${12 * ratio}px system-ui, sans-serif`;
    context.fillText(legend.querySelector(".legend-title span").textContent, left, top - 5 * ratio);
    const ends = [...legend.querySelectorAll(".ends span")].map(span => span.textContent);
    ends.forEach((text, k) => {
        context.textAlign = k === 0 ? "left" : k === ends.length - 1 ? "right" : "center";
        context.fillText(text, left + (wide * k) / Math.max(ends.length - 1, 1), top + thick + 13 * ratio);
    });
}

// What browsers record, the best first.
const VIDEO_TYPES = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];
const PICTURES_PER_SECOND = 30;

/** Records the scene while the run plays once from its start, at the chosen speed. */
class Video {
    constructor(view, transport) {
        this.view = view;
        this.transport = transport;
        this.type = typeof MediaRecorder === "undefined" || !view.canvas.captureStream ? ""
            : VIDEO_TYPES.find(type => MediaRecorder.isTypeSupported(type)) ?? "";
        this.recorder = null;
        this.onChange = () => {};
        state.on("t", t => {
            // The last picture is seen for a moment.
            if (this.recorder && t >= transport.end) setTimeout(() => this.stop(), 400);
        });
    }

    get recording() {
        return Boolean(this.recorder);
    }

    start() {
        const { transport, view } = this;
        const chunks = [];
        transport.pause();
        transport.seek(transport.start);
        const recorder = new MediaRecorder(view.canvas.captureStream(PICTURES_PER_SECOND), { mimeType: this.type, videoBitsPerSecond: 12e6 });
        recorder.addEventListener("dataavailable", ({ data }) => data.size && chunks.push(data));
        recorder.addEventListener("stop", () =>
            saveFile(new Blob(chunks, { type: this.type }), fileName("", this.type.startsWith("video/mp4") ? "mp4" : "webm")));
        this.recorder = recorder;
        recorder.start();
        transport.once = true;
        transport.play();
        this.onChange();
    }

    stop() {
        const { recorder, transport } = this;
        if (!recorder) return;
        this.recorder = null;
        transport.pause();
        transport.once = false;
        recorder.stop();
        for (const track of recorder.stream.getTracks()) track.stop();
        this.onChange();
    }
}

const ICONS = {
    picture: "M3 6h3l1.5-2h5L14 6h3v10H3zM10 8.2a2.6 2.6 0 1 0 .01 0",
    video: "M2.5 5.5h10v9h-10zM12.5 9l5-3v8l-5-3",
    screen: "M3 7.5V3h4.5M12.5 3H17v4.5M17 12.5V17h-4.5M7.5 17H3v-4.5",
};

/** A button with a drawing and, where there is room, a word. */
function iconButton(id, icon, title) {
    return make("button", { type: "button", id, className: "icon", title, ariaLabel: title },
        makeSvg("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, makeSvg("path", { d: ICONS[icon] })));
}

function buildExports(view, video) {
    const group = make("div", { className: "exports", role: "group", ariaLabel: "Save and full screen" });
    const picture = iconButton("save-picture", "picture", "Save the scene as a picture (PNG)");
    picture.addEventListener("click", async () => saveFile(await sceneBlob(view), fileName(`t=${show(view.t, 4)}s`, "png")));
    group.append(picture);
    if (video.type) {
        const words = "Save a video: plays the run once from its start at the chosen speed";
        const record = iconButton("save-video", "video", words);
        record.addEventListener("click", () => (video.recording ? video.stop() : video.start()));
        video.onChange = () => {
            record.classList.toggle("recording", video.recording);
            record.title = video.recording ? "Stop and save the video" : words;
            record.ariaLabel = record.title;
        };
        group.append(record);
    }
    if (document.fullscreenEnabled) {
        const full = iconButton("full-screen", "screen", "Full screen");
        full.addEventListener("click", () =>
            (document.fullscreenElement ? document.exitFullscreen() : byId("screen").requestFullscreen()).catch(error => console.info(error)));
        group.append(full);
    }
    byId("tools").append(group);
}
