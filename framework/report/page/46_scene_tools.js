// SPDX-License-Identifier: BSD-3-Clause
// What stands around the view: switches, legend of colours, triad of axes.
"use strict";

const SWITCHES = [
    ["grid", "Grid", "Ground"],
    ["joints", "Joints", "Joints by their kinds, springs, links"],
    ["constraints", "Points", "Attachments of constraints and forces"],
    ["arrows", "Forces", "Reactions and applied forces as arrows; of supports on the ground what the ground answers"],
    ["frames", "Frames", "Axes of the bodies and of their frames"],
    ["traces", "Path", "Path of the selected object, or of all bodies"],
    ["follow", "Follow", "The camera goes along with the selected object, or with a machine that travels"],
];

/** Switches above the view; `channels` are the networks' channel names. */
function buildTools(view, channels, isLive) {
    const tools = byId("tools");
    const group = make("div", { className: "switches" });
    const [{ joints: { named } }] = view.actors;
    for (const [name, label, title] of SWITCHES) {
        if (name === "joints" && !named.size) continue;
        const button = make("button", { type: "button", title, ariaPressed: String(view.toggles[name]) }, label);
        button.dataset.toggle = name;
        button.addEventListener("click", () => {
            view.toggle(name, !view.toggles[name]);
            button.ariaPressed = String(view.toggles[name]);
        });
        group.append(button);
    }
    const fit = make("button", { type: "button", title: "Look at everything" }, "Fit");
    fit.addEventListener("click", () => {
        if (isLive) {
            view.measure(view.actors.map(({ scene }) => scene));
            view.setTime(view.t);
            const button = group.querySelector("[data-toggle=follow]");
            if (view.travels && !view.toggles.follow) button.click();
        }
        view.fit();
        state.set("camera", "");
    });
    group.append(fit);
    tools.append(group);

    if (isLive || view.largestForce > 0 || view.largestTorque > 0) {
        const scale = make("select", {});
        for (const factor of [0.2, 0.5, 1, 2, 5, 20]) scale.append(make("option", { value: factor, selected: factor === 1 }, `\u00d7${factor}`));
        scale.addEventListener("change", () => {
            view.arrowScale = Number(scale.value);
            view.setTime(view.t);
        });
        tools.append(make("label", { title: `The longest: ${[[view.largestForce, "N"], [view.largestTorque, "N m"]].filter(([x]) => x > 0)
            .map(([x, unit]) => `${show(x, 3)} ${unit}`).join(", ")}` }, "Arrows ", scale));
    }
    if (channels.length) {
        const choice = make("select", { id: "channel" }, make("option", { value: "none" }, "none"));
        for (const name of channels) choice.append(make("option", { value: name }, name));
        choice.addEventListener("change", () => state.set("channel", choice.value));
        tools.append(make("label", {}, "Colour ", choice));
    }
}

/** A bar of the colours with the values at its ends; a button leaves the rarest values beyond them. */
function drawLegend(channel, scale, reach, choose) {
    const legend = byId("legend");
    legend.hidden = !channel;
    if (!channel) return;
    legend.dataset.stops = scale.stops.join(" ");
    const unit = showUnit(channel.unit);
    const bar = make("div", { className: "bar" });
    bar.style.background = `linear-gradient(to right, ${scale.stops.join(", ")})`;
    const most = reach === "most";
    const button = make("button", { type: "button", className: "quiet", ariaPressed: String(most), title: "Leave 1 % of the values beyond the ends" }, "99 %");
    button.addEventListener("click", () => choose(most ? "all" : "most"));
    // As many digits as tell the ends apart.
    let digits = 3;
    while (digits < 8 && scale.max > scale.min && show(scale.min, digits) === show(scale.max, digits)) ++digits;
    legend.replaceChildren(
        make("div", { className: "legend-title" }, make("span", {}, channel.name, unit ? ` [${unit}]` : ""), button),
        bar,
        make("div", { className: "ends" },
            make("span", {}, (most ? "\u2264 " : "") + show(scale.min, digits)),
            scale.diverging ? make("span", {}, "0") : null,
            make("span", {}, (most ? "\u2265 " : "") + show(scale.max, digits))));
}

/** The axes of space as the camera sees them. */
class Triad {
    constructor(svg) {
        this.svg = svg;
        this.axes = ["x", "y", "z"].map(name => {
            const line = makeSvg("line", { x1: 0, y1: 0 });
            const text = makeSvg("text", {});
            text.textContent = name;
            svg.append(line, text);
            return { line, text, at: new THREE.Vector3() };
        });
        this.turn = new THREE.Quaternion();
    }

    draw(camera) {
        this.turn.copy(camera.quaternion).invert();
        const colours = palette().axes;
        this.axes.forEach(({ line, text, at }, k) => {
            at.set(Number(k === 0), Number(k === 1), Number(k === 2)).applyQuaternion(this.turn);
            line.setAttribute("x2", (30 * at.x).toFixed(1));
            line.setAttribute("y2", (-30 * at.y).toFixed(1));
            text.setAttribute("x", (40 * at.x).toFixed(1));
            text.setAttribute("y", (-40 * at.y + 4).toFixed(1));
            line.setAttribute("stroke", colours[k]);
            text.setAttribute("fill", colours[k]);
        });
    }
}
