"use strict";
// Dragonkrak: which cards fit on the armies and the watchtower next. Reads
// observations and draws nothing.
(() => {
  const dk = (arena.dragonkrak ??= {});

  const { armies: ARMIES, values: VALUES, full: FULL, below: BELOW } = arena.facts.dragonkrak;
  const SPACES = [...ARMIES, "tower"];
  const among = (spaces) => Object.fromEntries(spaces.map((space) => [space, true]));
  const FALLING = among(arena.facts.dragonkrak.falling);
  const COLOURED = among(arena.facts.dragonkrak.coloured);

  /** The values of a pile's cards, bottom card first. */
  const valuesOf = (pile) => pile.cards.map((card) => dk.valueOf(card) ?? pile.hero ?? 0);

  /** The reason why no card may be placed on a space: "red", "undead", "imprisoned", or null. */
  const closedBy = (shared, space) => {
    if (space === "tower") return shared.imprisoned_by == null ? null : "imprisoned";
    const dragon = space === shared.red ? "red" : space === shared.undead ? "undead" : null;
    return dragon === shared.overflight ? null : dragon;
  };

  /**
   * The state of an army: its values; the values that may follow on top (next, nearest first), that
   * are free between its cards (gaps), and that a hero would take on top (hero).
   */
  const armyOf = (shared, space, options) => {
    const pile = shared.board[space];
    const step = FALLING[space] ? -1 : 1;
    const values = valuesOf(pile);
    const top = values.length ? values[values.length - 1] : BELOW[space];
    const next = VALUES.filter((value) => (value - top) * step > 0);
    if (step < 0) next.reverse();
    const low = Math.min(...values);
    const high = Math.max(...values);
    const gaps = VALUES.filter((value) => low < value && value < high && !values.includes(value));
    const joker = pile.cards.includes(dk.HERO) ? []
      : options.hero_value === "declared" ? next : next.slice(0, 1);
    return { pile, values, next, gaps, hero: joker, closed: closedBy(shared, space) };
  };

  /** True if a troop has a colour that the space allows. */
  const hasColour = (space, pile, card) =>
    !COLOURED[space] || pile.colour == null || pile.colour === dk.kindOf(card);

  /**
   * The cards of a hand, each once, that may be placed on a space now, with the values they would
   * have there: [{card, value}]. Empty outside of tactics and if this turn's cards go elsewhere.
   */
  const fitting = (shared, space, hand, options) => {
    if (shared.phase !== "tactics" || closedBy(shared, space)) return [];
    if (shared.space != null && (shared.space !== space || space === "tower")) return [];
    const pile = shared.board[space];
    const found = [];
    const army = space === "tower" ? null : armyOf(shared, space, options);
    for (const card of new Set(hand)) {
      if (card === dk.HERO) {
        for (const value of army?.hero ?? []) found.push({ card, value });
        continue;
      }
      const value = dk.valueOf(card);
      if ((!army || army.next.includes(value)) && hasColour(space, pile, card))
        found.push({ card, value });
    }
    return found;
  };

  /**
   * The cards that an event took from an army, by value: {value: card}. The value that
   * a hero had is no longer known: the hero is shown next to the card below it.
   */
  const placesOf = (shared, space, event) => {
    const step = FALLING[space] ? -1 : 1;
    const places = {};
    const rest = event.type === "remove" ? valuesOf(shared.board[space]).slice(0, -1) : [];
    let below = rest.length ? rest[rest.length - 1] : BELOW[space];
    for (const card of leaving(event)) {
      below = dk.valueOf(card) ?? below + step;
      places[below] = card;
    }
    return places;
  };

  /** The cards that an event took off its space, bottom card first; they have left it. */
  const leaving = (event) => {
    if (!event) return [];
    if (event.cleared?.length) return event.cleared;
    if (!event.removed?.length) return [];
    return event.type === "remove" ? [...event.removed].reverse() : event.removed;
  };

  /** The effect of an event on spaces, in a few words: {space: words}. */
  const notesOf = (event, names) => {
    if (!event) return {};
    const notes = {};
    const camp = `the camp of ${names[event.seat] ?? "its owner"}`;
    const away = dk.cardsLeft(event.removed?.length ?? 0);
    const deed = {
      volunteers: "A volunteer joins",
      exchange: `The hero goes under ${camp}`,
      remove: names.length > 1 ? `${away} removed, now under ${camp}` : `${away} removed`,
      epidemic: `Epidemic: ${away} out of the game`,
      counter_order: `Counter-order: ${dk.capital(event.colour ?? "")} from now on`,
      undead_dragon: "The undead dragon comes",
    }[event.type];
    if (deed && event.space) notes[event.space] = deed;
    if (event.cleared?.length && event.space) notes[event.space] = "The sixth card: all six leave";
    if (event.red) notes[event.red] = "The red dragon comes";
    if (event.undead) notes[event.undead] = "The undead dragon comes";
    if (event.type === "imprisoned") notes.tower = "Closed";
    if (event.tower_opens) notes.tower = "Open again";
    return notes;
  };

  Object.assign(dk, {
    ARMIES, SPACES, VALUES, FULL, FALLING, COLOURED, valuesOf, closedBy, armyOf, fitting, placesOf,
    leaving, notesOf,
  });
})();
