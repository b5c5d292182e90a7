"use strict";
// Light or dark: the system's choice, or what a person chose before.
arena.theme = (() => {
  const { html } = arena;
  const { useState, useEffect } = htmPreact;
  const KEY = "arena-theme";
  const root = document.documentElement;
  const listeners = new Set();

  const now = () => root.dataset.theme
    ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

  const choose = (theme) => {
    root.dataset.theme = theme;
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // a browser may refuse: then it is chosen for this page alone
    }
    for (const listener of listeners) listener(theme);
  };

  try {
    const chosen = localStorage.getItem(KEY);
    if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
  } catch {
    // as above
  }

  const toggle = () => choose(now() === "dark" ? "light" : "dark");

  /** The button that toggles. */
  const Button = () => {
    const [theme, setTheme] = useState(now());
    useEffect(() => {
      listeners.add(setTheme);
      return () => listeners.delete(setTheme);
    }, []);
    const other = theme === "dark" ? "light" : "dark";
    return html`<button type="button" class="icon-button" onClick=${toggle}
      aria-label=${`${other} colours`} title=${`${other} colours (t)`}>
      <svg viewBox="0 0 20 20" aria-hidden="true"><circle cx="10" cy="10" r="7" fill="none"
        stroke="currentColor" stroke-width="1.8" /><path d="M10 3a7 7 0 0 1 0 14z"
        fill="currentColor" /></svg></button>`;
  };

  return { toggle, Button };
})();
