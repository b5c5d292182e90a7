"use strict";
// Dragonkrak: the seats (hand, camp, tokens), and the location of every card of the game.
(() => {
  const { html } = arena;
  const dk = (arena.dragonkrak ??= {});

  /** Removes the first item equal to ``item`` from a list; returns true if it was there. */
  const taken = (list, item) => {
    const at = list.indexOf(item);
    if (at >= 0) list.splice(at, 1);
    return at >= 0;
  };

  /** The cards of a visible hand; publicly known and newly received cards are marked. */
  const OpenHand = ({ hand, shown, drawn }) => {
    const known = [...shown];
    const got = [...drawn];
    return html`<div class="cards">${hand.map((card, at) => {
      const everybody = taken(known, card);
      return html`<span key=${card + at} class=${everybody ? "dk-known" : null}><${dk.Troop}
        card=${card} note=${everybody ? "everybody knows it" : null}
        fresh=${taken(got, card)} />${everybody && html`<${dk.Symbol} of="eye" />`}</span>`;
    })}${!hand.length && html`<span class="muted">empty</span>`}</div>`;
  };

  /** A hidden hand: cards that everybody knows, and backs. */
  const ClosedHand = ({ count, shown }) => html`<div class="cards">
    ${shown.map((card, at) => html`<span key=${card + at} class="dk-known"><${dk.Troop}
      card=${card} note="everybody knows it" /><${dk.Symbol} of="eye" /></span>`)}
    ${count > shown.length && html`<${arena.Backs} count=${count - shown.length}
      what="cards in hand" />`}
    ${!count && html`<span class="muted">empty</span>`}</div>`;

  /** Cards by colour, as text: symbol and values. */
  const CardList = ({ cards }) => html`<span class="dk-list">${[...dk.COLOURS, dk.HERO]
    .map((kind) => [kind, cards.filter((card) => dk.kindOf(card) === kind)])
    .filter(([, held]) => held.length)
    .map(([kind, held]) => html`<${dk.Sign} key=${kind} of=${kind} hue=${kind} words=${
      kind === dk.HERO ? `Hero ×${held.length}`
        : held.map(dk.valueOf).join(" ")} />`)}</span>`;

  /** The camp: number of cards, known cards at the bottom, cards its owner has looked at. */
  const Camp = ({ count, bottom, looked, event }) => html`<div class="dk-camp">
    <span class="dk-stack" role="img" aria-label=${`${dk.cardsLeft(count)}, face down`}
      title=${dk.cardsLeft(count)}>${count > 0 && html`<span class="card back small"></span>`}
      <span class="dk-number">${count}</span></span>
    ${bottom.length > 0 && html`<span class="dk-bottom"
      title="Everybody knows these cards at the bottom, the uppermost first"><span class="muted"
      >bottom</span>${bottom.map((card, at) => html`<${dk.Troop} key=${card + at} card=${card}
      small=${true} note="at the bottom of the camp" fresh=${event?.type === "remove"
        && bottom.length - at <= (event.removed?.length ?? 0)} />`)}</span>`}
    ${looked?.length > 0 && html`<div class="dk-looked"><span class="muted">holds, in an order not
      known:</span> <${CardList} cards=${looked} /></div>`}</div>`;

  /** The number of a seat's heroes that everybody has seen; of: heroes dealt, 0 if unequal. */
  const HeroesSeen = ({ count, of }) => count > 0 && html`<p class="dk-heroes muted">${
    `Own heroes seen so far: ${count}${of ? ` of ${of}` : ""}`}</p>`;

  /** Event tokens: held ones, listed or only counted, then used ones. */
  const Tokens = ({ held, count, used, event }) => html`<ul class="dk-tokens">
    ${(held ?? []).map((token, at) => html`<li key=${token + at} class="dk-token"><${dk.Symbol}
      of=${token} />${dk.tokenName(token)}</li>`)}
    ${!held && count > 0 && html`<li class="dk-token hidden">${dk.cardsLeft(count, "token")},
      face down</li>`}
    ${used.map((token, at) => html`<li key=${`used${at}`} class=${`dk-token used ${
      at === used.length - 1 && event?.type === token ? "fresh" : ""}`}><${dk.Symbol}
      of=${token} /><s>${dk.tokenName(token)}</s><span class="visually-hidden"> used</span></li>`)}
    ${!held?.length && !count && !used.length && html`<li class="muted">none</li>`}</ul>`;

  const DECISIONS = ["tactics", "recruit", "flight"];

  /** A seat. own: its observation, absent if the view does not know it. */
  dk.SeatPanel = ({ seat, name, shared, own, event }) => {
    const [hand, camp] = [shared.hand_sizes[seat], shared.camp_sizes[seat]];
    const seats = shared.hand_sizes.length;
    const acts = shared.player === seat && DECISIONS.includes(shared.phase);
    const mine = event?.seat === seat ? event : null;
    const drawn = mine?.drawn ?? (mine?.type === "recruit" && mine.card ? [mine.card] : []);
    const left = hand + camp;
    return html`<div role="group" class=${`dk-seat seat${seat} ${acts ? "acts" : ""}`}
      aria-label=${`Seat ${seat}, ${name}`}>
      <header><h3><${arena.Seat} seat=${seat} name=${name} />${acts && html` <span
        class="dk-task">to act</span>`}</h3>
        <span class="dk-left"><b>${left}</b> ${left === 1 ? "card" : "cards"} left</span></header>
      <div class="dk-race" aria-hidden="true"><span style=${`width:${
        Math.min(100, (100 * left * seats) / 48)}%`}></span></div>
      <dl><div><dt>Hand${mine?.drew > 0 && html` <span class="dk-plus">+${mine.drew}</span>`}</dt>
        <dd>${own
          ? html`<${OpenHand} hand=${own.hand} shown=${shared.shown[seat]} drawn=${drawn} />`
          : html`<${ClosedHand} count=${hand} shown=${shared.shown[seat]} />`}</dd></div>
        <div><dt>Camp</dt><dd><${Camp} count=${camp} bottom=${shared.bottoms[seat]}
          looked=${own?.camp} event=${mine} /><${HeroesSeen} count=${shared.heroes_shown[seat]}
          of=${seats === 3 ? 0 : 4 / seats} /></dd></div>
        <div><dt>Tokens</dt><dd><${Tokens} held=${own?.tokens} count=${shared.token_counts[seat]}
          used=${shared.used[seat]} event=${mine} /></dd></div></dl></div>`;
  };

  /** Marks by seat for cards in camps. */
  const HOLLOW = ["○", "△", "□", "◇"];

  /** The known locations of cards, except heroes: {card: {mark, title, kind}}. */
  const whereabouts = (shared, observations, names) => {
    const places = {};
    const put = (cards, mark, title, kind) => {
      for (const card of cards ?? []) if (card !== dk.HERO) places[card] = { mark, title, kind };
    };
    names.forEach((name, seat) => {
      const own = observations[seat];
      put(own?.camp, HOLLOW[seat], `in the camp of ${name}`, `camp seat${seat}`);
      put(shared.bottoms[seat], HOLLOW[seat], `at the bottom of ${name}'s camp`,
        `camp seat${seat}`);
      put(own?.hand ?? shared.shown[seat], arena.SEAT_MARKS[seat], `in the hand of ${name}`,
        `hand seat${seat}`);
    });
    for (const space of dk.SPACES)
      put(shared.board[space].cards, space === "tower" ? "W" : space, `on ${dk.spaceName(space)}`,
        "table");
    put(shared.gone, "×", "out of the game", "gone");
    put(shared.deserters, "D", "deserted", "gone");
    return places;
  };

  /** All 48 troops: the value of a card that may still come, else the mark of its location. */
  dk.Tracker = ({ shared, observations, names }) => {
    const places = whereabouts(shared, observations, names);
    const gone = shared.gone ?? [];
    const lost = gone.filter((card) => card === dk.HERO).length;
    return html`<div role="group" class="dk-tracker" aria-label="Where the cards are">
      <h3>Where the cards are</h3>
      <table><tbody>${dk.COLOURS.map((colour) => html`<tr key=${colour}><th scope="row"><${dk.Sign}
        of=${colour} hue=${colour} words=${html`<span class="dk-wide">${dk.capital(colour)}</span>`}
        /></th>${dk.VALUES.map((value) => {
          const card = `${colour}:${String(value).padStart(2, "0")}`;
          const place = places[card];
          const title = `${dk.cardName(card)}: ${place?.title ?? "not seen yet"}`;
          return html`<td key=${value} class=${place?.kind ?? "unseen"} title=${title}>${
            place?.mark ?? value}</td>`;
        })}</tr>`)}</tbody></table>
      <p class="muted">${dk.cardsLeft(gone.length)} out of the game${lost > 0
        && `, with ${lost} ${lost === 1 ? "hero" : "heroes"}`}. A number has not been seen yet;
        × out of the game; I–IV and W on the table${names.length === 1 && "; D deserted"}; ${
        names.map((name, seat) => html`<span key=${seat} class=${`seat${seat}`}><span
          class="seat-mark">${arena.SEAT_MARKS[seat]}</span></span>`)}in a hand, hollow in a
        camp.</p></div>`;
  };
})();
