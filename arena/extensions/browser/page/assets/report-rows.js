"use strict";
// Games as rows: which ones are listed, in which order, with which columns.
arena.rows = (() => {
  // The conditions and orders of `arena games`, as arena/views/game/rows.py has them.
  const NO_FILTER = { bot: "", against: "", discipline: "", result: "", fault: "", text: "",
    margin: "", mostMargin: "", plies: "", mostPlies: "" };
  const ANY = "any fault";

  /** A row of the listing as an object. */
  const read = ({ names, disciplines, rows }) => rows.map(
    ([number, id, discipline, seats, places, scores, plies, faults, file, margin, slowest, decided,
      swing, deal]) => ({
      number, id, discipline: disciplines[discipline], names: seats.map((seat) => names[seat]),
      places, scores, plies, faults, file, margin, slowest, decided, swing, deal,
    }));

  /** won, drawn or lost: what became of a seat, as tables count it. */
  const resultOf = ({ names, places, faults }, seat) => {
    if (places[seat] !== 1 || faults.some(([faulty]) => faulty === seat)) return "lost";
    const tied = places.some((place, other) => place === 1 && names[other] !== names[seat]);
    return tied ? "drawn" : "won";
  };

  /** Whether one seat meets the conditions on bot, opponent, result and fault together. */
  const fits = (game, seat, { bot, against, result, fault }) => {
    if (bot && game.names[seat] !== bot) return false;
    if (against && !game.names.some((name, other) => name === against && other !== seat)) {
      return false;
    }
    if (result && bot && resultOf(game, seat) !== result) return false;
    return !fault || game.faults.some(([faulty, kind]) => faulty === seat
      && (fault === ANY || fault === kind));
  };

  const within = (value, least, most) => (least === "" && most === "")
    || (value !== null && (least === "" || value >= Number(least))
      && (most === "" || value <= Number(most)));

  const meets = (game, filter) => (!filter.discipline || game.discipline === filter.discipline)
    && within(game.margin, filter.margin, filter.mostMargin)
    && within(game.plies, filter.plies, filter.mostPlies)
    && game.names.some((_, seat) => fits(game, seat, filter))
    && (!filter.text || game.id.toLowerCase().includes(filter.text.toLowerCase()));

  const COLUMNS = [
    { key: "number", title: "game", of: (game) => game.number },
    { key: "discipline", title: "discipline", of: (game) => game.discipline },
    { key: "names", title: "seats and scores", of: (game) => game.names.join(" ") },
    { key: "margin", title: "margin", right: true, of: (game) => game.margin,
      words: "score of the first place over the best other" },
    { key: "plies", title: "plies", of: (game) => game.plies, right: true },
    { key: "faults", title: "faults", of: (game) => game.faults.length },
    { key: "slowest", title: "slowest", right: true, of: (game) => game.slowest,
      words: "think time of the slowest move", show: arena.model.duration },
    { key: "decided", title: "decided", right: true, of: (game) => game.decided,
      words: "ply since which the winner led alone" },
    { key: "swing", title: "swing", right: true, of: (game) => game.swing,
      words: "largest change of a margin by one ply" },
  ];

  /** The games that meet the filter, sorted by the column `key`; without a value they come last. */
  const arranged = (games, filter, key, sign) => {
    const { of } = COLUMNS.find((column) => column.key === key);
    return games.filter((game) => meets(game, filter))
      .map((game) => [of(game), game])
      .sort((one, other) => arena.sort.compare(one[0], other[0], sign)
        || one[1].number - other[1].number)
      .map(([, game]) => game);
  };

  /** The filter that an address asks for. */
  const filterOf = (members) => Object.fromEntries(
    Object.keys(NO_FILTER).map((key) => [key, members.get(key) ?? ""]));

  return { ANY, COLUMNS, NO_FILTER, read, arranged, filterOf };
})();
