"use strict";
// What every script of a page shares. Boards register themselves in arena.boards, and what draws
// one card of a hand in arena.pieces; what a board has to know of its rules is in arena.facts. Each
// is under the name of the game.
const arena = (() => {
  const { html } = htmPreact;
  const SEAT_MARKS = ["●", "▲", "■", "◆"];

  /** A player's name with the colour and the shape of the seat. */
  const Seat = ({ seat, name }) =>
    html`<span class="seat${seat}"><span class="seat-mark" aria-hidden="true"
      >${SEAT_MARKS[seat]}</span>${name}</span>`;

  /**
   * A card, face up. face: what is printed, short; symbol: text or SVG of its kind; hue: a CSS
   * colour; title: its whole name, for tooltips and screen readers.
   */
  const Card = ({ face, symbol, hue, title, small, faded, fresh }) => html`<span
    class=${["card", small && "small", faded && "faded", fresh && "fresh"].filter(Boolean).join(" ")}
    style=${hue ? `--hue:${hue}` : null} role="img" aria-label=${title} title=${title}
    ><span class="face">${face}</span><span class="symbol">${symbol}</span></span>`;

  /** So many cards, face down; from the sixth on only counted. what: "cards in hand". */
  const Backs = ({ count, what, small }) => html`<span class="cards" role="img"
    aria-label=${`${count} ${what}, face down`} title=${`${count} ${what}`}>${
      Array.from({ length: Math.min(count, 6) }, (_, n) => html`<span key=${n}
        class=${small ? "card back small" : "card back"}></span>`)
    }${count > 6 && html`<span class="count">×${count}</span>`}</span>`;

  /** A number with its noun: "1 card", "2 cards". */
  const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

  /** The value of JSON that is packed in a page, as `packed` of html.py makes it. */
  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
  };

  /** Errors of scripts of this page, oldest first; a script with a wrong syntax registers nothing. */
  const errors = [];
  globalThis.addEventListener?.("error", ({ message }) => errors.push(message));

  return {
    html, Seat, Card, Backs, count, SEAT_MARKS, unpack, errors, boards: {}, pieces: {}, facts: {},
  };
})();
