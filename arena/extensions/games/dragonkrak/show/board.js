"use strict";
// The board of Dragonkrak: the turn, the armies, the seats, and the result.
(() => {
  const { html } = arena;
  const dk = (arena.dragonkrak ??= {});

  /** The grades of a game of one seat: highest number of deserters, and verdict. */
  const GRADES = arena.facts.dragonkrak.grades;

  const SETUP = {
    muster: "The armies are opened", deal: "Cards are dealt", tokens: "Event tokens are dealt",
    starter: "The starter is drawn",
  };

  /** The decision that the seat whose turn it is has to make. */
  const task = (shared) => {
    const place = shared.space ? dk.spaceName(shared.space) : "";
    switch (shared.phase) {
      case "tactics":
        if (shared.inserting) return `may insert a second volunteer into army ${shared.inserting}`;
        if (!place) return "is to place cards";
        return `places cards on ${place}, ${shared.placed ?? 0} so far`;
      case "recruit": return "takes a card from the camp";
      case "flight": return "is to move the red dragon";
      default: return "";
    }
  };

  /** The army to which a dragon moves at the end of a turn, with a single seat. */
  const following = (army) => dk.ARMIES[(dk.ARMIES.indexOf(army) + 1) % dk.ARMIES.length];

  /** Lasting effects, and effects that an event has ended. */
  const effects = (shared, names, event) => {
    const found = [];
    if (shared.overflight)
      found.push(["overflight", `The ${shared.overflight} dragon does not close its army`]);
    if (shared.undead && shared.undead_by != null)
      found.push(["undead", `Undead dragon on army ${shared.undead} until ${
        names[shared.undead_by]} is next`]);
    if (shared.imprisoned_by != null)
      found.push(["imprisoned", `Watchtower closed until ${names[shared.imprisoned_by]} is next`]);
    if (names.length === 1 && shared.phase === "tactics")
      found.push(["red", `The red dragon goes on to army ${following(shared.red)}`]);
    if (event?.undead_leaves) found.push(["undead", "The undead dragon has left"]);
    if (shared.repeated && shared.phase !== "over")
      found.push(["red", "This turn began from the same position as an earlier one"]);
    if (event?.tower_opens) found.push(["imprisoned", "The watchtower is open again"]);
    return found;
  };

  /** Options that differ from the default, in words. */
  const house = (options) => [
    options.hero_value === "declared" && "heroes take any value that fits",
    options.volunteers_counts === false && "inserting volunteers is no placing",
    options.variant === "two_dragons" && "two dragons",
  ].filter(Boolean);

  const Status = ({ shared, names, options, event }) => {
    const special = house(options);
    const seated = shared.turn > 0 && shared.player != null && shared.phase !== "over";
    return html`<div role="group" class="dk-status" aria-label="State of the game">
      <p class="dk-phase">
        ${shared.turn > 0 && html`<span class="dk-turn">Turn ${shared.turn}</span>`}
        ${seated ? html`<${arena.Seat} seat=${shared.player} name=${names[shared.player]} /> ${
          task(shared)}` : shared.phase === "over" ? "The game is over" : SETUP[shared.phase]}</p>
      <ul class="dk-effects">${effects(shared, names, event).map(([symbol, words]) => html`<li
        key=${words}><${dk.Symbol} of=${symbol} />${words}</li>`)}
        ${special.length > 0 && html`<li class="muted">Options: ${special.join("; ")}</li>`}</ul>
    </div>`;
  };

  /** Seats from the fewest cards left to the most, with their places; equal seats share one. */
  const ranked = (shared, names) => {
    const rows = names.map((name, seat) => {
      const [hand, camp] = [shared.hand_sizes[seat], shared.camp_sizes[seat]];
      return { seat, name, hand, camp, left: hand + camp };
    });
    for (const row of rows) row.place = 1 + rows.filter((other) => other.left < row.left).length;
    return rows.sort((a, b) => a.left - b.left || a.seat - b.seat);
  };

  /** The result of a game of several seats. */
  const Result = ({ shared, names }) => {
    const rows = ranked(shared, names);
    const won = rows[0].left === 0;
    return html`<div role="group" class="dk-result" aria-label="Result"><h3>${won
        ? html`<${arena.Seat} ...${rows[0]} /> has no cards left and wins`
        : shared.repeated > 1
          ? "The same position for the third time: the fewest cards win"
          : `Broken off after ${shared.turn} turns: the fewest cards win`}</h3>
      <table><thead><tr>${["Place", "Player", "Hand", "Camp", "Cards left"].map((head) =>
        html`<th key=${head} scope="col">${head}</th>`)}</tr></thead>
      <tbody>${rows.map((row) => html`<tr key=${row.seat}><td>${row.place}</td><th scope="row"
        ><${arena.Seat} seat=${row.seat} name=${row.name} /></th>
        <td>${row.hand}</td><td>${row.camp}</td><td><b>${row.left}</b></td></tr>`)}
      </tbody></table></div>`;
  };

  /** The deserters of a single seat, on the scale of the grades. */
  const Deserters = ({ shared, event }) => {
    const deserters = shared.deserters ?? [];
    const reached = GRADES.findIndex(([limit]) => deserters.length <= limit);
    const over = shared.phase === "over";
    const fresh = event?.type === "remove"
      ? (event.removed ?? []).filter((card) => card !== dk.HERO).length : 0;
    return html`<div role="group" class="dk-deserters" aria-label="Deserters">
      <h3>${over ? `Grade ${reached + 1}, ${GRADES[reached][1]}: ` : ""}${
        dk.cardsLeft(deserters.length, "deserter")}</h3>
      <ol class="dk-grades">${GRADES.map(([limit, words], at) => {
        const from = at ? GRADES[at - 1][0] + 1 : 0;
        const to = at === GRADES.length - 1 ? "+" : limit > from ? `–${limit}` : "";
        return html`<li key=${at} class=${at === reached ? "reached" : null} aria-current=${
          at === reached ? "true" : null}><b>${from}${to}</b> ${words}</li>`;
      })}</ol>
      ${deserters.length > 0 && html`<div class="cards">${deserters.map((card, at) =>
        html`<${dk.Troop} key=${card} card=${card} small=${true}
          fresh=${deserters.length - at <= fresh} />`)}</div>`}
      </div>`;
  };

  arena.boards.dragonkrak = ({ names, options, observations, shared, event }) => {
    const over = shared.phase === "over";
    const solo = names.length === 1;
    const hand = observations[shared.player]?.hand ?? [];
    return html`<div class="dk"><div class="dk-table">
      <${Status} shared=${shared} names=${names} options=${options} event=${event} />
      ${over && !solo && html`<${Result} shared=${shared} names=${names} />`}
      <div class="dk-main"><${dk.Lanes} shared=${shared} names=${names} options=${options}
          hand=${hand} event=${event} />
        <${dk.Tracker} shared=${shared} observations=${observations} names=${names} /></div>
      <div class="dk-side">${solo && html`<${Deserters} shared=${shared} event=${event} />`}
        ${names.map((name, seat) => html`<${dk.SeatPanel} key=${seat} seat=${seat} name=${name}
          shared=${shared} own=${observations[seat]} event=${event} />`)}</div></div></div>`;
  };
})();
