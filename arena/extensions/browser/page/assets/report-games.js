"use strict";
// The list of games: filtered, sorted, and drawn as far as it is in sight.
arena.games = (() => {
  const { html } = arena;
  const { Component } = htmPreact;
  const { COLUMNS, ANY, NO_FILTER } = arena.rows;
  const ROW = 36; // pixels, as in report.css
  const BEYOND = 12; // rows drawn outside of what is seen
  const address = (game, ply) =>
    arena.place.hash([["game", game.id], ...(ply === undefined ? [] : [["ply", String(ply)]])]);

  const Player = ({ game, seat }) => html`<span
    class=${game.places[seat] === 1 ? "r-player r-first" : "r-player"}
    style=${{ maxWidth: `${100 / game.names.length}%` }}><span>${game.names[seat]}</span>${
      game.scores && html` <b>${game.scores[seat]}</b>`}</span>`;

  const Faults = ({ game }) => game.faults.map(([seat, kind, ply]) => {
    const words = `${kind} of ${game.names[seat]} at ply ${ply}`;
    return game.file
      ? html`<a class="r-fault" href=${address(game, ply)} title=${words}
          aria-label=${words}>${kind}</a> `
      : html`<span class="r-fault" title=${words}>${kind}</span> `;
  });

  const Row = ({ game, index, columns, sorted }) => html`<tr aria-rowindex=${index + 2}>${
    columns.map(({ key, of, show = String }) => {
      if (key === "number") {
        return html`<th scope="row" class="r-right">${game.file
          ? html`<a href=${address(game)} title=${game.id}
              aria-label=${`game ${game.number}: ${game.id}`}>${game.number}</a>`
          : html`<span title=${game.id}>${game.number}</span>`}</th>`;
      }
      if (key === "discipline") {
        return html`<td class=${key === sorted ? "r-discipline r-by" : "r-discipline"}>${
          game.discipline}</td>`;
      }
      if (key === "names") {
        return html`<td class="r-players" title=${game.names.join(" – ")}>${game.names.map(
          (_, seat) => html`<${Player} key=${seat} game=${game} seat=${seat} />`)}</td>`;
      }
      if (key !== "faults") {
        const value = of(game);
        const by = key === sorted ? " r-by" : "";
        return html`<td class=${`r-right r-${key}${by}`}>${value === null ? "–" : show(value)}</td>`;
      }
      return html`<td class="r-faults"><${Faults} game=${game} /></td>`;
    })}</tr>`;

  const Choice = ({ label, value, values, onChange, none = "any" }) => html`<label>${label}
    <select aria-label=${label} value=${value} onChange=${(event) => onChange(event.target.value)}>
      ${none && html`<option value="">${none}</option>`}
      ${values.map((each) => html`<option key=${each} value=${each}
        selected=${each === value}>${each}</option>`)}
    </select></label>`;

  const Bound = ({ label, value, onInput }) => html`<label>${label}
    <input type="number" min="0" inputmode="numeric" aria-label=${label} value=${value}
      onInput=${(event) => onInput(event.target.value)} /></label>`;

  /** props: listing; onOrder(games): told what is listed, in its order; filter: to begin with. */
  class List extends Component {
    constructor(props) {
      super(props);
      this.games = arena.rows.read(props.listing);
      this.idle = []; // columns that would say nothing
      if (props.listing.disciplines.length < 2) this.idle.push("discipline");
      this.kinds = [...new Set(this.games.flatMap(({ faults }) => faults.map(([, kind]) => kind)))];
      if (!this.kinds.length) this.idle.push("faults");
      for (const { key, of } of COLUMNS) {
        if (this.games.every((game) => of(game) === null)) this.idle.push(key);
      }
      this.columns = COLUMNS.filter(({ key }) => !this.idle.includes(key));
      this.state = { filter: { ...NO_FILTER, ...props.filter }, sorted: "number", sign: 1, top: 0,
        height: 15 * ROW };
      this.scrolled = this.scrolled.bind(this);
      this.arrange();
    }

    /** What is listed, from filter and order; kept, because scrolling asks for it each time. */
    arrange({ filter, sorted, sign } = this.state) {
      this.shown = arena.rows.arranged(this.games, filter, sorted, sign);
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
        ${this.kinds.length > 0 && html`<${Choice} label="fault" value=${filter.fault}
          values=${[ANY, ...this.kinds.sort()]} onChange=${set("fault")} none="with or without" />`}
        ${!this.idle.includes("margin") && html`<${Bound} label="margin from"
          value=${filter.margin} onInput=${set("margin")} />
        <${Bound} label="margin to" value=${filter.mostMargin} onInput=${set("mostMargin")} />`}
        <${Bound} label="plies from" value=${filter.plies} onInput=${set("plies")} />
        <${Bound} label="plies to" value=${filter.mostPlies} onInput=${set("mostPlies")} />
        <label>id <input type="search" value=${filter.text}
          onInput=${(event) => this.choose({ text: event.target.value })} /></label>
        <button type="button" onClick=${() => this.ask({})}>Clear</button>
        ${this.order()}
        <output>${this.shown.length} of ${this.games.length}</output>
      </form>`;
    }

    /** The order, where not all heads are shown. */
    order() {
      const { sorted, sign } = this.state;
      const column = this.columns.find(({ key }) => key === sorted);
      const choose = (title) => this.sortBy(this.columns.find((each) => each.title === title));
      return html`<span class="r-order"><${Choice} label="sorted by" value=${column.title}
        values=${this.columns.map(({ title }) => title)} onChange=${choose} none="" />
        <button type="button" aria-label="reverse the order"
          onClick=${() => this.sortBy(column)}>${sign > 0 ? "↑" : "↓"}</button></span>`;
    }

    head(column) {
      const { sorted, sign } = this.state;
      const order = sorted === column.key ? (sign > 0 ? "ascending" : "descending") : null;
      const kind = `r-${column.key}${column.right ? " r-right" : ""}${order ? " r-by" : ""}`;
      return html`<th key=${column.key} scope="col" class=${kind} aria-sort=${order}
        title=${column.words}>
        <button type="button" class="r-sort-games"
          onClick=${() => this.sortBy(column)}>${column.title}</button></th>`;
    }

    render() {
      const { top, height, sorted } = this.state;
      const { columns } = this;
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
              key=${game.number} game=${game} index=${from + index} columns=${columns} sorted=${sorted} />`)}${
              gap(this.shown.length - to)}</tbody>
          </table>
          ${!this.shown.length && html`<p class="r-empty">No game is like that.</p>`}
        </div>`;
    }
  }

  return { List, address };
})();
