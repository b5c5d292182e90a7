"use strict";
// Dragonkrak: names of cards and tokens, and their drawings. Each has a shape of its own, so that
// no two differ by colour alone.
(() => {
  const { html } = arena;
  const dk = (arena.dragonkrak ??= {});

  const { colours: COLOURS, hero: HERO } = arena.facts.dragonkrak;

  /** Filled outlines on 24 × 24; holes by the even-odd rule. */
  const PATHS = {
    artisans: "M3 4h11.5c2.8 0 5 1.6 6.5 4.5l-6.5.5v1h-2.5V22H8V10H3z",
    druids: "M21 2.5C9.5 2.5 4 7.5 4 14c0 1.5.3 2.9.9 4.1L2.5 20.5l1.5 1.5 2.5-2.5"
      + "c1.2.7 2.6 1 4 1 7 0 10.5-7 10.5-18zM8 16.6c1.8-4.3 4.2-7 8-9.3-2.5 3-4.5 6-6.2 10z",
    paladins: "M12 1.5l8.5 3V11c0 5.5-3.6 9.5-8.5 11.5C7.1 20.5 3.5 16.5 3.5 11V4.5z"
      + "M10.6 6v3.6H7v2.8h3.6V18h2.8v-5.6H17V9.6h-3.6V6z",
    tribes: "M9.3 1.5L12 5.5l2.7-4 1.5 1L13.4 7 22 21.5H2L10.6 7 7.8 2.5zM12 12l-4 7.5h8z",
    hero: "M2 6.5l5.5 4L12 3l4.5 7.5 5.5-4L20 17H4zM4 19h16v2.5H4z",
    red: "M2 13.5C3 7 8 3.5 14 4l3-3 .5 3.5L22 4l-2 3 2.5 3.5-3.5.5 1 4.5-4-2.5"
      + "c.5 5.5-3 9-8.5 9.5 1.5-1.5 2-3 1.8-4.5L6 19.5l.3-3.5L3.5 17l1-2.5zM11 8.5l3.5-.7"
      + "-1 2.2z",
    undead: "M12 5.5c4.2 0 7 2.9 7 6.5 0 2.2-.9 3.7-2.5 4.8V21h-2v-2.5h-1.5V21h-2v-2.5H9.5V21"
      + "h-2v-4.2C5.9 15.7 5 14.2 5 12c0-3.6 2.8-6.5 7-6.5zM7.6 11l.7 3 2.7-1zM16.4 11l-3.4 2"
      + " 2.7 1zM4.5 9C2.5 7 2 4 3 1.5 4.5 4 6 5 8 5.5z"
      + "M19.5 9c2-2 2.5-5 1.5-7.5-1.5 2.5-3 3.5-5 4z",
    counter_order: "M3 7h11V3l7 6-7 6v-4H3zM21 17v3H10v3l-7-4.5L10 14v3z",
    epidemic: "M12 1.5C16 7 19 11 19 15.2a7 7 0 0 1-14 0C5 11 8 7 12 1.5zM10.8 11v2.8H8v2.4h2.8V19"
      + "h2.4v-2.8H16v-2.4h-2.8V11z",
    imprisoned: "M7 10V7.5a5 5 0 0 1 10 0V10h2.5v12h-15V10zM9.5 10h5V7.5a2.5 2.5 0 0 0-5 0z"
      + "M10.8 14v4.5h2.4V14z",
    overflight: "M2 8C8 8 10 5 13 2c3 3 9 4 9.5 9-3-1.5-4.5-1.5-6 0-2-1.5-3.5-1-4.5 1.5"
      + "C9 10.5 6 10.5 2 8zM11 14h2v3h3.5L12 22.5 7.5 17H11z",
    reinforcements: "M12 2l8.5 7.5v4L12 6.3l-8.5 7.2v-4zM12 10l8.5 7.5v4L12 14.3l-8.5 7.2v-4z",
    undead_dragon: null,
    volunteers: "M2 4h5.5v17H2zM16.5 4H22v17h-5.5zM10.7 3h2.6v9.5h2.2L12 18l-3.5-5.5h2.2z",
    eye: "M1 12c3-5 7-7 11-7s8 2 11 7c-3 5-7 7-11 7S4 17 1 12zM12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
    right: "M2 10.5h13V5l8 7-8 7v-5.5H2z",
    left: "M22 10.5H9V5l-8 7 8 7v-5.5h13z",
  };
  PATHS.undead_dragon = PATHS.undead;

  /** A drawing in the current text colour; a title or text beside it states its meaning. */
  const Symbol = ({ of }) => html`<svg class="dk-symbol" viewBox="0 0 24 24" aria-hidden="true"
    ><path fill="currentColor" fill-rule="evenodd" d=${PATHS[of]} /></svg>`;

  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
  /** The colour of a card, or hero. */
  const kindOf = (card) => card.split(":")[0];
  /** The printed value, null for a hero. */
  const valueOf = (card) => (card === HERO ? null : Number(card.split(":")[1]));
  /** A card in words; value: the value that a hero on an army took. */
  const cardName = (card, value) => {
    if (card !== HERO) return `${capital(kindOf(card))} ${valueOf(card)}`;
    return value ? `Hero as ${value}` : "Hero";
  };
  const tokenName = (token) => capital(token.replaceAll("_", " "));
  const spaceName = (space) => (space === "tower" ? "the watchtower" : `army ${space}`);
  const cardsLeft = (count, noun = "card") => `${count} ${noun}${count === 1 ? "" : "s"}`;

  /** A card, face up; value: the value that a hero took; note: addition to its title. */
  const Troop = ({ card, value, note, small, faded, fresh }) => {
    const kind = kindOf(card);
    return html`<${arena.Card} face=${valueOf(card) ?? value ?? "H"}
      symbol=${html`<${Symbol} of=${kind} />`} hue=${`var(--dk-${kind})`}
      title=${cardName(card, value) + (note ? `, ${note}` : "")}
      small=${small} faded=${faded} fresh=${fresh} />`;
  };

  arena.pieces.dragonkrak = Troop;
  Object.assign(dk, {
    COLOURS, HERO, Symbol, Troop, capital, kindOf, valueOf, cardName, tokenName, spaceName,
    cardsLeft,
  });
})();
