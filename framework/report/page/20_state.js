// SPDX-License-Identifier: BSD-3-Clause
// What is looked at: time, selection, channel, theme; told to whoever listens, kept in the address.
"use strict";

class State {
    constructor() {
        this.values = { t: 0, select: "", channel: "", theme: "", camera: "", columns: "" };
        this.listeners = new Map();
        this.timer = 0;
    }

    get(key) {
        return this.values[key];
    }

    on(key, listener) {
        if (!this.listeners.has(key)) this.listeners.set(key, []);
        this.listeners.get(key).push(listener);
    }

    set(key, value) {
        if (this.values[key] === value) return;
        this.values[key] = value;
        for (const listener of this.listeners.get(key) ?? []) listener(value);
        this.keep();
    }

    /** Takes what the fragment of the address says and gives it back; other keys stay. */
    readFragment() {
        const words = new URLSearchParams(location.hash.slice(1));
        for (const [key, value] of words) {
            if (!(key in this.values)) continue;
            if (key !== "t") this.set(key, value);
            else if (value !== "" && Number.isFinite(Number(value))) this.set("t", Number(value));
        }
        return words;
    }

    fragment() {
        const words = new URLSearchParams();
        for (const [key, value] of Object.entries(this.values))
            if (key === "t" || value) words.set(key, String(value));
        return `#${words}`;
    }

    /** Writes the address soon, not at every frame of a run that plays. */
    keep() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            try {
                history.replaceState(null, "", this.fragment());
            } catch {
                // Some browsers refuse this to files; the page works without.
            }
        }, 250);
    }
}

const state = new State();

/** Names of columns in the address: ";" stands between them, and as %3B in them. */
function joinNames(names) {
    return names.map(name => name.replace(/[%;]/g, letter => encodeURIComponent(letter))).join(";");
}

function splitNames(text) {
    return text.split(";").filter(Boolean).map(name => {
        try {
            return decodeURIComponent(name);
        } catch {
            return name; // written by hand
        }
    });
}

/** The theme in force: chosen, or that of the system. */
function themeName() {
    const chosen = state.get("theme");
    if (chosen === "light" || chosen === "dark") return chosen;
    return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function palette() {
    return PALETTES[themeName()];
}

/** Calls back whenever the theme in force may have changed. */
function onTheme(listener) {
    state.on("theme", listener);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", listener);
}

function applyTheme() {
    document.documentElement.dataset.theme = themeName();
}
