// SPDX-License-Identifier: BSD-3-Clause
// What drives a run that goes on: its speed, its inputs, its parameters.
"use strict";

const PACES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 100];

/** The bar of a run that computes. `send` takes what the command is asked to do. */
class DriveBar {
    constructor(send) {
        this.send = send;
        this.run = make("button", { type: "button", id: "run", className: "primary" }, "Run");
        this.run.addEventListener("click", () => send({ do: this.running ? "pause" : "run" }));
        const step = make("button", { type: "button", id: "step", title: "One step of the integrator" }, "Step");
        step.addEventListener("click", () => send({ do: "step" }));
        const again = make("button", { type: "button", id: "restart", title: "Back to the start, with the parameters as they are set" }, "Restart");
        again.addEventListener("click", () => send({ do: "restart" }));
        this.now = make("button", { type: "button", id: "now", className: "quiet", title: "Show what is being computed, not what was" }, "Follow");
        this.pace = make("select", { id: "pace" });
        this.pace.addEventListener("change", () => send({ do: "pace", value: Number(this.pace.value) }));
        this.text = make("output", { id: "drive-text" });
        this.node = make("div", { id: "drive", className: "transport", role: "group", ariaLabel: "Run" },
            this.run, step, again, make("label", { title: "Seconds of the run per second" }, "Pace ", this.pace), this.now, this.text);
        byId("transport").before(this.node);
    }

    show({ running, done, failed, pace, rate, pull, steps }, isFollowing) {
        this.running = running && !done && !failed;
        this.run.textContent = this.running ? "Pause" : "Run";
        this.run.disabled = done || Boolean(failed);
        byId("step").disabled = this.run.disabled;
        this.showPaces(pace);
        this.now.ariaPressed = String(isFollowing);
        const parts = [`${showCount(steps)} steps`];
        if (rate > 0) parts.push(`\u00d7${show(rate, 2)} of real time`);
        if (pull) parts.push(`pull ${show(Math.hypot(...pull.force), 3)} N`);
        this.text.textContent = parts.join(" \u00b7 ");
    }

    showPaces(pace) {
        if (Number(this.pace.value) === pace && this.pace.options.length) return;
        const all = [...new Set([...PACES, ...(pace > 0 ? [pace] : [])])].sort((a, b) => a - b);
        this.pace.replaceChildren(...all.map(factor => make("option", { value: factor }, `\u00d7${show(factor, 3)}`)),
            make("option", { value: 0 }, "as fast as it can"));
        this.pace.value = String(pace);
    }
}

/** A slider and a field for one number; `change` is called while it moves, or when it is let go. */
class Knob {
    constructor({ name, value, unit }, change, isContinuous, release) {
        this.name = name;
        this.slider = make("input", { type: "range", step: "any", ariaLabel: name });
        this.field = make("input", { type: "number", step: "any", ariaLabel: `${name}, as a number` });
        this.release = release ? make("button", { type: "button", className: "quiet", title: "Back to what the model says" }, "release") : null;
        this.release?.addEventListener("click", () => release());
        this.node = make("div", { className: "knob" }, make("span", { className: "knob-name", title: name }, name), this.slider, this.field,
            make("span", { className: "unit" }, showUnit(unit)), this.release);
        this.node.dataset.name = name;
        this.slider.addEventListener("input", () => {
            this.field.value = Number(Number(this.slider.value).toPrecision(4));
            if (isContinuous) change(Number(this.slider.value));
        });
        this.slider.addEventListener("change", () => change(Number(this.slider.value)));
        this.field.addEventListener("change", () => {
            if (this.field.value === "" || !Number.isFinite(this.field.valueAsNumber)) return;
            this.reach(this.field.valueAsNumber);
            this.slider.value = this.field.value;
            change(this.field.valueAsNumber);
        });
        this.set(value ?? 0);
    }

    /** Room for a value on the slider. */
    reach(value) {
        const [low, high] = this.range ?? [Infinity, -Infinity];
        if (value > low && value < high) return;
        this.range = value === 0 ? [Math.min(low, -1), Math.max(high, 1)] : [Math.min(low, 0, 2 * value), Math.max(high, 0, 2 * value)];
        [this.slider.min, this.slider.max] = this.range;
    }

    set(value) {
        this.reach(value);
        if (document.activeElement === this.slider || document.activeElement === this.field) return;
        this.slider.value = value;
        this.field.value = Number(value.toPrecision(6));
    }

    mark(isSet) {
        if (this.release) this.release.disabled = !isSet;
    }
}

/** The card of all inputs and parameters. */
class Knobs {
    constructor(send) {
        this.send = send;
        this.node = make("section", { id: "knobs", className: "card group" });
        this.inputs = [];
        this.parameters = [];
        byId("plots").before(this.node);
    }

    fill(inputs, parameters) {
        const { send } = this;
        const names = [...inputs, "", ...parameters].map(one => one.name ?? "").join("\n");
        if (names !== this.names) {
            this.inputs = inputs.map(one => new Knob(one, value => send({ do: "input", name: one.name, value }), true, () => send({ do: "release", name: one.name })));
            this.parameters = parameters.map(one => new Knob(one, value => send({ do: "parameter", name: one.name, value }), false));
            this.names = names;
            const part = (title, knobs) => (knobs.length ? [make("h2", {}, title), ...knobs.map(knob => knob.node)] : []);
            this.node.replaceChildren(...part("Inputs", this.inputs), ...part("Parameters", this.parameters));
            this.node.hidden = !names.trim();
        }
        parameters.forEach(({ value }, k) => this.parameters[k].set(value));
        this.update(inputs);
    }

    /** Values of inputs, as the model or whoever has set them says. */
    update(inputs) {
        inputs.forEach(({ name, value, set }) => {
            const knob = this.inputs.find(knob => knob.name === name);
            if (value !== null) knob?.set(value);
            knob?.mark(set);
        });
    }
}
