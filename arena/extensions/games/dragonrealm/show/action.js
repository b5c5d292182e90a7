"use strict";
// The middle of the table: an Explore, a rockslide, a score.
(() => {
  const { html } = arena;
  const realm = (arena.dragonrealm ??= {});

  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

  /**
   * The Explore in progress or just ended, or null.
   *
   * open: in progress, so its cards are still in the hand; seat; location, way: null if the
   * view does not know; cards, used, dice; thrown: the faces of this ply; blank: dice not thrown
   * yet; bonus: null if unknown; academy; total, needed: null if unknown; state: "going",
   * "success" or "failure".
   */
  realm.exploreOf = ({ shared, before, event, changes }) => {
    const { attempt } = shared;
    const old = before?.attempt;
    const ended = !attempt && (changes.outcome || (event?.type === "place" && old));
    if (!attempt && !ended) return null;
    const base = attempt ?? old ?? {};
    const thrown = event?.type === "dice" ? event.dice ?? [] : [];
    const dice = attempt ? attempt.dice ?? []
      : [...old?.dice ?? [], ...thrown].sort((one, other) => one - other);
    const academy = (attempt ? attempt.academy
      : event?.type === "academy" ? event.adventurers : old?.academy) ?? 0;
    const bonus = base.bonus ?? null;
    const known = attempt || old || event?.type === "dice";
    const total = changes.outcome?.total ?? (known ? sum(dice) + (bonus ?? 0) + academy : null);
    const reached = shared.phase === "place" || event?.type === "place";
    return {
      open: Boolean(attempt),
      seat: attempt ? shared.player : event.seat ?? shared.player,
      location: base.location ?? null,
      way: base.way ?? null,
      cards: base.cards ?? [],
      used: base.used ?? [],
      dice,
      thrown,
      blank: attempt && shared.phase === "dice"
        ? Math.max(0, (attempt.cards ?? []).length - dice.length) : 0,
      bonus,
      academy,
      total,
      needed: changes.outcome?.needed ?? base.needed ?? null,
      state: changes.outcome?.type ?? (reached ? "success" : "going"),
    };
  };

  /** The total (dice, enhancements, Academy) against the needed total, as a bar. */
  const SumBar = ({ explore }) => {
    const { dice, bonus, academy, total, needed } = explore;
    const rest = total - sum(dice) - academy;
    const parts = dice.length
      ? [["dice", sum(dice)], ["bonus", rest], ["academy", academy]]
      : [["dice", total - academy], ["academy", academy]];
    const scale = Math.max(total, needed, 1) * 1.08;
    const words = dice.length ? [`dice ${sum(dice)}`] : [];
    if (dice.length && (bonus || rest)) words.push(`enhancements ${rest}`);
    if (academy) words.push(`Academy ${academy}`);
    return html`<div class=${`dr-sum dr-${explore.state}`}>
      <div class="dr-bar" role="img" aria-label=${`${total} of ${needed}`}>${
        parts.filter(([, size]) => size > 0).map(([name, size]) => html`<span key=${name}
          class="dr-part-${name}" style=${`width:${100 * size / scale}%`}></span>`)
      }<i style=${`left:${100 * needed / scale}%`}></i></div>
      <p><b>${total} of ${needed}</b> ${verdict(explore)}${words.length > 1
        && html` <span class="count">${words.join(" + ")}</span>`}</p></div>`;
  };

  const verdict = ({ state, total, needed }) => {
    if (state === "success") return html`<b class="dr-good">✓ success</b>`;
    if (state === "failure") return html`<b class="dr-bad">✗ failure</b>`;
    return total >= needed ? "enough" : `${needed - total} short`;
  };

  const Explore = ({ explore, names }) => {
    const { seat, location, way, cards, used, dice, blank, total, needed } = explore;
    const fresh = [...explore.thrown];
    const isFresh = (face) => {
      const at = fresh.indexOf(face);
      if (at >= 0) fresh.splice(at, 1);
      return at >= 0;
    };
    return html`<div class="dr-explore"><p class="dr-lead">
      ${names[seat] !== undefined && html`<${arena.Seat} seat=${seat} name=${names[seat]} /> `}
      ${explore.open ? "explores" : "explored"}${location
        && html` <b>${realm.nameOf(location)}</b>`}
      ${way && html` <span class="dr-by"><${realm.Icon} name=${way} /> ${way}${
        !dice.length && needed !== null ? `, needs ${needed}` : ""}</span>`}</p>
      ${(cards.length > 0 || dice.length > 0 || blank > 0 || used.length > 0) && html`
        <div class="dr-roll">
          ${cards.length > 0 && html`<${realm.AdventurerCards} cards=${cards} />`}
          <span class="dr-dice">${dice.map((face, n) => html`<${realm.Die} key=${n} face=${face}
            fresh=${isFresh(face)} />`)}${Array.from({ length: blank }, (_, n) => html`<${realm.Die}
            key=${`blank ${n}`} face=${null} />`)}</span>
          ${used.map((id) => html`<span key=${id} class="dr-enhancement"><b>${
            realm.nameOf(id)}</b></span>`)}</div>`}
      ${(dice.length > 0 || explore.state !== "going") && total !== null && needed !== null
        ? html`<${SumBar} explore=${explore} />`
        : explore.bonus > 0 && html`<p class="count">enhancements add ${explore.bonus}</p>`}</div>`;
  };

  /** Cards that everybody passes, or has passed. */
  const Rockslide = ({ shared, names, changes }) => {
    const waiting = shared.agenda.filter((task) => task.startsWith("pass:"))
      .map((task) => +task.split(":")[2]);
    const direction = shared.agenda.find((task) => task.startsWith("pass:"))?.split(":")[1];
    return html`<div class="dr-rockslide"><p class="dr-lead"><${realm.Icon} name="rockslide" />
      <b>Rockslide!</b> ${direction && `Everybody passes ${
        direction === "left" ? "two cards to the left, the next seat"
          : "a card to the right, the seat before"}.`}</p>
      ${waiting.length > 0 && html`<p>Still to choose: ${waiting.map((seat) => html`<span
        key=${seat} class="dr-inline"><${arena.Seat} seat=${seat} name=${names[seat]} /></span>`)
      }</p>`}
      ${changes.passed.length > 0 && html`<ul class="dr-passed">${changes.passed.map(
        ({ seat, to, count, cards }, n) => html`<li key=${n}><span class="dr-inline"><${arena.Seat}
          seat=${seat} name=${names[seat]} /></span> → <span class="dr-inline"><${arena.Seat}
          seat=${to} name=${names[to]} /></span>${cards?.length
            ? html`<${realm.AdventurerCards} cards=${cards} propsOf=${() => ({ small: true })} />`
            : ` ${arena.count(count, "card")}`}</li>`)}</ul>`}</div>`;
  };

  /** An event card in words. */
  const noteOf = ({ type, card, location }) => {
    if (type === "rockslide") return "all pass cards";
    if (type === "waiting") return "waits until the missing cards are drawn";
    return location ? `a goblin comes to ${realm.nameOf(location)}` : "no goblin comes";
  };

  const Notes = ({ notes }) => html`<ul class="dr-notes">${notes.map((note, n) => html`<li
    key=${n}><${realm.AdventurerCard} card=${note.card} small=${true} /><span><b>${
      realm.cardName(note.card)}</b> ${noteOf(note)}</span></li>`)}</ul>`;

  /** Pieces on a location when it was scored, with those of this ply; seat null: goblins. */
  const piecesOf = ({ location }, seat, { before, event, changes }) => {
    const place = before?.row.find(({ id }) => id === location);
    if (!place) return 0;
    if (seat === null)
      return place.goblins + (changes.goblins[location] ?? 0) - (changes.fled[location] ?? 0);
    return place.adventurers[seat] + (seat === event.seat ? changes.placed[location] ?? 0 : 0);
  };

  const Pieces = ({ seat, count }) => count > 0 && html`<span class="count"
    title=${arena.count(count, seat === null ? "goblin" : "adventurer")}>${count} × <${realm.Pawn}
    seat=${seat} /></span>`;

  const Paid = ({ one, seat, count }) => html`<span class="dr-cell"><${Pieces} seat=${seat}
    count=${count} />${one.coins[seat] > 0 ? html`<${realm.Coins} count=${one.coins[seat]} />`
      : html`<span class="count">–</span>`}${one.winner === seat && html`<span class="dr-takes"
    title="takes the card"><${realm.Icon} name="deed" /><span class="visually-hidden"> takes the
    card</span></span>`}</span>`;

  /** Locations scored by the ply: coins by seat, and the seat that takes the card. */
  const Scored = ({ names, ply }) => {
    const { scored } = ply.changes;
    const goblins = scored.map((one) => piecesOf(one, null, ply));
    return html`<div class="dr-scroll"><table class="dr-table"><thead><tr><th scope="col"
        class="dr-caption">Scored</th>${scored.map((one) => html`<th key=${one.location}
        scope="col">${realm.nameOf(one.location)}</th>`)}</tr></thead>
      <tbody>${names.map((name, seat) => html`<tr key=${seat}><th scope="row"><span class="dr-name"
        ><${arena.Seat} seat=${seat} name=${name} /></span></th>${scored.map((one) => html`<td
        key=${one.location}><${Paid} one=${one} seat=${seat} count=${piecesOf(one, seat, ply)}
        /></td>`)}</tr>`)}${goblins.some(Boolean) && html`<tr key="goblins"><th scope="row"
        >goblins</th>${scored.map((one, n) => html`<td key=${one.location}><${Pieces}
        seat=${null} count=${goblins[n]} /></td>`)}</tr>`}</tbody></table></div>`;
  };

  /** The middle of the table. */
  realm.Action = ({ shared, names, before, event, changes, explore }) => {
    const sliding = shared.phase === "pass" || changes.passed.length > 0;
    const notes = changes.notes.filter((note) => !(sliding && note.type === "rockslide"));
    const calm = !explore && !sliding && !notes.length && !changes.scored.length
      && !changes.revealed.size;
    return html`<div role="group" class="dr-action" aria-label="What is going on">
      ${explore && html`<${Explore} explore=${explore} names=${names} />`}
      ${sliding && html`<${Rockslide} shared=${shared} names=${names} changes=${changes} />`}
      ${notes.length > 0 && html`<${Notes} notes=${notes} />`}
      ${changes.scored.length > 0 && html`<${Scored} names=${names}
        ply=${{ before, event, changes }} />`}
      ${changes.revealed.size > 0 && html`<p class="dr-none">New in the row: ${
        [...changes.revealed].map(realm.nameOf).join(", ")}</p>`}
      ${calm && html`<p class="dr-none">${quiet(shared, event)}</p>`}</div>`;
  };

  const quiet = (shared, event) => {
    if (shared.phase === "keep")
      return "Everybody keeps two enhancements of level I or one of level II.";
    if (event?.type === "reshuffle") return "The discards are the new deck.";
    return shared.phase === "over" ? "The game is over." : "No Explore is going on.";
  };
})();
