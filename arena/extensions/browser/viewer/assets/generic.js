"use strict";
// For rules without a board of their own: what is known, as nested lists.
(() => {
  const { html } = arena;

  const hasLines = (value) => typeof value === "string" && value.trimEnd().includes("\n");

  const isPlain = (value) => (value === null || typeof value !== "object") && !hasLines(value);

  /** A value that fits on a line; an object as pairs. */
  const inline = (value) => {
    if (isPlain(value)) return String(value);
    if (Array.isArray(value)) return value.length ? value.map(inline).join("  ") : "–";
    const pairs = Object.entries(value);
    const words = pairs.map(([name, member]) => `${name} ${inline(member)}`);
    return words.join(", ") || "–";
  };

  const isFlat = (value) => isPlain(value)
    || (!hasLines(value) && Object.values(value).every(isPlain));

  const Value = ({ value }) => {
    if (hasLines(value)) return html`<pre>${value}</pre>`;
    if (isFlat(value)) return html`<span>${inline(value)}</span>`;
    if (Array.isArray(value) && value.every(isFlat)) {
      return html`<ol start="0">${value.map((item, n) =>
        html`<li key=${n}>${inline(item)}</li>`)}</ol>`;
    }
    return html`<dl>${Object.entries(value).map(([name, member]) => html`<div key=${name}>
      <dt>${name.replaceAll("_", " ")}</dt><dd><${Value} value=${member} /></dd></div>`)}</dl>`;
  };

  arena.boards.generic = ({ observations, shared, names }) => {
    const every = Object.entries(observations);
    // Without the number of the seat that sees it: it alone makes no other board.
    const parts = every.map(([, { seat: _, ...others }]) => others);
    const texts = new Set(parts.map((seen) => JSON.stringify(seen)));
    const alike = every.length > 1 && texts.size === 1;
    const own = alike ? [] : every;
    return html`<div class="generic">${own.map(([seat, seen]) => html`<section key=${seat}>
        <h3><${arena.Seat} seat=${seat} name=${names[seat]} /></h3><${Value} value=${seen} />
      </section>`)}${!own.length && html`<section>
        <${Value} value=${alike ? parts[0] : shared} /></section>`}</div>`;
  };
})();
