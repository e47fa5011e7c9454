"use strict";

// What the reader looks for: filters of the table and of all figures, kept in the page's address.

const KEPT = ["protocol", "epsilon", "k", "reports", "attack", "verdict", "find", "budget"];

class Filters {
  constructor() {
    const found = KEPT.map((name) => [name, document.getElementById(`by-${name}`)]);
    this.controls = new Map(found.filter(([, control]) => control));
    this.listeners = [];
    this.restore();
    for (const control of this.controls.values()) {
      control.addEventListener("input", () => this.changed());
    }
    document.getElementById("clear-filters")?.addEventListener("click", () => this.clear());
    window.addEventListener("hashchange", () => (this.restore() ? this.tell() : this.write()));
  }

  get values() {
    return Object.fromEntries([...this.controls].map(([name, { value }]) => [name, value.trim()]));
  }

  // What the address says; one without "=" is a place on the page.
  restore() {
    const said = new URLSearchParams(location.hash.slice(1));
    if (!location.hash.includes("=")) {
      return false;
    }
    for (const [name, control] of this.controls) {
      control.value = said.get(name) ?? "";
      if (control.selectedIndex === -1) {
        control.value = "";
      }
    }
    return true;
  }

  changed() {
    this.write();
    this.tell();
  }

  // The address of a place on the page gives way to filters that are set, once it is reached.
  write() {
    const said = new URLSearchParams(Object.entries(this.values).filter(([, value]) => value));
    if (said.size > 0 || location.hash.includes("=")) {
      history.replaceState(null, "", `#${said}`);
    }
  }

  clear() {
    for (const control of this.controls.values()) {
      control.value = "";
    }
    this.changed();
  }

  tell() {
    this.listeners.forEach((listener) => listener(this.values));
  }

  onChange(listener) {
    this.listeners.push(listener);
    listener(this.values);
  }
}

