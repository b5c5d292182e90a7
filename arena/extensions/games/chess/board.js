"use strict";
// Chess: the board after all moves, White below.
(() => {
  const { html } = arena;
  const SHAPES = { k: "♚", q: "♛", r: "♜", b: "♝", n: "♞", p: "♟" };
  const NAMES = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };
  const isWhite = (piece) => piece === piece.toUpperCase();
  const square = (name) => 8 * (8 - Number(name[1])) + name.charCodeAt(0) - 97;

  /** The pieces of a FEN by square, from a8 to h1; empty text for an empty square. */
  const placed = (fen) => [...fen.split(" ")[0].replaceAll("/", "")].flatMap(
    (letter) => (letter >= "1" && letter <= "8" ? Array(Number(letter)).fill("") : [letter]));

  /** Plays a move that the rules allowed. */
  const play = (pieces, uci) => {
    const [from, to] = [square(uci.slice(0, 2)), square(uci.slice(2, 4))];
    const [piece, taken] = [pieces[from], pieces[to]];
    const row = 8 * Math.floor(from / 8);
    pieces[from] = "";
    if (piece.toLowerCase() === "k") {
      const ownRook = taken.toLowerCase() === "r" && isWhite(taken) === isWhite(piece);
      if (ownRook || Math.abs(from - to) === 2) {
        const isShort = to > from;
        const step = isShort ? 1 : -1;
        let rook = to;
        while (!ownRook && pieces[rook].toLowerCase() !== "r") rook += step;
        const kind = pieces[rook];
        pieces[rook] = "";
        pieces[row + (isShort ? 6 : 2)] = piece;
        pieces[row + (isShort ? 5 : 3)] = kind;
        return;
      }
    }
    if (piece.toLowerCase() === "p" && !taken && from % 8 !== to % 8) {
      pieces[row + (to % 8)] = ""; // en passant
    }
    const promoted = uci[4] && (isWhite(piece) ? uci[4].toUpperCase() : uci[4]);
    pieces[to] = promoted || piece;
  };

  arena.boards.chess = ({ observations, shared, names }) => {
    const seen = Object.values(observations)[0] ?? shared;
    if (!seen.start) return html`<p>The starting position is not drawn yet.</p>`;
    const pieces = placed(seen.start);
    for (const uci of seen.moves) play(pieces, uci);
    const last = seen.moves.at(-1);
    const marked = last ? [square(last.slice(0, 2)), square(last.slice(2, 4))] : [];
    const Square = ({ n }) => {
      const piece = pieces[n];
      const name = `${"abcdefgh"[n % 8]}${8 - Math.floor(n / 8)}`;
      const color = piece && (isWhite(piece) ? "white" : "black");
      const words = piece ? `${name}: ${color} ${NAMES[piece.toLowerCase()]}` : name;
      const dark = (n + Math.floor(n / 8)) % 2 ? "dark" : "";
      return html`<div class=${`square ${dark} ${marked.includes(n) ? "last" : ""}`} role="img"
          aria-label=${words}>
        ${piece && html`<span class=${`piece ${color}`} aria-hidden="true">${
          SHAPES[piece.toLowerCase()]}︎</span>`}
        ${(n % 8 === 0 || n >= 56) && html`<small aria-hidden="true">${
          n % 8 === 0 ? (n >= 56 ? name : name[1]) : name[0]}</small>`}</div>`;
    };
    return html`<div class="chess">
      <div><${arena.Seat} seat=${1} name=${names[1]} /> Black</div>
      <div class="squares">${pieces.map((_, n) => html`<${Square} key=${n} n=${n} />`)}</div>
      <div><${arena.Seat} seat=${0} name=${names[0]} /> White</div></div>`;
  };
})();
