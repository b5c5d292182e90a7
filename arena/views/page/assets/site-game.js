"use strict";
// Opens the game that is packed in the page.
(async () => {
  const { html } = arena;
  const app = document.getElementById("app");
  const packed = document.getElementById("game").textContent;
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const found = await new Response(stream).json();
  const head = html`<nav class="r-between" aria-label="Site"><a href=${app.dataset.home}>← ${
    app.dataset.name}</a></nav>`;
  arena.replay(app, found, { head });
})();
