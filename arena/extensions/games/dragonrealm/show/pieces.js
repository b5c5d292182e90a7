"use strict";
// The pieces of Dragonrealm: own symbols, pawns, dice, cards.
(() => {
  const { html } = arena;
  const realm = (arena.dragonrealm ??= {});

  const oval = (x, y, rx, ry) =>
    `M${x - rx} ${y}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0z`;
  const disc = (x, y, r) => oval(x, y, r, r);

  /** Symbols on 24 × 24, each of a filled part, a drawn part or both. */
  const ICONS = {
    anchor: {
      line: `${disc(12, 4.6, 2.4)}M12 7v14M7.5 10.5h9M4 13.5c.4 5 4 7.5 8 7.5s7.6-2.5 8-7.5`,
    },
    bell: {
      fill: "M12 2c1 0 1.8.8 1.8 2 3 .9 4.7 3.6 4.7 7v4l2.5 3H3l2.5-3v-4c0-3.4 1.7-6.1 "
        + "4.7-7C10.2 2.8 11 2 12 2zM9.5 19.5h5a2.5 2.5 0 0 1-5 0z",
    },
    clover: {
      fill: `${disc(12, 6.8, 4.4)}${disc(6.8, 13.2, 4.4)}${disc(17.2, 13.2, 4.4)}`
        + "M11 12h2l1.5 10h-5z",
    },
    drum: {
      fill: "M3 10.5c1.5 2 5 3.2 9 3.2s7.5-1.2 9-3.2V17c0 2.2-4 4-9 4s-9-1.8-9-4z",
      line: oval(12, 7.5, 8.8, 3.6),
    },
    ember: {
      fill: "M12.5 1.5c.5 4.5 6.5 6.5 6.5 12.7a7 7 0 0 1-14 0c0-2.7 1.2-4.7 3-6.2.2 1.8 1 3 "
        + "2.2 3.5C9.7 8 10.3 4.5 12.5 1.5z",
    },
    goblins: {
      fill: "M12 4c3 0 5 1.5 6 4l5-2.5c-.3 3.5-2 6-4.5 7C17.8 17 15 20.5 12 20.5S6.2 17 5.5 12.5"
        + "C3 11.5 1.3 9 1 5.5L6 8c1-2.5 3-4 6-4z",
    },
    rockslide: { fill: `M2 21l6-10 4 5 3-4 7 9z${disc(15.5, 6.5, 3.2)}${disc(7.5, 5, 2)}` },
    sneak: {
      fill: oval(7.5, 7.5, 3.2, 4.7) + oval(8, 15.6, 2.2, 2.2) + oval(16, 11.2, 3.2, 4.7)
        + oval(15.6, 19.4, 2.2, 2.2),
    },
    search: { line: `${disc(10, 10, 6.2)}M14.8 14.8l6 6` },
    storm: {
      fill: "M21.5 2.5v4.3L11 17.3 6.7 13 17.2 2.5z", line: "M3.5 12l8.5 8.5M7 17l-4 4",
    },
    stone: { fill: "M7 3h10l5 6.5L12 22 2 9.5z" },
    hidden: { line: "M3 12c2.5-4 5.5-6 9-6s6.5 2 9 6c-2.5 4-5.5 6-9 6s-6.5-2-9-6zM4 20L20 4" },
    deed: { line: "M5 3h14v18H5zM8.5 8h7M8.5 12h7M8.5 16h4" },
  };

  /** A symbol by its name; only decoration, so callers state its meaning in words. */
  realm.Icon = ({ name }) => {
    const { fill, line } = ICONS[name] ?? {};
    return html`<svg class="dr-icon" viewBox="0 0 24 24" aria-hidden="true">
      ${fill && html`<path d=${fill} fill="currentColor" />`}
      ${line && html`<path d=${line} fill="none" stroke="currentColor" stroke-width="2.4"
        stroke-linecap="round" stroke-linejoin="round" />`}</svg>`;
  };

  const HEADS = [
    disc(10, 6.5, 5),
    "M10 .8l6.5 11.4h-13z",
    "M5.3 1.8h9.4v9.4H5.3z",
    "M10 0l6.5 6.6-6.5 6.6-6.5-6.6z",
  ];
  const BODY = "M3.5 24c0-5.5 2-8.5 4.5-11h4c2.5 2.5 4.5 5.5 4.5 11z";
  const GOBLIN = `${disc(10, 8, 4.6)}M6.5 6L.5 2.5 5 10zM13.5 6l6-3.5L15 10z`;

  /** An adventurer of a seat, or a goblin if seat is null. */
  realm.Pawn = ({ seat, fresh }) => html`<svg viewBox="0 0 20 24" aria-hidden="true"
    class=${`dr-pawn ${seat === null ? "dr-goblin" : `seat${seat}`}${fresh ? " dr-fresh" : ""}`}
    ><path d=${(seat === null ? GOBLIN : HEADS[seat] ?? HEADS[0]) + BODY} /></svg>`;

  /** ``count`` pieces of one kind in a row. what: "adventurers in the supply". */
  realm.Pawns = ({ seat, count, what }) => html`<span class="dr-pawns" role="img"
    aria-label=${`${count} ${what}`} title=${`${count} ${what}`}>${
      Array.from({ length: count }, (_, n) => html`<${realm.Pawn} key=${n} seat=${seat} />`)
    }</span>`;

  /** A number of coins, with the sign of a coin. */
  realm.Coins = ({ count, title }) => html`<span class="dr-coins"
    title=${title ?? arena.count(count, "coin")}><span class="dr-coin" aria-hidden="true"></span
    >${count}<span class="visually-hidden"> ${count === 1 ? "coin" : "coins"}</span></span>`;

  /** A number of Dragonstones. */
  realm.Stones = ({ count }) => html`<span class="dr-stones"
    title=${arena.count(count, "Dragonstone")}><${realm.Icon} name="stone" />${count
    }<span class="visually-hidden"> ${count === 1 ? "Dragonstone" : "Dragonstones"}</span></span>`;

  /** The level of a location or an enhancement. */
  realm.Level = ({ level }) => html`<span class="dr-level dr-level${level}"
    title=${level ? `Level ${level}` : "A Dragon: its completion ends the game"}>${
      realm.LEVELS[level] ?? level}</span>`;

  /** The amount of a change: "+6". */
  realm.Change = ({ by }) => by ? html`<span class=${by > 0 ? "dr-change dr-fresh"
    : "dr-change dr-fresh dr-less"}>${by > 0 ? `+${by}` : `−${-by}`}</span>` : null;

  const PIPS = {
    1: [[12, 12]], 2: [[7, 7], [17, 17]], 3: [[6.5, 6.5], [12, 12], [17.5, 17.5]],
    4: [[7, 7], [17, 7], [7, 17], [17, 17]], 5: [[7, 7], [17, 7], [12, 12], [7, 17], [17, 17]],
    6: [[7, 6], [17, 6], [7, 12], [17, 12], [7, 18], [17, 18]],
  };

  /** A die; face null: not thrown yet. */
  realm.Die = ({ face, fresh }) => html`<span role="img" title=${face ? `die ${face}` : "die"}
    aria-label=${face ? `die ${face}` : "die, not thrown yet"}
    class=${`dr-die${face ? "" : " dr-blank"}${fresh ? " dr-fresh" : ""}`}>${PIPS[face]
      ? html`<svg viewBox="0 0 24 24" aria-hidden="true"><path
          d=${PIPS[face].map(([x, y]) => disc(x, y, 2.5)).join("")} /></svg>` : face}</span>`;

  const hueOf = (kind) => ICONS[kind] ? `var(--dr-${kind})` : null;

  /** The symbol of a suit or event card; two letters for a suit of other card data. */
  realm.Symbol = ({ kind }) => html`<span class="dr-symbol"
    style=${hueOf(kind) && `color:${hueOf(kind)}`}>${ICONS[kind]
      ? html`<${realm.Icon} name=${kind} />` : html`<b>${kind.slice(0, 2)}</b>`}</span>`;

  const ARROWS = { left: "←", middle: "↓", right: "→" };

  /** A card of the adventurer deck. note: addition to its title; marks: seats that know it. */
  realm.AdventurerCard = ({ card, small, faded, fresh, note, marks }) => {
    const { suit, event, value } = realm.cardOf(card);
    const kind = suit ?? event;
    const title = realm.cardName(card) + (note ? `, ${note}` : "");
    const shown = html`<${arena.Card} face=${event ? ARROWS[value] ?? value : value}
      symbol=${html`<${realm.Symbol} kind=${kind} />`} hue=${hueOf(kind)} title=${title}
      small=${small} faded=${faded} fresh=${fresh} />`;
    return marks?.length ? html`<span class="dr-known">${shown}<span class="dr-knowers"
      aria-hidden="true">${marks.map((seat) => html`<i key=${seat} class="seat${seat}">${
        arena.SEAT_MARKS[seat]}</i>`)}</span></span>` : shown;
  };

  arena.pieces.dragonrealm = realm.AdventurerCard;

  /** Adventurer cards in groups by suit, in the order given. Props of a card: propsOf(card). */
  realm.AdventurerCards = ({ cards, propsOf, children }) => html`<div class="cards dr-cards">${
    cards.map((card, n) => {
      const parted = n > 0 && cards[n - 1].split(":")[0] !== card.split(":")[0];
      return html`<span key=${card} class=${parted ? "dr-parted" : null}><${realm.AdventurerCard}
        card=${card} ...${propsOf?.(card) ?? {}} /></span>`;
    })}${children}</div>`;

  /** An enhancement. card: as printed, if known; else only id or level is given. */
  realm.Enhancement = ({ id, card, level, down, fresh, note }) => {
    const shownLevel = card?.level ?? level;
    const effect = card && realm.effectOf(card);
    return html`<span class=${`dr-enhancement${down ? " dr-down" : ""}${fresh ? " dr-fresh" : ""}`}
      >${shownLevel !== undefined && html`<${realm.Level} level=${shownLevel} />`}
      ${id ? html`<b>${realm.nameOf(id)}</b>` : html`<span>face down</span>`}
      ${effect && html`<span>${effect}</span>`}
      ${card?.one_time && html`<em title="Leaves the game after a success">once</em>`}
      ${down && id && html`<em>face down</em>`}${note && html`<em>${note}</em>`}</span>`;
  };
})();
