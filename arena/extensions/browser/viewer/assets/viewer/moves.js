"use strict";
// The moves in words: a list by turns, as long as the game. Only parts that change are drawn again.
arena.moves = (() => {
  const { html, model } = arena;
  const { Component } = htmPreact;

  const PART = 40; // plies that are drawn together, at least; turns are not cut
  const FRAMES = 3; // until the list has settled after a jump
  const STILL_MS = 120; // without a step: the list may settle

  /** Turns with the plies of each: [{turn, player, plies: [number]}], without those of no ply. */
  const groups = (document, view) => {
    const starts = model.turns(document, view);
    const before = starts[0]?.from === 0 ? [] : [{ from: 0, turn: null, player: null }];
    const from = [...before, ...starts];
    return from.map(({ from: first, turn, player }, n) => {
      const end = from[n + 1]?.from ?? view.plies.length;
      const all = Array.from({ length: Math.max(end - first, 0) }, (_, k) => first + k);
      return { turn, player, plies: all.filter((ply) => !view.plies[ply].hidden) };
    }).filter(({ plies }) => plies.length);
  };

  /** Groups in parts of about the same size; a group that is much too large is cut. */
  const parts = (all) => {
    const cut = all.flatMap((group) => {
      const pieces = [];
      for (let at = 0; at < group.plies.length; at += 2 * PART) {
        const plies = group.plies.slice(at, at + 2 * PART);
        pieces.push({ ...group, plies, goesOn: at > 0 });
      }
      return pieces;
    });
    const found = [];
    for (const group of cut) {
      const last = found[found.length - 1];
      if (last && last.size < PART) {
        last.groups.push(group);
        last.size += group.plies.length;
      } else found.push({ groups: [group], size: group.plies.length });
    }
    return found;
  };

  /** One ply; drawn again only if something about it has changed. */
  class Move extends Component {
    shouldComponentUpdate({ isNow, isMatch }) {
      return isNow !== this.props.isNow || isMatch !== this.props.isMatch;
    }

    render({ view, ply, isNow, isMatch, moments, go }) {
      const { seat, words, autopilot } = view.plies[ply];
      const at = ply + 1;
      return html`<li class=${isMatch ? "match" : null}>
        <button type="button" class=${seat === null ? "move" : `move seat${seat}`} data-ply=${ply}
          aria-current=${isNow ? "step" : null} tabindex=${isNow ? 0 : -1} onClick=${() => go(at)}>
          <span class="number">${ply}</span><span class="seat-mark" aria-hidden="true">${
            seat === null ? "·" : arena.SEAT_MARKS[seat]}</span>
          <span class=${autopilot ? "words autopilot" : "words"}>${words}${moments.map((one, n) =>
            html` <span key=${n} class="moment mark-${one.kind}">${
              words.includes(one.words) ? one.kind : one.words}</span>`)}</span>
        </button></li>`;
    }
  }

  const NONE = [];

  /** Some turns; knows by itself whether it must be drawn again. */
  class Part extends Component {
    shouldComponentUpdate(next) {
      const { part, now, matches } = this.props;
      return part !== next.part || now !== next.now || matches !== next.matches;
    }

    render({ view, part, names, now, matches, moments, go }) {
      return html`<div class="part" style=${`--rows:${part.size + part.groups.length}`}>${
        part.groups.map(({ turn, player, plies, goesOn }) => html`<section key=${plies[0]}>
          ${turn !== null && html`<h3 class="turn">turn ${turn}${
            player !== null && html` <${arena.Seat} seat=${player} name=${names[player]} />`}${
            goesOn && " (goes on)"}</h3>`}
          <ol>${plies.map((ply) => html`<${Move} key=${ply} view=${view} ply=${ply}
            isNow=${ply === now} isMatch=${matches.includes(ply)}
            moments=${moments.get(ply) ?? NONE} go=${go} />`)}</ol></section>`)}</div>`;
    }
  }

  /** props: document, view, ply (position), wanted, find(text), go(position). */
  class Moves extends Component {
    componentDidMount() {
      this.settle();
    }

    componentDidUpdate({ view, ply }) {
      if (view !== this.props.view || ply !== this.props.ply) this.settle();
    }

    componentWillUnmount() {
      cancelAnimationFrame(this.frame);
      clearTimeout(this.timer);
    }

    /**
     * Follow once with the next frame. When the game stands still also with some more: parts that
     * come into sight get their true heights, which may push the move out again.
     */
    settle() {
      this.inFrames(1);
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.inFrames(FRAMES), STILL_MS);
    }

    inFrames(left) {
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => {
        this.follow();
        if (left > 1) this.inFrames(left - 1);
      });
    }

    /** Bring the current move into sight, by scrolling nothing but the list. */
    follow() {
      const row = this.list.querySelector("[aria-current]");
      if (!row) {
        if (this.props.ply === 0) this.list.scrollTop = 0;
        return;
      }
      if (this.list.contains(document.activeElement) && document.activeElement !== this.list) {
        row.focus({ preventScroll: true });
      }
      const box = this.list.getBoundingClientRect();
      const { top, bottom } = row.getBoundingClientRect();
      const room = Math.min(48, box.height / 4);
      if (bottom - top > box.height - 2 * room) this.list.scrollTop += top - box.top - room;
      else if (bottom < box.top || top > box.bottom) {
        this.list.scrollTop += (top + bottom - box.top - box.bottom) / 2;
      } else if (top < box.top + room) this.list.scrollTop -= box.top + room - top;
      else if (bottom > box.bottom - room) this.list.scrollTop += bottom - box.bottom + room;
    }

    /** What depends on the view alone. */
    parted() {
      const { document, view } = this.props;
      if (this.partsOf !== view) {
        this.partsOf = view;
        this.parts = parts(groups(document, view));
        this.moments = new Map();
        for (const moment of view.moments) {
          const ply = model.shownAt(view, moment.ply) - 1;
          this.moments.set(ply, [...(this.moments.get(ply) ?? NONE), moment]);
        }
      }
      return this.parts;
    }

    /** The plies that match what is looked for. */
    matched() {
      const { view, wanted } = this.props;
      if (this.matchesOf?.view !== view || this.matchesOf.wanted !== wanted) {
        this.matchesOf = { view, wanted };
        this.matches = model.matches(view, wanted);
        this.matchesOfParts = new Map();
      }
      return this.matches;
    }

    /** The same array for a part as long as what is looked for stays the same. */
    matchesIn(part) {
      if (!this.matchesOfParts.has(part)) {
        const [first, last] = ends(part);
        const mine = this.matches.filter((ply) => ply >= first && ply <= last);
        this.matchesOfParts.set(part, mine.length ? mine : NONE);
      }
      return this.matchesOfParts.get(part);
    }

    /** To the next match, round about. */
    hunt(direction) {
      const positions = this.matched().map((ply) => ply + 1);
      const { ply, go } = this.props;
      const next = model.neighbour(positions, ply, direction);
      go(next ?? positions[direction > 0 ? 0 : positions.length - 1] ?? null);
    }

    typed(event) {
      if (event.key === "Enter") this.hunt(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") {
        this.props.find("");
        event.target.blur();
      }
    }

    render({ document, view, ply, wanted, find, go, children }) {
      const all = this.parted();
      const found = this.matched();
      const place = found.indexOf(ply - 1) + 1;
      return html`<section class="moves" aria-labelledby="moves-title">
        <div class="side-head"><h2 id="moves-title">Moves</h2>
          <input id="find" type="search" placeholder="find  /" aria-label="find in moves"
            value=${wanted} onInput=${(event) => find(event.target.value)}
            onKeyDown=${(event) => this.typed(event)} />
          <span class="found" role="status">${wanted.trim()
            && (place ? `${place} of ${found.length}` : `${found.length} found`)}</span>
          <button type="button" class="icon-button" aria-label="previous match"
            aria-disabled=${!found.length} onClick=${() => this.hunt(-1)}>↑</button>
          <button type="button" class="icon-button" aria-label="next match"
            aria-disabled=${!found.length} onClick=${() => this.hunt(1)}>↓</button></div>
        ${children}
        <div class="move-list" tabindex="0" role="region" aria-label="list of moves"
          ref=${(element) => { this.list = element; }}>${all.map((part) => {
            const [first, last] = ends(part);
            const isIn = ply > first && ply <= last + 1;
            return html`<${Part} key=${`${view.key}:${first}`} view=${view} part=${part}
              names=${document.game.names} now=${isIn ? ply - 1 : null}
              matches=${this.matchesIn(part)} moments=${this.moments} go=${go} />`;
          })}</div></section>`;
    }
  }

  /** First and last ply of a part. */
  const ends = (part) => {
    const { plies } = part.groups[part.groups.length - 1];
    return [part.groups[0].plies[0], plies[plies.length - 1]];
  };

  return { Moves, groups, parts };
})();
