"use strict";
// The board of Dragonheart: a status line, one seat above, the spaces, the other seat below.
(() => {
  const { html } = arena;
  const named = (names, seat) => html`<${arena.Seat} seat=${seat} name=${names[seat]} />`;

  const outcome = (shared, names, scores) => {
    const dh = arena.dragonheart;
    const winner = dh.winnerOf(shared, scores);
    if (winner === null) return `A draw: ${scores[0].total} points each, nobody owns the figure`;
    const [most, least] = [scores[winner].total, scores[1 - winner].total];
    return html`${named(names, winner)} wins ${most} to ${least}${
      most === least ? ": the owner of the figure wins a tie" : ""}`;
  };

  /** The decision or chance event that is due, or the result. */
  const phase = (shared, names, scores) => {
    const { phase, player } = shared;
    if (phase === "over") return outcome(shared, names, scores);
    if (phase === "deal") return "The cards are dealt";
    if (phase === "starter") return "The starting player is drawn";
    if (player === null) return "";
    if (phase === "steal")
      return html`${named(names, player)} steals a card from ${named(names, 1 - player)}`;
    if (phase === "take") {
      const dh = arena.dragonheart;
      return html`${named(names, player)} chooses what to take: ${
        dh.either(dh.TAKES[shared.choice] ?? [])}`;
    }
    return html`${named(names, player)} to play`;
  };

  /** The reason why the last turn is known, if this ply settled it. */
  const settled = (event, shared) => {
    if (event?.final_turn === undefined) return "";
    return event.row_to === "ship_set" && shared.ship_sets === arena.dragonheart.SHIP_SETS
      ? ": the third ship set is complete" : ": a draw pile has run out";
  };

  const Status = ({ shared, names, scores, event }) => {
    const over = shared.phase === "over";
    const isLast = shared.turn === shared.final_turn && !over;
    return html`<div class="dh-status"><span>${
      shared.turn > 0 && !over && html`<b>Turn ${shared.turn}:</b> `}${
      phase(shared, names, scores)}</span>${isLast && html`<span
        class="dh-final">This turn is the last${settled(event, shared)}</span>`}</div>`;
  };

  /** Seats from top to bottom: the seat of a view "0" or "1" is below; otherwise seat 1 is. */
  const order = (view) => view === "0" ? [1, 0] : [0, 1];

  arena.boards.dragonheart = ({ names, options, observations, shared, view, event }) => {
    const dh = arena.dragonheart;
    if (!shared?.board) return html`<p>There is nothing to show yet.</p>`;
    const scores = dh.scoresOf(shared);
    const [above, below] = order(view).map((seat) => html`<${dh.Side} key=${seat} seat=${seat}
      names=${names} shared=${shared} own=${observations[seat]} event=${event}
      score=${scores[seat]} />`);
    return html`<div class="dh"><div class="dh-table">
      <${Status} shared=${shared} names=${names} scores=${scores} event=${event} />
      ${above}
      <${dh.Spaces} shared=${shared} event=${event} names=${names} edition=${options?.edition} />
      ${below}
      ${shared.phase === "over" && html`<${dh.Reckoning} shared=${shared} names=${names}
        scores=${scores} />`}</div></div>`;
  };
})();
