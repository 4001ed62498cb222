// SPDX-License-Identifier: BSD-3-Clause
// One plot: curves over time, their values at the present time, a line where that is.
"use strict";

const PLOT_HEIGHT = 148;
const AXIS_WIDTH = 66;

class Plot {
    /**
     * `plan`: { title, unit, note, series: [{ label, x, y, colour, ghost }], log (false: not offered), useLog, steps }.
     * `board` owns the time and the shared zoom.
     */
    constructor(board, plan) {
        this.board = board;
        this.plan = plan;
        this.log = Boolean(plan.useLog);
        this.visible = true;
        this.hover = null;
        this.data = alignSeries(plan.series);
        this.places = plan.series.map(series => new Place(series.x));
        this.build();
    }

    build() {
        const { plan } = this;
        this.items = plan.series.map(series => {
            const swatch = make("i", { className: series.ghost ? "swatch dashed" : "swatch" });
            const value = make("b", {});
            return { node: make("span", { className: "item" }, swatch, series.label, " ", value), swatch, value };
        });
        const head = make("div", { className: "plot-head" },
            make("h3", {}, plan.title, plan.unit ? make("span", { className: "unit" }, ` [${showUnit(plan.unit)}]`) : null));
        if (plan.log !== false) {
            const button = make("button", { type: "button", className: "quiet", ariaPressed: String(this.log), title: "Magnitudes on a logarithmic axis" }, "log");
            button.addEventListener("click", () => {
                this.log = !this.log;
                button.ariaPressed = String(this.log);
                this.chart.destroy();
                this.draw();
            });
            head.append(button);
        }
        const save = make("button", { type: "button", className: "quiet save", title: "Save these curves as a table (CSV)" }, "CSV");
        save.addEventListener("click", () => saveFile(new Blob([tableOf(plan, this.data)], { type: "text/csv" }), fileName(plan.title, "csv")));
        if (plan.note) head.append(make("span", { className: "note" }, plan.note));
        head.append(save);
        this.canvasBox = make("div", { className: "chart" });
        this.node = make("figure", { className: "plot" }, head, make("div", { className: "items" }, ...this.items.map(item => item.node)), this.canvasBox);
        this.node.setAttribute("aria-label", plan.title);
        this.node.dataset.title = plan.title;
    }

    /** To be called when the node is in the page: uPlot needs its width. */
    draw() {
        const { plan, board } = this;
        const colours = () => palette();
        const axis = (side, texts) => ({
            side: side,
            stroke: () => colours().text,
            grid: { stroke: () => colours().rule, width: 1 },
            ticks: { show: false },
            font: "11px system-ui, sans-serif",
            gap: 4,
            size: side === 3 ? AXIS_WIDTH : 22,
            incrs: () => [1e12],  // uPlot's search for a step; ours is in splits
            splits: (u, k, min, max) => this.ticks(u, side, min, max),
            filter: (u, ticks) => ticks,
            values: (u, ticks) => texts(ticks),
        });
        const logY = this.log;
        this.chart = new uPlot({
            width: Math.max(this.canvasBox.clientWidth, 120),
            height: PLOT_HEIGHT,
            padding: [6, 14, 0, 0],
            legend: { show: false },
            scales: {
                x: { time: false, range: (u, min, max) => board.range ?? [board.start, board.end] },
                y: logY
                    ? { distr: 3, range: (u, min, max) => decadeRange(min, max) }
                    : { range: (u, min, max) => linearRange(min, max) },
            },
            axes: [axis(2, tickTexts), axis(3, logY ? decadeTexts : tickTexts)],
            series: [{}, ...plan.series.map(series => ({
                stroke: () => (series.ghost ? mixed(colours().series[series.colour % 8], 0.75) : colours().series[series.colour % 8]),
                width: 1.4,
                dash: series.ghost ? [5, 4] : undefined,
                points: { show: () => series.x.length < 2 },
                spanGaps: true,
                pxAlign: 0,
                paths: plan.steps ? uPlot.paths.stepped({ align: -1 }) : undefined,
            }))],
            cursor: {
                y: false,
                points: { show: false },
                drag: { x: true, y: false, setScale: false },
                bind: {
                    mousedown: (u, target, handler) => event => (event.shiftKey ? handler(event) : null),
                    dblclick: () => () => board.zoom(null),
                },
            },
            hooks: {
                setSelect: [u => {
                    const { left, width } = u.select;
                    if (width > 3) board.zoom([u.posToVal(left, "x"), u.posToVal(left + width, "x")]);
                    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
                }],
                setCursor: [u => {
                    const { left } = u.cursor;
                    this.hover = left >= 0 ? u.posToVal(left, "x") : null;
                    this.showValues();
                }],
            },
        }, logY ? magnitudes(this.data) : this.data, this.canvasBox);
        this.now = make("div", { className: "now" });
        this.chart.over.append(this.now);
        this.listen();
        this.paint();
        this.setTime(board.t);
    }

