"use strict";
// For rules without a board of their own: what is known, as nested lists.
(() => {
  const { html } = arena;

  const Value = ({ value }) => {
    if (Array.isArray(value) && value.every((item) => typeof item !== "object"))
      return html`<span>${value.join(" ") || "–"}</span>`;
    if (value === null || typeof value !== "object") return html`<span>${String(value)}</span>`;
    return html`<dl class="plain">${Object.entries(value).map(([name, member]) => html`
      <div key=${name}><dt>${name.replaceAll("_", " ")}</dt><dd><${Value} value=${member} /></dd></div>`)}</dl>`;
  };

  arena.boards.generic = ({ observations, shared, names }) => {
    const own = Object.entries(observations);
    if (!own.length) return html`<${Value} value=${shared} />`;
    return html`<div>${own.map(([seat, seen]) => html`<section key=${seat}>
      <h3><${arena.Seat} seat=${seat} name=${names[seat]} /></h3><${Value} value=${seen} /></section>`)}</div>`;
  };
})();
