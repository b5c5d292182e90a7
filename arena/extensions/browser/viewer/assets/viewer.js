"use strict";
/*
 * Steps through one game.
 *
 *   const close = arena.replay(element, document, options)
 *
 * draws the viewer of a document (viewer/document.py) into an element that has nothing else in it,
 * and returns what takes it away again; arena.replay.close(element) does the same. Another call
 * with the same element replaces the game. The viewer listens to keys of the whole page while it
 * is there, so there is at most one at a time.
 *
 * options (all may be left out):
 *   head   Preact vnode that is shown first in the header: a link back to a report, for instance
 *   hash   false: neither read nor change the address of the page. Else the viewer reads the
 *          members "ply" and "view" of location.hash when it begins and at each hashchange, and
 *          writes them with history.replaceState when the game stands still. It keeps all other
 *          members: "#game=ID" stays and becomes "#game=ID&ply=37&view=1". Whoever shows several
 *          games listens for a changed "game" and calls arena.replay or close.
 *   beside document of another game, shown beside this one at the same ply, or at its end, and by the
 *          same view; a window below 900 px has no room for it
 *
 * ply is the number of the ply that was made last, from 0, or "start". Without it the viewer begins
 * before the first decision. view is the key of one of the document's views, without one the first.
 * Both are ignored where they have no sense, and a ply behind the end is the end.
 *
 * Scripts, in this order: viewer/model.js (arena.model, pure), viewer/place.js (arena.place, the
 * address), viewer/theme.js (arena.theme.Button: light or dark), viewer/keys.js,
 * viewer/timeline.js, viewer/moves.js, viewer/panel.js, viewer/transport.js, viewer/help.js,
 * viewer/shell.js, viewer.js: page.py has the list.
 */
