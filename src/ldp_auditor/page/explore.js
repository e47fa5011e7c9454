"use strict";

// The page: reads the sliders, asks for curves, and shows the latest answer.

const byId = (id) => document.getElementById(id);
const SPEAK_AFTER = 700;

// Settings that no chosen protocol uses are put away.
function showUsed() {
  const chosen = settingOf().protocols;
  const used = new Set(["epsilon", "users", "reports", "domain_size",
    ...chosen.flatMap((name) => USES[name] ?? [])]);
  for (const place of document.querySelectorAll("#settings .slider")) {
    place.hidden = !used.has(place.dataset.name);
  }
}

class Explorer {
  constructor() {
    this.view = new View(byId("view"), byId("readout"));
    this.other = new View(byId("held"), byId("held-readout"));
    this.results = [];
    this.asking = false;
    this.wanted = false;
    this.limit = null;
    this.address = new HoldingAddress(() => this.arrive());
    this.arrive();
  }

  // Shows what the address says.
  arrive() {
    const unknown = this.address.take().join(", ");
    this.warning = unknown && `The address names protocols that are not on this page: ${unknown}.`;
    this.change(false);
  }

  // One question at a time, and the latest answer is drawn.
  async change(isNew = true) {
    if (isNew) {
      this.warning = "";
      this.address.write();
    }
    this.forgetFound();
    showUsed();
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
    const asked = viewOf();
    try {
      const answer = await ask("curves", asked);
      const other = await this.askHeld(asked.axis);
      if (!this.wanted) {
        this.say(this.warning);
        this.show(answer, asked, other);
        await this.again();
      }
    } catch (error) {
      this.say(error.message, error.wrong);
    }
  }

  // A setting that is held and cannot be shown is let go, and that is told.
  async askHeld(axis) {
    const { held } = this.address;
    try {
      return held && await ask("curves", { ...held, axis });
    } catch (error) {
      this.address.held = null;
      this.warning = `The setting that the address holds cannot be shown: ${error.message}`;
      return null;
    }
  }

  show(answer, asked, other) {
    byId("held").hidden = !other;
    byId("views").classList.toggle("two", Boolean(other));
    this.view.take(answer, asked);
    this.other.take(other, other && { ...this.address.held, axis: asked.axis });
    this.draw();
    this.offerExport(asked);
    clearTimeout(this.speaking);
    this.speaking = setTimeout(() => { byId("spoken").textContent = this.view.words(); }, SPEAK_AFTER);
  }

  draw() {
    const views = [this.view, this.other].filter((view) => view.answer);
    const ranges = views.length > 1 ? rangesOf(views.map((view) => view.answer)) : {};
    views.forEach((view) => view.draw(this.results, { limit: this.limit ?? {}, ranges }));
  }

  // Asks for the points that are still missing, unless the sliders have moved.
  async again() {
    const waits = [this.view, this.other].filter((view) => view.answer).map((view) => view.waits)
      .filter((wait) => wait !== null);
    if (waits.length > 0) {
      await new Promise((later) => setTimeout(later, Math.min(...waits)));
      this.wanted = true;
    }
  }

  add(result) {
    this.results.push(result);
    const list = byId("results");
    list.prepend(resultItem(result));
    while (list.children.length > MOST_RESULTS) {
      list.lastChild.remove();
    }
    this.draw();
  }

  hold() {
    this.address.held = settingOf();
    this.address.writeNow();
    this.change(false);
  }

  swap() {
    const { held } = this.address;
    this.address.held = settingOf();
    show(held);
    this.change();
  }

  letGo() {
    this.address.held = null;
    this.address.writeNow();
    this.change(false);
    byId("hold").focus();
  }

  // The farthest epsilon of every protocol that keeps a limit.
  async find() {
    const most = numberOf("most");
    const asked = settingOf();
    try {
      const answer = await ask("find", { ...asked, limited: byId("limited").value, most });
      this.limit = { [byId("limited").value === "error" ? "errors" : "leakage"]: most };
      this.foundFor = withoutEpsilon(asked);
      byId("found-words").textContent = `${answer.words}:`;
      byId("found").replaceChildren(...answer.rows.map((row) => this.foundItem(row)));
      markWrong({});
      this.draw();
    } catch (error) {
      this.say(error.wrong ? "" : error.message, error.wrong);
    }
  }

