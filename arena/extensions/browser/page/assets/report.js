"use strict";
/*
 * The page of a run. The address says what is shown:
 *   #game=ID&ply=37&view=1        a game, in place of the report (ply and view: see viewer.js);
 *                                 with &beside=ID another game of its deal beside it
 *   #games&bot=NAME&against=NAME  the list of games of a bot, or of two; further conditions have the
 *                                 names of report-rows.js, e.g. &fault=crash&plies=100
 *   #of-NAME, #of-NAME-2, #faults … a discipline, a part of it, a part of the report
 */
(() => {
  const { html } = arena;
  const { render } = htmPreact;
  const report = document.getElementById("report");
  const stage = document.getElementById("viewer");
  const title = document.title;
  const state = { list: null, order: [], byId: new Map(), open: null, beside: null, scroll: 0,
    from: "#games" };

  // Disciplines as tabs; without scripts and in print all are below each other.
  const tabs = [...document.querySelectorAll('[role="tab"]')];

  const select = (tab) => {
    for (const each of tabs) {
      const isChosen = each === tab;
      each.setAttribute("aria-selected", String(isChosen));
      each.tabIndex = isChosen ? 0 : -1;
      document.getElementById(each.getAttribute("aria-controls")).classList
        .toggle("r-unselected", !isChosen);
    }
  };

  const MOVES = { ArrowRight: 1, ArrowLeft: -1 };

  const startTabs = () => {
    if (!tabs.length) return;
    select(tabs[0]);
    for (const [index, tab] of tabs.entries()) {
      tab.addEventListener("click", () => select(tab));
      tab.addEventListener("keydown", (event) => {
        const next = event.key in MOVES
          ? tabs[(index + MOVES[event.key] + tabs.length) % tabs.length]
          : { Home: tabs[0], End: tabs[tabs.length - 1] }[event.key];
        if (!next) return;
        event.preventDefault();
        select(next);
        next.focus();
      });
    }
  };

  /** Show a part of the report that a tab or a fold may hide. */
  const reveal = (part) => {
    if (!part) return;
    const chapter = part.closest(".r-chapter");
    const tab = tabs.find((each) => each.getAttribute("aria-controls") === chapter?.id);
    if (tab) select(tab);
    for (let fold = part.closest("details"); fold; fold = fold.parentElement.closest("details")) {
      fold.open = true;
    }
    part.scrollIntoView();
  };

  // Games.
  const say = (words) => {
    render(null, stage);
    render(html`<main class="r-message"><p role="status">${words}</p>
      <p><a href=${state.from}>Back to the report</a></p></main>`, stage);
  };

  /** Change members of the address; null removes one. */
  const ask = (changes) => {
    const pairs = Object.entries({ ...Object.fromEntries(arena.place.members()), ...changes });
    location.hash = arena.place.hash(pairs.filter(([, value]) => value));
  };

  /** Which other game of the deal is shown beside this one. */
  const Beside = ({ game, beside }) => {
    const others = [...state.byId.values()].filter((one) => one !== game && one.file
      && one.deal === game.deal);
    if (!others.length) return null;
    return html`<select aria-label="other games of the deal" value=${beside ?? ""}
        onChange=${({ target }) => { target.blur(); ask({ beside: target.value }); }}>
        <option value="">same deal …</option>${others.map(({ id, number, names }) =>
          html`<option key=${id} value=${id} selected=${id === beside}>${
            `game ${number}: ${names.join(" – ")}`}</option>`)}</select>
      ${beside && html`<button type="button" title="exchange the two games"
        aria-label="exchange the two games" onClick=${() =>
          ask({ game: beside, beside: game.id })}>⇄</button>`}`;
  };

  const Head = ({ game, beside }) => {
    const index = state.order.indexOf(game);
    const link = (other, words, mark) => other && other.file
      ? html`<a href=${arena.games.address(other)} title=${words} aria-label=${words}>${mark}</a>`
      : html`<span class="r-off" aria-hidden="true">${mark}</span>`;
    return html`<nav class="r-between" aria-label="Report"><a href=${state.from}>← <span
        class="r-word">Report</span></a>
      ${link(state.order[index - 1], "previous game of the list", "‹")}
      ${link(index < 0 ? null : state.order[index + 1], "next game of the list", "›")}
      <${Beside} game=${game} beside=${beside} /></nav>`;
  };

  const show = async (id, beside) => {
    if (state.open === id && state.beside === beside) return;
    if (state.open === null) {
      state.scroll = scrollY;
      state.focus = document.activeElement;
      report.hidden = true;
      stage.hidden = false;
    } else {
      arena.replay.close(stage);
    }
    Object.assign(state, { open: id, beside });
    const game = state.byId.get(id);
    if (!game || !game.file) {
      say(game ? "This game cannot be stepped through here." : "This report has no such game.");
      return;
    }
    say("Unpacking the game …");
    try {
      const [found, other] = await Promise.all([game, state.byId.get(beside)].filter((one) =>
        one?.file).map((one) => arena.store.game(one.number, one.file)));
      if (state.open !== id || state.beside !== beside) return;
      render(null, stage);
      document.title = `${game.id} · ${title}`;
      arena.replay(stage, found, {
        head: html`<${Head} game=${game} beside=${beside} />`, beside: other });
      scrollTo(0, 0);
    } catch (error) {
      if (state.open === id) say(`The game cannot be shown: ${error.message}.`);
    }
  };

  const hide = () => {
    if (state.open === null) return;
    arena.replay.close(stage);
    render(null, stage);
    state.open = null;
    stage.hidden = true;
    report.hidden = false;
    document.title = title;
    scrollTo(0, state.scroll);
    state.focus?.focus({ preventScroll: true });
  };

  const follow = () => {
    const members = arena.place.members();
    const id = members.get("game");
    if (id !== null) {
      show(id, members.get("beside"));
      return;
    }
    const wasOpen = state.open !== null;
    hide();
    state.from = location.hash || "#games";
    if (members.has("games")) {
      const asked = arena.rows.filterOf(members);
      if (state.list && !wasOpen && Object.values(asked).some(Boolean)) state.list.ask(asked);
      if (!wasOpen) document.getElementById("games")?.scrollIntoView();
      return;
    }
    reveal(document.getElementById(decodeURIComponent(location.hash.slice(1))));
  };

  const startList = async () => {
    const place = document.getElementById("list");
    if (!place) return;
    const listing = await arena.store.listing();
    const members = arena.place.members();
    const filter = members.has("games") ? arena.rows.filterOf(members) : {};
    const told = (games) => { state.order = games; };
    render(html`<${arena.games.List} ref=${(list) => { state.list = list; }} listing=${listing}
      filter=${filter} onOrder=${told} />`, place);
    for (const game of state.list.games) state.byId.set(game.id, game);
  };

  /** The menu closes when a part is chosen, or the reader turns away from it. */
  const startMenu = () => {
    const menu = document.querySelector(".r-menu");
    const close = () => { menu.open = false; };
    document.addEventListener("click", (event) => {
      if (event.target.closest(".r-menu a") || !event.target.closest(".r-menu")) close();
    });
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      close();
      menu.firstElementChild.focus();
    });
  };

  const startPrint = () => {
    let opened = [];
    addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll("details:not([open])")];
      for (const each of opened) each.open = true;
    });
    addEventListener("afterprint", () => {
      for (const each of opened) each.open = false;
    });
  };

  const start = async () => {
    render(html`<${arena.theme.Button} />`, document.getElementById("theme"));
    startTabs();
    arena.sort.start();
    startPrint();
    startMenu();
    addEventListener("hashchange", follow);
    try {
      await startList();
    } catch (error) {
      const words = `The list of games cannot be shown: ${error.message}.`;
      render(html`<p class="r-empty">${words}</p>`, document.getElementById("list"));
    }
    follow();
    document.documentElement.dataset.ready = "true";
  };

  start();
})();
