// SPDX-License-Identifier: BSD-3-Clause
// Name, outcome and main figures of the runs.
"use strict";

/** The value under a path such as "energy.balance.max_rel". */
function dig(tree, path) {
    return path.split(".").reduce((at, key) => at?.[key], tree);
}

// label, path of the figure, its unit, path and words of what stands below it
const FIGURES = [
    { label: "Frequency", path: "mode.frequency", unit: "Hz", below: "mode.damping_ratio", words: "of critical damping" },
    { label: "Energy balance", path: "energy.balance.max_rel", unit: "rel.", below: "energy.balance.max_abs", words: "J" },
    { label: "Momentum balance", path: "momentum.balance.max_rel", unit: "rel.", below: "momentum.balance.max_abs", words: "kg m/s" },
    { label: "Angular momentum", path: "angular_momentum.balance.max_rel", unit: "rel.", below: "angular_momentum.balance.max_abs", words: "kg m\u00b2/s" },
    { label: "Constraint violation", path: "constraint.position.max_abs", unit: "m", below: "constraint.position.max_rel", words: "relative" },
    { label: "Newton iterations", path: "newton.mean_per_step", unit: "per step", below: "newton.max_per_step", words: "at most" },
];

function drawHeader(data, runs) {
    const [{ summary }] = runs;
    byId("model").textContent = summary?.model ?? runs[0].label;
    byId("labels").textContent = runs.map(run => run.label).join("  \u00b7  ");
    if (runs.length > 1)
        byId("labels").replaceChildren(make("span", { className: "key" }), runs[0].label, "\u2003", make("span", { className: "key second" }), runs[1].label);
    byId("status").replaceChildren(...runs.map(drawStatus));
    byId("foot").replaceChildren(make("p", {}, "Space plays, arrow keys go by frames, Home and End to the ends. In plots: drag sets the time, Shift and drag zooms, double click shows all."));
    byId("foot").append([data.generator, data.made && `report made ${data.made.replace("T", " ").replace("Z", " UTC")}`].filter(Boolean).join(" \u00b7 "));
    for (const run of runs) {
        for (const note of run.notes ?? []) addAlert("note", runs.length > 1 ? `${run.label}: ${note}` : note);
        if (!run.summary)
            addAlert("warning", `${run.label} has no summary: the run goes on, or it was killed.${
                run.checkpoint ? " A checkpoint is there, from which it can be resumed." : ""}`);
    }
}

function drawStatus({ summary, checkpoint }) {
    const reason = summary?.exit_reason;
    const done = reason === "completed";
    const short = reason ? (reason.length > 40 ? "failed" : reason) : "no summary";
    if (reason && reason.length > 40) addAlert("warning", reason);
    return make("span", { className: done ? "chip good" : "chip bad", title: reason ?? "" }, done ? "\u2713 " : "! ", short,
        !done && checkpoint ? ", can be resumed" : "");
}

function addAlert(kind, text) {
    byId("alerts").append(make("p", { className: kind === "note" ? "alert note" : "alert" }, text));
}

/** The simulated time that a summary tells of. */
function simulatedTime(run) {
    return dig(run.summary, "final_state.t") ?? run.history?.t.at(-1) ?? run.scene?.times.at(-1);
}

/** A figure of each run: value as nodes, and what stands below it. */
function figureOf(run, { path, below, words }) {
    const value = dig(run.summary, path);
    if (typeof value !== "number" || (path.startsWith("newton") && value === 0)) return null;
    const second = dig(run.summary, below);
    return { value: showPower(value), below: typeof second === "number" ? `${show(second, 2)} ${words}` : "" };
}

function simulatedOf(run) {
    if (!run.summary) return null;
    const t = simulatedTime(run);
    if (t === undefined || run.summary.mode) return null; // a mode's period is stretched
    const { steps } = run.summary;
    const end = dig(run.summary, "integrator.end");
    return { value: [show(t, 6)], below: (steps ? `${showCount(steps)} steps` : "") + (end && end !== t ? ` of ${show(end, 6)} s` : "") };
}

function wallOf(run) {
    const { wall_seconds: seconds, steps } = run.summary ?? {};
    if (typeof seconds !== "number") return null;
    return { value: [showSeconds(seconds)], below: steps ? `${showSeconds(seconds / steps)} per step` : "" };
}

/** The greatest of some columns' values over the rows that the page has: { value, name, t }. */
function greatestOf({ t }, candidates) {
    let best = null;
    for (const { name, at } of candidates)
        for (let i = 0; i < t.length; ++i) {
            const value = at(i);
            if (Number.isFinite(value) && value > (best?.value ?? 0)) best = { value, name, t: t[i] };
        }
    return best;
}

