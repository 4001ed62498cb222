// SPDX-License-Identifier: BSD-3-Clause
// "What was run": plugins, integrator, events, then every other key of the summary.
"use strict";

// Shown elsewhere or first; the rest follows in the order of the file.
const FIRST = ["integrator", "plugins", "events"];
const LEAST = ["final_state", "cost"];
const MANY = 12;

function titleOf(key) {
    const text = key.replace(/_/g, " ");
    return text[0].toUpperCase() + text.slice(1);
}

/** A value of the summary as nodes, whatever it is. */
function drawValue(value) {
    if (value === null || value === undefined) return make("span", { className: "soft" }, "\u2013");
    if (typeof value === "boolean") return value ? "yes" : "no";
    if (typeof value === "number") return make("span", { className: "number", title: String(value) }, show(value, 6));
    if (typeof value === "string") return /^[0-9a-f]{32,}$/.test(value) ? make("code", { title: value }, `${value.slice(0, 12)}\u2026`) : value;
    if (Array.isArray(value)) return drawList(value);
    const entries = Object.entries(value);
    if (!entries.length) return make("span", { className: "soft" }, "none");
    return make("dl", { className: "tree" }, ...entries.flatMap(([key, child]) => [make("dt", {}, key), make("dd", {}, drawValue(child))]));
}

function drawList(list) {
    if (!list.length) return make("span", { className: "soft" }, "none");
    if (list.every(entry => entry !== null && typeof entry === "object" && !Array.isArray(entry))) return drawTable(list);
    const shown = list.slice(0, MANY);
    const text = make("span", { className: "number" });
    shown.forEach((entry, k) => text.append(k ? ", " : "", drawValue(entry)));
    if (list.length > MANY) text.append(` \u2026 (${list.length})`);
    return text;
}

/** Objects of one kind as a table: a column for each key that occurs. */
function drawTable(list) {
    const keys = [...new Set(list.flatMap(Object.keys))];
    const row = entry => make("tr", {}, ...keys.map(key => make("td", {}, key in entry ? drawValue(entry[key]) : "")));
    const body = make("tbody", {}, ...list.slice(0, 200).map(row));
    const table = make("div", { className: "scroll" }, make("table", {},
        make("thead", {}, make("tr", {}, ...keys.map(key => make("th", { scope: "col" }, key)))), body));
    if (list.length > 200) table.append(make("p", { className: "soft" }, `${list.length - 200} more in summary.json`));
    return table;
}

/** Key and value pairs that are no lists or objects, as one list. */
function drawPlain(entries) {
    return make("dl", { className: "tree plain" }, ...entries.flatMap(([key, value]) => [make("dt", {}, titleOf(key)), make("dd", {}, drawValue(value))]));
}

function drawAbout(runs) {
    const body = byId("about-body");
    body.replaceChildren(...runs.map((run, r) => {
        const { summary } = run;
        const section = make("div", { className: "about-run" });
        if (runs.length > 1) section.append(make("h2", {}, make("span", { className: r ? "key second" : "key" }), run.label));
        if (!summary) {
            section.append(make("p", {}, "There is no summary of this run."));
            return section;
        }
        const part = (key, open) => make("section", { className: "about-part" }, make("h3", {}, titleOf(key)), drawValue(summary[key]));
        const isPlain = key => summary[key] === null || typeof summary[key] !== "object" || !Object.keys(summary[key]).length;
        const others = Object.keys(summary).filter(key => !FIRST.includes(key) && !LEAST.includes(key));
        const plain = others.filter(isPlain).map(key => [key, summary[key]]);
        const rest = others.filter(key => !isPlain(key));
        section.append(make("div", { className: "about-top" },
            make("section", { className: "about-part" }, make("h3", {}, "Run"), drawPlain(plain)),
            ...FIRST.slice(0, 1).filter(key => key in summary).map(part)));
        section.append(...FIRST.slice(1).filter(key => key in summary).map(part));
        section.append(make("div", { className: "about-rest" }, ...rest.map(part)));
        for (const key of LEAST)
            if (key in summary) section.append(make("details", {}, make("summary", {}, titleOf(key)), drawValue(summary[key])));
        return section;
    }));
}
