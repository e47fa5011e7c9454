"use strict";

// The page of choices: reads the sliders, asks for the choice and shows the latest answer.

const LIMITS = Object.keys(SLIDER_STEPS);

function limitsOf() {
  const numbers = Object.fromEntries(LIMITS.map((name) => [name, numberOf(`${name}-number`)]));
  return { ...numbers, fingerprint: !document.getElementById("no-fingerprint").checked };
}

// Puts limits into the fields, as words of an address have them.
function show(limits) {
  for (const name of LIMITS) {
    fill(document.getElementById(`${name}-number`), limits[name]);
    followNumber(name);
  }
  document.getElementById("no-fingerprint").checked = String(limits.fingerprint) === "false";
}

// One question at a time, and the latest answer is shown.
class Choices {
  constructor() {
    this.asking = false;
    this.wanted = false;
    this.address = new Address(limitsOf, () => this.arrive());
    this.arrive();
  }

  // Shows what the address says.
  arrive() {
    show({ ...this.address.first, ...fromWords(this.address.said) });
    this.change(false);
  }

  async change(isNew = true) {
    if (isNew) {
      this.address.write();
    }
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
    document.querySelector("figure").classList.add("stale");
    const asked = limitsOf();
    try {
      const answer = await ask("answer", asked);
      if (!this.wanted) {
        this.say("");
        this.show(answer);
        showExport(answer);
        linkFiles(asked);
      }
    } catch (error) {
      this.say(error.message, error.wrong);
    }
  }

  show({ figure, sentences, table }) {
    const [first, ...rest] = sentences;
    document.querySelector("#caption strong").textContent = first;
    document.getElementById("notes").replaceChildren(...rest.map((words) => textElement("li", words)));
    this.showTable(table);
    if (figure === null) {
      return;
    }
    if (this.figure) {
      this.figure.show(figure);
    } else {
      this.figure = new PageFigure(document.querySelector("figure"), figure);
      this.figure.refresh();
    }
    document.documentElement.dataset.ready = "yes";
  }

  showTable({ head, rows }) {
    const table = document.getElementById("candidates");
    table.tHead.replaceChildren(tableRow(head, "th", false));
    table.tBodies[0].replaceChildren(...rows.map((cells) => tableRow(cells, "td", true)));
  }

  say(words, wrong = {}) {
    const left = markWrong(wrong);
    const shown = Object.keys(wrong).length > 0 ? left.join(" ") : words;
    const place = document.getElementById("error");
    place.textContent = shown;
    place.hidden = shown === "";
    document.querySelector("figure").classList.toggle("stale", words !== "");
  }
}

function begin() {
  const choices = new Choices();
  const changed = () => choices.change();
  for (const place of document.querySelectorAll(".slider")) {
    startSlider(place, changed);
  }
  document.getElementById("no-fingerprint").addEventListener("change", changed);
  document.getElementById("settings").addEventListener("submit", (event) => event.preventDefault());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    choices.figure?.buildControls();
    choices.figure?.refresh();
  });
}

begin();
