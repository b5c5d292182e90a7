"use strict";
// What is known of the ply just made.
arena.panel = (() => {
  const { html, model } = arena;

  const percent = (chance) => `${(100 * chance).toFixed(chance > 0 && chance < 0.1 ? 1 : 0)} %`;

  const Bar = ({ chance }) => html`<span class="chance"><span class="chance-bar"
    style=${`width:${(100 * chance).toFixed(1)}%`}></span></span>
    <span class="chance-number">${percent(chance)}</span>`;

  /** What a bot wrote, as JSON in lines. */
  const Json = ({ value }) => html`<pre class="json" tabindex="0">${
    JSON.stringify(value, null, 2)}</pre>`;

  const MOST_BARS = 8;

  /** The label of a chance: the action it is the number of, if it is one. */
  const labelled = (label, legal) => (/^\d+$/.test(label) && legal?.[label]) || label;

  const Notes = ({ info, legal }) => {
    const { eval: value, text, nodes, chances, rest } = model.notes(info);
    return html`<section><h3>The bot says</h3><dl class="facts">
      ${value !== undefined && html`<div><dt>evaluation</dt><dd>${
        value.toLocaleString("en", { maximumFractionDigits: 4 })}</dd></div>`}
      ${nodes !== undefined && html`<div><dt>nodes</dt><dd>${
        nodes.toLocaleString("en")}</dd></div>`}
      ${text !== undefined && html`<div><dt>text</dt><dd class="said">${text}</dd></div>`}</dl>
      ${chances.length > 0 && html`<ul class="chances">${chances.slice(0, MOST_BARS).map(
        ([label, chance]) => html`<li key=${label} title=${labelled(label, legal)}><span
          class="words">${labelled(label, legal)}</span><${Bar} chance=${chance} /></li>`)}
        ${chances.length > MOST_BARS && html`<li class="muted">and ${
          chances.length - MOST_BARS} more</li>`}</ul>`}
      ${rest !== null && html`<${Json} value=${rest} />`}</section>`;
  };

  const Choices = ({ made, isOpen, run }) => {
    const { legal, chosen } = made;
    return html`<section class="choices"><h3><button type="button" class="fold"
        aria-expanded=${isOpen} onClick=${() => run("choices")} title="legal actions (a)">
        What else could it have played? <span class="muted">${legal.length === 1
          ? "nothing" : `${legal.length} legal`}</span></button></h3>
      ${isOpen && html`<ol class="legal" start="0">${legal.map((words, n) => html`<li key=${n}
        class=${n === chosen ? "chosen" : null}>${words}${
          n === chosen && html` <span class="tag">played</span>`}</li>`)}</ol>`}</section>`;
  };

  const Raw = ({ made, observations, seat, isOpen, run, copy }) => {
    const value = { event: made.event, action: made.action, observation: observations };
    const what = seat === null ? "event and observations" : "event, action, observations";
    return html`<section class="raw"><h3><button type="button" class="fold" aria-expanded=${isOpen}
        onClick=${() => run("raw")} title="raw JSON (i)">Raw JSON <span class="muted">${
        `${what} after the ply`}</span></button></h3>
      ${isOpen && html`<button type="button" class="small-button"
        onClick=${() => copy(JSON.stringify(value, null, 2), "JSON")}>copy</button>
      <${Json} value=${value} />`}</section>`;
  };

  const time = ({ think_us: think }, rank) => {
    if (!rank) return null;
    const place = rank.rank === 1 ? "the longest" : `${model.ordinal(rank.rank)} longest`;
    if (rank.of === 1) return model.duration(think);
    return html`${model.duration(think)} <span class="muted">${place} of ${rank.of}, median ${
      model.duration(rank.median)}</span>`;
  };

  const Faults = ({ document, view, ply, all }) => {
    const isHere = (fault) => model.shownAt(view, fault.ply) === ply;
    const shown = view.faults.filter((fault) => all || isHere(fault));
    return shown.map(({ seat, lines }, n) => html`<section key=${n} class="fault">
      <h3>Fault of <${arena.Seat} seat=${seat} name=${document.game.names[seat]} /></h3>
      <pre tabindex="0">${lines.join("\n")}</pre></section>`);
  };

  /** props: document, view, ply (position), shared, observations, choices, raw, run, copy. */
  const Panel = (props) => {
    const { document, view, ply, observations, shared, choices, raw, run, copy } = props;
    const isOver = ply === view.plies.length;
    const made = ply ? view.plies[ply - 1] : null;
    const rank = made && !made.hidden ? model.timeRank(view, ply - 1) : null;
    const seat = made?.seat ?? null;
    const seen = Object.keys(observations).length ? observations : { spectator: shared };
    return html`<section class="panel" aria-labelledby="panel-title" tabindex="0">
      <h2 id="panel-title">${made ? `Ply ${ply - 1}` : "Before the first ply"}</h2>
      ${made && html`<dl class="facts">
        <div><dt>by</dt><dd>${seat === null ? (made.hidden ? "not shown" : "chance")
          : html`<${arena.Seat} seat=${seat} name=${document.game.names[seat]} />`}${
          made.autopilot && " (autopilot, after a fault)"}</dd></div>
        ${rank && html`<div><dt>time</dt><dd>${time(made, rank)}</dd></div>`}</dl>`}
      <${Faults} document=${document} view=${view} ply=${ply} all=${isOver} />
      ${made?.info !== undefined && html`<${Notes} info=${made.info} legal=${made.legal} />`}
      ${made?.legal && html`<${Choices} made=${made} isOpen=${choices} run=${run} />`}
      ${made && !made.hidden && html`<${Raw} made=${made} observations=${seen} seat=${seat}
        isOpen=${raw} run=${run} copy=${copy} />`}</section>`;
  };

  return { Panel };
})();
