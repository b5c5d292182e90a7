"use strict";
// Drawings of the watch page: intervals of a table, and the ratio of a match.
const charts = (() => {
  const { html } = htmPreact;
  const percent = (part) => `${(100 * part).toFixed(2)}%`;

  /**
   * The range that the intervals of a table cover, or null without any.
   * rows: [{value, error}], error null where there is none.
   */
  const range = (rows) => {
    const ends = rows.filter((row) => row.value !== null)
      .flatMap((row) => [row.value - (row.error ?? 0), row.value + (row.error ?? 0)]);
    if (!ends.length) return null;
    const low = Math.min(...ends), high = Math.max(...ends), margin = (high - low) * 0.04 || 1;
    return { low: low - margin, high: high + margin };
  };

  /** A value with its interval on the scale of the whole table; the words beside it say it too. */
  const Interval = ({ value, error, range: { low, high } }) => {
    if (value === null) return null;
    const at = (x) => percent((x - low) / (high - low));
    return html`<svg class="interval" aria-hidden="true">
      ${error !== null && html`<line class="span" x1=${at(value - error)} x2=${at(value + error)}
        y1="50%" y2="50%"/>`}
      <circle cx=${at(value)} cy="50%" r="4"/></svg>`;
  };

  /**
   * The log-likelihood ratio over blocks, between the bounds that decide. match: see Trial.
   * The drawing is stretched to its box, so whatever must keep its shape lies above it.
   */
  const Ratio = ({ match }) => {
    const [lower, upper] = match.bounds;
    const values = match.curve.map((point) => point[1]);
    const low = Math.min(lower, ...values) * 1.15, high = Math.max(upper, ...values) * 1.15;
    const last = Math.max(10, match.blocks);
    const x = (blocks) => 100 * blocks / last, y = (llr) => 100 * (high - llr) / (high - low);
    const line = match.curve.map(([blocks, llr]) => `${x(blocks).toFixed(2)},${y(llr).toFixed(2)}`);
    const level = (value, kind) => html`<line class=${kind} x1="0" x2="100" y1=${y(value)}
      y2=${y(value)}/>`;
    const label = (value, text, kind) => html`<span class=${kind} style=${{ top: `${y(value)}%` }}
      >${text}</span>`;
    const words = `log-likelihood ratio ${match.llr.toFixed(2)} after ${match.blocks} blocks, ` +
      `between ${lower.toFixed(2)} and ${upper.toFixed(2)}`;
    return html`<div class="ratio" role="img" aria-label=${words}>
      <div class="plot"><svg viewBox="0 0 100 100" preserveAspectRatio="none">
        ${level(upper, "bound")}${level(0, "zero")}${level(lower, "bound")}
        <polyline points=${line.join(" ")}/></svg>
        <i style=${{ left: `${x(match.blocks)}%`, top: `${y(match.llr)}%` }}></i>
        ${label(upper, "H1: pass", "inside below")}${label(lower, "H0: fail", "inside")}
        ${label(upper, upper.toFixed(2), "outside")}${label(0, "0", "outside")}
        ${label(lower, lower.toFixed(2), "outside")}</div>
      <div class="axis"><span>0</span><span>${last} blocks</span></div></div>`;
  };

  return { Interval, Ratio, range };
})();
