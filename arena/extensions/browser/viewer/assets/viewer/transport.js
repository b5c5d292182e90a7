"use strict";
// Buttons that move through the game.
arena.transport = (() => {
  const { html, model } = arena;

  const ICONS = {
    first: "M4 4v12M16 4L7 10l9 6z",
    backTurn: "M17 4l-7 6 7 6zM10 4l-7 6 7 6z",
    back: "M14 4L5 10l9 6z",
    play: "M5 3l12 7-12 7z",
    pause: "M6 4v12M14 4v12",
    next: "M6 4l9 6-9 6z",
    nextTurn: "M3 4l7 6-7 6zM10 4l7 6-7 6z",
    last: "M16 4v12M4 4l9 6-9 6z",
    link: "M8 12l4-4M7 9l-2 2a2.8 2.8 0 0 0 4 4l2-2M13 11l2-2a2.8 2.8 0 0 0-4-4l-2 2",
  };

  const Icon = ({ name }) => html`<svg class="icon icon-${name}" viewBox="0 0 20 20"
    aria-hidden="true"><path d=${ICONS[name]} /></svg>`;

  /** A button for a command; words and key are its name. */
  const Act = ({ run, command, words, keys, off, icon, children }) => html`<button type="button"
    class=${icon ? "icon-button" : "small-button"} aria-label=${words}
    title=${`${words} (${keys})`} aria-disabled=${off ? "true" : null}
    onClick=${() => off || run(command)}>${
      icon ? html`<${Icon} name=${icon} />` : children}</button>`;

  const Transport = ({ view, ply, playing, speed, run }) => {
    const last = view.plies.length;
    const atStart = ply === 0;
    const atEnd = ply === last;
    const where = ply ? `ply ${ply - 1}` : "start";
    return html`<div class="transport"><div class="buttons" role="group" aria-label="transport">
        <${Act} run=${run} command="first" words="start" keys="Home" icon="first" off=${atStart} />
        <${Act} run=${run} command="jump:-turns" words="back one turn" keys="[" icon="backTurn"
          off=${atStart} />
        <${Act} run=${run} command="back" words="back one ply" keys="←" icon="back"
          off=${atStart} />
        <${Act} run=${run} command="play" words=${playing ? "pause" : "play"} keys="Space"
          icon=${playing ? "pause" : "play"} />
        <${Act} run=${run} command="next" words="next ply" keys="→" icon="next" off=${atEnd} />
        <${Act} run=${run} command="jump:turns" words="next turn" keys="]" icon="nextTurn"
          off=${atEnd} />
        <${Act} run=${run} command="last" words="end" keys="End" icon="last" off=${atEnd} /></div>
      <span class="where"><b>${where}</b><span class="where-of"> of 0–${
        Math.max(last - 1, 0)}</span></span>
      <span class="speed" role="group" aria-label="speed"><${Act} run=${run} command="slower"
        words="slower" keys="-">−</${Act}><span title="plies per second">${speed}×</span>
      <${Act} run=${run} command="faster" words="faster" keys="+">+</${Act}></span></div>`;
  };

  const JUMPS = [
    ["moments", "turning point", "m"], ["scores", "score", "s"], ["faults", "fault", "f"],
  ];

  /** Only what the game has: no button for faults where there are none. */
  const Jumps = ({ stops, ply, run }) => html`<div class="jumps" role="group" aria-label="jumps">
    ${JUMPS.map(([what, words, key]) => stops[what].length > 0 && html`<span key=${what}
      class="jump"><${Act} run=${run} command=${`jump:-${what}`} words=${`previous ${words}`}
        keys=${key.toUpperCase()} off=${model.neighbour(stops[what], ply, -1) === null}>‹</${Act}>
      <span class="jump-name">${words}</span>
      <${Act} run=${run} command=${`jump:${what}`} words=${`next ${words}`}
        keys=${key} off=${model.neighbour(stops[what], ply, 1) === null}>›</${Act}></span>`)}
    ${stops.slowest.length > 0 && html`<${Act} run=${run} command="jump:slowest"
      words="slowest move" keys="l">slowest</${Act}>`}</div>`;

  return { Act, Transport, Jumps };
})();
