// SPDX-License-Identifier: BSD-3-Clause
// Numbers in words, and elements of the page.
"use strict";

const MINUS = "\u2212";

/** A number with so many significant digits; an exponent where plain digits would mislead. */
function show(x, digits = 5) {
    if (x === 0) return "0";
    if (!Number.isFinite(x)) return String(x);
    const size = Math.abs(x);
    let text;
    if (size >= 1e-3 && size < 999999.5) {
        text = x.toPrecision(Math.max(digits, Math.floor(Math.log10(size)) + 1));
        if (text.includes(".")) text = text.replace(/\.?0+$/, "");
    } else {
        text = x.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e");
    }
    return text.replace(/-/g, MINUS);
}

/** A whole number with its thousands apart. */
function showCount(n) {
    return n.toLocaleString("en").replace(/,/g, "\u202f");
}

/** Seconds in the unit that suits them. */
function showSeconds(seconds) {
    if (seconds === 0) return "0 s";
    const units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"], [1e-3, "ms"], [1e-6, "\u00b5s"]];
    const [size, unit] = units.find(([size]) => Math.abs(seconds) >= (size > 1 ? 2 * size : size)) ?? [1e-9, "ns"];
    return `${show(seconds / size, 4)} ${unit}`;
}

/** Powers in unit names as they are printed: "kg m^2/s" becomes "kg m²/s". */
function showUnit(unit) {
    return (unit ?? "").replace(/\^(-?\d)/g, (_, digit) =>
        digit.replace("-", "\u207b").replace(/\d/, d => "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[d]));
}

/** Pixels of the device per pixel of the page, as the scene is drawn: more than two cost time that a film has. */
function pixelRatio() {
    return document.body.classList.contains("film") ? devicePixelRatio : Math.min(devicePixelRatio, 2);
}

/** The element of an id of page.html. */
function byId(id) {
    return document.getElementById(id);
}

/** A new element: properties, then children (texts or nodes; null is left out). */
function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(properties)) {
        if (key in element) element[key] = value;
        else element.setAttribute(key, value);
    }
    element.append(...children.filter(child => child !== null && child !== undefined));
    return element;
}

/** A new SVG element. */
function makeSvg(tag, attributes = {}, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
}

/** m × 10ⁿ as nodes, for figures that stand alone. */
function showPower(x, digits = 2) {
    const size = Math.abs(x);
    if (!Number.isFinite(x) || x === 0 || (size >= 1e-3 && size < 1e6)) return [show(x, digits + 2)];
    const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
    return [`${mantissa.replace("-", MINUS)}\u2009\u00d7\u200910`, make("sup", {}, String(Number(exponent)).replace("-", MINUS))];
}
