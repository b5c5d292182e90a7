"use strict";
// Games are packed in the page, or in files of a folder beside it that are loaded when needed.
arena.store = (() => {
  const loaded = new Map(); // number of a game -> packed text
  const waiting = new Map(); // number of a file -> promise

  const { unpack } = arena;
  const element = () => document.getElementById("listing");

  /** Called by files of the folder. */
  const add = (games) => {
    for (const [number, text] of Object.entries(games)) loaded.set(Number(number), text);
  };

  const load = (file) => {
    if (!waiting.has(file)) {
      const name = `${element().dataset.folder}/${String(file).padStart(3, "0")}.js`;
      waiting.set(file, new Promise((done, failed) => {
        const script = document.createElement("script");
        script.src = name.split("/").map(encodeURIComponent).join("/");
        script.onload = done;
        script.onerror = () => {
          waiting.delete(file);
          failed(new Error(`${name} is not beside this page`));
        };
        document.head.append(script);
      }));
    }
    return waiting.get(file);
  };

  /** The list of games: names, disciplines, rows. */
  const listing = () => unpack(element().textContent);

  /** The document of a game. number: of its row; file: 1 or that of its file. */
  const game = async (number, file) => {
    const inPage = document.getElementById(`game-${number}`);
    if (inPage) return unpack(inPage.textContent);
    if (!loaded.has(number)) await load(file);
    if (!loaded.has(number)) throw new Error("the files beside this page are of another report");
    return unpack(loaded.get(number));
  };

  return { add, listing, game };
})();
