// SPDX-License-Identifier: BSD-3-Clause
// Formulas of the pages, by KaTeX.
document.addEventListener("DOMContentLoaded", () =>
  renderMathInElement(document.body, {
    delimiters: [
      { left: "\\(", right: "\\)", display: false },
      { left: "\\[", right: "\\]", display: true },
    ],
    throwOnError: false,
  }));
