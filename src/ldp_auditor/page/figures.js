"use strict";

// A figure of a page: its controls, its plot, and the table of its numbers.

class PageFigure {
  constructor(element, data) {
    this.element = element;
    this.data = data;
    this.place = element.querySelector(".plot");
    this.state = { item: data.start, chosen: data.start, hidden: new Set(), sought: {}, share: 1 };
    this.axesAtFirst();
    this.buildControls();
    element.querySelector("details").addEventListener("toggle", () => this.buildTable());
  }

  get item() {
    const item = this.data.cases[this.state.item];
    return Object.keys(this.state.sought).length > 0 ? restricted(item, this.state.sought) : item;
  }

  // Shows what a page's filters choose: of the cases those that fit, of these what is sought.
  filter(sought, redraw) {
    this.state.sought = sought;
    const fitting = this.fitting();
    const empty = this.element.querySelector(".empty");
    empty.textContent = "No setting of this figure fits the filters.";
    empty.hidden = fitting.length > 0;
    this.place.hidden = fitting.length === 0;
    // Without the filter it is again what the reader chose.
    const { chosen } = this.state;
    const middle = fitting[Math.floor(fitting.length / 2)];
    this.state.item = fitting.includes(chosen) ? chosen : middle ?? chosen;
    this.buildControls();
    if (redraw) {
      this.refresh();
    }
  }

  // The places of the cases that fit the filters.
  fitting() {
    const places = this.data.cases.map((_, place) => place);
    const { sought } = this.state;
    return Object.keys(sought).length > 0 ? places.filter((place) => caseFits(this.data.cases[place], sought)) : places;
  }

  axesAtFirst() {
    Object.assign(this.state, { logX: this.item.log_x ?? false, logY: this.item.log_y ?? false });
  }

  plot() {
    return PLOTS[this.data.kind](this.item, this.state, theme());
  }

  // Shows other data in this place; what was switched on or off stays so.
  show(data) {
    const turned = data.cases[0].x_title !== this.item.x_title;
    this.data = data;
    if (turned) {
      this.axesAtFirst();
    }
    if (turned || looksOf(groupsOf(this.plot().series)) !== this.looks) {
      this.buildControls();
    }
    this.refresh();
  }

  refresh() {
    this.buildKey();
    this.draw();
    this.buildTable();
  }

  buildControls() {
    const controls = this.element.querySelector(".controls");
    controls.replaceChildren();
    if (this.fitting().length > 1) {
      controls.append(this.settingControl());
    }
    const groups = groupsOf(this.plot().series);
    this.looks = looksOf(groups);
    if (groups.length > 1) {
      const group = document.createElement("fieldset");
      const legend = document.createElement("legend");
      legend.className = "unseen";
      legend.textContent = "Series to show";
      group.append(legend, ...groups.map((entry) => this.toggle(entry)));
      controls.append(group);
    }
    const axes = document.createElement("div");
    axes.className = "axes";
    if (this.data.kind !== "gap") {
      const across = this.data.kind === "bars" ? "Logarithmic axis" : "Logarithmic horizontal axis";
      axes.append(this.axisToggle("logX", across));
    }
    if (this.data.kind === "curves") {
      axes.append(this.axisToggle("logY", "Logarithmic vertical axis"));
    }
    controls.append(axes);
  }

  // Where toggles are about kinds of lines, a list tells who has which colour.
  buildKey() {
    const place = this.element.querySelector(".key");
    const marked = this.plot().series.filter((entry) => entry.name && entry.swatch.symbol);
    const looks = new Map();
    for (const { name, swatch: look } of marked) {
      looks.set(name, looks.get(name) ?? look);
    }
    place?.replaceChildren(...[...looks].map(([name, look]) => {
      const entry = document.createElement("li");
      entry.append(swatch(look), name);
      return entry;
    }));
  }

  settingControl() {
    const label = document.createElement("label");
    label.className = "setting";
    const select = document.createElement("select");
    this.fitting().forEach((index) => {
      const item = this.data.cases[index];
      const option = document.createElement("option");
      option.value = String(index);
      option.textContent = item.label;
      option.selected = index === this.state.item;
      select.append(option);
    });
    select.addEventListener("change", () => {
      this.state.item = Number(select.value);
      this.state.chosen = this.state.item;
      this.buildControls();
      this.element.querySelector(".setting select").focus();
      this.draw();
      this.buildTable();
    });
    label.append(this.data.chooses ?? "Setting", select);
    return label;
  }

  toggle(entry) {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = !this.state.hidden.has(entry.key);
    box.addEventListener("change", () => {
      if (box.checked) {
        this.state.hidden.delete(entry.key);
      } else {
        this.state.hidden.add(entry.key);
      }
      this.draw();
    });
    label.append(box, swatch(entry.swatch), entry.label);
    return label;
  }

  axisToggle(name, words) {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = this.state[name];
    box.addEventListener("change", () => {
      this.state[name] = box.checked;
      this.draw();
    });
    label.append(box, words);
    return label;
  }

