// SPDX-License-Identifier: BSD-3-Clause
// Values of the selected object at the present time.
"use strict";

const POSE_NAMES = { position: ["x", "y", "z"], quaternion: ["w", "x", "y", "z"] };

class Panel {
    constructor(runs) {
        this.run = runs[0];
        this.list = byId("values");
        this.choice = byId("select");
        this.entries = [];
        this.fillChoice();
        this.choice.addEventListener("change", () => state.set("select", this.choice.value));
        byId("clear").addEventListener("click", () => state.set("select", ""));
    }

    fillChoice() {
        const { scene } = this.run;
        this.choice.append(make("option", { value: "" }, "whole system"));
        const groups = scene
            ? [["Bodies", scene.bodies], ["Constraints", scene.constraints], ["Forces", scene.forces]]
            : [["Objects", ownersOf(this.run.history).map(name => ({ name }))]];
        for (const [label, objects] of groups)
            if (objects.length)
                this.choice.append(make("optgroup", { label }, ...objects.map(({ name, type }) =>
                    make("option", { value: name }, type ? `${name} (${type})` : name))));
    }

    /** Makes the entries of an object: each a name, a unit and a function of time. */
    select(name) {
        const { scene, history } = this.run;
        const object = scene?.objects.find(object => object.name === name);
        this.choice.value = name;
        byId("clear").hidden = !name;
        this.entries = [];
        this.heading = "";
        this.list.replaceChildren();
        if (object) this.addObject(object);
        this.addColumns(history, name, object);
    }

    add(group, name, label, unit, value) {
        if (group !== this.heading) {
            this.list.append(make("div", { className: "values-group" }, group));
            this.heading = group;
        }
        const dd = make("dd", {});
        dd.dataset.name = name;
        this.list.append(make("div", { className: "pair" }, make("dt", {}, label), dd));
        this.entries.push({ dd, value, unit: unit ? ` ${showUnit(unit)}` : "" });
    }

    addObject(object) {
        const { place } = this.run.scene;
        if (object.position)
            POSE_NAMES.position.forEach((c, k) => this.add("Position", `position.${c}`, c, "m", () => blended(object.position, place, k)));
        if (object.quaternion) {
            const turn = new THREE.Quaternion();
            POSE_NAMES.quaternion.forEach(c => this.add("Attitude quaternion", `quaternion.${c}`, c, "", () => attitudeAt(object, place, turn)[c]));
        }
        for (let p = 0; object.positions && p < object.positions.width / 3; ++p)
            POSE_NAMES.position.forEach((c, k) => this.add(object.points?.[p] ?? `Point ${p + 1}`, `positions.${p}.${c}`, c, "m", () => blended(object.positions, place, 3 * p + k)));
        if (object.force) {
            const part = k => blended(object.force, place, k);
            const group = object.kind === "constraint" ? "Reaction" : "Force";
            POSE_NAMES.position.forEach((c, k) => this.add(group, `force.${c}`, c, "N", () => part(k)));
            this.add(group, "force.magnitude", "magnitude", "N", () => Math.hypot(part(0), part(1), part(2)));
        }
        if (object.torque) {
            const part = k => blended(object.torque, place, k);
            POSE_NAMES.position.forEach((c, k) => this.add("Torque", `torque.${c}`, c, "N m", () => part(k)));
            this.add("Torque", "torque.magnitude", "magnitude", "N m", () => Math.hypot(part(0), part(1), part(2)));
        }
        if (object.nodes) {
            const middle = new THREE.Vector3();
            POSE_NAMES.position.forEach(c => this.add("Middle of the nodes", `middle.${c}`, c, "m", () => positionAt(object, place, middle)[c]));
            this.add("Network", "nodes", "nodes", "", () => object.nodes.width / 3);
            if (object.lines) this.add("Network", "elements", "elements", "", () => object.lines.records);
            for (const channel of object.channels ?? []) {
                if (!channel.track) continue;
                const row = new Float64Array(channel.track.width);
                const find = pick => () => {
                    channel.track.blend(place.i, place.j, place.s, row);
                    return row.reduce((a, b) => pick(a, b));
                };
                this.add(titleOf(channel.name), `${channel.name}.min`, "least", channel.unit, find(Math.min));
                this.add(titleOf(channel.name), `${channel.name}.max`, "greatest", channel.unit, find(Math.max));
            }
        }
    }

    /** What the history has of the object and the frames have not; of the system if there is none. */
    addColumns(history, name, object) {
        if (!history) return;
        const shown = [object?.position && "position", object?.quaternion && "attitude quaternion", object?.force && "force", object?.torque && "torque"].filter(Boolean);
        const families = name
            ? familiesOf(history.columns, name).filter(({ title }) => !shown.some(quantity => title === `${name} ${quantity}`))
            : systemFamilies(history.columns);
        for (const { title, names, labels } of families) {
            const group = name ? titleOf(title.replace(`${name} `, "")) : title;
            names.forEach((column, k) => this.add(group, column, labels[k], history.unit(column), t => history.at(column, t)));
        }
    }

    setTime(t) {
        this.run.scene?.place.find(t);
        for (const { dd, value, unit } of this.entries) {
            const x = value(t);
            dd.textContent = show(x, 6) + unit;
            dd.dataset.value = String(x);
        }
    }
}

// Columns that tell of the system as a whole.
const SYSTEM = ["energy", "work", "momentum", "angular_momentum", "constraint"];

/** The system's columns, put together by what stands before the last dot. */
function systemFamilies(columns) {
    const families = new Map();
    for (const { name } of columns) {
        const dot = name.lastIndexOf(".");
        if (dot < 0 || !SYSTEM.includes(name.split(".")[0])) continue;
        const title = titleOf(name.slice(0, dot).replace(/\./g, " "));
        if (!families.has(title)) families.set(title, { title, names: [], labels: [] });
        families.get(title).names.push(name);
        families.get(title).labels.push(name.slice(dot + 1));
    }
    return [...families.values()];
}

/** Objects by the names of columns, for runs without frames. */
function ownersOf(history) {
    if (!history) return [];
    const names = history.columns.map(({ name }) => name.match(/^([^.@]+)[.@]/)?.[1]).filter(Boolean);
    return [...new Set(names)].filter(name => !SYSTEM.includes(name));
}
