"use strict";
// The list of games: filtered, sorted, and drawn as far as it is in sight.
arena.games = (() => {
  const { html } = arena;
  const { Component } = htmPreact;
  const ROW = 36; // pixels, as in report.css
  const BEYOND = 12; // rows drawn outside of what is seen
  const NO_FILTER = { bot: "", against: "", discipline: "", result: "", faults: false, text: "",
    least: "", most: "" };

  /** A row of the listing as an object. */
  const read = ({ names, disciplines, rows }) => rows.map(
    ([number, id, discipline, seats, places, scores, plies, faults, file]) => ({
      number, id, discipline: disciplines[discipline], names: seats.map((seat) => names[seat]),
      places, scores, plies, faults, file,
    }));

  /** won, drawn or lost: what became of the first seat of a bot, as tables count it. */
  const resultOf = (game, bot) => {
    const seat = game.names.indexOf(bot);
    const place = game.places[seat];
    if (place !== 1 || game.faults.some(([faulty]) => faulty === seat)) return "lost";
    const tied = game.places.some((other, index) => other === 1 && game.names[index] !== bot);
    return tied ? "drawn" : "won";
  };

  const meets = (game, filter) => {
    const { bot, against, discipline, result, faults, text, least, most } = filter;
    if (discipline && game.discipline !== discipline) return false;
    if (bot && !game.names.includes(bot)) return false;
    if (against && !game.names.includes(against)) return false;
    if (faults && !game.faults.length) return false;
    if (result && bot && resultOf(game, bot) !== result) return false;
    if (least !== "" && game.plies < Number(least)) return false;
    if (most !== "" && game.plies > Number(most)) return false;
    return !text || game.id.toLowerCase().includes(text.toLowerCase());
  };

  const COLUMNS = [
    { key: "number", title: "game", of: (game) => game.number },
    { key: "discipline", title: "discipline", of: (game) => game.discipline },
    { key: "names", title: "seats and scores", of: (game) => game.names.join(" ") },
    { key: "plies", title: "plies", of: (game) => game.plies, right: true },
    { key: "faults", title: "faults", of: (game) => game.faults.length },
  ];

  const address = (game, ply) =>
    arena.place.hash([["game", game.id], ...(ply === undefined ? [] : [["ply", String(ply)]])]);

  const Player = ({ game, seat }) => html`<span
    class=${game.places[seat] === 1 ? "r-player r-first" : "r-player"}>${game.names[seat]}${
      game.scores && html` <b>${game.scores[seat]}</b>`}</span>`;

  const Faults = ({ game }) => game.faults.map(([seat, kind, ply]) => {
    const words = `${kind} of ${game.names[seat]} at ply ${ply}`;
    return game.file
      ? html`<a class="r-fault" href=${address(game, ply)} title=${words}
          aria-label=${words}>${kind}</a> `
      : html`<span class="r-fault" title=${words}>${kind}</span> `;
  });

  const Row = ({ game, index, columns }) => html`<tr aria-rowindex=${index + 2}>${
    columns.map(({ key }) => {
      if (key === "number") {
        return html`<th scope="row" class="r-right">${game.file
          ? html`<a href=${address(game)} title=${game.id}
              aria-label=${`game ${game.number}: ${game.id}`}>${game.number}</a>`
          : html`<span title=${game.id}>${game.number}</span>`}</th>`;
      }
      if (key === "discipline") return html`<td class="r-discipline">${game.discipline}</td>`;
      if (key === "names") {
        return html`<td class="r-players" title=${game.names.join(" – ")}>${game.names.map(
          (_, seat) => html`<${Player} key=${seat} game=${game} seat=${seat} />`)}</td>`;
      }
      if (key === "plies") return html`<td class="r-right r-plies">${game.plies}</td>`;
      return html`<td class="r-faults"><${Faults} game=${game} /></td>`;
    })}</tr>`;

  const Choice = ({ label, value, values, onChange, none = "any" }) => html`<label>${label}
    <select aria-label=${label} value=${value} onChange=${(event) => onChange(event.target.value)}>
      <option value="">${none}</option>
      ${values.map((each) => html`<option key=${each} value=${each}
        selected=${each === value}>${each}</option>`)}
    </select></label>`;

  const Plies = ({ label, value, onInput }) => html`<label>${label}
    <input type="number" min="0" inputmode="numeric" aria-label=${label} value=${value}
      onInput=${(event) => onInput(event.target.value)} /></label>`;

  /** props: listing; onOrder(games): told what is listed, in its order; filter: to begin with. */
  class List extends Component {
    constructor(props) {
      super(props);
      this.games = read(props.listing);
      this.idle = []; // columns that would say nothing
      if (props.listing.disciplines.length < 2) this.idle.push("discipline");
      if (!this.games.some(({ faults }) => faults.length)) this.idle.push("faults");
      this.state = { filter: { ...NO_FILTER, ...props.filter }, sorted: "number", sign: 1, top: 0,
        height: 15 * ROW };
      this.scrolled = this.scrolled.bind(this);
      this.arrange();
    }

    /** What is listed, from filter and order; kept, because scrolling asks for it each time. */
    arrange(state = this.state) {
      const { of } = COLUMNS.find(({ key }) => key === state.sorted);
      this.shown = this.games.filter((game) => meets(game, state.filter))
        .map((game) => [of(game), game])
        .sort((one, other) => arena.sort.compare(one[0], other[0], state.sign)
          || one[1].number - other[1].number)
        .map(([, game]) => game);
      this.props.onOrder(this.shown);
    }

    change(state) {
      this.arrange({ ...this.state, ...state });
      this.setState({ ...state, top: 0 });
      if (this.box) this.box.scrollTop = 0;
    }

    choose(change) {
      this.change({ filter: { ...this.state.filter, ...change } });
    }

    /** Called from outside, by an address. */
    ask(filter) {
      this.change({ filter: { ...NO_FILTER, ...filter } });
    }

    sortBy({ key, right }) {
      const { sorted, sign } = this.state;
      const first = right || key === "faults" ? -1 : 1;
      this.change({ sorted: key, sign: sorted === key ? -sign : first });
    }

    scrolled() {
      this.setState({ top: this.box.scrollTop, height: this.box.clientHeight });
    }

    componentDidMount() {
      this.scrolled();
      addEventListener("resize", this.scrolled);
    }

    componentWillUnmount() {
      removeEventListener("resize", this.scrolled);
    }

    form() {
      const { names, disciplines } = this.props.listing;
      const { filter } = this.state;
      const sorted = [...names].sort();
      const set = (key) => (value) => this.choose({ [key]: value });
      return html`<form class="r-filter" onSubmit=${(event) => event.preventDefault()}>
        <${Choice} label="bot" value=${filter.bot} values=${sorted} onChange=${set("bot")} />
        <${Choice} label="against" value=${filter.against} values=${sorted}
          onChange=${set("against")} />
        ${filter.bot && html`<${Choice} label="result" value=${filter.result}
          values=${["won", "drawn", "lost"]} onChange=${set("result")} />`}
        ${disciplines.length > 1 && html`<${Choice} label="discipline" value=${filter.discipline}
          values=${disciplines} onChange=${set("discipline")} />`}
        <${Plies} label="plies from" value=${filter.least} onInput=${set("least")} />
        <${Plies} label="to" value=${filter.most} onInput=${set("most")} />
        <label>id <input type="search" value=${filter.text}
          onInput=${(event) => this.choose({ text: event.target.value })} /></label>
        <label class="r-check"><input type="checkbox" checked=${filter.faults}
          onChange=${(event) => this.choose({ faults: event.target.checked })} />
          with faults</label>
        <button type="button" onClick=${() => this.ask({})}>Clear</button>
        <output>${this.shown.length} of ${this.games.length}</output>
      </form>`;
    }

    head(column) {
      const { sorted, sign } = this.state;
      const order = sorted === column.key ? (sign > 0 ? "ascending" : "descending") : null;
      const kind = `r-${column.key}${column.right ? " r-right" : ""}`;
      return html`<th key=${column.key} scope="col" class=${kind} aria-sort=${order}>
        <button type="button" class="r-sort-games"
          onClick=${() => this.sortBy(column)}>${column.title}</button></th>`;
    }

    render() {
      const { top, height } = this.state;
      const columns = COLUMNS.filter(({ key }) => !this.idle.includes(key));
      const from = Math.max(0, Math.floor(top / ROW) - BEYOND);
      const to = Math.min(this.shown.length, Math.ceil((top + height) / ROW) + BEYOND);
      const gap = (rows) => rows > 0 && html`<tr aria-hidden="true"><td
        class="r-gap" height=${rows * ROW}></td></tr>`;
      return html`${this.form()}
        <div class="r-list" ref=${(box) => { this.box = box; }} onScroll=${this.scrolled}
          tabindex="0" role="region" aria-label="List of games">
          <table aria-rowcount=${this.shown.length + 1}>
            <thead><tr>${columns.map((column) => this.head(column))}</tr></thead>
            <tbody>${gap(from)}${this.shown.slice(from, to).map((game, index) => html`<${Row}
              key=${game.number} game=${game} index=${from + index} columns=${columns} />`)}${
              gap(this.shown.length - to)}</tbody>
          </table>
          ${!this.shown.length && html`<p class="r-empty">No game is like that.</p>`}
        </div>`;
    }
  }

  return { List, address };
})();
