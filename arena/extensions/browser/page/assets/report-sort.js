"use strict";
// Tables that a reader can sort: buttons in heads, keys in cells.
arena.sort = (() => {
  const keyOf = (row, column) => {
    const key = row.cells[column].dataset.key;
    if (key === undefined) return null;
    const number = Number(key);
    return key !== "" && !Number.isNaN(number) ? number : key;
  };

  /** Compares keys, ascending; what has none comes last in both directions. */
  const compare = (one, other, sign) => {
    if (one === null || other === null) return (one === null) - (other === null);
    if (typeof one === typeof other) return sign * ((one > other) - (one < other));
    return sign * (typeof one === "number" ? -1 : 1);
  };

  const sort = (button) => {
    const head = button.closest("th");
    const table = button.closest("table");
    const isNumber = head.classList.contains("r-right");
    const before = head.getAttribute("aria-sort");
    const first = isNumber && head.cellIndex > 0 ? "descending" : "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const order = before === first ? other : first;
    for (const each of head.parentNode.cells) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
    const body = table.tBodies[0];
    const sign = order === "ascending" ? 1 : -1;
    const rows = [...body.rows].map((row) => [keyOf(row, head.cellIndex), row]);
    rows.sort((one, another) => compare(one[0], another[0], sign));
    body.append(...rows.map(([, row]) => row));
  };

  /** Let all tables be sorted. */
  const start = () => {
    document.addEventListener("click", (event) => {
      const button = event.target.closest("button.r-sort");
      if (button && button.closest("table").tBodies[0]) sort(button);
    });
  };

  return { start, compare };
})();
