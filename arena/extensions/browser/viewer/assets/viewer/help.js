"use strict";
// Which key does what, and what was played.
arena.help = (() => {
  const { html } = arena;
  const { Component } = htmPreact;

  const option = (value) => (typeof value === "string" ? value : JSON.stringify(value));

  /** What was played, in a few words each. */
  const facts = (game) => {
    const options = Object.entries(game.options).map(([name, value]) =>
      `${name.replaceAll("_", " ")} ${option(value)}`);
    const run = game.run ? [`run ${game.run}`] : [];
    const number = game.games > 1 ? [`game ${game.number} of ${game.games}`] : [];
    return [...run, ...number, game.id, ...options];
  };

  /** Which key does what, above everything else. */
  class Help extends Component {
    componentDidMount() {
      this.base.showModal();
    }

    render({ run, document }) {
      const has = (command) => !command.startsWith("view:")
        || document.views.some(({ key }) => command === `view:${key}`);
      const names = document.game.names;
      const words = (command, what) => {
        const name = names[command.slice(5)];
        return /^view:\d/.test(command) && name ? `${what.replace("saw", "")}(${name}) saw` : what;
      };
      return html`<dialog class="help" aria-labelledby="help-title" onClose=${() => run("help")}
        onClick=${(event) => event.target === this.base && this.base.close()}>
        <div class="help-box"><div class="side-head"><h2 id="help-title">Keys</h2>
          <button type="button" class="small-button" onClick=${() => this.base.close()}
            >close</button></div>
        <dl>${arena.keys.KEYS.filter(([, command]) => has(command)).map(([keys, command, what]) =>
          html`<div key=${command}><dt>${keys.map((key) =>
            html`<kbd key=${key}>${arena.keys.cap(key)}</kbd> `)}</dt>
            <dd>${words(command, what)}</dd></div>`)}</dl>
        <p class="muted">Click or drag on the strip at the foot of the page to go to a ply. There a tick
          is a ply in the lane of its seat, lines are the running scores, and bars are thinking
          times on a log scale.</p>
        <h3>This game</h3><ul>${facts(document.game).map((fact, n) =>
          html`<li key=${n}>${fact}</li>`)}<li>arena ${document.arena}</li></ul></div>
      </dialog>`;
    }
  }

  return { Help, facts };
})();