  // What was found does not depend on epsilon; with anything else it goes.
  forgetFound() {
    if (this.limit !== null && this.foundFor !== withoutEpsilon(settingOf())) {
      this.limit = null;
      byId("found-words").textContent = "";
      byId("found").replaceChildren();
    }
  }

  foundItem({ protocol, epsilon, words }) {
    const item = document.createElement("li");
    item.append(`${protocol}: `);
    if (epsilon === null) {
      item.append(words);
      return item;
    }
    const button = textElement("button", words);
    button.type = "button";
    button.title = `Set epsilon to ${epsilon}`;
    button.setAttribute("aria-label", `${protocol}: ${words}; set epsilon to it`);
    button.addEventListener("click", () => {
      show({ epsilon });
      this.change();
    });
    item.append(button);
    return item;
  }

  offerExport(asked) {
    linkFiles(asked);
    this.exported = asked;
    this.fillExport();
  }

  async fillExport() {
    if (!byId("export").open) {
      return;
    }
    try {
      showExport(await ask("export", this.exported));
    } catch (error) {
      this.say(error.message);
    }
  }

  say(words, wrong = {}) {
    const left = markWrong(wrong);
    const shown = Object.keys(wrong).length > 0 ? left.join(" ") : words;
    const place = byId("error");
    if (place.textContent !== shown) {
      place.textContent = shown;
      place.hidden = shown === "";
    }
    // The curves that are still there belong to other settings.
    byId("views").classList.toggle("stale", words !== this.warning);
  }
}

const withoutEpsilon = (setting) => JSON.stringify({ ...setting, epsilon: null });

// A click into a figure asks about the height of the place.
function askByClick(name, explorer) {
  const plot = document.querySelector(`#view .${name}-figure .plot`);
  plot.addEventListener("click", (event) => {
    const layout = plot._fullLayout;
    if (!layout) {
      return;
    }
    const { yaxis } = layout;
    const height = event.clientY - plot.getBoundingClientRect().top - yaxis._offset;
    if (height < 0 || height > yaxis._length) {
      return;
    }
    if (name === "error" || byId("limited").value === "error") {
      byId("limited").value = name === "error" ? "error" : "attack";
    }
    byId("most").value = Number(yaxis.p2d(height).toPrecision(3));
    explorer.find();
  });
}

function begin() {
  const explorer = new Explorer();
  const changed = () => explorer.change();
  for (const place of form.querySelectorAll(".slider")) {
    startSlider(place, changed);
  }
  form.addEventListener("change", (event) => {
    if (["radio", "checkbox"].includes(event.target.type)) {
      changed();
    }
  });
  for (const id of ["trials", "alpha", "seed", "bound"]) {
    byId(id).addEventListener("input", changed);
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  byId("finding").addEventListener("submit", (event) => {
    event.preventDefault();
    explorer.find();
  });
  byId("hold").addEventListener("click", () => explorer.hold());
  byId("swap").addEventListener("click", () => explorer.swap());
  byId("let-go").addEventListener("click", () => explorer.letGo());
  byId("export").addEventListener("toggle", () => explorer.fillExport());
  askByClick("leakage", explorer);
  askByClick("error", explorer);
  const measuring = new Measuring(settingOf, ask, (result) => explorer.add(result));
  const redraw = (width) => {
    const { view, other } = explorer;
    for (const figure of [...view.drawn, ...other.drawn, ...measuring.drawn]) {
      figure.buildControls();
      figure.buildKey();
      figure.draw(width);
    }
  };
  for (const changed of ["(prefers-color-scheme: dark)", "(max-width: 599px)"]) {
    matchMedia(changed).addEventListener("change", () => redraw());
  }
  matchMedia("print").addEventListener("change", (event) =>
    redraw(event.matches ? PAPER_WIDTH : undefined));
}

begin();
