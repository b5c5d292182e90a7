"use strict";
// Dragonheart: the two seats with hand, draw pile and score pile, and the final reckoning.
(() => {
  const { html, dragonheart: dh } = arena;

  /** Booleans by position in a hand: true for cards that were drawn. */
  const among = (hand, drawn) => {
    const left = [...drawn];
    return hand.map((card) => {
      const at = left.indexOf(card);
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    });
  };

  /** The cards that came into a seat's hand with this ply, if the view knows them. */
  const received = (event, seat) => {
    if (event?.seat !== seat) return [];
    return event.type === "deal" ? event.cards ?? [] : event.drawn ?? [];
  };

  const Hand = ({ own, size, event, seat }) => {
    const note = event?.type === "steal" && event.seat !== seat ? "one stolen"
      : event?.seat === seat && event.drew ? `drew ${event.drew}` : "";
    const label = html`<span class="dh-label">Hand <b>${size}</b>${
      note && html` <span class="dh-note">${note}</span>`}</span>`;
    const said = `Hand, ${arena.count(size, "card")}`;
    if (!own) {
      return html`<div class="dh-hand" role="group" aria-label=${said}>${label}
        <${arena.Backs} count=${size} what="cards in hand" /></div>`;
    }
    const fresh = among(own.hand, received(event, seat));
    return html`<div class="dh-hand" role="group" aria-label=${said}>${label}
      <span class="cards">${own.hand.map((card, at) => html`<span key=${at}><${dh.Piece}
        card=${card} fresh=${fresh[at]} /></span>`)}</span></div>`;
  };

  /** The draw pile, with its top card if the view knows it. */
  const Pile = ({ shared, own, seat, event }) => {
    const left = shared.pile_sizes[seat];
    const stolen = event?.type === "steal" && event.seat !== seat;
    const top = own?.top_card ?? undefined;
    const known = shared.top_known?.includes(seat);
    const emptied = shared.emptied?.includes(seat);
    const notes = [
      top ? `top: ${dh.cardName(top)}, known to its owner alone`
        : known && "its owner knows the top card",
      emptied && "was emptied",
    ].filter(Boolean);
    const note = top ? "on top" : known ? "top known" : emptied ? "emptied" : "";
    const said = [`Draw pile, ${arena.count(left, "card")}`, ...notes].join("; ");
    return html`<div class="dh-pile" role="group" aria-label=${said} title=${said}>
      <span class="dh-label">Draw pile</span>
      <span class="dh-pile-row"><span class=${left ? "card back dh-back" : "card dh-empty"}
        aria-hidden="true"><b>${left}</b></span>${top && html`<${dh.Piece} card=${top}
        fresh=${stolen} />`}${note && html`<span class="dh-note">${note}</span>`}</span></div>`;
  };

  const Cards = ({ title, cards }) => html`<div class="dh-list"><dt>${title}</dt><dd>${
    cards.length ? dh.grouped(cards).map(([kind, group]) => html`<span key=${kind}
      class="dh-group" style=${`--hue:${dh.hue(kind)}`}>${dh.symbol(kind)}${dh.nameOf(kind)} ${
        kind === "ship" ? `×${group.length}` : group.map(dh.valueOf).join(" ")}</span>`)
      : "none"}</dd></div>`;

  /** Collected points and those of the figure, by seat. */
  const scoresOf = (shared) => shared.collected.map((cards, seat) => {
    const figure = shared.figure === seat ? dh.FIGURE_POINTS : 0;
    const collected = dh.worth(cards);
    return { collected, figure, total: collected + figure };
  });

  const Score = ({ score, seat, event }) => {
    const gain = event?.seat === seat ? dh.worth(event.collected ?? []) : 0;
    const figure = event?.seat === seat && event.figure;
    return html`<div class="dh-score" role="group" aria-label=${arena.count(score.total, "point")}>
      <span class="dh-points"><b>${score.total}</b> ${score.total === 1 ? "point" : "points"}
        ${gain > 0 && html`<span class="dh-tag seat${seat}"
          title=${`collected: ${dh.inWords(event.collected)}`}>+${gain}</span>`}</span>
      ${score.figure > 0 && html`<span class=${figure ? "dh-owned dh-fresh" : "dh-owned"}
        title="The dragon figure counts 3 points; its owner draws up to six cards">${
        dh.symbol("figure")}figure +${dh.FIGURE_POINTS}</span>`}</div>`;
  };

  /** The cards that a seat has collected and played, on demand. */
  const Past = ({ shared, score, seat }) => {
    const cards = shared.collected[seat];
    const stolen = shared.thefts[seat];
    return html`<details class="dh-past"><summary>${cards.length} collected</summary><dl>
      <${Cards} title=${`Score pile, ${arena.count(score.collected, "point")}`} cards=${cards} />
      <${Cards} title="Played so far" cards=${shared.played[seat]} />
      ${stolen > 0 && html`<div class="dh-list"><dt>Stolen from the hand</dt><dd>${
        arena.count(stolen, "card")}</dd></div>`}</dl></details>`;
  };

  /** One seat with all its cards. */
  const Side = ({ seat, names, shared, own, event, score }) => {
    const acts = shared.player === seat && shared.phase !== "over";
    return html`<div role="group" class=${`dh-side seat${seat}${acts ? " dh-acts" : ""}`}
      aria-label=${`${names[seat]}: ${arena.count(score.total, "point")}${acts ? ", to act" : ""}`}>
      <div class="dh-who"><${arena.Seat} seat=${seat} name=${names[seat]} />
        <span class="dh-note">${acts ? DOES[shared.phase] ?? "" : ""}</span></div>
      <${Hand} own=${own} size=${shared.hand_sizes[seat]} event=${event} seat=${seat} />
      <${Pile} shared=${shared} own=${own} seat=${seat} event=${event} />
      <${Score} score=${score} seat=${seat} event=${event} />
      <${Past} shared=${shared} score=${score} seat=${seat} /></div>`;
  };
  const DOES = { play: "to play", take: "to choose", steal: "to steal" };

  /** The winner's seat at the end of a game; null for a draw. */
  const winnerOf = (shared, scores) => {
    if (scores[0].total === scores[1].total) return shared.figure;
    return scores[0].total > scores[1].total ? 0 : 1;
  };

  /** The points of both seats by kind of card. */
  const Reckoning = ({ shared, names, scores }) => {
    const groups = shared.collected.map((cards) => new Map(dh.grouped(cards)));
    const kinds = [...new Set(groups.flatMap((group) => [...group.keys()]))].sort();
    const cell = (seat, kind) => {
      const cards = groups[seat].get(kind) ?? [];
      return html`<td key=${seat}>${cards.length > 0 && html`<span class="dh-note">${
        cards.length}×</span>`} ${dh.worth(cards)}</td>`;
    };
    return html`<table class="dh-reckoning"><caption>Points</caption>
      <thead><tr><td></td>${names.map((name, seat) => html`<th key=${seat} scope="col"><${
        arena.Seat} seat=${seat} name=${name} /></th>`)}</tr></thead>
      <tbody>${kinds.map((kind) => html`<tr key=${kind}><th scope="row" style=${`--hue:${
        dh.hue(kind)}`}>${dh.symbol(kind)}${dh.nameOf(kind)}</th>${
        names.map((_, seat) => cell(seat, kind))}</tr>`)}
        <tr><th scope="row">${dh.symbol("figure")}Dragon figure</th>${
          scores.map((score, seat) => html`<td key=${seat}>${score.figure}</td>`)}</tr></tbody>
      <tfoot><tr><th scope="row">Total</th>${scores.map((score, seat) => html`<td key=${seat}>${
        score.total}</td>`)}</tr></tfoot></table>`;
  };

  Object.assign(dh, { Side, Reckoning, scoresOf, winnerOf });
})();
