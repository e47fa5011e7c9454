"use strict";

// The page: reads the sliders, asks for curves and draws the latest answer.

const SAME = ["epsilon", "domain_size", "delta", "reports"];

const form = document.getElementById("settings");
function settingOf() {
  const chosen = Array.from(form.querySelectorAll("[name=protocol]:checked"), (box) => box.value);
  return {
    protocols: chosen,
    epsilon: numberOf("epsilon-number"),
    domain_size: numberOf("domain_size-number"),
    delta: numberOf("delta-number"),
    reports: numberOf("reports-number"),
    attack: form.querySelector("[name=attack]:checked").value,
    trials: numberOf("trials"),
    alpha: numberOf("alpha"),
    seed: numberOf("seed"),
  };
}

function axisOf() {
  return form.querySelector("[name=axis]:checked").value;
}

// Delta is for approximate protocols.
function showDelta() {
  const used = form.querySelector("[data-approximate]:checked") !== null;
  for (const id of ["delta-number", "delta-slider"]) {
    document.getElementById(id).disabled = !used;
  }
}

// Curves: one question at a time, and the latest answer is drawn.

class Curves {
  constructor() {
    this.results = [];
    this.asking = false;
    this.wanted = false;
  }

  async change() {
    showDelta();
    this.wanted = true;
    if (this.asking) {
      return;
    }
    this.asking = true;
    while (this.wanted) {
      this.wanted = false;
      await this.askOnce();
    }
    this.asking = false;
  }

  async askOnce() {
    const setting = settingOf();
    try {
      const answer = await ask("curves", { ...setting, axis: axisOf() });
      if (!this.wanted) {
        this.say("");
        this.show(answer, setting);
        this.wanted = answer.points < answer.places;
      }
    } catch (error) {
      this.say(error.message, error.argument);
    }
  }

  show(answer, setting) {
    this.latest = { answer, setting, axis: axisOf() };
    const notes = [...answer.notes];
    if (answer.points < answer.places) {
      notes.push(`${answer.points} of ${answer.places} points so far; the rest is being worked out.`);
    }
    showNotes(notes);
    this.draw();
  }

  // The exact curves, and what was measured at their setting.
  draw() {
    const { answer, setting, axis } = this.latest;
    const measured = this.results.filter((result) => belongs(result, setting, axis));
    const [curves] = answer.cases;
    const lines = [...curves.lines, ...measured.map((result) => result.lines[axis])];
    const data = { ...answer, cases: [{ ...curves, lines }] };
    document.querySelector("#caption strong").textContent = curves.title;
    document.querySelector("#caption").lastChild.textContent = `, at ${curves.label}`;
    if (this.figure) {
      this.figure.show(data);
    } else {
      this.figure = new PageFigure(document.querySelector("figure"), data);
      this.figure.refresh();
      document.documentElement.dataset.ready = "yes";
    }
  }

  add(result) {
    this.results.push(result);
    const list = document.getElementById("results");
    list.prepend(resultItem(result));
    while (list.children.length > MOST_RESULTS) {
      list.lastChild.remove();
    }
    this.draw();
  }

  say(words, argument) {
    const place = document.getElementById("error");
    if (place.textContent !== words) {
      place.textContent = words;
      place.hidden = words === "";
    }
    // The curves that are still there belong to other settings.
    document.querySelector("figure").classList.toggle("stale", words !== "");
    for (const name of Object.keys(SLIDER_STEPS)) {
      const field = document.getElementById(`${name}-number`);
      if (name === argument) {
        field.setAttribute("aria-invalid", "true");
      } else {
        field.removeAttribute("aria-invalid");
      }
    }
  }
}

function showNotes(notes) {
  const list = document.getElementById("notes");
  if (notes.join() !== Array.from(list.children, (item) => item.textContent).join()) {
    list.replaceChildren(...notes.map((note) => textElement("li", note)));
  }
}

// A measured point is laid over the curve of its own setting.
function belongs(result, setting, axis) {
  if (result.attack !== setting.attack || !setting.protocols.includes(result.mechanism)) {
    return false;
  }
  return SAME.every((name) => name === axis || result[name] === setting[name]
    || (name === "delta" && result.delta === 0));
}

function begin() {
  const curves = new Curves();
  const changed = () => curves.change();
  for (const place of document.querySelectorAll(".slider")) {
    startSlider(place, changed);
  }
  form.addEventListener("change", (event) => {
    if (["radio", "checkbox"].includes(event.target.type)) {
      changed();
    }
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const id of ["trials", "alpha"]) {
    document.getElementById(id).addEventListener("change", changed);
  }
  new Measuring(settingOf, ask, (result) => curves.add(result));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    curves.figure.buildControls();
    curves.figure.refresh();
  });
  matchMedia("print").addEventListener("change", (event) => {
    curves.figure.buildKey();
    curves.figure.draw(event.matches ? PAPER_WIDTH : undefined);
  });
  changed();
}

begin();
