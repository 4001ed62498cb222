// SPDX-License-Identifier: BSD-3-Clause
// Two runs side by side: main figures and what differs in how they were made.
"use strict";

const COMPARED = [
    ["Energy balance, relative", "energy.balance.max_rel"],
    ["Momentum balance, relative", "momentum.balance.max_rel"],
    ["Angular momentum balance, relative", "angular_momentum.balance.max_rel"],
    ["Constraint violation, position [m]", "constraint.position.max_abs"],
    ["Constraint violation, velocity [m/s]", "constraint.velocity.max_abs"],
    ["Steps", "steps"],
    ["Newton iterations per step", "newton.mean_per_step"],
    ["Newton iterations at most", "newton.max_per_step"],
    ["Factorisations", "factorisations"],
    ["Evaluations", "evaluations"],
    ["Wall time [s]", "wall_seconds"],
];

/** Every leaf of an object with its path. */
function leavesOf(tree, path = "") {
    if (tree === null || typeof tree !== "object") return [[path, tree]];
    return Object.entries(tree).flatMap(([key, value]) => leavesOf(value, path ? `${path}.${key}` : key));
}

/** Settings that the summaries of two runs tell of and that differ. */
function summaryDifferences([a, b], hasModels) {
    const settings = summary => new Map(leavesOf({ ...(hasModels ? {} : { model: summary.model, integrator: summary.integrator }),
        plugins: Object.fromEntries((summary.plugins ?? []).map(({ name, version, sha256 }) => [name, `${version} ${sha256?.slice(0, 12)}`])),
        ancora: summary.ancora }));
    const [of1, of2] = [settings(a), settings(b)];
    const text = value => (typeof value === "number" ? show(value, 6) : value ?? "");
    return [...new Set([...of1.keys(), ...of2.keys()])].filter(key => of1.get(key) !== of2.get(key))
        .map(key => ({ key, first: text(of1.get(key)), second: text(of2.get(key)) }));
}

/** Figures of two runs, and what differs between their models: `differences` by the page's data. */
function drawCompare(runs, differences) {
    const box = byId("compare");
    const [a, b] = runs.map(run => run.summary);
    box.hidden = !(a && b);
    if (box.hidden) return;
    const rows = [];
    for (const [label, path] of COMPARED) {
        const [x, y] = [dig(a, path), dig(b, path)];
        if (typeof x !== "number" || typeof y !== "number" || (x === 0 && y === 0)) continue;
        rows.push(make("tr", {}, make("th", { scope: "row" }, label),
            make("td", { className: "number" }, show(x, 4)), make("td", { className: "number" }, show(y, 4)),
            make("td", { className: "number soft" }, x === y ? "same" : x !== 0 ? `\u00d7${show(y / x, 3)}` : "")));
    }
    // What made the difference: values of the manifests, else what summaries tell.
    const changes = [...(differences ?? []), ...summaryDifferences([a, b], Boolean(differences))];
    const settings = changes.map(({ key, first, second }) => make("tr", { className: "setting" }, make("th", { scope: "row" }, key),
        make("td", {}, first || "\u2013"), make("td", {}, second || "\u2013")));
    const heads = () => runs.map(({ label }, r) => make("th", { scope: "col" }, make("span", { className: r ? "key second" : "key" }), label.replaceAll("/", "/\u200b")));
    const few = changes.filter(({ key }) => key !== "--set").slice(0, 3).map(({ key, first, second }) => `${key} ${first} \u2192 ${second}`);
    box.replaceChildren(
        make("summary", {}, "Comparison", make("span", { className: "soft" }, `\u2003${few.join("\u2003")}`)),
        make("div", { className: "scroll" },
            settings.length
                ? make("table", { id: "differences" }, make("thead", {}, make("tr", {}, make("th", {}, "What differs"), ...heads())), make("tbody", {}, ...settings))
                : make("p", { className: "soft" }, differences ? "The models are the same." : ""),
            make("table", {}, make("thead", {}, make("tr", {}, make("th", {}, "Figures"), ...heads(), make("th", { scope: "col" }, "second / first"))),
                make("tbody", {}, ...rows))));
}
