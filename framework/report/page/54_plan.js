// SPDX-License-Identifier: BSD-3-Clause
// Which plots a run has, from the names of its columns.
"use strict";

// What an object's components are called; the columns' names end so.
const FAMILIES = [
    [/^(.*)\.v([xyz])$/, "velocity"],
    [/^(.*)\.q([wxyz])$/, "attitude quaternion"],
    [/^(.*)\.w([xyz])$/, "angular velocity"],
    [/^(.*)\.on_b\.force\.([xyz])$/, "force on b"],
    [/^(.*)\.on_b\.moment\.([xyz])$/, "moment on b"],
    [/^(.*)\.force\.([xyz])$/, "force"],
    [/^(.*)\.torque\.([xyz])$/, "torque"],
    [/^(.*)\.ideal\.(\w)$/, "ideal part of the force"],
    [/^(.*)\.nonideal\.(\w)$/, "nonideal part of the force"],
    [/^(.*)\.lambda\.(\d+)$/, "multipliers"],
    [/^(.*)\.([xyz])$/, "position"],
];

// What joints are measured by, their rates, and what laws on them give.
const MEASURE = /^([^.@]+(?:\.[^.@]+)?)\.(angle|displacement|distance)((?:_[a-z0-9]+)*)$/;
const EFFORT = /^([^@]+)\.effort$/;

const CURVES = 8;   // of a plot: as many as there are colours
const PLOTS = 10;  // of joints that are shown unasked
const STILL = 1e-10;  // [m, rad and the like] what a plane mechanism's joints slide by rounding

/** Plots of measures of joints, of their rates and of efforts: those of all joints in one, as far as colours go. */
function planJoints(history, plot) {
    const groups = new Map();
    const add = (title, unit, name, label) => {
        const key = `${title} ${unit}`;
        if (!groups.has(key)) groups.set(key, { title, names: [], labels: [] });
        groups.get(key).names.push(name);
        groups.get(key).labels.push(label);
    };
    const isStill = name => !history.grows && history.row(name).every(x => Math.abs(x) < STILL);
    for (const { name, unit } of history.columns) {
        const measure = name.match(MEASURE);
        if (measure && !isStill(name)) {
            const [, joint, kind, more] = measure;
            const rate = more.endsWith("_rate");
            const which = more.slice(0, more.length - (rate ? 5 : 0)).replaceAll("_", " ");
            add(`Joint ${kind}${rate ? " rates" : "s"}`, unit, name, joint + which);
        }
        const effort = name.match(EFFORT);
        if (effort) add(unit === "N m" ? "Torques in joints" : unit === "N" ? "Forces in joints and springs" : "Efforts", unit, name, effort[1]);
    }
    const out = [];
    const rank = ({ title }) => (title.endsWith("rates") ? 1 : title.startsWith("Joint ") ? 0 : 2);
    for (const { title, names, labels } of [...groups.values()].sort((a, b) => rank(a) - rank(b)))
        for (let first = 0; first < names.length; first += CURVES) {
            const part = names.length > CURVES ? ` (${first + 1}\u2013${Math.min(first + CURVES, names.length)} of ${names.length})` : "";
            out.push(plot(title + part, names.slice(first, first + CURVES), labels.slice(first, first + CURVES)));
        }
    return out.slice(0, PLOTS);
}

/** The columns of one object or point, put together by quantity. */
function familiesOf(columns, owner) {
    const families = new Map();
    for (const { name, unit } of columns) {
        if (!name.startsWith(`${owner}.`) && !name.startsWith(`${owner}@`)) continue;
        const match = FAMILIES.map(([pattern, title]) => [name.match(pattern), title]).find(([match]) => match);
        const [title, label] = match ? [`${match[0][1]} ${match[1]}`, match[0][2]] : [name, name.slice(owner.length + 1)];
        if (!families.has(title)) families.set(title, { title, unit, names: [], labels: [] });
        families.get(title).names.push(name);
        families.get(title).labels.push(label);
    }
    return [...families.values()];
}

/** Curves of these columns in every run that has them. */
function seriesOf(runs, names, labels) {
    const series = [];
    runs.forEach((run, r) =>
        names.forEach((name, k) => {
            const y = run.history?.row(name);
            if (!y) return;
            const label = runs.length > 1 && r > 0 ? `${labels[k]} (2)` : labels[k];
            series.push({ label, x: run.history.t, y, colour: k, ghost: r > 0 });
        }));
    return series;
}

function balanceNote(runs, key, unit) {
    const found = runs.map(run => run.summary?.[key]?.balance).filter(Boolean);
    if (!found.length) return "";
    return `largest ${found.map(({ max_abs: size }) => show(size, 2)).join(" and ")} ${showUnit(unit)}, relative ${
        found.map(({ max_rel: size }) => show(size, 2)).join(" and ")}`;
}

