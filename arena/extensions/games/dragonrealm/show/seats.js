"use strict";
// The seats of Dragonrealm: hand, enhancements, pieces, won locations; and the result.
(() => {
  const { html } = arena;
  const realm = (arena.dragonrealm ??= {});
  const CAMP_STONES = arena.facts.dragonrealm.camp_stones; // most that count at either camp

  /** The enhancements that the view may know, as printed, by id. */
  realm.printedIn = (observations) => {
    const printed = {};
    for (const seen of Object.values(observations))
      for (const card of [...seen.enhancements, ...(seen.offered ?? [])]) printed[card.id] = card;
    return printed;
  };

  /** Seats of the view that know for certain that the seat holds the card. */
  const knowersOf = (card, seat, observations) => Object.entries(observations)
    .filter(([watcher, seen]) => {
      const holders = +watcher !== seat && seen.held?.[card];
      return holders && holders.length === 1 && holders[0] === seat;
    }).map(([watcher]) => +watcher);

  /** A hand that the view sees. */
  const OpenHand = ({ seat, own, observations, changes, attempt, names }) => {
    const played = new Set(attempt?.open && attempt.seat === seat ? attempt.cards : []);
    const passing = new Set(own.passing ?? []);
    const propsOf = (card) => {
      const marks = knowersOf(card, seat, observations);
      const notes = [];
      if (played.has(card)) notes.push("played");
      if (passing.has(card)) notes.push("chosen to be passed");
      if (marks.length) notes.push(`known to ${marks.map((one) => names[one]).join(", ")}`);
      return { faded: played.has(card), fresh: changes.cards.has(card) || passing.has(card),
        note: notes.join("; "), marks };
    };
    if (!own.hand.length) return html`<p class="dr-none">no cards</p>`;
    return html`<${realm.AdventurerCards} cards=${own.hand} propsOf=${propsOf} />`;
  };

  /** A hand that the view does not see: its known cards, and backs. */
  const ClosedHand = ({ seat, side, observations, changes, names }) => {
    const held = Object.entries(Object.values(observations)[0]?.held ?? {})
      .filter(([, seats]) => seats.includes(seat)).sort();
    const sure = held.filter(([, seats]) => seats.length === 1).map(([card]) => card);
    const perhaps = held.filter(([, seats]) => seats.length > 1);
    const unseen = Math.max(0, side.cards - sure.length);
    const mark = (card) => ({ fresh: changes.cards.has(card), note: "known to be held" });
    return html`<div><${realm.AdventurerCards} cards=${sure} propsOf=${mark}>
      ${unseen > 0 && html`<${arena.Backs} count=${unseen}
        what=${unseen === 1 ? "card in hand" : "cards in hand"} />`}
      ${!side.cards && html`<span class="dr-none">no cards</span>`}<//>
      ${sure.length > 0 && html`<p class="dr-small">${sure.length === 1
        ? "The open card is" : "Open cards are"} known to be held.</p>`}
      ${perhaps.length > 0 && html`<p class="dr-small">Perhaps: ${perhaps.map(
        ([card, seats]) => html`<span key=${card} class="dr-inline" title=${
          `one of ${seats.map((one) => names[one]).join(", ")} holds it`}>${
          realm.cardName(card)} (${seats.map((one) => arena.SEAT_MARKS[one]).join(" or ")})</span>`)
      }</p>`}</div>`;
  };

  /** Enhancements before a seat: face up, face down, offered. */
  const Enhancements = ({ seat, shared, own, printed, changes }) => {
    const side = shared.sides[seat];
    const all = shared.result?.enhancements[seat] ?? own?.enhancements.map(({ id }) => id);
    const down = all?.filter((id) => !side.shown.includes(id));
    const chips = side.shown.map((id) => html`<${realm.Enhancement} key=${id} id=${id}
      card=${printed[id]} fresh=${changes.enhancements.has(id)} />`);
    if (down) chips.push(...down.map((id) => html`<${realm.Enhancement} key=${id} id=${id}
      card=${printed[id]} down=${!shared.result} fresh=${changes.enhancements.has(id)} />`));
    else chips.push(...side.face_down.map((level, n) => html`<${realm.Enhancement}
      key=${`level ${n}`} level=${level} down=${true} />`));
    if (shared.phase === "keep" && !own?.enhancements.length)
      chips.push(...(own?.offered ?? []).map((card) => html`<${realm.Enhancement} key=${card.id}
        id=${card.id} card=${card} note="offered" />`));
    if (!chips.length) return null;
    return html`<div class="dr-enhancements" role="group" aria-label="Enhancements">${chips}</div>`;
  };

  /** One seat. */
  const SeatPanel = ({ seat, props, changes, explore, printed }) => {
    const { shared, observations, names, options } = props;
    const side = shared.sides[seat];
    const own = observations[seat];
    const camp = realm.campOf(options.side);
    const over = shared.phase === "over";
    const turn = shared.player === seat && !over;
    const acts = shared.actor === seat;
    return html`<article class=${`dr-seat seat${seat}${turn ? " dr-turn" : ""}`}
      aria-label=${`Seat ${seat}: ${names[seat]}`}>
      <header><h3><${arena.Seat} seat=${seat} name=${names[seat]} /></h3>
        ${turn && html`<span class="dr-tag">turn</span>`}
        ${acts && html`<span class="dr-tag dr-acts">to decide</span>`}
        <span class="dr-purse"><${realm.Change} by=${changes.coins[seat]} />
          <${realm.Coins} count=${shared.result?.coins[seat] ?? side.coins} /></span></header>
      <p class="dr-stock"><span><${realm.Pawns} seat=${seat} count=${side.supply}
          what=${`${side.supply === 1 ? "adventurer" : "adventurers"} in the supply`} />
          ${side.supply} <span>in supply</span></span>
        <span>${camp} ${side.camp}</span><span>${arena.count(side.cards, "card")}
        <${realm.Change} by=${changes.drew[seat]} /></span></p>
      <div role="group" aria-label=${`Hand: ${arena.count(side.cards, "card")}`}>${own
        ? html`<${OpenHand} seat=${seat} own=${own} observations=${observations}
            changes=${changes} attempt=${explore} names=${names} />`
        : html`<${ClosedHand} seat=${seat} side=${side} observations=${observations}
            changes=${changes} names=${names} />`}</div>
      <${Enhancements} seat=${seat} shared=${shared} own=${own} printed=${printed}
        changes=${changes} />
      ${side.won.length > 0 && html`<p class="dr-won"><${realm.Icon} name="deed" /> <span>won
        ${" "}${side.won.map(realm.nameOf).join(", ")}</span></p>`}</article>`;
  };

  /** All seats; if several hands are seen, also what others know of them. */
  realm.Seats = (props) => html`<div role="group" aria-label="Seats"><div class="dr-seats">${
    props.props.names.map((_, seat) => html`<${SeatPanel} key=${seat} seat=${seat} ...${props} />`)
  }</div>${Object.values(props.props.observations).length > 1 && html`<p class="dr-legend">Under a
    card: the seats that know that it is there.</p>`}</div>`;

  /** Places by coins, then Dragonstones; equal seats share a place. */
  realm.placesOf = ({ coins, stones }) => coins.map((mine, seat) => 1 + coins.filter(
    (other, n) => other > mine || (other === mine && stones[n] > stones[seat])).length);

  /** The result as on a score pad: a column for each seat. */
  realm.Result = ({ shared, names, options }) => {
    const { coins, stones, bonus } = shared.result;
    const places = realm.placesOf(shared.result);
    const won = shared.sides.map((side) => side.coins);
    const camp = shared.sides.map((side) => Math.min(CAMP_STONES, side.camp));
    const rows = [
      ["Locations", won],
      ["Enhancements", coins.map((sum, seat) => sum - won[seat] - bonus[seat])],
      ["Most Dragonstones", bonus],
      ["Coins", coins, "dr-total"],
      ["Dragonstones", stones],
      [`of them ${realm.campOf(options.side)}`, camp, "dr-part"],
      ["Place", places, "dr-total"],
    ];
    const mark = (seat) => places[seat] === 1 ? "dr-first" : null;
    return html`<div class="dr-result"><table class="dr-table"><thead><tr><td></td>${names.map(
      (name, seat) => html`<th key=${seat} scope="col" class=${mark(seat)}><span class="dr-name"
        ><${arena.Seat} seat=${seat} name=${name} /></span></th>`)}</tr></thead>
      <tbody>${rows.map(([words, numbers, kind]) => html`<tr key=${words} class=${kind}><th
        scope="row">${words}</th>${numbers.map((number, seat) => html`<td key=${seat}
        class=${mark(seat)}>${number}</td>`)}</tr>`)}</tbody></table></div>`;
  };
})();