(() => {
  const { html, model, place } = arena;
  const { Component, render } = htmPreact;

  const SPEEDS = [0.5, 1, 2, 4, 8];

  /** The state of the viewer, and what each command makes of it. */
  class Viewer extends Component {
    constructor(props) {
      super(props);
      const { document, options: { beside } } = props;
      this.games = [document, ...(beside ? [model.opened(beside)] : [])]
        .map((game) => ({ document: game, observed: model.history(game.observers) }));
      this.state = {
        ply: 0,
        view: props.document.views[0],
        playing: false,
        speed: 1,
        choices: false,
        raw: false,
        help: false,
        wanted: "",
        told: "",
      };
      this.state = { ...this.state, ...this.asked(true) };
      this.pressed = this.pressed.bind(this);
      this.arrived = this.arrived.bind(this);
      this.run = this.run.bind(this);
    }

    /** What the address asks for; first: with what is shown where it asks for nothing. */
    asked(first) {
      const { document, options } = this.props;
      const { ply, view } = options.hash === false ? {} : place.read();
      const found = document.views.find(({ key }) => key === view);
      const { plies } = document.views[0];
      const begin = Math.max(plies.findIndex(({ seat }) => seat !== null), 0);
      const at = ply ?? (first ? begin : this.state.ply);
      return { ply: model.clamp(at, 0, plies.length), view: found ?? this.state.view };
    }

    componentDidMount() {
      addEventListener("keydown", this.pressed);
      if (this.props.options.hash !== false) addEventListener("hashchange", this.arrived);
    }

    componentWillUnmount() {
      removeEventListener("keydown", this.pressed);
      removeEventListener("hashchange", this.arrived);
      clearTimeout(this.timer);
      place.cancel();
    }

    componentDidUpdate(_, before) {
      const { ply, view, playing, speed } = this.state;
      if (playing !== before.playing || speed !== before.speed) this.clock();
      const moved = ply !== before.ply || view !== before.view;
      if (this.props.options.hash !== false && moved) place.write({ ply, view: view.key });
    }

    arrived() {
      this.setState(this.asked(false));
    }

    pressed(event) {
      const command = arena.keys.command(event);
      if (!command || (this.state.help && command !== "help")) return;
      event.preventDefault();
      this.run(command);
    }

    /** Goes on by itself while playing; the last ply ends it. */
    clock() {
      clearTimeout(this.timer);
      if (!this.state.playing) return;
      this.timer = setTimeout(() => {
        this.setState(({ ply, view }) => {
          const next = Math.min(ply + 1, view.plies.length);
          return { ply: next, playing: next < view.plies.length };
        }, () => this.clock());
      }, 1000 / this.state.speed);
    }

    /** The positions to jump to in the view. */
    stops() {
      const { view } = this.state;
      if (this.stopsOf !== view) {
        this.stopsOf = view;
        this.found = model.stops(this.props.document, view);
      }
      return this.found;
    }

    go(ply) {
      if (ply === null) return;
      this.setState(({ view }) => ({
        ply: model.clamp(ply, 0, view.plies.length), playing: false, told: "",
      }));
    }

    /** By so many plies; several keys between two drawings add up. */
    step(plies) {
      this.setState(({ ply, view }) => ({
        ply: model.clamp(ply + plies, 0, view.plies.length), playing: false, told: "",
      }));
    }

    look(key) {
      const view = this.props.document.views.find((one) => one.key === key);
      if (view) this.setState({ view, told: "" });
    }

    jump(what, direction) {
      const there = this.stops()[what];
      this.go(what === "slowest" ? there[0] ?? null
        : model.neighbour(there, this.state.ply, direction));
    }

    faster(by) {
      this.setState(({ speed }) => {
        const at = model.clamp(SPEEDS.indexOf(speed) + by, 0, SPEEDS.length - 1);
        return { speed: SPEEDS[at] };
      });
    }

    play() {
      this.setState(({ playing, ply, view }) => {
        const last = view.plies.length;
        return { playing: !playing && last > 0, ply: !playing && ply === last ? 0 : ply, told: "" };
      });
    }

    async copy(text, what) {
      const done = await arena.shell.copied(text);
      this.setState({ told: done ? `${what} copied` : `${what} could not be copied` });
    }

    /** Close what is open beside the game; without that follow the link back, if there is one. */
    leave() {
      const { choices, raw } = this.state;
      if (choices || raw) this.setState({ choices: false, raw: false });
      else document.querySelector(".head nav a")?.click();
    }

    /** Do what a key or a button asks for; commands are those of viewer/keys.js. */
    run(command) {
      const { ply, view } = this.state;
      const [name, argument] = command.split(":");
      const does = {
        next: () => this.step(1),
        back: () => this.step(-1),
        first: () => this.go(0),
        last: () => this.go(view.plies.length),
        jump: () => this.jump(argument.replace(/^-/, ""), argument.startsWith("-") ? -1 : 1),
        view: () => this.look(argument),
        play: () => this.play(),
        faster: () => this.faster(1),
        slower: () => this.faster(-1),
        choices: () => this.setState({ choices: !this.state.choices }),
        raw: () => this.setState({ raw: !this.state.raw }),
        help: () => this.setState({ help: !this.state.help }),
        leave: () => this.leave(),
        find: () => document.getElementById("find")?.focus(),
        theme: () => arena.theme.toggle(),
        link: () => this.copy(place.link({ ply, view: view.key }), "link"),
      };
      does[name]?.();
    }

    /** What a column shows of one of the games, as far as that goes. */
    seen({ document, observed }) {
      const view = document.views.find(({ key }) => key === this.state.view.key)
        ?? document.views[0];
      const ply = Math.min(this.state.ply, view.plies.length);
      const at = view.observers.map((name) => [name, observed(name, ply)]);
      return {
        document, view, ply, shared: at[0][1], before: ply ? observed(at[0][0], ply - 1) : null,
        observations: Object.fromEntries(at.filter(([name]) => name !== "spectator")),
      };
    }

    render({ document, options }, state) {
      return html`<${arena.shell.Shell} document=${document} head=${options.head} ...${state}
        stops=${this.stops()} run=${this.run} go=${(to) => this.go(to)}
        find=${(wanted) => this.setState({ wanted })}
        copy=${(text, what) => this.copy(text, what)} seen=${this.games.map((game) =>
          this.seen(game))} />`;
    }
  }

  arena.replay = (element, document, options = {}) => {
    arena.replay.close(element);
    const opened = model.opened(document);
    render(html`<${Viewer} document=${opened} options=${options} />`, element);
    return () => arena.replay.close(element);
  };

  arena.replay.close = (element) => render(null, element);
})();
