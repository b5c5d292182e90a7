"use strict";
// Dragonheart: the board in the middle, with its nine spaces, the quay and the ship sets.
(() => {
  const { html, dragonheart: dh } = arena;
  const { rows: ROWS, ship_sets: SHIP_SETS, takes: TAKES } = arena.facts.dragonheart;
  const QUAY = "quay";
  const LEAVES = arena.facts.dragonheart.to_quay; // kinds whose full rows go to the quay
  const SPACES = [
    "fire_dragon", "treasure", "sorceress", "petrified",
    "huntress", "ship", "knight", "troll", "dwarf",
  ]; // in the order of the printed board: two lines from left to right

  /** Every arrow of the board: [from, to, true if the row moves there instead of taking]. */
  const ARROWS = [
    ...Object.entries(TAKES).flatMap(([from, taken]) => taken.filter((to) => to !== from)
      .map((to) => [from, to, false])),
    ...LEAVES.map((from) => [from, QUAY, true]),
  ];

  /**
   * The changes of the ply on the board: seat; lit, its arrows as "from>to"; gone, by space the
   * cards that left it; from, the space whose cards the seat collected; points, their sum;
   * fresh, by space the number of cards added on top; newSet, true for a new ship set.
   */
  const effectOf = (event, board) => {
    const effect = { seat: event?.seat, lit: new Set(), gone: {}, fresh: {}, points: 0 };
    if (event?.type !== "play" && event?.type !== "take") return effect;
    const kind = event.type === "play" ? dh.kindOf(event.cards[0])
      : TAKES.sorceress.includes(event.space) ? "sorceress" : "knight";
    const from = event.collected_from ?? (event.type === "take" ? event.space : undefined);
    if (from) {
      effect.from = from;
      effect.points = dh.worth(event.collected ?? []);
      effect.gone[from] = event.collected ?? [];
      effect.lit.add(`${kind}>${from}`);
    }
    if (event.row_to === QUAY) {
      effect.fresh.quay = ROWS[kind];
      effect.gone[kind] = board.quay.slice(-ROWS[kind]);
      effect.lit.add(`${kind}>${QUAY}`);
    } else if (event.row_to === "ship_set") {
      effect.newSet = true;
      effect.gone.ship = Array(ROWS.ship).fill("ship:0");
    } else if (event.type === "play" && from !== kind) {
      effect.fresh[kind] = event.cards.length;
    }
    return effect;
  };

  const either = (spaces) => spaces.map(dh.nameOf).join(" or ");

  /** The rule of a space in words. */
  const rule = (space) => {
    if (space === "petrified") return "brings the dragon figure";
    if (space === "treasure") return "no effect";
    if (space === "dwarf") return "4th takes the row";
    if (space === "ship") return "3rd takes the quay";
    const first = { huntress: "3rd ", knight: "2nd " }[space] ?? "";
    return `${first}takes ${either(TAKES[space])}`;
  };

  /** A sign that replaces the words of a rule where space is short. */
  const then = (space) => {
    if (space === "dwarf") return html`<span class="dh-then" aria-hidden="true">↻</span>`;
    if (!LEAVES.includes(space)) return "";
    return html`<span class="dh-then" aria-hidden="true">→${dh.symbol(QUAY)}</span>`;
  };

  /** The points of the cards on a space; or, if the ply took them, which seat got how many. */
  const Worth = ({ points, effect }) => {
    if (!effect)
      return points > 0 && html`<span class="dh-worth">${arena.count(points, "point")}</span>`;
    return html`<span class=${`dh-tag seat${effect.seat}`}
      title=${`${arena.count(effect.points, "point")} collected`}><span aria-hidden="true">${
        arena.SEAT_MARKS[effect.seat]} </span>+${effect.points}</span>`;
  };

  const Slots = ({ size, cards, gone, fresh = 0 }) => html`<div class="dh-slots">${
    Array.from({ length: Math.max(size, cards.length) }, (_, at) => html`<span key=${at}
      class="dh-slot">${at < cards.length
        ? html`<${dh.Piece} card=${cards[at]} fresh=${at >= cards.length - fresh} />`
        : gone[at] && html`<${dh.Piece} card=${gone[at]} faded />`}</span>`)}</div>`;

  const Stack = ({ cards, gone, fresh }) => {
    if (!cards.length && !gone.length) return html`<${Slots} size=${1} cards=${[]} gone=${[]} />`;
    return html`<${dh.Fan} cards=${cards.length ? cards : gone} fresh=${cards.length ? fresh : 0}
      gone=${!cards.length} />`;
  };

  /** One of the nine spaces. */
  const Space = ({ space, cards, effect, asked, edition }) => {
    const size = ROWS[space];
    const gone = cards.length ? [] : effect.gone[space] ?? [];
    const fresh = effect.fresh[space] ?? 0;
    const alias = dh.aliasOf(space, edition);
    const points = space === "ship" ? 0 : dh.worth(cards);
    const number = size ? `${cards.length}/${size}` : `${cards.length}`;
    const said = [
      `${dh.nameOf(space)}, ${size ? `row, ${cards.length} of ${size}`
        : `stack of ${cards.length}`}`,
      points && arena.count(points, "point"), rule(space), asked && "may be chosen",
    ].filter(Boolean).join("; ");
    const taken = effect.from === space;
    const states = [fresh && "dh-fresh", taken && "dh-taken", asked && "dh-asked"];
    return html`<div class=${["dh-space", `dh-at-${space}`, ...states].filter(Boolean).join(" ")}
      role="group" aria-label=${said} style=${`--hue:${dh.hue(space)}`}>
      <div class="dh-head">${dh.symbol(space)}<span class="dh-names"><span class="dh-name">${
        dh.nameOf(space)}</span>${
        alias && html` <span class="dh-alias" title="in this edition">${alias}</span>`}</span>
        <span class=${cards.length ? "dh-count" : "dh-count dh-zero"}>${number}${then(space)}</span>
      </div>
      <div class="dh-body">${size
        ? html`<${Slots} size=${size} cards=${cards} gone=${gone} fresh=${fresh} />`
        : html`<${Stack} cards=${cards} gone=${gone} fresh=${fresh} />`}
        <${Worth} points=${points} effect=${taken && effect} /></div>
      <div class="dh-rule">${asked ? "may be chosen" : rule(space)}${
        space === "dwarf" && html` <span aria-hidden="true">↻</span>`}</div></div>`;
  };

  const Arrow = ({ from, to, moves, lit, asked }) => html`<span aria-hidden="true" class=${
    ["dh-arrow", `dh-${from}-${to}`, moves && "dh-moves", lit && "dh-lit", asked && "dh-asked"]
      .filter(Boolean).join(" ")}><svg viewBox="0 0 24 16"><path d="M1 5.5h12V1l10 7-10 7v-4.5H1z"
      /></svg></span>`;

  const Quay = ({ cards, effect }) => {
    const gone = cards.length ? [] : effect.gone.quay ?? [];
    const shown = cards.length ? cards : gone;
    const points = dh.worth(cards);
    const taken = effect.from === QUAY;
    return html`<div class=${`dh-quay dh-at-quay${taken ? " dh-taken" : ""}`} role="group"
      aria-label=${`Quay, ${arena.count(cards.length, "card")}, ${arena.count(points, "point")}`}>
      <div class="dh-head">${dh.symbol(QUAY)}<span class="dh-name">Quay</span>
        <span class="dh-count">${cards.length}</span></div>
      <div class="dh-body">${shown.length
        ? html`<${dh.Fan} cards=${shown} fresh=${effect.fresh.quay ?? 0} gone=${!cards.length} />`
        : html`<span class="dh-none">full rows of knights and huntresses come here</span>`}
        <${Worth} points=${points} effect=${taken && effect} /></div></div>`;
  };

  const Sets = ({ sets, fresh }) => html`<div class="dh-sets dh-at-sets" role="group"
    aria-label=${`Ship sets, ${sets} of ${SHIP_SETS}`}>
    <div class="dh-head">${dh.symbol("ship")}<span><span class="dh-name">Ship sets</span>
      <span class="dh-rule">the 3rd announces the end</span></span>
      <span class="dh-count">${sets}/${SHIP_SETS}</span></div>
    <div class="dh-body"><div class="dh-slots">${
      Array.from({ length: Math.max(SHIP_SETS, sets) }, (_, at) => html`<span key=${at}
        class="dh-slot">${at < sets && arena.Card({
          face: "×3", symbol: dh.symbol("ship"), hue: dh.hue("ship"), title: "three ships",
          fresh: fresh && at === sets - 1,
        })}</span>`)}</div></div></div>`;

  const Figure = ({ owner, names, taken }) => {
    const label = owner === null ? "on the board" : `with ${names[owner]}`;
    return html`<div class=${`dh-figure dh-at-figure${owner === null ? "" : " dh-away"}`} role="img"
      aria-label=${`Dragon figure, ${label}`} title=${`Dragon figure, ${label}`}>
      ${dh.symbol("figure")}<span class=${taken ? "dh-rule dh-fresh-text" : "dh-rule"}>${
        owner === null ? "figure" : html`<span class="seat${owner}"><span class="seat-mark">${
          arena.SEAT_MARKS[owner]}</span>has it</span>`}</span></div>`;
  };

  const Turn = ({ turn, isLast }) => html`<div class=${`dh-turn dh-at-turn${
    isLast ? " dh-last" : ""}`}><span class="dh-rule">turn</span><b>${turn || "–"}</b>${
      isLast && html`<span class="dh-rule">the last</span>`}</div>`;

  /** The board with all cards, and the changes of the ply. */
  const Spaces = ({ shared, event, names, edition }) => {
    const { board } = shared;
    const effect = effectOf(event, board);
    const choices = shared.phase === "take" ? TAKES[shared.choice] ?? [] : [];
    const actor = effect.seat === undefined ? "" : ` seat${effect.seat}`;
    return html`<div class=${`dh-map${actor}`} role="group" aria-label="Board">
      <${Turn} turn=${shared.turn} isLast=${shared.turn === shared.final_turn} />
      ${SPACES.map((space) => html`<${Space} key=${space} space=${space} cards=${board[space]}
        effect=${effect} asked=${choices.includes(space)} edition=${edition} />`)}
      <${Figure} owner=${shared.figure} names=${names} taken=${event?.figure} />
      <${Quay} cards=${board.quay} effect=${effect} />
      <${Sets} sets=${shared.ship_sets} fresh=${effect.newSet} />
      ${ARROWS.map(([from, to, moves]) => html`<${Arrow} key=${from + to} from=${from} to=${to}
        moves=${moves} lit=${effect.lit.has(`${from}>${to}`)}
        asked=${from === shared.choice && choices.includes(to)} />`)}</div>`;
  };

  Object.assign(dh, { Spaces, ROWS, SHIP_SETS, TAKES, either });
})();
