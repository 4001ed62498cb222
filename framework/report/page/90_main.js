// SPDX-License-Identifier: BSD-3-Clause
// Reads the data, builds the page, joins its parts.
"use strict";

/** The parts of the page, for the console and for tests. */
const report = {};

/** Ends in a readable message; whatever is drawn already stays. */
function fail(error) {
    console.info(error);
    byId("alerts").append(make("p", { className: "alert", id: "error" }, `This report is damaged or was cut short: ${error.message}`));
    document.documentElement.dataset.ready = "error";
}

/** The report's data, or an error in words. */
function readData() {
    let data;
    try {
        data = JSON.parse(byId("ancora-data").textContent);
    } catch (error) {
        throw new Error(`its data is not JSON (${error.message})`);
    }
    if (data.format !== 1) throw new Error(`its data is of format ${data.format}, and this page reads format 1`);
    if (!data.live && !data.film && !data.runs?.length) throw new Error("it holds no run");
    return data;
}

/** First and last time of anything in the runs. */
function timesOf(runs) {
    const ends = runs.flatMap(({ history, scene }) => [history?.t, scene?.times]).filter(times => times?.length);
    if (!ends.length) return [0, 1];
    return [Math.min(...ends.map(times => times[0])), Math.max(...ends.map(times => times.at(-1)))];
}

function sceneMessage(text) {
    const message = byId("scene-message");
    message.hidden = false;
    message.textContent = text;
}

/** The view, or null where there is nothing to draw or nothing to draw with. */
function makeView(runs) {
    const scenes = runs.map(run => run.scene).filter(Boolean);
    if (!scenes.length) {
        document.body.classList.add("no-scene");
        sceneMessage("This run has no frames, so there is nothing to show in motion.");
        return null;
    }
    const probe = document.createElement("canvas").getContext("webgl2");
    if (!probe) {
        sceneMessage("This browser has no WebGL 2, so the scene cannot be drawn. Plots and values are complete.");
        return null;
    }
    probe.getExtension("WEBGL_lose_context")?.loseContext();
    return new View(byId("scene"), scenes);
}

// What could not be read or drawn; told when all else stands.
const problems = [];

async function attempt(work) {
    try {
        await work();
    } catch (error) {
        problems.push(error);
    }
}

async function main() {
    applyTheme();
    byId("theme").addEventListener("click", () => state.set("theme", themeName() === "dark" ? "light" : "dark"));
    onTheme(applyTheme);
    const data = readData();
    if (data.live) {
        report.live = new Live(data);
        return;
    }
    if (data.film) {
        report.film = new Film();
        document.documentElement.dataset.ready = "true";
        return;
    }
    const runs = data.runs.slice(0, 2);
    drawHeader(data, runs);
    drawHeadline(runs);
    drawAbout(runs);
    if (runs.length > 1) drawCompare(runs, data.differences);

    sceneMessage("Reading the data\u2026");
    for (const run of runs) {
        run.source = run.history;
        run.history = null;
        run.frames = run.scene;
        run.scene = null;
    }
    for (const run of runs) {
        if (run.source)
            await attempt(async () => {
                const loaded = await loadHistory(run.source, run.label);
                if (loaded.t.length) run.history = loaded;
                else addAlert("note", `The history of ${run.label} has no rows.`);
            });
        if (run.frames)
            await attempt(async () => (run.scene = await loadScene(run.frames, run.label,
                share => sceneMessage(`Reading the data\u2026 ${Math.round(100 * share)} %`))));
    }
    byId("scene-message").hidden = true;
    drawHeadline(runs);

    await assemble(runs, timesOf(runs));
    problems.forEach(fail);
    if (!problems.length) document.documentElement.dataset.ready = "true";
    if (data.watch) followFile(data.watch);
}

/** Loads the page again once it has been written anew, which a script beside it tells. */
function followFile({ script, stamp }) {
    window.ancoraStamp = now => {
        if (now !== stamp) location.reload();
    };
    const timer = setInterval(() => {
        const asked = make("script", { src: `${encodeURIComponent(script)}?${Date.now()}` });
        asked.onload = () => asked.remove();
        // The last page is there; if this is none, whoever wrote it was killed.
        asked.onerror = () => {
            clearInterval(timer);
            if (sessionStorage.getItem("ended") === stamp) return;
            sessionStorage.setItem("ended", stamp);
            location.reload();
        };
        document.head.append(asked);
    }, 1000);
}

/** Makes the parts of the page from runs that are read, and ties them together. */
async function assemble(runs, [start, end]) {
    const isLive = Boolean(runs[0].history?.grows);
    const channels = new Channels(runs);
    state.readFragment();
    await attempt(() => channels.choose(state.get("channel")));
    const view = makeView(runs);
    const board = new Board(byId("plots"), runs, start, end);
    const panel = new Panel(runs);
    const frames = runs[0].scene?.times ?? runs[0].history?.t ?? [start];
    const transport = new Transport(start, end, frames, runs.flatMap(run => run.summary?.events ?? []));
    const video = view ? new Video(view, transport) : null;
    Object.assign(report, { runs, view, board, panel, transport, video, channels });
    board.fillAll();
    board.onScrub = t => state.set("t", t);

    const setTime = t => {
        view?.setTime(t);
        board.setTime(t);
        panel.setTime(t);
        transport.setTime(t);
    };
    const repaint = () => {
        channels.repaint(repaint);
        view?.paint(body => channels.of(body));
        board.paint();
    };
    const select = name => {
        panel.select(name);
        board.select(name);
        view?.paint(body => channels.of(body));
        view?.follow();
        setTime(state.get("t"));
    };
    state.on("t", setTime);
    state.on("select", select);
    state.on("columns", text => board.choose(splitNames(text)));
    state.on("channel", name => attempt(async () => {
        await channels.choose(name);
        byId("channel").value = channels.name || "none";
        repaint();
        select(state.get("select"));
    }).then(() => problems.splice(0).forEach(fail)));
    onTheme(repaint);
    addEventListener("hashchange", () => {
        const camera = state.readFragment().get("camera");
        if (camera) view?.readCamera(camera);
    });

    if (view) {
        buildTools(view, channels.names, isLive);
        buildExports(view, video);
        if (channels.names.length) byId("channel").value = channels.name || "none";
        report.picker = new Picker(view);
        const triad = new Triad(byId("triad"));
        view.onDraw = () => triad.draw(view.camera);
    }
    repaint();
    state.values.t = Math.min(Math.max(state.get("t") || start, start), end);
    panel.select(state.get("select"));
    board.select(state.get("select"));
    if (state.get("columns")) board.choose(splitNames(state.get("columns")));
    view?.setTime(state.get("t"));
    view?.follow();
    if (view && state.get("camera")) view.readCamera(state.get("camera"));
    setTime(state.get("t"));
    view?.render();
    Object.assign(report, { setTime, repaint });
}

main().catch(fail);