// Whether a text has all words that are sought, each as a whole: "the" is not in "theory".
function hasWords(text, sought) {
  const plain = asTyped(text);
  return asTyped(sought).split(/\s+/).filter(Boolean).every((word) => {
    const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}]|[.,]\\p{N})`, "iu").test(plain);
  });
}

// "k = 1,000" and "T=1e6" as one writing.
function asTyped(text) {
  return text.replace(/\s*=\s*/g, "=").replace(/(?<=\d),(?=\d{3})/g, "")
    .replace(/(?<==)[\d.]+e\d+/gi, (number) => String(Number(number)));
}

// A name as lists of filters have it.
function cutName(name) {
  return name.length > 100 ? `${name.slice(0, 99)}…` : name;
}

// Whether a case of a figure is about what is sought.
function caseFits({ settings }, { epsilon, k, reports }) {
  const sought = { epsilon, domain_size: k, reports };
  return Object.entries(sought).every(([name, value]) => !value || (settings[name] ?? [value]).includes(value));
}

// A case with the series and the bars that are sought; all of them, if none would be left.
function restricted(item, { protocol, attack }) {
  const attacks = [...(document.getElementById("by-attack")?.options ?? [])].map((option) => option.value);
  const isOf = (name, own) => [own, `${own} attack`].some((title) => name === title || name.startsWith(`${title},`));
  const fits = (name) => isOf(name, attack) || !attacks.some((other) => other && isOf(name, other));
  const chosen = (all, nameOf) => {
    const some = attack ? all.filter((entry) => fits(nameOf(entry))) : all;
    return some.length > 0 ? some : all;
  };
  if (item.lines) {
    return { ...item, lines: chosen(item.lines, (line) => line.series || line.name) };
  }
  if (item.waterfalls) {
    return { ...item, waterfalls: chosen(item.waterfalls, (fall) => fall.name) };
  }
  const series = chosen(item.series, (bars) => bars.name);
  const rows = item.names.map((_, row) => row).filter((row) => !protocol || cutName(item.mechanisms[row] ?? "") === protocol);
  if (rows.length === 0 || rows.length === item.names.length) {
    return { ...item, series };
  }
  const pick = (values) => (values.length > 0 ? rows.map((row) => values[row]) : values);
  const columns = ["measured", "words", "exact", "deviation"];
  const picked = series.map((bars) => ({
    ...bars, ...Object.fromEntries(columns.map((name) => [name, pick(bars[name])])),
  }));
  const height = item.height * (0.3 + 0.7 * rows.length / item.names.length);
  return { ...item, names: pick(item.names), mechanisms: pick(item.mechanisms), claimed: pick(item.claimed), worst: pick(item.worst), series: picked, height };
}

// A line at the reader's budget, where epsilons are shown and it is not far away from them.
function budgetShapes(kind, item, budget, traces, colours) {
  const title = kind === "curves" ? item.y_title : item.value_title ?? "epsilon";
  const across = kind === "curves" ? "y" : "x";
  const numbers = traces.flatMap((trace) => trace[across] ?? []).filter((value) => typeof value === "number");
  if (!(budget > 0) || title !== "epsilon" || budget > 3 * Math.max(...numbers)) {
    return [];
  }
  const other = across === "y" ? "x" : "y";
  const ends = { [`${across}0`]: budget, [`${across}1`]: budget, [`${other}0`]: 0, [`${other}1`]: 1 };
  const line = { color: colours.ink, width: 2, dash: "longdash" };
  const textposition = across === "y" ? "start" : "middle"; // where lines leave room
  const label = { text: kind === "gap" ? "" : "your budget", textposition, font: { color: colours.ink, size: 12 } };
  return [{ type: "line", ...ends, [`${other}ref`]: "paper", line, label }];
}

// Tells of every verdict how many of its settings lose more than the budget allows, and of all
// mechanisms together which of them stay within it.
function tellBudget(budget) {
  const names = { within: [], if: [], partly: [], beyond: [], broken: [] };
  for (const place of document.querySelectorAll("[data-losses]")) {
    const losses = place.dataset.losses.split(" ").filter(Boolean).map(Number);
    const beyond = losses.filter((loss) => loss > budget).length;
    const words = beyond === 0
      ? `Within your budget of ${budget}${place.dataset.if}.`
      : `Beyond your budget of ${budget}${losses.length > 1 ? ` in ${beyond} of ${losses.length} settings` : ""}.`;
    place.textContent = budget > 0 && losses.length > 0 ? ` ${words}` : "";
    place.classList.toggle("over", budget > 0 && beyond > 0);
    const verdict = place.closest("[data-of]");
    const { of } = verdict.dataset;
    const kept = beyond === 0 ? (place.dataset.if ? "if" : "within") : beyond < losses.length ? "partly" : "beyond";
    const kind = verdict.matches(".violation, .broken") ? "broken" : kept;
    if (losses.length > 0 && !names[kind].includes(of)) {
      names[kind].push(of);
    }
  }
  const said = {
    within: `Within your budget of ${budget} in every setting`,
    if: "Within it if their promises hold, which was not proven",
    partly: "Within it in some settings, which the table shows",
    beyond: "Beyond it in every setting",
    broken: "Not to be relied on, because they break what they promise",
  };
  const place = document.getElementById("within-budget");
  if (!place) return; // nothing but choices
  const told = Object.entries(said).filter(([kind]) => kind === "within" || names[kind].length > 0);
  place.hidden = !(budget > 0);
  place.replaceChildren(...(budget > 0 ? told : []).flatMap(([kind, words]) => [`${words}: `, ...someOf(names[kind]), ". "]));
}

const MOST_NAMED = 12;
const LONG_NAME = 30; // of which a line may end within

function someOf(names) {
  const more = names.length > MOST_NAMED ? [` and ${names.length - MOST_NAMED} more`] : [];
  const shown = names.slice(0, MOST_NAMED)
    .flatMap((name) => [", ", textElement("bdi", name, name.length > LONG_NAME ? "" : "word")]);
  return names.length === 0 ? ["none"] : [...shown.slice(1), ...more];
}
