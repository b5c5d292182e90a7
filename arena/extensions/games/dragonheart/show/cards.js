"use strict";
// Dragonheart: the names, symbols and cards of its nine kinds. This script creates the object that
// the other three share.
arena.dragonheart = (() => {
  const { html } = arena;
  const FIGURE_POINTS = arena.facts.dragonheart.figure_points;

  // Names are those of the move list and of bots; the words of an edition are added if they differ.
  const EDITIONS = {
    kosmos: { knight: "Hero", petrified: "Stone dragon", sorceress: "Princess" },
    ffg: {},
  };

  // Paths in a square of 24; paths in LINES are stroked, the others filled.
  const PATHS = {
    dwarf: "M8 2c7 .5 13.5 7 14 14-1.8-3.5-3.5-5.5-5.3-7L4.8 22.3 1.7 19.2 15 7.3C13.5 "
      + "5.5 11.5 3.8 8 2z",
    fire_dragon: "M12.5 1.5c.5 4.5 6.5 7 6.5 13a7 7 0 0 1-14 0c0-3 1.3-5 3-6.5.2 2 .8 3.2 1.8 "
      + "3.7C9.6 8 10.5 4.5 12.5 1.5zM12 20.5a2.8 2.8 0 0 0 2.8-2.8c0-1.9-1.3-2.7-2.3-4.7"
      + "-.8 1.6-3.3 2.7-3.3 4.7A2.8 2.8 0 0 0 12 20.5z",
    huntress: "M5.5 3.5C16 2 22 8 20.5 18.5M5.5 3.5l15 15M2.5 21.5L21.5 2.5M15.5 2.5h6v6",
    knight: "M12 1.5l8.5 3v6.5c0 5.5-3.7 9.3-8.5 11.5-4.8-2.2-8.5-6-8.5-11.5V4.5z"
      + "M10.8 6v4H7v2.4h3.8V18h2.4v-5.6H17V10h-3.8V6z",
    petrified: "M7.5 3l7.5-.5 6 6.5-1 9-7 3.5-8-2.5L2.5 11zM7.5 3l3 7.5L15 2.5M10.5 10.5L2.5 11"
      + "M10.5 10.5L13 21.5M10.5 10.5L21 9",
    ship: "M1.5 15.5h21l-3.5 6.5H5zM11 1.5h1.6v13H11zM14 3.5c4 2 6.3 6 6.5 10.5H14z"
      + "M9.6 5.5V14H3.5c.6-3.5 2.8-6.5 6.1-8.5z",
    sorceress: "M12 1l2.7 8.3L23 12l-8.3 2.7L12 23l-2.7-8.3L1 12l8.3-2.7z",
    treasure: "M2.5 10.5V10A5.5 5.5 0 0 1 8 4.5h8a5.5 5.5 0 0 1 5.5 5.5v.5zM2.5 12.5H10V16h4v-3.5"
      + "h7.5v8h-19z",
    troll: "M3.5 2c.2 2.5 1.3 4 3.3 4.7A8.5 8.5 0 0 1 12 5a8.5 8.5 0 0 1 5.2 1.7C19.2 6 20.3 4.5 "
      + "20.5 2c2.2 4 2 7.5-.3 9.8C20.8 17.5 17 22.5 12 22.5S3.2 17.5 3.8 11.8C1.5 9.5 1.3 6 3.5 2z"
      + "M7.3 11.5l3.7 2-3.4 1.7zM16.7 11.5l-3.7 2 3.4 1.7zM8 18h8l-1.5 2h-5z",
    quay: "M12 8v13.5M4.5 13.5c.3 5 3.7 8 7.5 8s7.2-3 7.5-8M8 11.5h8M12 2.5a2.7 2.7 0 1 0 0 5.4 "
      + "2.7 2.7 0 0 0 0-5.4z",
    figure: "M12 4.5L13.3 3L15 0.8L14.9 4.5L13.7 7L14.3 9.5L17.5 4.5L23.5 6Q21.6 9 21.8 13.5Q"
      + "20 12.6 18.3 13.4Q18.2 15.5 17 17.2Q16 16.2 14.8 16.4L15.3 18.7L17.5 21.2L14 20."
      + "9L12 23.5L10 20.9L6.5 21.2L8.7 18.7L9.2 16.4Q8 16.2 7 17.2Q5.8 15.5 5.7 13.4Q4 1"
      + "2.6 2.2 13.5Q2.4 9 0.5 6L6.5 4.5L9.7 9.5L10.3 7L9.1 4.5L9 0.8L10.7 3L12 4.5z",
  };
  const LINES = new Set(["huntress", "petrified", "quay"]);

  const nameOf = (space) =>
    space.charAt(0).toUpperCase() + space.slice(1).replaceAll("_", " ");
  /** The edition's name of a space if it differs from ours, else undefined. */
  const aliasOf = (space, edition) => EDITIONS[edition]?.[space];

  const kindOf = (card) => card.split(":", 1)[0];
  const valueOf = (card) => Number(card.slice(card.indexOf(":") + 1)) || 0;
  /** The sum of the values of cards. */
  const worth = (cards) => cards.reduce((sum, card) => sum + valueOf(card), 0);

  /** A card in words; ships carry no number. */
  const cardName = (card) => kindOf(card) === "ship" ? nameOf("ship")
    : `${nameOf(kindOf(card))} ${valueOf(card)}`;

  /** Cards by kind: [[kind, cards sorted by value], …] in the order of names. */
  const grouped = (cards) => {
    const groups = new Map();
    for (const card of [...cards].sort()) {
      const kind = kindOf(card);
      if (!groups.has(kind)) groups.set(kind, []);
      groups.get(kind).push(card);
    }
    return [...groups];
  };

  /** Cards in words: "Dwarf 1 2, Ship ×2". */
  const inWords = (cards) => grouped(cards).map(([kind, group]) => kind === "ship"
    ? `Ship${group.length > 1 ? ` ×${group.length}` : ""}`
    : `${nameOf(kind)} ${group.map(valueOf).join(" ")}`).join(", ");

  const hue = (kind) => `var(--dh-${kind})`;

  /** The symbol of a kind, of the quay or of the dragon figure; hidden from screen readers. */
  const symbol = (kind) => html`<svg viewBox="0 0 24 24" aria-hidden="true"
    class=${LINES.has(kind) ? "dh-symbol dh-line" : "dh-symbol"}><path d=${PATHS[kind]} /></svg>`;

  /** One card face up, by the name that bots read: "dwarf:2". */
  const Piece = ({ card, fresh, faded, small }) => {
    const kind = kindOf(card);
    return arena.Card({
      face: kind === "ship" ? "" : valueOf(card), symbol: symbol(kind), hue: hue(kind),
      title: cardName(card), fresh, faded, small,
    });
  };

  /** Overlapping cards, the top card last and whole; the last ``fresh`` cards are new. */
  const Fan = ({ cards, fresh = 0, gone }) => html`<div class=${gone ? "dh-fan dh-gone" : "dh-fan"}
    style=${`--leaves:${cards.length}`}>${cards.map((card, at) => html`<span key=${at}
      class="dh-leaf"><${Piece} card=${card}
        fresh=${at >= cards.length - fresh} /></span>`)}</div>`;

  arena.pieces.dragonheart = Piece;
  return {
    FIGURE_POINTS, nameOf, aliasOf, kindOf, valueOf, worth, cardName, grouped, inWords,
    hue, symbol, Piece, Fan,
  };
})();
