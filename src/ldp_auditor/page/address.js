"use strict";

// The setting is in the address, behind the #: reload, back and a second tab show the same view.

const { uses: USES } = JSON.parse(document.getElementById("start").textContent);
const form = document.getElementById("settings");
const SLIDERS = Object.keys(SLIDER_STEPS);
const WRITE_AFTER = 250;

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

// What is no number leaves its field empty; a list that has not this number of trials gets it.
function fill(field, value) {
  field.value = field.type === "number" && !Number.isFinite(Number(value)) ? "" : value;
  if (field.id === "trials" && field.value !== String(value)) {
    field.append(new Option(value, value, false, true));
  }
}

// Words of a view, and back; protocols are joined by commas, which no name has.
function written(view) {
  const words = { ...view, protocols: view.protocols.join(",") };
  return new URLSearchParams(Object.entries(words).map(([name, value]) => [name, value ?? ""]));
}

function read(words) {
  const view = Object.fromEntries(new URLSearchParams(words));
  if (view.protocols !== undefined) {
    view.protocols = view.protocols.split(",").filter(Boolean);
  }
  return view;
}

class Address {
  constructor(first, onMove) {
    this.first = first;
    this.held = null;
    addEventListener("popstate", () => {
      if (this.isView()) {
        this.take();
        onMove();
      }
    });
  }

  // A link within the page, such as that to the settings, has no setting in it.
  isView() {
    return location.hash === "" || location.hash.includes("=");
  }

  // Shows what the address says; returns names of protocols that the page has not.
  take() {
    const { held, ...view } = read(this.isView() ? location.hash.slice(1) : "");
    show({ ...this.first, ...view });
    this.held = held ? numeric({ ...this.first, ...read(held) }) : null;
    return (view.protocols ?? []).filter((name) => !Object.hasOwn(USES, name));
  }

  // Writes the view down a moment after the last move, so that one drag is one step back.
  write() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.writeNow(), WRITE_AFTER);
  }

  writeNow() {
    const words = written(this.changed(viewOf()));
    if (this.held !== null) {
      words.set("held", written(this.changed(this.held)));
    }
    const hash = words.size === 0 ? "" : `#${words}`;
    if (hash !== location.hash && (hash || this.isView())) {
      history.pushState(null, "", hash || location.pathname);
    }
  }

  // What differs from the setting at first, which the page has anyway.
  changed(view) {
    const differs = ([name, value]) => String(value) !== String(this.first[name]);
    const kept = Object.fromEntries(Object.entries(view).filter(differs));
    return { ...kept, protocols: view.protocols };
  }
}

// A view with numbers where the address has words.
function numeric(view) {
  const isNumber = (name) => SLIDERS.includes(name) || ["trials", "alpha", "seed"].includes(name);
  const entries = Object.entries(view);
  return Object.fromEntries(entries.map(([name, value]) =>
    [name, isNumber(name) ? Number(value) : value]));
}
