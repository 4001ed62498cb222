// SPDX-License-Identifier: BSD-3-Clause
// A run that goes on: takes what the command sends, and shows it.
"use strict";

const PLOT_PAUSE = 120;  // ms between drawings of the plots
const SLOW_PAUSE = 500;  // of what is dear

class Live {
    constructor(data) {
        this.data = data;
        this.isFollowing = true;
        this.isNewRun = false;
        this.state = { running: false, done: false, failed: null, pace: 1, rate: 0, pull: null, steps: 0 };
        this.jobs = Promise.resolve();
        this.drawn = { plots: 0, slow: 0 };
        document.body.classList.add("live");
        byId("about").hidden = true;
        sceneMessage("Waiting for the run\u2026");
        this.status("waiting", "");
        const address = new URL("live", location.href);
        address.protocol = "ws:";
        address.hash = "";
        this.socket = new WebSocket(address);
        this.socket.binaryType = "arraybuffer";
        this.socket.addEventListener("message", ({ data }) =>
            (this.jobs = this.jobs.then(() => this.take(data)).catch(fail)));
        this.socket.addEventListener("close", () => this.jobs.then(() => this.closed()));
        this.send = what => this.socket.readyState === WebSocket.OPEN && this.socket.send(JSON.stringify(what));
    }

    status(text, kind) {
        byId("status").replaceChildren(make("span", { className: `chip ${kind}` }, text));
    }

    /** The command has ended: what came stays, to be looked at. */
    closed() {
        if (this.isRefused) return;
        this.state = { ...this.state, running: false, rate: 0, pull: null };
        this.isClosed = true;
        addAlert("note", "The command has ended; what it has computed stays here until this page is closed.");
        this.showState();
    }

    async take(message) {
        if (typeof message !== "string") return this.takeRecords(message);
        const said = JSON.parse(message);
        if (said.kind === "model") await this.takeModel(said);
        else if (said.kind === "restart") this.isNewRun = true;
        else if (said.kind === "inputs") this.knobs?.update(said.inputs);
        else if (said.kind === "told") this.tell(said.text);
        else if (said.kind === "state") {
            this.state = said;
            this.showState();
        } else if (said.kind === "busy") {
            this.isRefused = true;
            addAlert("warning", "Another page is following this run. Close that one and load this one anew.");
            sceneMessage("Another page is following this run.");
            this.status("not connected", "bad");
        }
    }

    tell(text) {
        byId("alerts").replaceChildren(make("p", { className: "alert", id: "told" }, text));
        clearTimeout(this.forget);
        this.forget = setTimeout(() => byId("told")?.remove(), 8000);
    }

    /** What the model is like: at first, and when a parameter has changed. */
    async takeModel(said) {
        const { columns, width, scene } = said.model;
        const shape = JSON.stringify([columns, width, scene.bodies.map(({ name }) => name)]);
        if (this.store && shape !== this.shape) return location.reload();
        this.shape = shape;
        this.model = said;
        if (!this.store) {
            this.store = new LiveStore(columns, width);
            this.scene = await liveScene(scene, this.store);
            return;
        }
        // The parts of the page keep the objects that they know.
        const fresh = await liveScene(scene, this.store);
        fresh.objects.forEach((object, k) => Object.assign(this.scene.objects[k], object));
        for (const key of ["joints", "springs", "meshes", "gravity"]) this.scene[key] = fresh[key];
        report.view?.rebuild([this.scene], body => report.channels.of(body));
        this.knobs?.fill(said.inputs, said.parameters);
    }

    async takeRecords(message) {
        if (this.isNewRun) this.store.clear();
        this.store.read(message);
        if (!this.store.count) return;
        if (!report.transport) await this.begin();
        const { transport } = report;
        transport.start = this.store.times[0];
        transport.end = this.store.times.at(-1);
        transport.slider.min = transport.start;
        transport.slider.max = transport.end;
        if (this.isNewRun) {
            this.isNewRun = false;
            this.shown = transport.start;
            this.isFollowing = true;
            this.reach = 0;
            this.follow();
        }
        if (report.view) this.growArrows();
        this.draw();
    }

    /** Builds the page about the first record. */
    async begin() {
        const { model, scene, store } = this;
        const run = { label: model.name, summary: null, notes: [], history: liveHistory(store), scene: scene.objects.length ? scene : null };
        byId("model").textContent = model.name;
        byId("labels").textContent = "live";
        byId("foot").replaceChildren(make("p", {}, "Space runs and pauses, arrow keys go by records. Drag a body to pull it, beside bodies to turn the view."));
        byId("foot").append(this.data.generator);
        byId("scene-message").hidden = true;
        this.measure();
        await assemble([run], [model.begin, model.end]);
        const { transport, view, board, picker } = report;
        transport.start = transport.end = store.times[0];
        if (view && !state.get("camera")) this.stepBack(view);
        this.shown = store.times.at(-1);
        this.bar = new DriveBar(this.send);
        this.bar.now.addEventListener("click", () => this.follow());
        this.knobs = new Knobs(this.send);
        this.knobs.fill(model.inputs, model.parameters);
        if (view) this.puller = new Puller(view, picker, this.send, () => this.isFollowing && !this.isOver());
        const toggle = transport.toggle.bind(transport);
        transport.toggle = () => (this.isOver() ? toggle() : this.send({ do: this.state.running ? "pause" : "run" }));
        state.on("t", t => {
            if (this.isMine || t === transport.end) return;
            this.isFollowing = false;
            this.showState();
        });
        board.grow(this.endOfPlots());
        this.showState();
        document.documentElement.dataset.ready = "true";
        requestAnimationFrame(now => this.tick(now));
    }

