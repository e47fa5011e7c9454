"use strict";

// The overview table: press a column's name to sort; filters choose its rows.

function startTable(filters) {
  const table = document.getElementById("overview-table");
  if (!table) return; // nothing but choices
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const texts = rows.map((row) => Array.from(row.cells, (cell) => cell.textContent));
  const order = new Map(rows.map((row, index) => [row, index]));
  const count = document.getElementById("count");
  const columnOf = (kind) => table.tHead.querySelector(`th.${kind}`).cellIndex;
  const about = rows.map((row, index) => {
    const [epsilon, k, reports, loss] = row.dataset.about.split(" ");
    const [name, , setting] = texts[index];
    const attack = texts[index][columnOf("attack")];
    const [verdict] = texts[index][columnOf("verdict")].split(" (");
    row.cells[0].append(phoneWords([setting, attack].filter(Boolean).join(", ")));
    return { protocol: row.cells[0].title || name, epsilon, k, reports, loss, attack, verdict };
  });
  const wordsOf = about.map(({ epsilon, k, reports }, index) =>
    [...texts[index], rows[index].cells[0].title, texts[index][2].replaceAll("δ", "delta"), `ε=${epsilon}`, `eps=${epsilon}`, `epsilon=${epsilon}`, `k=${k}`, `reports=${reports}`].join(" "));

  function filter({ find, budget, ...chosen }) {
    const shown = rows.filter((row, index) => {
      row.hidden = !Object.entries(chosen).every(([name, value]) => !value || about[index][name] === value)
        || (find && !hasWords(wordsOf[index], find));
      row.classList.toggle("over", budget > 0 && Number(about[index].loss) > budget);
      return !row.hidden;
    });
    const all = `${rows.length.toLocaleString("en")} ${rows.length === 1 ? "row" : "rows"}`;
    count.textContent = shown.length === rows.length ? all : `${shown.length.toLocaleString("en")} of ${all}`;
    if (budget > 0) {
      const beyond = shown.filter((row) => row.classList.contains("over")).length;
      count.textContent += `, ${beyond.toLocaleString("en")} beyond your budget`;
    }
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

  const head = Array.from(table.tHead.rows[0].cells, (cell) => cell.textContent);
  document.getElementById("save-table").addEventListener("click", () => {
    const shown = Array.from(body.rows).filter((row) => !row.hidden);
    saveAs("results.csv", csvLink({ head, rows: shown.map((row) => texts[order.get(row)]) }));
  });

  for (const heading of table.tHead.rows[0].cells) {
    heading.querySelector("button").addEventListener("click", () => sort(heading));
  }
  filters.onChange(filter);
}

// What tells two rows apart, where a phone has no room for its columns.
function phoneWords(text) {
  const place = document.createElement("small");
  place.className = "on-phone";
  place.textContent = text;
  return place;
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
