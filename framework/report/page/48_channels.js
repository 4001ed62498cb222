// SPDX-License-Identifier: BSD-3-Clause
// Which channel colours the networks, on which scale.
"use strict";

class Channels {
    constructor(runs) {
        this.bodies = runs.flatMap(run => run.scene?.bodies ?? []).filter(body => body.channels?.length);
        this.names = [...new Set(this.bodies.flatMap(body => body.channels.map(channel => channel.name)))];
        this.name = "";
        this.found = [];
        this.reach = "all";
        this.scale = null;
    }

    /** Decodes what the choice needs; the first channel there is if none is chosen. */
    async choose(name) {
        this.name = name === "none" ? "" : this.names.includes(name) ? name : this.names[0] ?? "";
        this.found = (await Promise.all(this.bodies.map(body => loadChannel(body, this.name)))).filter(Boolean);
    }

    /** One scale for all networks, so that their colours compare. */
    repaint(again) {
        const ranges = this.found.map(channel => channel.ranges[this.reach]);
        this.scale = ranges.length
            ? new ColourScale([Math.min(...ranges.map(([min]) => min)), Math.max(...ranges.map(([, max]) => max))], themeName())
            : null;
        drawLegend(this.found[0], this.scale, this.reach, reach => {
            this.reach = reach;
            again();
        });
    }

    of(body) {
        const channel = this.name ? body.channels?.find(channel => channel.name === this.name) : null;
        return { channel: channel?.track ? channel : null, scale: this.scale };
    }
}