/** Vectors among the columns, by what their names end in: [{ name, of: its three columns }]. */
function vectorsOf(history, ending) {
    const last = `${ending}.x`;
    return history.columns.map(({ name }) => name).filter(name => name.endsWith(last))
        .map(name => ({ name: name.slice(0, -last.length), of: ["x", "y", "z"].map(c => history.row(`${name.slice(0, -1)}${c}`)) }))
        .filter(({ of }) => of.every(Boolean));
}

const MOST_TILED = 400;  // columns that are looked through

/** What the machine does, from the columns: forces and efforts that it is to bear, ways that it goes. */
function machineFigures(run) {
    const { history } = run;
    if (!(history instanceof RunHistory) || run.summary?.mode) return {};
    const bodies = new Set((run.scene?.bodies ?? []).map(({ name }) => name));
    const norm = of => i => Math.hypot(of[0][i], of[1][i], of[2][i]);
    const constraints = new Set((run.scene?.constraints ?? []).map(({ name }) => name));
    const reactions = [...vectorsOf(history, ".force").filter(({ name }) => constraints.has(name)), ...vectorsOf(history, ".on_b.force")];
    const ways = vectorsOf(history, "").filter(({ name }) => bodies.has(name));
    const efforts = history.columns.filter(({ name }) => name.endsWith(".effort"));
    const magnitudes = unit => efforts.filter(column => column.unit === unit).slice(0, MOST_TILED).map(({ name }) => {
        const row = history.row(name);
        return { name: name.slice(0, -".effort".length), at: i => Math.abs(row[i]) };
    });
    const distance = ({ name, of }) => ({ name, at: i => Math.hypot(...of.map(x => x[i] - x[0])) });
    const figures = {
        torque: [greatestOf(history, magnitudes("N m")), "N m"],
        effort: [greatestOf(history, magnitudes("N")), "N"],
        reaction: [greatestOf(history, reactions.slice(0, MOST_TILED).map(({ name, of }) => ({ name, at: norm(of) }))), "N"],
        way: [greatestOf(history, ways.slice(0, MOST_TILED).map(distance)), "m"],
    };
    // A way that is no point of a picture is none: of bodies that rest only rounding is left
    const { min, max } = run.scene ?? {};
    const least = min && max ? Math.hypot(...max.map((x, c) => x - min[c])) / 1e4 : 0;
    if (figures.way[0]?.value < least) figures.way = [null];
    return Object.fromEntries(Object.entries(figures).filter(([, [found]]) => found));
}

const MACHINE_LABELS = { torque: "Largest effort", effort: "Largest effort", reaction: "Largest reaction", way: "Farthest from start" };

/** Tiles of main figures, of the machine before those of the solver; those of a second run stand below the first's. */
function drawHeadline(runs) {
    const known = runs.filter(run => run.summary || run.history instanceof RunHistory);
    const machines = new Map(known.map(run => [run, machineFigures(run)]));
    const kinds = Object.keys(MACHINE_LABELS).filter(kind => [...machines.values()].some(figures => figures[kind]));
    const ofMachine = kind => run => {
        const found = machines.get(run)[kind]?.[0];
        return found ? { value: [show(found.value, 4)], below: `${found.name}, ${show(found.t, 4)} s` } : null;
    };
    const figures = [
        ...kinds.map(kind => [MACHINE_LABELS[kind], [...machines.values()].find(figures => figures[kind])[kind][1], ofMachine(kind)]),
        ...FIGURES.map(figure => [figure.label, figure.unit, run => figureOf(run, figure)]),
        ["Simulated", "s", simulatedOf],
        ["Wall time", "", wallOf],
    ];
    const tiles = [];
    for (const [label, unit, of] of figures) {
        const values = known.map(of);
        if (!values.some(Boolean)) continue;
        const tile = make("div", { className: "tile" }, make("div", { className: "tile-label", title: label }, label));
        values.forEach((figure, r) => tile.append(make("div", { className: r ? "tile-value second" : "tile-value" },
            ...(figure?.value ?? ["\u2013"]), figure && unit ? make("span", { className: "unit" }, ` ${unit}`) : null)));
        if (known.length === 1) tile.append(make("div", { className: "tile-below", title: values[0].below }, values[0].below));
        tiles.push(tile);
    }
    byId("headline").replaceChildren(...tiles);
}
