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
    const t = simulatedTime(run);
    if (t === undefined || run.summary.mode) return null; // a mode's period is stretched
    const { steps } = run.summary;
    const end = dig(run.summary, "integrator.end");
    return { value: [show(t, 6)], below: (steps ? `${showCount(steps)} steps` : "") + (end && end !== t ? ` of ${show(end, 6)} s` : "") };
}

function wallOf(run) {
    const { wall_seconds: seconds, steps } = run.summary;
    if (typeof seconds !== "number") return null;
    return { value: [showSeconds(seconds)], below: steps ? `${showSeconds(seconds / steps)} per step` : "" };
}

/** Tiles of main figures; those of a second run stand below the first's. */
function drawHeadline(runs) {
    const known = runs.filter(run => run.summary);
    const figures = [
        ...FIGURES.map(figure => [figure.label, figure.unit, run => figureOf(run, figure)]),
        ["Simulated", "s", simulatedOf],
        ["Wall time", "", wallOf],
    ];
    const tiles = [];
    for (const [label, unit, of] of figures) {
        const values = known.map(of);
        if (!values.some(Boolean)) continue;
        const tile = make("div", { className: "tile" }, make("div", { className: "tile-label" }, label));
        values.forEach((figure, r) => tile.append(make("div", { className: r ? "tile-value second" : "tile-value" },
            ...(figure?.value ?? ["\u2013"]), figure && unit ? make("span", { className: "unit" }, ` ${unit}`) : null)));
        if (known.length === 1) tile.append(make("div", { className: "tile-below" }, values[0].below));
        tiles.push(tile);
    }
    byId("headline").replaceChildren(...tiles);
}
