"use strict";

// The page of choices: reads the sliders, asks for the choice and shows the latest answer.

const asked = document.getElementById("settings");

function limitsOf() {
  const names = ["domain_size", "users", "reports", "max_epsilon", "max_error"];
  const numbers = Object.fromEntries(names.map((name) => [name, numberOf(`${name}-number`)]));
  return { ...numbers, fingerprint: !document.getElementById("no-fingerprint").checked };
}

// One question at a time, and the latest answer is shown.
class Choices {
  constructor() {
    this.asking = false;
    this.wanted = false;
  }

  async change() {
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
    try {
      const answer = await ask("answer", limitsOf());
      if (!this.wanted) {
        this.say("");
        this.show(answer);
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
    const line = (cells, kind) => {
      const row = document.createElement("tr");
      row.append(...cells.map((words) => textElement(kind, words)));
      return row;
    };
    const table = document.getElementById("candidates");
    table.tHead.replaceChildren(line(head, "th"));
    table.tBodies[0].replaceChildren(...rows.map((cells) => line(cells, "td")));
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
  asked.addEventListener("submit", (event) => event.preventDefault());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    choices.figure?.buildControls();
    choices.figure?.refresh();
  });
  changed();
}

begin();
