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

function drawCompare(runs) {
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
    // Settings that differ, as text: what made the difference.
    const settings = summary => new Map(leavesOf({ model: summary.model, integrator: summary.integrator,
        plugins: Object.fromEntries((summary.plugins ?? []).map(({ name, version, sha256 }) => [name, `${version} ${sha256?.slice(0, 12)}`])),
        ancora: summary.ancora }));
    const [of1, of2] = [settings(a), settings(b)];
    const changes = [];
    for (const key of new Set([...of1.keys(), ...of2.keys()])) {
        const [x, y] = [of1.get(key), of2.get(key)];
        if (x === y) continue;
        const text = value => (typeof value === "number" ? show(value, 6) : value ?? "\u2013");
        changes.push(`${key.replace(".", " ")} ${text(x)} \u2192 ${text(y)}`);
        rows.push(make("tr", { className: "setting" }, make("th", { scope: "row" }, key.replace(".", " ")),
            make("td", { className: "number" }, text(x)), make("td", { className: "number" }, text(y)), make("td", {})));
    }
    box.replaceChildren(make("summary", {}, "Comparison", make("span", { className: "soft" }, `\u2003${changes.slice(0, 4).join("\u2003")}`)), make("div", { className: "scroll" }, make("table", {},
        make("thead", {}, make("tr", {}, make("th", {}), make("th", { scope: "col" }, make("span", { className: "key" }), runs[0].label),
            make("th", { scope: "col" }, make("span", { className: "key second" }), runs[1].label), make("th", { scope: "col" }, "second / first"))),
        make("tbody", {}, ...rows))));
}