/** The standing groups of plots: [{ title, plots }]. */
function planPlots(runs) {
    const [{ history, scene }] = runs;
    if (!history) return [];
    const unit = name => history.unit(name);
    const columns = history.columns.map(({ name }) => name);
    const plot = (title, names, labels, more = {}) => {
        const there = names.map((name, k) => [name, labels[k]]).filter(([name]) => history.has(name));
        if (!there.length) return null;
        return { title, unit: unit(there[0][0]), series: seriesOf(runs, there.map(([n]) => n), there.map(([, l]) => l)), ...more };
    };
    const vector = (title, base, more) => plot(title, ["x", "y", "z"].map(c => `${base}.${c}`), ["x", "y", "z"], more);
    const moving = names => history.grows || names.some(name => history.row(name)?.some(x => x !== 0));

    // Two runs may lie orders of magnitude apart.
    const balance = (key, unit) => ({ note: balanceNote(runs, key, unit), useLog: runs.length > 1 });

    const works = ["external", "nonideal", "projection"].filter(name => moving([`work.${name}`]));
    const energy = [
        plot("Energy", ["energy.kinetic", "energy.potential", "energy.total"], ["kinetic", "potential", "total"]),
        works.length ? plot("Work", works.map(name => `work.${name}`), works) : null,
        plot("Energy balance", ["energy.balance"], ["balance"], balance("energy", "J")),
    ];
    const momentum = [
        vector("Momentum", "momentum"),
        vector("Momentum balance", "momentum.balance", balance("momentum", "kg m/s")),
        vector("Angular momentum", "angular_momentum"),
        vector("Angular momentum balance", "angular_momentum.balance", balance("angular_momentum", "kg m^2/s")),
    ];

    const owners = suffix => columns.filter(name => name.endsWith(suffix)).map(name => name.slice(0, -suffix.length));
    const FEW = 4;
    const bodies = owners(".wx").slice(0, FEW).map(name =>
        plot(`${name} angular velocity`, ["x", "y", "z"].map(c => `${name}.w${c}`), ["x", "y", "z"]));

    const violation = ["position", "velocity", "strain"];
    const units = violation.map(name => unit(`constraint.${name}`)).map(text => (text ? ` [${showUnit(text)}]` : ""));
    const violations = [
        plot("Constraint violation", violation.map(name => `constraint.${name}`), violation.map((name, k) => name + units[k]),
            { unit: "", useLog: !history.grows && moving(violation.map(name => `constraint.${name}`)) }),
    ];
    const constraints = [
        ...owners(".force.x").slice(0, FEW).map(name => vector(`${name} force`, `${name}.force`)),
        ...owners(".lambda.0").slice(0, FEW).map(name => {
            const family = familiesOf(history.columns, name).find(({ title }) => title.endsWith("multipliers"));
            return plot(family.title, family.names, family.labels);
        }),
    ];
    const iterations = runs.map((run, r) => run.scene?.iterations?.some(count => count > 0) && {
        label: r ? "most per step (2)" : "most per step", x: run.scene.times, y: run.scene.iterations, colour: r, ghost: r > 0,
    }).filter(Boolean);
    const solver = scene && iterations.length ? [{ title: "Newton iterations", unit: "", series: iterations, steps: true, log: false }] : [];

    return [
        { title: "Joints", plots: planJoints(history, plot) },
        { title: "Bodies", plots: bodies },
        { title: "Energy", plots: energy },
        { title: "Constraints and forces", plots: constraints },
        { title: "Momentum", plots: momentum },
        { title: "Solver", plots: [...violations, ...solver] },
    ].map(({ title, plots }) => ({ title, plots: plots.filter(Boolean) })).filter(({ plots }) => plots.length);
}

/** Plots of what is selected. */
function planSelection(runs, name) {
    const { history } = runs[0];
    if (!history || !name) return [];
    return familiesOf(history.columns, name).slice(0, 9).map(({ title, unit, names, labels }) =>
        ({ title, unit, series: seriesOf(runs, names, labels) }));
}

/** Plots of columns that were picked, one per unit. */
function planColumns(runs, names) {
    const { history } = runs[0];
    const units = new Map();
    for (const name of names) {
        if (!history?.has(name)) continue;
        const unit = history.unit(name);
        if (!units.has(unit)) units.set(unit, []);
        units.get(unit).push(name);
    }
    return [...units].map(([unit, of]) => ({ title: of.length > 1 ? "Chosen columns" : of[0], unit, series: seriesOf(runs, of, of) }));
}
