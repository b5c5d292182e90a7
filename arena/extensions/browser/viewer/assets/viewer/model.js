"use strict";
// What can be told of a game's document without drawing it. Pure functions, no page.
arena.model = (() => {
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

  /** The value that a patch leads to: see viewer/document.py. */
  const patched = (value, patch) => {
    if (patch === null || patch === undefined) return value;
    if (Array.isArray(patch)) return patch[0];
    if (Array.isArray(value) && patch["+"]) return [...value, ...patch["+"]];
    const next = Array.isArray(value) ? [...value] : { ...value };
    for (const [key, change] of Object.entries(patch)) {
      if (change === 0) delete next[key];
      else next[key] = patched(next[key], change);
    }
    return next;
  };

  /** Two patches of different members in one. */
  const both = (one, other) => {
    if (one === null || Array.isArray(other)) return other ?? one;
    return other === null ? one : { ...one, ...other };
  };

  /** What is told of a ply to those who do not know what was decided. */
  const concealed = ({ seat, words, event }) =>
    ({ seat, words, event, action: null, think_us: null });

  /** A ply of a view, by what stands for it there: see `document` of viewer/document.py. */
  const ofView = (told, ply, views, words) => {
    if (told.legal) return { ...told, legal: told.legal.map((number) => words[number]) };
    if (!Number.isInteger(told)) return told;
    return told < 0 ? concealed(views[-1 - told].plies[ply]) : views[told].plies[ply];
  };

  /**
   * A document with everything in its place: see `document` of viewer/document.py, which tells
   * once what several observers or views have in common.
   */
  const opened = (document) => {
    const { spectator, ...seats } = document.observers;
    const observers = { ...document.observers };
    for (const [name, { start, steps }] of spectator ? Object.entries(seats) : []) {
      observers[name] = { start, steps: steps.map((step, ply) => both(spectator.steps[ply], step)) };
    }
    const views = [];
    for (const view of document.views) {
      const plies = view.plies.map((told, ply) => ofView(told, ply, views, document.words));
      const scores = Number.isInteger(view.scores) ? views[view.scores].scores : view.scores;
      views.push({ ...view, plies, scores });
    }
    return { ...document, observers, views };
  };

  /**
   * (observer, position) → observation. A patch is applied when it is first needed, and what it
   * leaves alone is shared with the observation before it.
   */
  const history = (observers) => {
    const known = new Map();
    return (name, position) => {
      const { start, steps } = observers[name];
      if (!known.has(name)) known.set(name, [start]);
      const all = known.get(name);
      while (all.length <= position) all.push(patched(all[all.length - 1], steps[all.length - 1]));
      return all[position];
    };
  };

  /** By position the values of some members of what an observer saw, without whole observations. */
  const series = ({ start, steps }, names) => {
    let now = names.map((name) => start?.[name]);
    const all = [now];
    for (const step of steps) {
      if (Array.isArray(step)) now = names.map((name) => step[0]?.[name]);
      else if (step && names.some((name) => name in step)) {
        now = names.map((name, n) => (step[name] === 0 ? undefined : patched(now[n], step[name])));
      }
      all.push(now);
    }
    return all;
  };

  /**
   * Turns of a view, in their order: {from, turn, player}. from: the position at which it begins.
   * Where observations tell no turns, a turn is what one seat decides in a row and turn is null.
   */
  const turns = (document, view) => {
    const told = series(document.observers[view.observers[0]], ["turn", "player"]);
    const found = [];
    if (told.some(([turn]) => Number.isInteger(turn))) {
      let before = [];
      told.forEach(([turn, player], from) => {
        if (turn === before[0] && player === before[1]) return;
        before = [turn, player];
        found.push({
          from,
          turn: Number.isInteger(turn) ? turn : null,
          player: Number.isInteger(player) ? player : null,
        });
      });
      return found.filter(({ from }) => from === 0 || from < view.plies.length);
    }
    view.plies.forEach(({ seat }, from) => {
      if (seat === null || seat === found[found.length - 1]?.player) return;
      found.push({ from, turn: null, player: seat });
    });
    return found;
  };

  /** Sorted and without repetition. */
  const ordered = (numbers) => [...new Set(numbers)].sort((a, b) => a - b);

  /** The next of ordered positions in a direction (1 or -1); null if there is none. */
  const neighbour = (positions, from, direction) => {
    const there = positions.filter((position) => (position - from) * direction > 0);
    return there.length ? there[direction > 0 ? 0 : there.length - 1] : null;
  };

  /** The position that shows a ply: after it, but not behind the end. */
  const shownAt = (view, ply) => clamp(ply + 1, 0, view.plies.length);

  /** Positions worth a jump, ordered: {moments, faults, scores, turns, slowest}. */
  const stops = (document, view) => {
    const { scores, plies } = view;
    const changed = (at) => at > 0 && String(scores[at]) !== String(scores[at - 1]);
    const slowest = decisions(view).sort((a, b) => b.think - a.think)[0];
    return {
      moments: ordered(view.moments.map(({ ply }) => shownAt(view, ply))),
      faults: ordered(view.faults.map(({ ply }) => shownAt(view, ply))),
      scores: [...scores.keys()].filter((at) => scores[at] && changed(at)),
      turns: ordered([0, ...turns(document, view).map(({ from }) => from), plies.length]),
      slowest: slowest ? [shownAt(view, slowest.ply)] : [],
    };
  };

  /** What bots decided, as far as the view knows their time: {ply, seat, think in µs}. */
  const decisions = (view) =>
    view.plies.flatMap(({ seat, think_us: think, autopilot }, ply) =>
      seat === null || !Number.isFinite(think) || autopilot ? [] : [{ ply, seat, think }]);

  /** The place of a ply's time among its seat's: {rank from 1, of, median in µs}, or null. */
  const timeRank = (view, ply) => {
    const all = decisions(view);
    const mine = all.find((one) => one.ply === ply);
    if (!mine) return null;
    const times = all.filter(({ seat }) => seat === mine.seat).map(({ think }) => think);
    times.sort((a, b) => b - a);
    const half = (times.length - 1) / 2;
    const median = (times[Math.floor(half)] + times[Math.ceil(half)]) / 2;
    return { rank: times.indexOf(mine.think) + 1, of: times.length, median };
  };

  /** Microseconds for people, as short_duration of durations.py writes them. */
  const duration = (us) => {
    if (us < 1e3) return `${Math.round(us)} µs`;
    const [value, unit] = us < 1e6 ? [us / 1e3, "ms"] : [us / 1e6, "s"];
    return `${Number(value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0))} ${unit}`;
  };

  /** 1st, 2nd … */
  const ordinal = (n) => {
    const last = n % 100 > 10 && n % 100 < 14 ? 0 : n % 10;
    return `${n}${["th", "st", "nd", "rd"][last] ?? "th"}`;
  };

  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

  const MOST_CHANCES = 200;

  /**
   * What a bot told with a decision, sorted: {eval, text, nodes, chances, rest}. Fields of other
   * types than expected, and unknown ones, are in rest (null if there are none). chances:
   * [[label, 0 … 1]], the likeliest first.
   */
  const notes = (info) => {
    if (!isObject(info)) return { chances: [], rest: info ?? null };
    const { eval: value, text, nodes, p, ...others } = info;
    const known = {
      eval: typeof value === "number" && Number.isFinite(value) ? value : undefined,
      text: typeof text === "string" ? text : undefined,
      nodes: Number.isInteger(nodes) && nodes >= 0 ? nodes : undefined,
    };
    const rest = new Map(Object.entries(others));
    for (const name of ["eval", "text", "nodes"]) {
      if (info[name] !== undefined && known[name] === undefined) rest.set(name, info[name]);
    }
    const pairs = isObject(p) || Array.isArray(p) ? Object.entries(p) : [];
    const isChance = ([, chance]) => typeof chance === "number" && chance >= 0 && chance <= 1;
    const sound = pairs.length <= MOST_CHANCES && pairs.every(isChance);
    if (p !== undefined && !(sound && pairs.length)) rest.set("p", p);
    const chances = sound ? pairs.sort((a, b) => b[1] - a[1]) : [];
    return { ...known, chances, rest: rest.size ? Object.fromEntries(rest) : null };
  };

  /** By seat the evaluations that its bot told: {seat: [[position, value]]}. */
  const evaluations = (view) => {
    const found = {};
    view.plies.forEach(({ seat, info }, ply) => {
      const value = isObject(info) ? info.eval : undefined;
      if (seat === null || typeof value !== "number" || !Number.isFinite(value)) return;
      (found[seat] ??= []).push([shownAt(view, ply), value]);
    });
    return found;
  };

  /** Plies whose words have all the words looked for, in their order; none for none. */
  const matches = (view, wanted) => {
    const parts = wanted.toLowerCase().split(/\s+/).filter(Boolean);
    if (!parts.length) return [];
    return view.plies.flatMap(({ words, hidden }, ply) => {
      const text = words.toLowerCase();
      return !hidden && parts.every((part) => text.includes(part)) ? [ply] : [];
    });
  };

  return {
    clamp, patched, opened, history, series, turns, neighbour, shownAt, stops, timeRank, duration,
    ordinal, notes, evaluations, matches,
  };
})();
