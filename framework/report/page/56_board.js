// SPDX-License-Identifier: BSD-3-Clause
// All plots: groups, shared zoom and time, the picker of columns, costs as bars.
"use strict";

class Board {
    constructor(box, runs, start, end) {
        this.box = box;
        this.runs = runs;
        this.start = start;
        this.end = end > start ? end : start + 1;
        this.range = null;
        this.t = start;
        this.plots = [];
        this.onScrub = () => {};
        this.seen = new IntersectionObserver(entries => {
            for (const { target, isIntersecting } of entries) {
                const plot = this.plots.find(plot => plot.node === target);
                if (!plot) continue;
                plot.visible = isIntersecting;
                if (!isIntersecting) continue;
                if (this.runs[0].history?.grows) plot.refresh();
                plot.setTime(this.t);
            }
        }, { rootMargin: "100px" });
        this.sizes = new ResizeObserver(() => this.plots.forEach(plot => plot.resize()));
        this.selection = make("div", {});
        this.chosen = make("div", {});
        this.standing = make("div", {});
        this.picker = make("div", {});
        this.extras = make("div", {});
        box.append(this.picker, this.chosen, this.selection, this.standing, this.extras);
        this.sizes.observe(box);
    }

    /** Fills a part of the board anew with groups of plots. */
    fill(part, groups) {
        this.plots = this.plots.filter(plot => {
            if (plot.part !== part) return true;
            this.seen.unobserve(plot.node);
            plot.chart?.destroy();
            return false;
        });
        part.replaceChildren();
        for (const { title, plots } of groups) {
            const section = make("section", { className: "card group" }, make("h2", {}, title));
            part.append(section);
            for (const plan of plots) {
                const plot = new Plot(this, plan);
                plot.part = part;
                section.append(plot.node);
                plot.draw();
                this.plots.push(plot);
                this.seen.observe(plot.node);
            }
        }
    }

    fillAll() {
        this.fill(this.standing, planPlots(this.runs));
        const costs = this.runs.map(run => run.summary?.cost).filter(Boolean);
        const cost = costs.length ? drawCosts(this.runs) : null;
        if (cost) this.extras.append(cost);
        if (this.runs[0].history) this.picker.append(buildPicker(this.runs[0].history));
    }

    /** Curves have grown up to `end`; those out of sight follow when they are seen. */
    grow(end) {
        this.end = Math.max(end, this.start + 1e-9);
        for (const plot of this.plots) plot.refresh();
    }

    select(name) {
        const plots = planSelection(this.runs, name);
        this.fill(this.selection, plots.length ? [{ title: `Selected: ${name}`, plots }] : []);
    }

    choose(names) {
        const plots = planColumns(this.runs, names);
        this.fill(this.chosen, plots.length ? [{ title: "Chosen columns", plots }] : []);
    }

    zoom(range) {
        if (range) {
            const [a, b] = range;
            range = [Math.max(Math.min(a, b), this.start), Math.min(Math.max(a, b), this.end)];
            if (!(range[1] - range[0] > 1e-9 * (this.end - this.start))) return;
        }
        this.range = range;
        const [min, max] = range ?? [this.start, this.end];
        for (const plot of this.plots) {
            plot.chart.setScale("x", { min, max });
            plot.setTime(this.t);
        }
    }

    scrub(t) {
        this.onScrub(Math.min(Math.max(t, this.start), this.end));
    }

    setTime(t) {
        this.t = t;
        for (const plot of this.plots) if (plot.visible) plot.setTime(t);
    }

    paint() {
        for (const plot of this.plots) plot.paint();
    }
}

/** Checkboxes of all columns, with a search. */
function buildPicker(history) {
    const list = make("div", { className: "columns" });
    const names = () => splitNames(state.get("columns"));
    const boxes = history.columns.slice(1).map(({ name, unit }) => {
        const box = make("input", { type: "checkbox", value: name });
        box.addEventListener("change", () => {
            const kept = names().filter(other => other !== name);
            state.set("columns", joinNames(box.checked ? [...kept, name] : kept));
        });
        const label = make("label", { className: "check" }, box, ` ${name}`, unit ? make("span", { className: "unit" }, ` ${showUnit(unit)}`) : null);
        list.append(label);
        return { box, label, name };
    });
    const mark = () => {
        const chosen = new Set(names());
        for (const { box, name } of boxes) box.checked = chosen.has(name);
    };
    state.on("columns", mark);
    mark();
    const search = make("input", { type: "search", placeholder: "Search columns", ariaLabel: "Search columns" });
    search.addEventListener("input", () => {
        const words = search.value.toLowerCase().split(/\s+/);
        for (const { label, name } of boxes) label.hidden = !words.every(word => name.toLowerCase().includes(word));
    });
    return make("details", { className: "card picker", id: "picker" },
        make("summary", {}, "Plot columns", make("span", { className: "soft" }, ` \u2003${boxes.length} to choose from`)), make("div", {}, search, list));
}

/** Time spent in each plugin, longest first; of both runs where there are two. */
function drawCosts(runs) {
    const names = [...new Set(runs.flatMap(run => Object.keys(run.summary?.cost ?? {})))];
    const seconds = (run, name) => run.summary?.cost?.[name]?.seconds ?? 0;
    const largest = Math.max(...names.flatMap(name => runs.map(run => seconds(run, name))));
    if (!(largest > 0)) return null;
    names.sort((a, b) => seconds(runs[0], b) - seconds(runs[0], a));
    const rows = names.flatMap(name => runs.map((run, r) => {
        const bar = make("span", { className: r ? "cost-bar ghost" : "cost-bar" });
        bar.style.width = `${(100 * seconds(run, name)) / largest}%`;
        const calls = run.summary?.cost?.[name]?.calls ?? 0;
        return make("tr", {},
            make("th", { scope: "row" }, r ? "" : name),
            make("td", { className: "cost-cell" }, bar),
            make("td", { className: "number" }, showSeconds(seconds(run, name))),
            make("td", { className: "number soft" }, `${showCount(calls)} calls`));
    }));
    return make("section", { className: "card group", id: "cost" }, make("h2", {}, "Cost per plugin"),
        make("table", { className: "costs" }, make("tbody", {}, ...rows)));
}
