"use strict";
// Dragonrealm in words, and the changes of an event. No markup.
(() => {
  const realm = (arena.dragonrealm ??= {});
  const INVENTED = arena.facts.dragonrealm.invented; // prefix of ids of invented cards
  const PRICE = arena.facts.dragonrealm.price;

  realm.WAYS = arena.facts.dragonrealm.ways;
  realm.NEEDS = { sneak: "consecutive numbers", search: "equal numbers", storm: "one suit" };
  realm.LEVELS = arena.facts.dragonrealm.levels;
  const SPECIALS = {
    max_two_players: "At most two players may have adventurers here.",
    fail_discard_one: "A failure also costs a card.",
    no_academy: "The Academy does not help here; a failure sends nobody there.",
  };
  const SPECIALS_ALLEY = { no_academy: "A failure sends nobody to the Alley." };
  const PHASES = {
    locations: "the locations are shuffled",
    enhancements: "enhancements are offered",
    keep: "to keep enhancements",
    goblins: "two cards Goblins! leave the game",
    deal: "cards are dealt",
    starter: "the starter is drawn",
    turn: "to rest or explore",
    draw: "to draw a card",
    cards: "to play cards",
    dice: "the dice are thrown",
    reroll: "to go on with the roll, or to help it",
    academy: "to call adventurers from the Academy",
    place: "to place adventurers",
    discard: "to discard a card",
    pass: "to pass cards",
    reshuffle: "the discards are shuffled",
    reshuffle_enhancements: "the enhancements are shuffled",
    end: "to buy or end the turn",
    limit: "to discard down to nine cards",
    over: "the game is over",
  };

  /** A location or enhancement in words: "si_old_map" is "Old map". */
  realm.nameOf = (id) => {
    const words = (id.startsWith(INVENTED) ? id.slice(INVENTED.length) : id).replaceAll("_", " ");
    return words.charAt(0).toUpperCase() + words.slice(1);
  };

  /** The words for a phase; they follow a seat's name if a seat decides. */
  realm.phaseOf = (phase) => PHASES[phase] ?? phase.replaceAll("_", " ");

  /** The condition of a location, or null. */
  realm.specialOf = (special, side) => {
    if (!special || special === "none") return null;
    return (side === "alley" && SPECIALS_ALLEY[special])
      || SPECIALS[special] || realm.nameOf(special);
  };

  /** "Academy" or "Alley". */
  realm.campOf = (side) => side === "alley" ? "Alley" : "Academy";

  /** The parts of a card: {suit, value} of a number card, {event, value} of an event card. */
  realm.cardOf = (card) => {
    const [kind, value = ""] = card.split(":");
    return kind === "goblins" || kind === "rockslide"
      ? { event: kind, value } : { suit: kind, value: value.replace(/^0/, "") };
  };

  /** A card in words: "Bell 7", "Goblins! left". */
  realm.cardName = (card) => {
    const { suit, event, value } = realm.cardOf(card);
    return event ? `${realm.nameOf(event)}! ${value}` : `${realm.nameOf(suit)} ${value}`;
  };

  const DICE = (number) => number === 1 ? "one die" : `${number} dice`;
  const EFFECTS = {
    before_roll: (effect) => effect.remove_goblin_here
      ? `${arena.count(effect.remove_goblin_here, "goblin")} off the location`
      : `+${effect.add} to ${effect.action}`,
    after_roll: (effect) => `throw ${DICE(effect.reroll_dice)} again`,
    rest: (effect) => `Rest: draw ${effect.draw_extra} more, discard ${effect.then_discard}`,
    on_fail: (effect) => `after a failure draw ${effect.draw}`,
    game_end: (effect) => effect.coins !== undefined
      ? `at the end ${arena.count(effect.coins, "coin")}`
      : `at the end ${arena.count(effect.dragonstones, "Dragonstone")}`,
  };

  /** The effect of an enhancement in words. */
  realm.effectOf = ({ when, effect }) => EFFECTS[when]?.(effect ?? {}) ?? realm.nameOf(when ?? "");

  /**
   * The changes of the latest event.
   *
   * cards: cards that came to a hand or were laid out; drew: by seat cards drawn unseen; placed,
   * goblins, fled: by location pieces that came or left; revealed: locations; scored, passed: their
   * incidents; coins, camp: change by seat; enhancements: used, bought or kept; out:
   * cards discarded; outcome: of an Explore, its incident or null; notes: event cards in order.
   */
  realm.changesOf = (event) => {
    const found = {
      cards: new Set(), drew: {}, placed: {}, goblins: {}, fled: {}, revealed: new Set(),
      scored: [], passed: [], coins: {}, camp: {}, enhancements: new Set(), out: new Set(),
      outcome: null, notes: [],
    };
    if (!event) return found;
    const { type, seat } = event;
    const add = (member, key, number) => { member[key] = (member[key] ?? 0) + number; };
    if ((type === "rest" || type === "draw") && event.card) found.cards.add(event.card);
    if ((type === "discard" || type === "buy") && event.card) found.out.add(event.card);
    if (type === "academy" && event.adventurers) add(found.camp, seat, -event.adventurers);
    if (type === "buy") {
      add(found.camp, seat, -PRICE.adventurers);
      if (!event.card) add(found.coins, seat, -PRICE.coins);
    }
    if (event.enhancement) found.enhancements.add(event.enhancement);
    if (type === "keep") event.enhancements?.forEach((id) => found.enhancements.add(id));
    const take = {
      drew: (one) => one.card ? found.cards.add(one.card) : add(found.drew, one.seat, 1),
      face_up: (one) => found.cards.add(one.card),
      passed: (one) => {
        found.passed.push(one);
        one.cards?.forEach((card) => found.cards.add(card));
      },
      placed: (one) => add(found.placed, one.location, one.adventurers),
      goblins: (one) => {
        found.notes.push(one);
        found.out.add(one.card);
        if (one.location) add(found.goblins, one.location, 1);
      },
      goblins_left: (one) => add(found.fled, one.location, one.goblins),
      rockslide: (one) => { found.notes.push(one); found.out.add(one.card); },
      waiting: (one) => { found.notes.push(one); found.out.add(one.card); },
      success: (one) => { found.outcome = one; },
      failure: (one) => { found.outcome = one; if (one.camp) add(found.camp, seat, one.camp); },
      discarded: (one) => one.cards.forEach((card) => found.out.add(card)),
      revealed: (one) => found.revealed.add(one.location),
      scored: (one) => {
        found.scored.push(one);
        one.coins.forEach((coins, owner) => coins && add(found.coins, owner, coins));
      },
    };
    for (const one of event.then ?? []) take[one.type]?.(one);
    return found;
  };
})();
