"use strict";
// The row of locations, the Academy or Alley beside it, and the decks.
(() => {
  const { html } = arena;
  const realm = (arena.dragonrealm ??= {});

  /** Names of the places in the row, as Goblins! cards use them. */
  const POSITIONS = { 1: [""], 2: ["left", "right"], 3: ["left", "middle", "right"] };

  /** The text for screen readers: "2 of 5 spaces: ● greedy 1, goblins 1". */
  const spoken = (place, names) => {
    const there = place.adventurers.map((count, seat) => count && `${names[seat]} ${count}`);
    if (place.goblins) there.push(arena.count(place.goblins, "goblin"));
    const pieces = there.filter(Boolean).join(", ");
    return `${filled(place)} of ${place.spaces} spaces full${pieces ? `: ${pieces}` : ""}`;
  };

  const filled = (place) => place.adventurers.reduce((sum, count) => sum + count, place.goblins);

  /** The spaces of a location with its pieces; newly placed pieces are last and marked. */
  const Spaces = ({ place, names, changes, player }) => {
    const came = changes.placed[place.id] ?? 0;
    const goblins = changes.goblins[place.id] ?? 0;
    const pawns = place.adventurers.flatMap((count, seat) => Array.from({ length: count },
      (_, n) => html`<${realm.Pawn} key=${`${seat}-${n}`} seat=${seat}
        fresh=${seat === player && n >= count - came} />`));
    for (let n = 0; n < place.goblins; n++) pawns.push(html`<${realm.Pawn} key=${`g-${n}`}
      seat=${null} fresh=${n >= place.goblins - goblins} />`);
    for (let n = filled(place); n < place.spaces; n++)
      pawns.push(html`<span key=${`e-${n}`} class="dr-space"></span>`);
    return html`<div class="dr-spaces" role="img" aria-label=${spoken(place, names)}
      title=${spoken(place, names)}>${pawns}<span class="dr-fill" aria-hidden="true">${
        filled(place)}/${place.spaces}</span></div>`;
  };

  /** The total that a way needs, in a golden ring if the way may place two adventurers. */
  const Way = ({ way, place, chosen }) => {
    const gold = place.gold.includes(way);
    const title = `${way}, ${realm.NEEDS[way]}: needs ${place[way]}`
      + (gold ? "; golden ring: may place two adventurers" : "") + (chosen ? "; explored now" : "");
    return html`<div class=${`dr-way${gold ? " dr-gold" : ""}${chosen ? " dr-chosen" : ""}`}
      role="img" aria-label=${title} title=${title}><${realm.Icon} name=${way} />
      <span class="dr-word">${way}</span><b>${place[way]}</b>${gold && html`<i>×2</i>`}</div>`;
  };

  /** A location in the row. */
  const Place = ({ place, position, names, changes, attempt, player, side }) => {
    const explored = attempt?.location === place.id;
    const special = realm.specialOf(place.special, side);
    const [first, second] = place.reward;
    const classes = ["dr-place", `dr-level${place.level}`, explored && "dr-explored",
      changes.revealed.has(place.id) && "dr-fresh"];
    return html`<article class=${classes.filter(Boolean).join(" ")}
      aria-label=${realm.nameOf(place.id)}>
      <header><span class="dr-position">${position}</span><h4>${realm.nameOf(place.id)}</h4>
        <${realm.Level} level=${place.level} /></header>
      <${Spaces} place=${place} names=${names} changes=${changes} player=${player} />
      <div class="dr-ways">${realm.WAYS.map((way) => html`<${Way} key=${way} way=${way}
        place=${place} chosen=${explored && attempt.way === way} />`)}</div>
      <div class="dr-pays"><span>1st <${realm.Coins} count=${first}
          title=${`The first gets ${arena.count(first, "coin")}`} /></span>
        <span>2nd <${realm.Coins} count=${second}
          title=${`The second gets ${arena.count(second, "coin")}`} /></span>
        <${realm.Stones} count=${place.stones} /></div>
      ${special && html`<p class="dr-special">${special}</p>`}</article>`;
  };

  const HELP = {
    academy: "After a roll, each adventurer taken back adds 1.",
    alley: "Two adventurers and a card buy a level I, with two coins a level II.",
  };

  /** The Academy or Alley with its adventurers. */
  const Camp = ({ shared, names, options, changes }) => {
    const side = options.side === "alley" ? "alley" : "academy";
    return html`<article class="dr-place dr-camp" aria-label=${realm.campOf(side)}>
      <header><h4>${realm.campOf(side)}</h4></header>
      <ul>${shared.sides.map(({ camp }, seat) => html`<li key=${seat}>
        <span class="dr-name"><${arena.Seat} seat=${seat} name=${names[seat]} /></span>
        <span>${camp ? html`<${realm.Pawns} seat=${seat} count=${camp}
          what=${`${camp === 1 ? "adventurer" : "adventurers"} at the ${realm.campOf(side)}`} />`
          : html`<span class="count">–</span>`}
        <${realm.Change} by=${changes.camp[seat]} /></span></li>`)}</ul>
      <p class="dr-special">${HELP[side]}</p></article>`;
  };

  /** The levels of the locations that come next, top first. */
  const Next = ({ levels }) => html`<span class="dr-next">${levels.length ? html`next
    <span class="visually-hidden"> levels</span>${levels.map((level, n) => html`<${realm.Level}
      key=${n} level=${level} />`)}` : "none to come"}</span>`;

  /** The row, or the result instead; and the Academy or Alley. */
  realm.Row = ({ shared, names, options, changes, attempt }) => {
    const positions = POSITIONS[shared.row.length] ?? [];
    const ruling = shared.result?.ruling;
    const title = ruling ? `Result, ended by ${ruling}` : shared.result ? "Result" : "Locations";
    return html`<div role="group" class="dr-row" aria-label=${title}>
      <div class="dr-title"><h3>${title}</h3>${!shared.result
        && html`<${Next} levels=${shared.next_levels} />`}</div>
      <div class="dr-places">${shared.row.map((place, n) => html`<${Place} key=${place.id}
        place=${place} position=${positions[n] ?? ""} names=${names} changes=${changes}
        attempt=${attempt} player=${shared.player} side=${options.side} />`)}
        ${shared.result ? html`<${realm.Result} shared=${shared} names=${names}
          options=${options} />` : !shared.row.length && html`<p class="dr-none">No locations are
          laid out yet.</p>`}
        <${Camp} shared=${shared} names=${names} options=${options} changes=${changes} /></div>
      ${shared.row.length > 0 && html`<p class="dr-legend">${realm.WAYS.map((way) => html`<span
        key=${way}><${realm.Icon} name=${way} /> ${way}: ${realm.NEEDS[way]}</span>`)}<span><b
        class="dr-ring">×2</b> golden ring: may place two</span></p>`}</div>`;
  };

  /** An empty place for a card. */
  const Slot = ({ title }) => html`<span class="card dr-slot" role="img" aria-label=${title}
    title=${title}></span>`;

  /** Discards by suit, for players who count cards. */
  const Discards = ({ cards, fresh }) => {
    const kinds = new Map();
    for (const card of [...cards].sort()) {
      const kind = card.split(":")[0];
      kinds.set(kind, [...kinds.get(kind) ?? [], card]);
    }
    const written = (card, n) => {
      const { value } = realm.cardOf(card);
      return fresh.has(card) ? html` <b key=${n}>${value}</b>` : ` ${value}`;
    };
    return html`<ul class="dr-gone" aria-label="Discards">${[...kinds].map(([kind, gone]) => {
      const name = realm.nameOf(kind);
      return html`<li key=${kind} title=${name}><${realm.Symbol} kind=${kind} /><span
        class="visually-hidden">${name}</span>${gone.map(written)}</li>`;
    })}</ul>`;
  };

  /** The enhancement deck of the Alley: for each position the best knowledge of all seats. */
  const deckOf = (observations) => {
    const decks = Object.values(observations).map((seen) => seen.enhancement_deck ?? []);
    const size = Math.max(0, ...decks.map((deck) => deck.length));
    return Array.from({ length: size }, (_, n) => {
      const known = decks.map((deck) => deck[n]).filter(Boolean);
      return known.find((id) => !id.startsWith("level_")) ?? known[0] ?? null;
    });
  };

  const EnhancementDeck = ({ observations, printed }) => {
    const deck = deckOf(observations);
    if (!deck.length) return null;
    const known = deck.map((id, n) => [id, n + 1]).filter(([id]) => id);
    return html`<div class="dr-pile"><h4>Enhancement deck <span class="count">${
      deck.length}</span></h4>${known.map(([id, n]) => {
        const level = /^level_(\d)$/.exec(id)?.[1];
        return html`<${realm.Enhancement} key=${n} id=${level ? null : id} card=${printed[id]}
          level=${level && +level} note=${`no. ${n} from the top`} />`;
      })}</div>`;
  };

  /** Decks, face-up cards, discards, goblins, and cards that left the game. */
  realm.Decks = ({ shared, observations, changes, printed }) => {
    const top = shared.discards[shared.discards.length - 1];
    return html`<div role="group" class="dr-decks" aria-label="Decks">
      <div class="dr-piles">
        <div class="dr-pile"><h4>Deck</h4><span class="card back dr-deck" role="img"
          aria-label=${`${arena.count(shared.deck_size, "card")} in the deck`}
          title=${`${arena.count(shared.deck_size, "card")} in the deck`}><b>${
            shared.deck_size}</b></span></div>
        <div class="dr-pile"><h4>Face up</h4><div class="cards">${shared.face_up.map((card, n) =>
          card ? html`<${realm.AdventurerCard} key=${card} card=${card}
            fresh=${changes.cards.has(card)} />` : html`<${Slot} key=${n}
            title="about to be refilled" />`)}${!shared.face_up.length
          && html`<span class="count">none</span>`}</div></div>
        <div class="dr-pile"><h4>Discards <span class="count">${shared.discards.length}</span></h4>
          <div class="cards">${top ? html`<${realm.AdventurerCard} key=${top} card=${top}
            fresh=${changes.out.has(top)} note="on top of the discards" />`
            : html`<${Slot} title="no discards" />`}</div></div>
        <div class="dr-pile"><h4>Goblins <span class="count">${shared.goblins}</span></h4>
          <${realm.Pawns} seat=${null} count=${shared.goblins} what=${
            `${shared.goblins === 1 ? "goblin" : "goblins"} in the supply`} /></div>
      </div>
      ${shared.discards.length > 0 && html`<${Discards} cards=${shared.discards}
        fresh=${changes.out} />`}
      <${EnhancementDeck} observations=${observations} printed=${printed} />
      ${shared.spent?.length > 0 && html`<p class="dr-small">Spent enhancements: ${
        shared.spent.map(realm.nameOf).join(", ")}</p>`}
      ${shared.unclaimed?.length > 0 && html`<p class="dr-small">Won by nobody: ${
        shared.unclaimed.map(realm.nameOf).join(", ")}</p>`}</div>`;
  };
})();
