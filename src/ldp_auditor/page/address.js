"use strict";

// The setting of the sliders, and how the address has it.

const { uses: USES } = JSON.parse(document.getElementById("start").textContent);
const form = document.getElementById("settings");
const SLIDERS = Object.keys(SLIDER_STEPS);

function settingOf() {
  const boxes = form.querySelectorAll("[name=protocol]:checked");
  const numbers = SLIDERS.map((name) => [name, numberOf(`${name}-number`)]);
  return {
    protocols: Array.from(boxes, (box) => box.value),
    ...Object.fromEntries(numbers),
    attack: pressed("attack"),
    bound: document.getElementById("bound").value,
    trials: numberOf("trials"),
    alpha: numberOf("alpha"),
    seed: numberOf("seed"),
  };
}

function pressed(name) {
  return form.querySelector(`[name=${name}]:checked`).value;
}

const viewOf = () => ({ ...settingOf(), axis: pressed("axis") });

// Puts a view into the fields; what it does not name stays as it is.
function show(view) {
  if (view.protocols) {
    const chosen = view.protocols;
    for (const box of form.querySelectorAll("[name=protocol]")) {
      box.checked = chosen.includes(box.value);
      if (box.checked) {
        box.closest("details")?.setAttribute("open", "");
      }
    }
  }
  for (const name of ["attack", "axis"]) {
    const button = Array.from(form.querySelectorAll(`[name=${name}]`))
      .find((choice) => choice.value === view[name]);
    if (button) {
      button.checked = true;
    }
  }
  for (const id of [...SLIDERS.map((name) => `${name}-number`), "bound", "trials", "alpha", "seed"]) {
    const value = view[id.replace("-number", "")];
    if (value !== undefined) {
      fill(document.getElementById(id), value ?? "");
    }
  }
  SLIDERS.forEach(followNumber);
}

// A view as the words of an address have it; protocols are joined by commas, which no name has.
function read(words) {
  const view = fromWords(words);
  if (view.protocols !== undefined) {
    view.protocols = view.protocols.split(",").filter(Boolean);
  }
  return view;
}

// Has a setting that is held, too.
class HoldingAddress extends Address {
  constructor(onMove) {
    super(viewOf, onMove);
    this.held = null;
  }

  // Shows what the address says; returns names of protocols that the page has not.
  take() {
    const { held, ...view } = read(this.said);
    show({ ...this.first, ...view });
    this.held = held ? numeric({ ...this.first, ...read(held) }) : null;
    return (view.protocols ?? []).filter((name) => !Object.hasOwn(USES, name));
  }

  get words() {
    const words = super.words;
    if (this.held !== null) {
      words.set("held", inWords(this.changed(this.held)));
    }
    return words;
  }

  changed(view) {
    return { ...super.changed(view), protocols: view.protocols };
  }
}

// A view with numbers where the address has words.
function numeric(view) {
  const isNumber = (name) => SLIDERS.includes(name) || ["trials", "alpha", "seed"].includes(name);
  const entries = Object.entries(view);
  return Object.fromEntries(entries.map(([name, value]) =>
    [name, isNumber(name) ? Number(value) : value]));
}