  draw(width) {
    this.state.width = width || this.place.clientWidth;
    this.state.share = width ? (width < PAPER_WIDTH ? 0.5 : 0.8) : 1; // of the height on a screen
    const { series, layout } = this.plot();
    const traces = series.map((entry) => ({
      ...entry.trace,
      visible: !this.state.hidden.has(entry.key),
    }));
    if (width) {
      Object.assign(layout, { width, height: this.state.share * layout.height, autosize: false });
    }
    const budget = Number(this.state.sought.budget);
    if (budget > 0) {
      const shapes = budgetShapes(this.data.kind, this.item, budget, traces, theme());
      layout.shapes = [...(layout.shapes ?? []), ...shapes];
    }
    const shown = series.filter((entry) => !this.state.hidden.has(entry.key));
    this.place.setAttribute("aria-label", this.words(shown));
    this.place.style.minHeight = `${layout.height}px`;
    const config = { displayModeBar: false, responsive: !width, doubleClick: false };
    Plotly.react(this.place, traces, layout, config);
    // The library measures letters in a drawing of its own, which nobody sees.
    document.getElementById("js-plotly-tester")?.setAttribute("aria-hidden", "true");
    this.element.classList.add("drawn");
    this.onDraw?.();
  }

  words(series) {
    const names = [...new Set(series.map((entry) => entry.label))].join(", ");
    const setting = this.item.label ? ` at ${this.item.label}` : "";
    const note = this.item.note ? `; ${this.item.note}` : "";
    return `Chart of ${this.data.name}${setting}: ${names}${note}. Its numbers are in the table below it.`;
  }

  buildTable() {
    const details = this.element.querySelector("details");
    if (!details.open) {
      return;
    }
    const { head, rows } = this.item.table;
    const table = document.createElement("table");
    table.className = "numbers";
    const caption = document.createElement("caption");
    caption.textContent = [this.data.name, this.item.label].filter(Boolean).join(", ");
    const body = document.createElement("tbody");
    for (const row of rows) {
      body.append(tableRow(row, "td", true));
    }
    const top = document.createElement("thead");
    top.append(tableRow(head, "th", false));
    table.append(caption, top, body);
    details.querySelector(".scroll").replaceChildren(table);
  }
}

// One toggle for all series of a key; grey if they differ in colour.
function groupsOf(series) {
  const groups = new Map();
  for (const entry of series) {
    const first = groups.get(entry.key) ?? entry;
    if (first.swatch.colour !== entry.swatch.colour) {
      const symbol = first.swatch.symbol?.endsWith("-open") ? "diamond-open" : undefined;
      const dash = symbol ? undefined : first.swatch.dash;
      groups.set(entry.key, { ...first, swatch: { colour: theme().muted, dash, symbol } });
    } else {
      groups.set(entry.key, first);
    }
  }
  return [...groups.values()];
}

function looksOf(groups) {
  return groups.map(({ key, swatch: { colour } }) => `${key} ${colour}`).join();
}

function tableRow(cells, tag, named) {
  const row = document.createElement("tr");
  cells.forEach((text, index) => {
    const isName = named && index === 0;
    const cell = document.createElement(isName ? "th" : tag);
    if (cell.tagName === "TH") {
      cell.scope = isName ? "row" : "col";
    }
    cell.textContent = text;
    row.append(cell);
  });
  return row;
}

// The look of a series beside its name.
function swatch({ colour, dash, symbol, block }) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const make = (tag, attributes) => {
    const shape = document.createElementNS(space, tag);
    for (const [name, value] of Object.entries(attributes)) {
      shape.setAttribute(name, value);
    }
    svg.append(shape);
  };
  svg.setAttribute("width", "26");
  svg.setAttribute("height", "12");
  svg.setAttribute("aria-hidden", "true");
  const dashes = { solid: "", dash: "7 4", dot: "2 3", dashdot: "7 3 2 3", longdashdot: "11 3 2 3" };
  if (block) {
    make("rect", { x: 2, y: 1, width: 22, height: 10, fill: colour });
    return svg;
  }
  if (dash !== undefined) {
    const line = { x1: 0, y1: 6, x2: 26, y2: 6, stroke: colour, "stroke-width": 2.2 };
    make("line", { ...line, "stroke-dasharray": dashes[dash] ?? "4 3" });
  }
  if (symbol?.endsWith("-open")) {
    const d = SHAPES[symbol.slice(0, -"-open".length)];
    make("path", { d, fill: "none", stroke: colour, "stroke-width": 2 });
  } else if (symbol) {
    make("path", { d: SHAPES[symbol], fill: colour });
  }
  return svg;
}

const SHAPES = {
  "circle": "M13 1.6A4.4 4.4 0 1 1 13 10.4A4.4 4.4 0 1 1 13 1.6Z",
  "square": "M9 2H17V10H9Z",
  "diamond": "M13 1 18 6 13 11 8 6Z",
  "triangle-up": "M13 1 18 10H8Z",
  "triangle-down": "M13 11 18 2H8Z",
  "cross": "M11.5 1H14.5V4.5H18V7.5H14.5V11H11.5V7.5H8V4.5H11.5Z",
  "x": "M10 1 13 4 16 1 18 3 15 6 18 9 16 11 13 8 10 11 8 9 11 6 8 3Z",
};
