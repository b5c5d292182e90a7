"use strict";
// The page of a run that is watched. It asks the server that it came from how things stand, only
// while somebody looks, and draws the answer. All that comes from bots is text nodes, but for their
// names in a bracket: that drawing comes ready-made, with names made safe as in a report.
(() => {
  const { html, render, Component } = htmPreact;
  const EVERY = 2000, AT_REST = 5000, LONGEST = 15000;
  const NOTHING = "–";

  const clock = (seconds) => {
    const whole = Math.max(0, Math.round(seconds));
    const two = (number) => String(number).padStart(2, "0");
    return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  };
  const speed = (rate) => rate >= 10 ? `${Math.round(rate)} games/s`
    : rate >= 0.1 ? `${rate.toFixed(1)} games/s` : `${Math.round(1 / rate)} s a game`;
  const whole = (number) => number.toLocaleString("en-US");
  const share = (part) => part === null ? NOTHING : `${(100 * part).toFixed(1)} %`;
  const faults = (row) => Object.values(row.faults).reduce((sum, count) => sum + count, 0);
  const kinds = (row) => Object.entries(row.faults).map(([kind, count]) => `${count} ${kind}`)
    .join(", ");
  const Faults = ({ row }) => html`<span title=${kinds(row)}>${faults(row)}</span>`;
  const isOpen = (state) => ["building", "playing", "silent"].includes(state.phase);

  /** The column "95 %" of a rated row, in the marks of `arena standings`. */
  const margin = (row, data) => {
    if (row.elo === null) return NOTHING;
    if (row.bound) return row.bound + (row.limit === null ? "" : Math.round(row.limit));
    if (row.name === data.anchor) return "anchor";
    return row.error === null ? NOTHING : `±${Math.round(row.error)}`;
  };

  // Columns: title, cell of a row, class. "more": only where there is room.
  const RATED = [
    ["#", (row) => row.rank, "number"],
    ["bot", (row) => row.name, "who"],
    ["Elo", (row) => row.elo === null ? NOTHING : Math.round(row.elo), "number strong"],
    ["95 %", (row, data) => margin(row, data), "number"],
    ["", (row, data, range) => range && html`<${charts.Interval} value=${row.elo}
      error=${row.bound || row.name === data.anchor ? null : row.error} range=${range}/>`, "drawn"],
    ["score", (row) => share(row.score), "number"],
    ["games", (row) => whole(row.games), "number"],
    ["win", (row) => whole(row.wins), "number more"],
    ["draw", (row) => whole(row.draws), "number more"],
    ["loss", (row) => whole(row.losses), "number more"],
    ["faults", (row) => html`<${Faults} row=${row}/>`, "number"],
  ];
  const two = (number) => number === null ? NOTHING : number.toFixed(2);
  const SOLO = [
    ["#", (row) => row.rank, "number"],
    ["bot", (row) => row.name, "who"],
    ["mean", (row) => two(row.mean), "number strong"],
    ["95 %", (row) => row.error === null ? NOTHING : `±${row.error.toFixed(2)}`, "number"],
    ["", (row, data, range) => range && html`<${charts.Interval} value=${row.mean}
      error=${row.error} range=${range}/>`, "drawn"],
    ["best", (row) => row.best ?? NOTHING, "number more"],
    ["worst", (row) => row.worst ?? NOTHING, "number more"],
    ["games", (row) => whole(row.games), "number"],
    ["faults", (row) => html`<${Faults} row=${row}/>`, "number"],
  ];

  const Table = ({ table }) => {
    const data = table.data, isSolo = table.kind === "solo";
    const columns = isSolo ? SOLO : RATED;
    const range = charts.range(data.rows.map((row) => isSolo
      ? { value: row.mean, error: row.error }
      : { value: row.elo, error: row.bound || row.name === data.anchor ? null : row.error }));
    const title = (text) => isSolo && text === "mean" ? data.score : text;
    return html`<div class="scroll" tabindex="0" role="region"
        aria-label=${`table of ${table.heading}`}><table><thead><tr>${columns.map(([text, , kind]) =>
          kind === "drawn" ? html`<td class=${kind}></td>`
            : html`<th scope="col" class=${kind}>${title(text)}</th>`)}</tr></thead><tbody>${data.rows.map((row) => html`<tr key=${row.name}>${
        columns.map(([, cell, kind]) => html`<td class=${kind}>${cell(row, data, range)}</td>`)
      }</tr>`)}</tbody></table></div>
    <ul class="remarks">${[
      ...table.withdrawn.map((gone) => `${gone.name}: withdrawn: ${gone.reason}`),
      ...table.notices,
    ].map((text) => html`<li>${text}</li>`)}</ul>`;
  };

  /** What decides in a tournament by rounds: places, who meets, a bracket. */
  const Leading = ({ shown: { title, columns, remarks, drawing } }) => {
    const kinds = columns.map(([head, align]) => head === "bot" ? "who"
      : `${align === "right" ? "number" : ""}${head === "points" ? " strong" : ""}`);
    const rows = columns.length ? columns[0][2].map((_, row) => columns.map((each) => each[2][row]))
      : [];
    const region = { class: "scroll", tabindex: 0, role: "region", "aria-label": title };
    return html`<section class="leading"><h2>${title}</h2>
      ${drawing && html`<div ...${region} dangerouslySetInnerHTML=${{ __html: drawing }}/>`}
      ${rows.length > 0 && html`<div ...${region}><table><thead><tr>${columns.map(([head], k) =>
        html`<th scope="col" class=${kinds[k]}>${head}</th>`)}</tr></thead><tbody>${
        rows.map((cells) => html`<tr>${cells.map((cell, k) =>
          html`<td class=${kinds[k]}>${cell}</td>`)}</tr>`)}</tbody></table></div>`}
      <ul class="remarks">${remarks.map((text) => html`<li>${text}</li>`)}</ul></section>`;
  };

  /** Tables in the order in which they are looked at: that of all games first. */
  const ordered = (tables) => tables.length < 2 ? tables : [tables.at(-1), ...tables.slice(0, -1)];

  const Standings = ({ tables, chosen, choose }) => {
    const shown = ordered(tables);
    const table = shown.find((each) => each.title === chosen) ?? shown[0];
    const leading = shown.flatMap((each) => each.leading);
    return html`${leading.map((each) => html`<${Leading} key=${each.title} shown=${each}/>`)}
      <section aria-labelledby="standings"><h2 id="standings">${
        leading.length ? "Ratings" : "Standings"}</h2>
      ${shown.length > 1 && html`<div class="tabs">${shown.map((each) => html`<button
        key=${each.title} type="button" aria-pressed=${each === table}
        onClick=${() => choose(each.title)}>${each.heading}</button>`)}</div>`}
      ${table ? html`<${Table} table=${table}/>` : html`<p>no table yet</p>`}</section>`;
  };

  const Match = ({ match }) => {
    const elo = match.elo, sign = (value) => `${value > 0 ? "+" : ""}${Math.round(value)}`;
    const facts = [
      ["LLR", match.llr.toFixed(2)],
      ...(elo.value === null ? [] : [["Elo", elo.low === null || elo.high === null
        ? sign(elo.value) : `${sign(elo.value)} (${sign(elo.low)} to ${sign(elo.high)})`]]),
      ["blocks", whole(match.blocks)],
      ["games", match.verdict ? whole(match.games)
        : `${whole(match.games)} of at most ${whole(match.most_games)}`],
      ...(match.games_left === null ? [] : [["left", `about ${whole(match.games_left)} games`]]),
    ];
    return html`<section aria-labelledby="match">
      <h2 id="match">${match.candidate} against ${match.baseline}</h2>
      <p class=${`verdict ${match.verdict ?? ""}`}>${!match.verdict ? "no verdict yet"
        : html`<strong>${match.verdict.toUpperCase()}</strong> ${match.reason}`}</p>
      <${charts.Ratio} match=${match}/>
      <dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt>
        <dd>${value}</dd></div>`)}</dl>
      <p class="quiet">${match.settings}</p></section>`;
  };

  const Progress = ({ state }) => {
    const part = state.planned === null ? null : state.done / Math.max(1, state.planned);
    const turn = state.round, out = state.withdrawn;
    const facts = [
      ...(turn === null || turn.stages < 2 ? []
        : [["stage", `${whole(turn.stage)} of ${whole(turn.stages)}`]]),
      ...(turn === null ? [] : [["round",
        turn.of === null ? whole(turn.number) : `${whole(turn.number)} of ${whole(turn.of)}`]]),
      ["games", state.planned === null ? whole(state.done)
        : `${whole(state.done)} of ${whole(state.planned)}`],
      ...(state.rate === null ? [] : [["speed", speed(state.rate)]]),
      ...(state.left === null || !isOpen(state) ? [] : [["left", clock(state.left)]]),
      ["faults", whole(state.faults) + (state.faults_not_counted === 0 ? ""
        : ` (${whole(state.faults_not_counted)} in games of withdrawn bots)`)],
      ["void", whole(state.voids)],
      ...(out.length === 0 ? [] : [["withdrawn", out.join(", ")],
        ["games with them", whole(state.planned_with_withdrawn ?? state.done)]]),
    ];
    return html`<section aria-label="progress">
      ${part !== null && html`<div class="bar" role="progressbar" aria-label="games played"
        aria-valuemin="0" aria-valuemax="100" aria-valuenow=${Math.floor(100 * part)}>
        <div style=${{ width: `${100 * part}%` }}></div></div>`}
      <dl class="facts">${part !== null && html`<div><dt>played</dt>
        <dd>${Math.floor(100 * part)} %</dd></div>`}${facts.map(([name, value]) => html`<div
        key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></section>`;
  };

  const Hands = ({ workers, since, where }) => html`<section aria-labelledby="hands">
    <h2 id="hands">In hand</h2><ol class="rows">${workers.map((hand, number) => html`<li
      key=${number}>${hand === null ? html`<span class="quiet">between two games</span>`
        : html`<span>${hand.entrants.join(", ")}</span>
          ${where && html`<span class="where">${where.get(hand.discipline)}</span>`}
          <span class="number">${clock(hand.seconds + since)}</span>`}</li>`)}</ol></section>`;

  /** The seats of a game, best first; the places of one seat alone say nothing. */
  const placed = (game) => game.players.map((player, seat) => ({ ...player, seat }))
    .sort((a, b) => a.place - b.place || a.seat - b.seat);

  const Player = ({ player, alone }) => html`${!alone && `${player.place}. `}<span
    class=${player.place === 1 && !alone ? "strong" : ""}>${player.name}</span>${
    player.score !== null && ` ${player.score}`}${
    player.fault !== null && html` <span class="fault">${player.fault}</span>`}`;

  const Ended = ({ game, where }) => html`<li><span>${placed(game).map((player, index) => html`${
      index > 0 && ", "}<${Player} player=${player} alone=${game.players.length === 1}/>`)}</span>
    ${where && html`<span class="where">${where.get(game.discipline)}</span>`}</li>`;

  const Last = ({ games, voided, where }) => html`<section aria-labelledby="last">
    <h2 id="last">Last games</h2>
    <ul class="rows">${voided.slice(0, 5).map((game) => html`<li>
      <span><span class="fault">void</span> through ${game.cause}</span>
      <span class="where">${game.game}</span></li>`)}${
      games.slice(0, 20).map((game) => html`<${Ended} key=${game.game} game=${game}
        where=${where}/>`)}</ul>
    ${!games.length && !voided.length && html`<p class="quiet">none yet</p>`}</section>`;

  const MARKS = {
    waiting: "○", building: "⚒", playing: "▶", silent: "…", killed: "✕", stopped: "■",
    finished: "✓",
  };

  /** All of it. Not from the document: the table chosen, and whether the server answers. */
  class Watch extends Component {
    state = { document: null, at: 0, now: 0, chosen: null, failures: 0 };
    etag = "";
    timer = 0;

    componentDidMount() {
      document.addEventListener("visibilitychange", () => this.looked());
      setInterval(() => document.hidden || this.setState({ now: performance.now() }), 1000);
      this.ask();
    }

    /** Nobody is asked while nobody looks. */
    looked() {
      clearTimeout(this.timer);
      if (!document.hidden) this.ask();
    }

    async ask() {
      clearTimeout(this.timer);
      const asked = this.asked = {};
      let wait = EVERY;
      try {
        const answer = await fetch("state", {
          headers: this.etag ? { "If-None-Match": this.etag } : {},
          cache: "no-store", signal: AbortSignal.timeout(LONGEST),
        });
        if (answer.status === 200) {
          const found = await answer.json();
          this.etag = answer.headers.get("ETag") ?? "";
          this.setState({ document: found, at: performance.now(), now: performance.now() });
        } else if (answer.status !== 304) throw new Error(answer.statusText);
        this.setState({ failures: 0 });
        if (this.state.document && !isOpen(this.state.document)) wait = AT_REST;
      } catch {
        this.setState({ failures: this.state.failures + 1 });
        wait = Math.min(LONGEST, EVERY * this.state.failures);
      }
      if (!document.hidden && asked === this.asked) this.timer = setTimeout(() => this.ask(), wait);
    }

    render(_, { document: state, at, now, chosen, failures }) {
      const lost = failures > 0 && html`<p class="lost"><strong>No answer.</strong>${" "}
        Is arena watch still running? What is shown is old; asking again.</p>`;
      const loading = html`<p class="loading">Reading the run …</p>`;
      if (state === null) return html`<main><div role="status">${lost}</div>${loading}</main>`;
      const part = state.planned ? `${Math.floor(100 * state.done / state.planned)} % ` : "";
      globalThis.document.title = `${part}${state.run} – arena`;
      const where = state.tables.length > 1
        && new Map(state.tables.map((table) => [table.title, table.heading]));
      return html`<main>
        <header><h1>${state.run}</h1><div role="status"><p class=${`phase ${state.phase}`}>
          <span aria-hidden="true">${MARKS[state.phase]}</span> ${state.phase}${
          state.read < 1 && `, ${Math.floor(100 * state.read)} % of the games read`}</p>
          ${state.note && html`<p class="note">${state.note}</p>`}${lost}</div></header>
        <${Progress} state=${state}/>
        ${state.trial && html`<${Match} match=${state.trial}/>`}
        <${Standings} tables=${state.tables} chosen=${chosen}
          choose=${(title) => this.setState({ chosen: title })}/>
        <div class="beside">${isOpen(state) && html`<${Hands} workers=${state.workers}
            since=${(now - at) / 1000} where=${where}/>`}
          <${Last} games=${state.last} voided=${state.voided} where=${where}/></div>
        <footer>arena ${state.arena}; a deal counts here when all its seatings are played</footer>
      </main>`;
    }
  }

  const place = document.getElementById("app");
  place.replaceChildren();
  render(html`<${Watch}/>`, place);
})();
