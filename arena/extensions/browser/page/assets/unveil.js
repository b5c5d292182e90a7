"use strict";
// Unveils a table from the last place up. Each bot takes two steps: it is marked where it stood,
// then it moves to its final place. Bots that are still unknown stay above, in their old order.
(() => {
  const find = (id) => document.getElementById(id);
  const shown = JSON.parse(find("unveiling").textContent);
  const { bots } = shown;
  const last = 2 * bots.length;
  let step = 0;

  const element = (tag, text = "", kind = "") => {
    const made = document.createElement(tag);
    made.textContent = text;
    made.className = kind;
    return made;
  };

  const rows = bots.map((bot) => {
    const row = document.createElement("tr");
    const name = element("th");
    name.scope = "row";
    row.append(element("td"), name, element("td"), element("td"));
    return { bot, row };
  });

  const place = (number) => (number === null ? "–" : String(number));

  const fill = ({ bot, row }, isDone, isNext) => {
    const [rank, name, value, change] = row.children;
    row.className = isDone ? "done" : isNext ? "hidden next" : "hidden";
    rank.textContent = place(isDone ? bot.place : bot.known_place);
    name.replaceChildren(bot.name);
    if (isDone || isNext) {
      for (const each of bot.results) name.append(element("small", each));
    }
    value.replaceChildren(isDone ? bot.value : bot.known_value);
    if (isDone && bot.note) value.append(element("small", bot.note));
    const rise = isDone && bot.place && bot.known_place ? bot.known_place - bot.place : 0;
    change.textContent = rise ? `${rise > 0 ? "▲" : "▼"} ${Math.abs(rise)}` : "";
    change.className = rise > 0 ? "up" : "down";
  };

  const said = (done, next) => {
    if (step === 0) return `You see ${shown.known}. ${bots.length} bots are to be unveiled.`;
    if (step === last) return shown.end;
    if (next) return `Next: ${next.name}`;
    return done.note ? `${done.name}: ${done.note}` : `Place ${place(done.place)}: ${done.name}, ${done.value}`;
  };

  const show = () => {
    const before = new Map(rows.map(({ row }) => [row, row.isConnected ? row.getBoundingClientRect().top : null]));
    const from = bots.length - Math.floor(step / 2);
    const next = step % 2 ? from - 1 : -1;
    const known = rows.slice(0, from).sort((one, other) => one.bot.known - other.bot.known);
    rows.forEach((each, k) => fill(each, k >= from, k === next));
    find("rows").replaceChildren(...known.map(({ row }) => row), ...rows.slice(from).map(({ row }) => row));
    const focus = next >= 0 ? rows[next] : rows[from];
    if (step > 0) focus?.row.scrollIntoView({ block: "center" });
    else find("frame").scrollTop = 0;
    for (const { row } of rows) {
      const was = before.get(row);
      if (was === null) continue;
      const moved = was - row.getBoundingClientRect().top;
      row.style.transition = "none";
      row.style.transform = moved ? `translateY(${moved}px)` : "";
    }
    document.body.getBoundingClientRect(); // the browser takes the old places before it moves the rows
    for (const { row } of rows) {
      row.style.transition = "";
      row.style.transform = "";
    }
    find("said").textContent = said(bots[from], next >= 0 ? bots[next] : null);
    find("done").max = last;
    find("done").value = step;
    find("back").disabled = step === 0;
    find("next").disabled = step === last;
  };

  const go = (to) => {
    const wanted = Math.min(Math.max(to, 0), last);
    if (wanted !== step) {
      step = wanted;
      show();
    }
  };

  const full = () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen());

  const keys = {
    ArrowRight: () => go(step + 1),
    PageDown: () => go(step + 1),
    " ": () => go(step + 1),
    Enter: () => go(step + 1),
    ArrowLeft: () => go(step - 1),
    PageUp: () => go(step - 1),
    Backspace: () => go(step - 1),
    Home: () => go(0),
    End: () => go(last),
    f: full,
  };

  document.addEventListener("keydown", (event) => {
    const isOnButton = event.target instanceof HTMLButtonElement && (event.key === " " || event.key === "Enter");
    if (event.ctrlKey || event.altKey || event.metaKey || isOnButton || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  find("next").addEventListener("click", () => go(step + 1));
  find("back").addEventListener("click", () => go(step - 1));
  find("full").addEventListener("click", full);
  show();
})();
