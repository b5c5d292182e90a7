"use strict";
// Header, views, caption, board; and who is drawn where.
arena.shell = (() => {
  const { html, model } = arena;
  const { Act, Transport, Jumps } = arena.transport;
  const { Component } = htmPreact;

  /** Puts a text on the clipboard; false where the browser does not allow it. */
  const copied = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return false;
    }
  };

  const Scoreboard = ({ document, view, ply, acting }) => {
    const { names, score } = document.game;
    const scores = view.scores[ply];
    const isOver = ply === view.plies.length;
    return html`<ul class="scoreboard" aria-label="players">${names.map((name, seat) =>
      html`<li key=${seat} class=${acting === seat ? "player acting" : "player"}>
        <${arena.Seat} seat=${seat} name=${html`<span class="name" title=${name}>${name}</span>`} />
        ${scores && html`<b class="score" title=${score}>${scores[seat]}</b>`}
        ${acting === seat && html`<span class="visually-hidden">to act</span>`}
        ${isOver && names.length > 1 && html`<span class="placing">${
          model.ordinal(view.places[seat])}</span>`}</li>`)}</ul>`;
  };

  const VIEW_WORDS = { all: "all", spectator: "public" };

  const Views = ({ document, view, run }) => html`<div class="views" role="group"
    aria-label="view">${document.views.map(({ key, name }) => html`<button key=${key} type="button"
      title=${name} aria-pressed=${key === view.key} onClick=${() => run(`view:${key}`)}>${
        VIEW_WORDS[key] ?? html`<${arena.Seat} seat=${key} name=${document.game.names[key]} />`
      }</button>`)}<span class="view-name">${`shown: ${view.name}`}</span></div>`;

  const Header = ({ document, view, ply, acting, head, run, told }) => {
    const { game } = document;
    return html`<header class="head"><div class="title-row">${head}<h1>${game.title}</h1>
        <${Scoreboard} document=${document} view=${view} ply=${ply} acting=${acting} />
        <span class="told" role="status">${told}</span>
        <span class="tools"><${Act} run=${run} command="link" words="copy a link to this ply"
          keys="c" icon="link" /><${arena.theme.Button} />
        <button type="button" class="icon-button" aria-label="keys" title="keys (?)"
          onClick=${() => run("help")}>?</button></span></div>
      <div class="about"><p class="facts-line">${arena.help.facts(game).map((fact, n) =>
        html`<span key=${n}>${fact}</span>`)}</p>
        ${game.notices.map((notice) =>
          html`<p key=${notice} class="notice">${notice}</p>`)}</div></header>`;
  };

  /** The ply in words, read out unless the game plays by itself; at the end also the result. */
  const Caption = ({ view, made, ply, playing }) => html`<div class="caption">
    <p class=${made?.seat == null ? "said" : `said seat${made.seat}`}
      aria-live=${playing ? "off" : "polite"} aria-atomic="true"><span class="said-words">${
        made ? made.words : "Nothing has happened yet."}</span>${ply === view.plies.length
          && html`<strong class="result">${view.result}</strong>`}</p></div>`;

  /** The board of the rules; the generic one if that of the rules cannot be drawn. */
  class Board extends Component {
    componentDidCatch(error) {
      console.error(error);
      this.setState({ failed: this.props.rules, why: String(error) });
    }

    render({ rules, seats, label, ...props }, { failed, why }) {
      const hasOwn = Object.hasOwn(arena.boards, rules);
      const own = hasOwn && failed !== rules;
      const Drawn = own ? arena.boards[rules] : arena.boards.generic;
      const isMissing = !hasOwn && Object.hasOwn(arena.facts, rules);
      const said = isMissing ? arena.errors[0] ?? `no script sets arena.boards["${rules}"]` : why;
      return html`<section class="board" aria-label=${label} tabindex="0" data-seats=${seats}>
        ${(isMissing || failed) && html`<p class="notice">the board of ${rules} could not be drawn:${
          ` ${said}`}</p>`}
        <h2 class="visually-hidden">Board</h2>
        <div class="board-room"><${Drawn} ...${props} /></div></section>`;
    }
  }

  /** The hand of the view's seat, or of the one to act: stays in sight where the board does not. */
  const Hand = ({ document, acting, made, observations }) => {
    const Piece = arena.pieces[document.game.rules];
    const seats = Object.keys(observations);
    const seat = seats.length === 1 ? seats[0] : acting ?? made?.seat ?? seats[0];
    if (!Piece || !observations[seat]?.hand) return null;
    const name = document.game.names[seat];
    return html`<section class="own-hand" aria-label=${`hand of ${name}`}>
      <span class=${`seat${seat}`} title=${`hand of ${name}`}><span class="seat-mark">${
        arena.SEAT_MARKS[seat]}</span>hand</span>${observations[seat].hand.map((card, n) =>
        html`<${Piece} key=${n} card=${card} small=${true} />`)}${
        !observations[seat].hand.length && html`<span class="muted">empty</span>`}</section>`;
  };

  /** A game: whose view, the ply in words, the board. several: it is one of two games. */
  const Column = ({ document, view, ply, several, run, playing, ...seen }) => {
    const { game } = document;
    const made = ply ? view.plies[ply - 1] : null;
    return html`<${Views} document=${document} view=${view} run=${run} />
      ${several && html`<div class="column-title"><h2>game ${game.number}</h2><${Scoreboard}
        document=${document} view=${view} ply=${ply} acting=${view.plies[ply]?.seat} /><span
        class="where">${ply ? `ply ${ply - 1}` : "start"}</span></div>`}
      <${Caption} view=${view} made=${made} ply=${ply} playing=${playing} />
      <${Board} rules=${game.rules} names=${game.names} options=${game.options} view=${view.key}
        event=${made?.event ?? null} ply=${ply} seats=${several ? null : game.names.length}
        label=${several ? `board of game ${game.number}` : "board"} ...${seen} />`;
  };

  /** props: document, head, the viewer's state, stops, run, go, find, copy; seen: the games. */
  const Shell = (props) => {
    const { document, view, ply, run, go, help, head, playing } = props;
    const [own, other] = props.seen;
    const { shared, observations } = own;
    const made = ply ? view.plies[ply - 1] : null;
    const acting = view.plies[ply]?.seat ?? null;
    return html`<div class=${other ? "viewer two" : "viewer"}>
      <${Header} document=${document} view=${view} ply=${ply} acting=${acting} head=${head}
        run=${run} told=${props.told} />
      <main class="stage"><${Column} ...${own} several=${Boolean(other)} run=${run}
        playing=${playing} /></main>
      ${other && html`<section class="stage beside" aria-label="another game of the deal">
        <${Column} ...${other} several=${true} run=${run} playing=${true} /></section>`}
      <aside class="side" aria-label="moves and details">
        <${arena.moves.Moves} document=${document} view=${view} ply=${ply} wanted=${props.wanted}
          find=${props.find} go=${go}>
          <${Jumps} stops=${props.stops} ply=${ply} run=${run} /></${arena.moves.Moves}>
        <${arena.panel.Panel} document=${document} view=${view} ply=${ply} shared=${shared}
          observations=${observations} choices=${props.choices} raw=${props.raw} run=${run}
          copy=${props.copy} /></aside>
      <footer class="dock"><${Hand} document=${document} acting=${acting} made=${made}
          observations=${observations} /><${arena.timeline.Timeline} document=${document}
          view=${view} ply=${ply} go=${go} valuetext=${made ? `ply ${ply - 1}: ${made.words}` : "start"} />
        <${Transport} view=${view} ply=${ply} playing=${playing} speed=${props.speed}
          run=${run} /></footer>
      ${help && html`<${arena.help.Help} run=${run} document=${document} />`}</div>`;
  };

  return { Shell, copied };
})();
