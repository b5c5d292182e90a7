"use strict";
// Which key asks for what.
arena.keys = (() => {
  /**
   * [keys, command, what it does], in the order of the help. A key is event.key, "Shift+" before
   * it where the key alone does something else.
   */
  const KEYS = [
    [["ArrowRight"], "next", "next ply"],
    [["ArrowLeft"], "back", "back one ply"],
    [["]", "Shift+ArrowRight"], "jump:turns", "next turn"],
    [["[", "Shift+ArrowLeft"], "jump:-turns", "back one turn"],
    [["Home"], "first", "start"],
    [["End"], "last", "end"],
    [[" "], "play", "play, pause"],
    [["+", "="], "faster", "play faster"],
    [["-"], "slower", "play slower"],
    [["0"], "view:all", "all cards"],
    [["1"], "view:0", "what seat 0 saw"],
    [["2"], "view:1", "what seat 1 saw"],
    [["3"], "view:2", "what seat 2 saw"],
    [["4"], "view:3", "what seat 3 saw"],
    [["p"], "view:spectator", "what everybody saw"],
    [["m"], "jump:moments", "next turning point"],
    [["M"], "jump:-moments", "previous turning point"],
    [["f"], "jump:faults", "next fault"],
    [["F"], "jump:-faults", "previous fault"],
    [["s"], "jump:scores", "next change of score"],
    [["S"], "jump:-scores", "previous change of score"],
    [["l"], "jump:slowest", "slowest move"],
    [["a"], "choices", "legal actions"],
    [["i"], "raw", "raw JSON"],
    [["/"], "find", "find in moves"],
    [["t"], "theme", "light or dark"],
    [["c"], "link", "copy a link to this ply"],
    [["Escape"], "leave", "close details, then go back to the list"],
    [["?"], "help", "this help"],
  ];
  const COMMANDS = new Map(KEYS.flatMap(([keys, command]) => keys.map((key) => [key, command])));

  const FIELDS = ["INPUT", "TEXTAREA", "SELECT"];
  const PRESSED_BY_SPACE = ["BUTTON", "SUMMARY", "A"];

  /** The command of a keydown event; null where the key belongs to somebody else. */
  const command = ({ key, shiftKey, ctrlKey, altKey, metaKey, isComposing, target }) => {
    if (ctrlKey || altKey || metaKey || isComposing) return null;
    if (FIELDS.includes(target?.tagName) || target?.isContentEditable) return null;
    if (key === " " && PRESSED_BY_SPACE.includes(target?.tagName)) return null;
    const held = shiftKey ? COMMANDS.get(`Shift+${key}`) : undefined;
    return held ?? COMMANDS.get(key) ?? null;
  };

  const CAPS = { Escape: "Esc", ArrowRight: "→", ArrowLeft: "←", " ": "Space" };

  /** The key as it is printed: Shift+→. */
  const cap = (key) => {
    const [, shift = "", plain] = /^(Shift\+)?(.+)$/.exec(key);
    return shift + (CAPS[plain] ?? plain);
  };

  return { KEYS, command, cap };
})();
