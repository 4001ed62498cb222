// SPDX-License-Identifier: BSD-3-Clause
// Time: play, pause, scrub, step, speed.
"use strict";

const PLAY = "M5 3.5v13l11-6.5z";
const PAUSE = "M5 3.5h3.6v13H5zM11.4 3.5H15v13h-3.6z";
const SECONDS_TO_WATCH = 12;

class Transport {
    constructor(start, end, frames, events) {
        this.start = start;
        this.end = end;
        this.frames = frames;
        this.playing = false;
        this.once = false;  // to the end, whatever the box says
        this.slider = byId("scrub");
        this.time = byId("time");
        this.icon = makeSvg("path", { d: PLAY });
        byId("play").append(makeSvg("svg", { viewBox: "0 0 20 20", width: 18, height: 18 }, this.icon));
        this.slider.min = start;
        this.slider.max = end;
        this.speed = this.fillSpeeds();
        this.digits = Math.max(0, 3 - Math.floor(Math.log10(end - start || 1)));
        this.slider.addEventListener("input", () => this.seek(Number(this.slider.value)));
        byId("play").addEventListener("click", () => this.toggle());
        byId("speed").addEventListener("change", () => (this.speed = Number(byId("speed").value)));
        document.addEventListener("keydown", event => this.key(event));
        this.drawMarks(events);
        this.showPlaying();
    }

    /** Factors on real time about the one that shows the run in some seconds. */
    fillSpeeds() {
        const length = this.end - this.start || 1;
        const fitting = length >= 4 && length <= 40 ? 1 : roundStep(length / SECONDS_TO_WATCH);
        for (const factor of [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]) {
            const speed = Number((factor * fitting).toPrecision(3));
            byId("speed").append(make("option", { value: speed, selected: factor === 1 }, `\u00d7${show(speed, 3)}`));
        }
        return fitting;
    }

    /** Events on the rail: friction that sticks or slips, elements that break. */
    drawMarks(events) {
        const length = this.end - this.start || 1;
        for (const { t, mode } of events.slice(0, 500)) {
            if (!(t >= this.start && t <= this.end)) continue;
            const mark = make("i", { className: mode === "broken" ? "broken" : "" });
            mark.style.left = `${(100 * (t - this.start)) / length}%`;
            byId("marks").append(mark);
        }
    }

    seek(t) {
        state.set("t", Math.min(Math.max(t, this.start), this.end));
    }

    setTime(t) {
        this.slider.value = t;
        this.time.dataset.value = String(t);
        this.time.textContent = `${t.toFixed(this.digits).replace("-", MINUS)} s`;
        this.slider.setAttribute("aria-valuetext", this.time.textContent);
    }

    play() {
        if (!this.playing) this.toggle();
    }

    pause() {
        if (this.playing) this.toggle();
    }

    toggle() {
        this.playing = !this.playing;
        this.showPlaying();
        if (!this.playing) return;
        if (state.get("t") >= this.end) this.seek(this.start);
        let last = performance.now();
        const advance = now => {
            if (!this.playing) return;
            let t = state.get("t") + (this.speed * Math.min(now - last, 250)) / 1000;
            last = now;
            if (t >= this.end) {
                if (byId("loop").checked && !this.once) t = this.start + ((t - this.start) % (this.end - this.start || 1));
                else {
                    t = this.end;
                    this.playing = false;
                    this.showPlaying();
                }
            }
            this.seek(t);
            requestAnimationFrame(advance);
        };
        requestAnimationFrame(advance);
    }

    showPlaying() {
        this.icon.setAttribute("d", this.playing ? PAUSE : PLAY);
        byId("play").setAttribute("aria-label", this.playing ? "Pause" : "Play");
        byId("play").title = this.playing ? "Pause (space)" : "Play (space)";
    }

    /** To the frame before or after the present time. */
    step(direction) {
        const { frames } = this;
        const t = state.get("t");
        const { i } = new Place(frames).find(t);
        const next = direction > 0 ? i + 1 : frames[i] < t ? i : i - 1;
        this.seek(frames[Math.min(Math.max(next, 0), frames.length - 1)]);
    }

    key(event) {
        const { target } = event;
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (target.matches("select, textarea, summary, input:not([type=range])")) return;
        if (event.key === " " && target.matches("button")) return;
        const actions = {
            " ": () => this.toggle(),
            ArrowRight: () => this.step(1),
            ArrowLeft: () => this.step(-1),
            Home: () => this.seek(this.start),
            End: () => this.seek(this.end),
            Escape: () => state.set("select", ""),
        };
        if (!actions[event.key]) return;
        event.preventDefault();
        actions[event.key]();
    }
}