    /** Bounds of what is drawn so far, with room to move in. */
    measure() {
        const { scene, model } = this;
        const low = new THREE.Vector3(Infinity, Infinity, Infinity);
        const high = low.clone().negate();
        for (const { at, radius } of samplePoints(scene, 0)) {
            at.add(drawOrigin);
            low.min(at.clone().subScalar(radius));
            high.max(at.clone().addScalar(radius));
        }
        if (!(low.x <= high.x)) [low, high].forEach(at => at.set(0, 0, 0));
        const room = 0.12 * Math.max(low.distanceTo(high), model.extent) || 1;
        scene.min = low.subScalar(room).toArray();
        scene.max = high.addScalar(room).toArray();
    }

    /** Looks at the room to move in, too. */
    stepBack(view) {
        const { min, max } = this.scene;
        for (let k = 0; k < 8; ++k)
            view.samples.push({ at: new THREE.Vector3(...[0, 1, 2].map(c => (k >> c & 1 ? max : min)[c])).sub(drawOrigin), radius: 0 });
        view.fit();
    }

    growArrows() {
        const { view } = report;
        const last = this.store.count - 1;
        for (const { force, torque } of [...this.scene.constraints, ...this.scene.forces]) {
            const size = vector => Math.hypot(vector.at(last, 0), vector.at(last, 1), vector.at(last, 2));
            if (force) view.largestForce = Math.max(view.largestForce, size(force));
            if (torque) view.largestTorque = Math.max(view.largestTorque, size(torque));
        }
    }

    isOver() {
        return this.isClosed || this.state.done || Boolean(this.state.failed);
    }

    follow() {
        report.transport.pause();
        this.isFollowing = true;
        this.shown = this.store.times.at(-1);
        this.draw();
        this.showState();
    }

    /** Plots reach to a round time beyond the present one, at most to the end of the run. */
    endOfPlots() {
        const { begin, end } = this.model;
        const now = this.store.times.at(-1);
        if (now > (this.reach ?? 0) || !this.reach) {
            const length = Math.max(now - begin, (end - begin) / 50);
            const power = 10 ** Math.floor(Math.log10(length));
            this.reach = Math.min(end, begin + power * [1, 2, 5, 10].find(step => step * power >= 1.0001 * length));
        }
        return Math.max(this.reach, now);
    }

    draw() {
        this.isNews = true;
    }

    /** Once a picture: the time that is shown goes evenly, whatever the steps are. */
    tick(now) {
        requestAnimationFrame(next => this.tick(next));
        const passed = Math.min(now - (this.ticked ?? now), 250) / 1000;
        this.ticked = now;
        const newest = this.store.times.at(-1);
        if (this.isFollowing) {
            const { pace, running } = this.state;
            const lag = newest - this.shown;
            if (!running || pace === 0 || lag < 0 || lag > 0.5 * pace) this.shown = newest;
            else this.shown = Math.min(newest, this.shown + passed * pace * (lag > 0.05 * pace ? 1.15 : 1));
            if (this.isNews || this.shown < newest) this.show();
        }
        if (!this.isNews) return;
        this.isNews = false;
        if (now - this.drawn.plots > PLOT_PAUSE) {
            this.drawn.plots = now;
            report.board.grow(this.endOfPlots());
            this.drawTiles();
        } else this.isNews = true;
        if (now - this.drawn.slow > SLOW_PAUSE) {
            this.drawn.slow = now;
            this.drawSlow();
        }
    }

    show() {
        this.isMine = true;
        if (state.get("t") === this.shown) report.setTime(this.shown);
        else state.set("t", this.shown);
        this.isMine = false;
        this.puller?.draw();
    }

    drawSlow() {
        const { view, channels } = report;
        if (channels.found.length) {
            for (const channel of channels.found) channel.ranges = channel.track.ranges();
            report.repaint();
        }
        if (view?.toggles.traces) view.follow();
    }

    /** Main figures at the time that is shown. */
    drawTiles() {
        const [{ history }] = report.runs;
        const t = state.get("t");
        const figures = [["Energy", "energy.total", "J"], ["Work from outside", "work.external", "J"], ["Energy balance", "energy.balance", "J"],
            ["Constraint violation", "constraint.position", "m"]];
        byId("headline").replaceChildren(...figures.filter(([, name]) => history.has(name)).map(([label, name, unit]) => {
            const value = history.at(name, t);
            const tile = make("div", { className: "tile" }, make("div", { className: "tile-label" }, label),
                make("div", { className: "tile-value" }, ...showPower(value), make("span", { className: "unit" }, ` ${unit}`)));
            tile.dataset.name = name;
            tile.dataset.value = String(value);
            return tile;
        }));
    }

    showState() {
        const { state: { running, done, failed } } = this;
        document.body.classList.toggle("over", this.isOver());
        this.bar?.show(this.state, this.isFollowing);
        if (this.isClosed) this.status("ended", done ? "good" : "bad");
        else if (failed) this.status("failed", "bad");
        else if (done) this.status("\u2713 completed", "good");
        else this.status(running ? "running" : "paused", running ? "good" : "");
        const text = byId("failure");
        if (failed && text?.textContent !== failed) {
            text?.remove();
            byId("alerts").append(make("p", { className: "alert", id: "failure" }, failed));
        }
        if (!failed) text?.remove();
    }
}