    /** Draws what has come since, of curves that grow. */
    refresh() {
        if (!this.chart || !this.visible) return;
        this.chart.setData(this.log ? magnitudes(this.data) : this.data);
        this.setTime(this.board.t);
    }

    ticks(u, side, min, max) {
        const ratio = devicePixelRatio;
        if (side === 2) return linearTicks(min, max, Math.floor(u.bbox.width / ratio / 60));
        const intervals = Math.floor(u.bbox.height / ratio / 22);
        if (this.log) return decadeTicks(min, max, intervals);
        const ticks = linearTicks(min, max, intervals);
        return this.plan.steps ? ticks.filter(Number.isInteger) : ticks;  // steps are counts
    }

    /** Dragging sets the time; with Shift it marks what to zoom into, the wheel with Shift zooms. */
    listen() {
        const { over } = this.chart;
        const timeAt = event => this.chart.posToVal(event.clientX - over.getBoundingClientRect().left, "x");
        over.addEventListener("pointerdown", event => {
            if (event.button !== 0 || event.shiftKey) return;
            over.setPointerCapture(event.pointerId);
            this.board.scrub(timeAt(event));
        });
        over.addEventListener("pointermove", event => {
            if (over.hasPointerCapture(event.pointerId)) this.board.scrub(timeAt(event));
        });
        over.addEventListener("wheel", event => {
            if (!event.shiftKey && !event.ctrlKey) return;
            event.preventDefault();
            const { min, max } = this.chart.scales.x;
            const t = timeAt(event);
            const factor = (event.deltaY || event.deltaX) > 0 ? 1.25 : 0.8;
            this.board.zoom([t - (t - min) * factor, t + (max - t) * factor]);
        }, { passive: false });
    }

    paint() {
        const { series } = palette();
        this.items.forEach(({ swatch }, k) => {
            const { colour, ghost } = this.plan.series[k];
            swatch.style.color = ghost ? mixed(series[colour % 8], 0.75) : series[colour % 8];
        });
        this.chart?.redraw(false);
    }

    setTime(t) {
        if (!this.chart) return;
        const x = this.chart.valToPos(t, "x");
        this.now.hidden = !(x >= 0 && x <= this.chart.over.clientWidth);
        this.now.style.transform = `translateX(${x}px)`;
        this.showValues();
    }

    /** Values under the pointer, else at the present time. */
    showValues() {
        const t = this.hover ?? this.board.t;
        this.items.forEach(({ value }, k) => {
            const { x, y } = this.plan.series[k];
            if (!x.length) return;
            const { i, j, s } = this.places[k].find(t);
            value.textContent = show(this.plan.steps ? y[s > 0 ? j : i] : y[i] + s * (y[j] - y[i]), 4);
        });
    }

    resize() {
        const width = this.canvasBox.clientWidth;
        if (width && this.chart && width !== this.chart.width) {
            this.chart.setSize({ width, height: PLOT_HEIGHT });
            this.setTime(this.board.t);
        }
    }
}

/** A hexadecimal colour with an opacity. */
function mixed(hex, alpha) {
    return hex + Math.round(255 * alpha).toString(16).padStart(2, "0");
}

/** Curves over common times; those of a second run are fitted in where its times differ. */
function alignSeries(series) {
    const tables = [];
    for (const { x, y } of series) {
        const table = tables.find(([times]) => times === x || sameTimes(times, x));
        if (table) table.push(y);
        else tables.push([x, y]);
    }
    if (tables.length === 1) return tables[0];
    // join() puts the tables' columns one behind the other, as the series stand.
    return uPlot.join(tables);
}

/** The data with values as magnitudes, for logarithmic axes. */
function magnitudes([x, ...ys]) {
    return [x, ...ys.map(y => y.map(value => (value === undefined || value === null ? value : Math.abs(value))))];
}

function sameTimes(a, b) {
    return a.length === b.length && a[0] === b[0] && a.every((t, k) => t === b[k]);
}
