"use strict";
// Steps through one game.
(() => {
  const { html } = arena;
  const { render, useState, useEffect, useMemo } = htmPreact;

  /** The value that a patch leads to: see viewer/document.py. */
  const patched = (value, patch) => {
    if (patch === null || patch === undefined) return value;
    if (Array.isArray(patch)) return patch[0];
    const next = { ...value };
    for (const [key, change] of Object.entries(patch)) {
      if (change === 0) delete next[key];
      else next[key] = patched(next[key], change);
    }
    return next;
  };

  const Viewer = ({ doc }) => {
    const [ply, setPly] = useState(0);
    const [key, setKey] = useState(doc.views[0].key);
    const seen = useMemo(() => Object.fromEntries(Object.entries(doc.observers).map(
      ([name, { start, steps }]) => {
        const all = [start];
        for (const step of steps) all.push(patched(all[all.length - 1], step));
        return [name, all];
      })), [doc]);
    const view = doc.views.find((one) => one.key === key);
    const last = view.plies.length;
    useEffect(() => {
      const pressed = (event) => {
        if (event.key === "ArrowRight") setPly((now) => Math.min(now + 1, last));
        if (event.key === "ArrowLeft") setPly((now) => Math.max(now - 1, 0));
      };
      addEventListener("keydown", pressed);
      return () => removeEventListener("keydown", pressed);
    }, [last]);
    const at = view.observers.map((name) => [name, seen[name][ply]]);
    const Board = arena.boards[doc.game.rules] ?? arena.boards.generic;
    const done = ply ? view.plies[ply - 1] : null;
    return html`<main><h1>${doc.game.title}</h1>
      <p>${doc.views.map((one) => html`<button key=${one.key} onClick=${() => setKey(one.key)}>${one.name}</button>`)}
        <input type="range" min="0" max=${last} value=${ply} onInput=${(e) => setPly(+e.target.value)} /> ${ply}/${last}</p>
      <p aria-live="polite">${done && done.words}</p>
      <${Board} names=${doc.game.names} options=${doc.game.options} view=${key}
        observations=${Object.fromEntries(at.filter(([name]) => name !== "spectator"))}
        shared=${at[0][1]} event=${done && done.event} ply=${ply} /></main>`;
  };

  arena.replay = (element, doc) => render(html`<${Viewer} doc=${doc} />`, element);
})();
