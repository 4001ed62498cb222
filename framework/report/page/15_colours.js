// SPDX-License-Identifier: BSD-3-Clause
// Colours of both themes: objects, series, maps of values. All are told apart without red-green.
"use strict";

// After Okabe and Ito, darkened for paper and lightened for night.
const PALETTES = {
    light: {
        objects: ["#4a7fb5", "#d9822b", "#3a9679", "#b0648f", "#6d8fae", "#c2a03a", "#8a6fb0", "#7b8794"],
        series: ["#1668b5", "#d2620c", "#0f8a68", "#a8447f", "#7a6a00", "#3c9bc9", "#7650b8", "#5d6878"],
        axes: ["#c4512d", "#2e8b57", "#2f6fc0"],
        scene: "#f6f8fa",
        grid: "#8794a5",
        joint: ["#41546b", "#9fb0c4", "#0f8a68", "#6a7687"],  // on a, on b, axis, spring
        edge: 0.45,
        constraint: "#1b2430",
        reaction: "#c2410c",
        applied: "#7a3fb0",
        trace: "#5b6776",
        select: "#e0186c",
        ghost: "#9a4f9e",
        plain: "#2b5c92",
        valueless: "#a3a8ae",
        text: "#5a6675",
        rule: "#e3e8ee",
    },
    dark: {
        objects: ["#6f9fd0", "#e0954a", "#55b397", "#cc87ad", "#8fb0cd", "#d4b659", "#a991cf", "#97a3b0"],
        series: ["#5aa9f5", "#f59a4c", "#3fc79c", "#e083b8", "#d8c84a", "#7fd0f0", "#b294f0", "#9fabba"],
        axes: ["#ee7a55", "#55c287", "#62a2f2"],
        scene: "#12171d",
        grid: "#64748a",
        joint: ["#b9c6d6", "#6d7f95", "#3fc79c", "#a9b6c6"],
        edge: 0.42,
        constraint: "#e8edf3",
        reaction: "#ff9558",
        applied: "#c29bf5",
        trace: "#94a3b5",
        select: "#ff5fa2",
        ghost: "#d18ad4",
        plain: "#7fb2ea",
        valueless: "#8a9097",
        text: "#98a5b5",
        rule: "#262e38",
    },
};

// Stops from low to high; both ends of each stand out from the theme's background.
const MAPS = {
    light: {
        sequential: ["#7fc6bd", "#35a0b0", "#2276a8", "#314c94", "#341f5e"],
        diverging: ["#0b4da2", "#5e8fc9", "#a9b0b8", "#dd8a52", "#b03a00"],
    },
    dark: {
        sequential: ["#4b3a8f", "#3a6fb5", "#2fa3ae", "#6fce8c", "#f2e35c"],
        diverging: ["#4fa4ff", "#4f7fb8", "#5d6672", "#bd7741", "#ff9a45"],
    },
};

function rgbOf(hex) {
    return [1, 3, 5].map(k => parseInt(hex.slice(k, k + 2), 16) / 255);
}

/** 256 colours (rgb, 0..1) along a map's stops. */
function colourTable(stops) {
    const table = new Float32Array(256 * 3);
    const colours = stops.map(rgbOf);
    for (let i = 0; i < 256; ++i) {
        const x = (i / 255) * (colours.length - 1);
        const k = Math.min(Math.floor(x), colours.length - 2);
        for (let c = 0; c < 3; ++c)
            table[3 * i + c] = colours[k][c] + (x - k) * (colours[k + 1][c] - colours[k][c]);
    }
    return table;
}

/** How values of a range become colours: about zero if both signs occur, else from end to end. */
class ColourScale {
    constructor(range, theme) {
        const [min, max] = range;
        this.diverging = min < 0 && max > 0;
        const reach = Math.max(-min, max);
        this.min = this.diverging ? -reach : min;
        this.max = this.diverging ? reach : max;
        this.stops = MAPS[theme][this.diverging ? "diverging" : "sequential"];
        this.table = colourTable(this.stops);
        this.factor = this.max > this.min ? 255 / (this.max - this.min) : 0;
    }

    /** Index of a value's colour in the table. */
    index(value) {
        const k = Math.round((value - this.min) * this.factor);
        return 3 * (k < 0 ? 0 : k > 255 ? 255 : k);
    }
}
