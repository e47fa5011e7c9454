"use strict";

// The overview table: press a column's name to sort, write or choose to filter.

function startTable() {
  const table = document.getElementById("overview-table");
  if (!table) return; // nothing but choices
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const texts = rows.map((row) => Array.from(row.cells, (cell) => cell.textContent));
  const order = new Map(rows.map((row, index) => [row, index]));
  const find = document.getElementById("find");
  const attack = document.getElementById("by-attack");
  const verdict = document.getElementById("by-verdict");
  const count = document.getElementById("count");
  const columnOf = (kind) => table.tHead.querySelector(`th.${kind}`).cellIndex;
  const [attackColumn, verdictColumn] = [columnOf("attack"), columnOf("verdict")];

  function filter() {
    const sought = find.value.trim().toLowerCase();
    let shown = 0;
    rows.forEach((row, index) => {
      const cells = texts[index];
      const fits = (!sought || cells.join(" ").toLowerCase().includes(sought))
        && (!attack.value || cells[attackColumn] === attack.value)
        && (!verdict.value || cells[verdictColumn].startsWith(verdict.value));
      row.hidden = !fits;
      shown += fits ? 1 : 0;
    });
    const all = `${rows.length.toLocaleString("en")} ${rows.length === 1 ? "row" : "rows"}`;
    count.textContent = shown === rows.length ? all : `${shown.toLocaleString("en")} of ${all}`;
  }

  function sort(heading) {
    const column = heading.cellIndex;
    const descending = heading.getAttribute("aria-sort") === "ascending";
    for (const other of heading.parentElement.cells) {
      other.removeAttribute("aria-sort");
    }
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const isNumber = heading.classList.contains("number");
    const keys = new Map(rows.map((row, index) => [row, texts[index][column]]));
    const compare = (a, b) => {
      const difference = isNumber
        ? compareNumbers(sortNumber(keys.get(a)), sortNumber(keys.get(b)), descending)
        : keys.get(a).localeCompare(keys.get(b), "en", { numeric: true }) * (descending ? -1 : 1);
      return difference || order.get(a) - order.get(b);
    };
    body.append(...rows.slice().sort(compare));
  }

  for (const heading of table.tHead.rows[0].cells) {
    heading.querySelector("button").addEventListener("click", () => sort(heading));
  }
  for (const control of [find, attack, verdict]) {
    control.addEventListener("input", filter);
  }
}

function sortNumber(text) {
  return text === "∞" ? Infinity : Number.parseFloat(text);
}

// What is not a number stands at the end, whatever the direction.
function compareNumbers(a, b, descending) {
  if (Number.isNaN(a) || Number.isNaN(b)) {
    return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  }
  if (a === b) {
    return 0;
  }
  return (a < b ? -1 : 1) * (descending ? -1 : 1);
}
