"use strict";
// Opens the game that is packed in the page; in a site with a link back to its first page.
arena.unpack(document.getElementById("game").textContent).then((found) => {
  const { html } = arena;
  const app = document.getElementById("app");
  const { home, name } = app.dataset;
  const head = home && html`<nav class="r-between" aria-label="Site"><a href=${home}>← ${name}</a></nav>`;
  arena.replay(app, found, { head });
});
