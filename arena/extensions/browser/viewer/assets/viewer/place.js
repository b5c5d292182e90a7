"use strict";
// Which ply of which view, in the address of the page. There a ply has the number that people read;
// a position is the number of plies made, one more.
arena.place = (() => {
  const WAIT_MS = 200; // browsers refuse addresses that change too often

  const START = "start"; // before the first ply

  /** The members of the address; a plus, which joins names in ids, is no space here. */
  const members = () => new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B"));

  /** The members of an address, "#game=a+b/c:0&ply=3"; such characters stay readable. */
  const hash = (pairs) =>
    `#${[...pairs].map(([name, value]) => `${name}=${escaped(value)}`).join("&")}`;

  const escaped = (value) => encodeURIComponent(value).replace(/%(2B|2F|3A)/g, decodeURIComponent);

  const changed = ({ ply, view }) => {
    const pairs = new Map(members());
    pairs.set("ply", ply ? String(ply - 1) : START);
    pairs.set("view", view);
    return hash(pairs);
  };

  /** {ply, view} of the address, with the position; without sense a member is undefined. */
  const read = () => {
    const found = members();
    const ply = found.get("ply") ?? "";
    return {
      ply: ply === START ? 0 : /^\d{1,9}$/.test(ply) ? Number(ply) + 1 : undefined,
      view: found.get("view") ?? undefined,
    };
  };

  let waiting = null;

  /**
   * Put a place into the address soon, without an entry in the history. One that is there already
   * is not written: a person who goes back meanwhile would find it in the older entry.
   */
  const write = (place) => {
    cancel();
    const { ply, view } = read();
    if (ply === place.ply && view === place.view) return;
    waiting = setTimeout(() => {
      waiting = null;
      try {
        history.replaceState(history.state, "", changed(place));
      } catch {
        // the page works without
      }
    }, WAIT_MS);
  };

  /** Forget what was to be written. */
  const cancel = () => {
    clearTimeout(waiting);
    waiting = null;
  };

  /** The whole address of a place. */
  const link = (place) => location.href.split("#")[0] + changed(place);

  return { read, write, cancel, link, hash, members };
})();
