"use strict";
// Dragonkrak: the four armies, each on a ruler of the values 1 to 12, and the watchtower.
(() => {
  const { html } = arena;
  const dk = (arena.dragonkrak ??= {});

  /** A symbol with words beside it. */
  const Sign = ({ of, hue, words, kind }) => html`<span class=${`dk-sign ${kind ?? ""}`}
    style=${hue ? `--hue:var(--dk-${hue})` : null}><${dk.Symbol} of=${of} />${words}</span>`;

  /** The colours that a space accepts. */
  const Lock = ({ space, pile }) => {
    if (!dk.COLOURED[space]) return html`<span class="dk-lock">any colour</span>`;
    if (pile.colour == null) return html`<span class="dk-lock">one colour</span>`;
    const words = `${dk.capital(pile.colour)} only`;
    return html`<span class="dk-lock" title=${pile.ordered ? "by a counter-order" : null}><${Sign}
      of=${pile.colour} hue=${pile.colour} words=${words} />${pile.ordered && html` <${Sign}
      of="counter_order" words=${html`<span class="visually-hidden">by a counter-order</span>`}
      />`}</span>`;
  };

  const DRAGONS = { red: "Red dragon", undead: "Undead dragon" };

  /** The dragons on an army; an overflown dragon does not close the army in this turn. */
  const Dragons = ({ shared, space, event }) => ["red", "undead"]
    .filter((dragon) => shared[dragon] === space)
    .map((dragon) => {
      const fresh = event?.[dragon] === space
        || (dragon === "undead" && event?.type === "undead_dragon");
      const over = shared.overflight === dragon;
      return html`<span key=${dragon} class=${`dk-dragon ${dragon} ${fresh ? "fresh" : ""}`}
        ><${dk.Symbol} of=${dragon} /></span><span class=${`dk-closing ${over ? "over" : ""}`}
        ><span class=${over ? "visually-hidden" : null}>${DRAGONS[dragon]}</span>${
        over && " overflown"}</span>`;
    });

  const range = ({ next }) => {
    if (!next.length) return "nothing follows";
    const [first, last] = [next[0], next[next.length - 1]];
    return first === last ? `next: ${first}` : `next: ${first}–${last}`;
  };

  const Count = ({ pile }) => html`<span class="dk-count"
    title=${`${dk.cardsLeft(pile.cards.length)}; the sixth sends all of them out of the game`}
    >${pile.cards.length}<span class="muted">/${dk.FULL}</span></span>`;

  /** A card of the hand that fits a cell, as an outline. */
  const Hint = ({ card, value }) => html`<span class="dk-hint" data-card=${card}
    style=${`--hue:var(--dk-${dk.kindOf(card)})`} title=${`${dk.cardName(card, value)} fits here`}
    ><${dk.Symbol} of=${dk.kindOf(card)} /></span>`;

  const Hints = ({ fits }) => fits.length > 0 && html`<span class="dk-hints">${fits.map((fit) =>
    html`<${Hint} key=${fit.card} ...${fit} />`)}</span>`;

  /** A card that has just left the table. */
  const Left = ({ card }) => html`<span class="dk-leaving"><${dk.Troop} card=${card}
    note="has left" /></span>`;

  /** One value of an army: its card, or the cards that fit there. */
  const Cell = ({ value, card, army, fresh, left, hints }) => {
    if (card) {
      return html`<span class="dk-cell held"><${dk.Troop} card=${card} value=${value}
        fresh=${fresh} /></span>`;
    }
    const kind = army.next.includes(value) ? "next" : army.gaps.includes(value) ? "gap" : "past";
    return html`<span class=${`dk-cell ${kind} ${hints.length ? "hinted" : ""}`}>${left
      ? html`<${Left} card=${left} />`
      : html`<span class="dk-value" aria-hidden="true">${value}</span>`}
      <${Hints} fits=${hints} /></span>`;
  };

  const classesOf = (closed, active, seat) =>
    ["dk-lane", closed && "closed", active && `active seat${seat}`].filter(Boolean).join(" ");

  /** An army in a sentence, for screen readers. */
  const spoken = (space, { pile, values, closed }) => {
    const cards = pile.cards.map((card, at) => dk.cardName(card, values[at])).join(", ");
    const order = dk.FALLING[space] ? "falling" : "rising";
    return `Army ${space}, ${order}: ${cards || "empty"}${closed ? `; closed` : ""}`;
  };

  /** An army. hand: cards of the seat that places now; event: the latest event. */
  const Army = ({ shared, space, options, hand, event, note }) => {
    const army = dk.armyOf(shared, space, options);
    const { pile, values, closed } = army;
    const here = event?.space === space ? event : null;
    const left = here ? dk.placesOf(shared, space, here) : {};
    const fits = dk.fitting(shared, space, hand, options);
    const falls = dk.FALLING[space];
    return html`<div role="group" data-space=${space} aria-label=${spoken(space, army)}
      class=${classesOf(closed, shared.space === space, shared.player)}>
      <div class="dk-label"><span class="dk-name">${space}</span>
        <${Sign} kind="dk-way" of=${falls ? "left" : "right"}
          words=${falls ? "falling" : "rising"} />
        <${Lock} space=${space} pile=${pile} />
        ${!closed && html`<span class="dk-next">${range(army)}</span>`}
        <${Dragons} shared=${shared} space=${space} event=${event} /></div>
      <div class="dk-cells">${dk.VALUES.map((value) => {
        const at = values.indexOf(value);
        const card = at < 0 ? null : pile.cards[at];
        return html`<${Cell} key=${value} value=${value} card=${card} army=${army}
          fresh=${card && here?.card === card} left=${left[value]}
          hints=${fits.filter((fit) => fit.value === value)} />`;
      })}</div>
      <${Count} pile=${pile} />
      ${note && html`<p class="dk-note">${note}</p>`}</div>`;
  };

  /** The watchtower: cards of one colour in the order in which they came. */
  const Tower = ({ shared, names, options, hand, event, note }) => {
    const pile = shared.board.tower;
    const here = event?.space === "tower" ? event : null;
    const left = here ? dk.leaving(here) : [];
    const fits = dk.fitting(shared, "tower", hand, options);
    const closed = dk.closedBy(shared, "tower");
    const cards = pile.cards.map((card) => dk.cardName(card)).join(", ") || "empty";
    return html`<div role="group" data-space="tower"
      aria-label=${`Watchtower: ${cards}${closed ? "; closed" : ""}`}
      class=${classesOf(closed, shared.space === "tower", shared.player)}>
      <div class="dk-label"><span class="dk-name tower">Watchtower</span>
        <${Lock} space="tower" pile=${pile} />
        ${closed ? html`<span class="dk-dragon tower"><${dk.Symbol} of="imprisoned" /></span><span
          class="dk-closing">Closed by ${names[shared.imprisoned_by]}</span>`
          : html`<span class="dk-next">no order, no heroes</span>`}</div>
      <div class="dk-cells">${Array.from({ length: dk.FULL }, (_, at) => {
        const card = pile.cards[at];
        if (card) {
          const fresh = here?.card === card && at === pile.cards.length - 1;
          return html`<span key=${at} class="dk-cell held"><${dk.Troop} card=${card}
            fresh=${fresh} /></span>`;
        }
        const next = at === pile.cards.length;
        return html`<span key=${at} class=${`dk-cell ${next ? "next" : "past"}`}>
          ${left[at] && html`<${Left} card=${left[at]} />`}
          ${next && html`<${Hints} fits=${fits} />`}</span>`;
      })}</div>
      <${Count} pile=${pile} />
      ${note && html`<p class="dk-note">${note}</p>`}</div>`;
  };

  /** The legend of the marks on the armies. */
  const Legend = () => html`<ul class="dk-legend">
    <li><span class="dk-cell next"></span>may follow on top</li>
    <li><span class="dk-cell gap"></span>gap, for volunteers only</li>
    <li><span class="dk-cell closed"></span>closed</li>
    <li><span class="dk-hint"><${dk.Symbol} of="paladins" /></span>a card in hand fits here</li>
    ${[...dk.COLOURS, dk.HERO].map((kind) => html`<li key=${kind}><${Sign} of=${kind} hue=${kind}
      words=${dk.capital(kind)} /></li>`)}</ul>`;

  /** All five spaces. hand: the cards of the seat that decides, if the view shows them. */
  dk.Lanes = ({ shared, names, options, hand, event }) => {
    const notes = dk.notesOf(event, names);
    return html`<div role="group" class="dk-lanes" aria-label="Armies and watchtower">
      ${dk.ARMIES.map((space) => html`<${Army} key=${space} shared=${shared} space=${space}
        options=${options} hand=${hand} event=${event} note=${notes[space]} />`)}
      <${Tower} shared=${shared} names=${names} options=${options} hand=${hand} event=${event}
        note=${notes.tower} />
      <${Legend} /></div>`;
  };
  dk.Sign = Sign;
})();
