// SPDX-License-Identifier: BSD-3-Clause
// Ticks and ranges of axes at any magnitude: uPlot's own stop at 1e-16.
"use strict";

/** The step of 1, 2 or 5 times a power of ten that gives about so many intervals. */
function tickStep(min, max, intervals) {
    const rough = (max - min) / Math.max(intervals, 1);
    const power = 10 ** Math.floor(Math.log10(rough));
    return power * [1, 2, 5, 10].find(step => step * power >= rough * (1 - 1e-9));
}

function linearTicks(min, max, intervals) {
    if (!(max > min)) return [min];
    const step = tickStep(min, max, intervals);
    const ticks = [];
    // Multiples of the step, so that errors do not add up and zero is zero.
    for (let k = Math.ceil(min / step - 1e-9); k * step <= max + 1e-9 * step; ++k) ticks.push(k * step);
    return ticks;
}

/** Powers of ten within bounds, thinned to so many intervals. */
function decadeTicks(min, max, intervals) {
    const low = Math.ceil(Math.log10(min) - 1e-9);
    const high = Math.floor(Math.log10(max) + 1e-9);
    const every = Math.max(1, Math.ceil((high - low) / Math.max(intervals, 1)));
    const ticks = [];
    for (let k = low; k <= high; ++k) if (k % every === 0) ticks.push(10 ** k);
    return ticks;
}

/** All ticks with as many digits as tell them apart, with an exponent if they are far from 1. */
function tickTexts(ticks) {
    const size = Math.max(0, ...ticks.map(Math.abs));
    if (!(size > 0)) return ticks.map(() => "0");
    const step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : size;
    const digit = Math.floor(Math.log10(step) + 1e-9);
    const top = Math.floor(Math.log10(size) + 1e-9);
    const far = size < 1e-3 || size >= 1e6;
    return ticks.map(tick => {
        if (Math.abs(tick) < 1e-6 * step) return "0";
        const text = far
            ? (tick / 10 ** top).toFixed(Math.min(Math.max(top - digit, 0), 15)) + `e${top}`
            : tick.toFixed(Math.min(Math.max(-digit, 0), 15));
        return text.replace(/-/g, MINUS);
    });
}

function decadeTexts(ticks) {
    return ticks.map(tick => `1e${Math.round(Math.log10(tick))}`.replace("-", MINUS));
}

/** Room about the data; a constant is given some of its own size. */
function linearRange(min, max) {
    if (!Number.isFinite(min) || !Number.isFinite(max)) return [0, 1];
    // Single precision: less than this apart is the same number.
    const noise = 4e-7 * Math.max(Math.abs(min), Math.abs(max));
    if (max - min <= noise) {
        const room = 0.1 * Math.max(Math.abs(min), Math.abs(max)) || 1;
        return [min - room, max + room];
    }
    const room = 0.07 * (max - min);
    return [min === 0 ? min - 0.25 * room : min - room, max + room];
}

function decadeRange(min, max) {
    if (!(min > 0) || !Number.isFinite(max)) return [1e-16, 1];
    const low = 10 ** Math.floor(Math.log10(min));
    const high = 10 ** Math.ceil(Math.log10(max));
    return [low, high > low ? high : 10 * low];
}
