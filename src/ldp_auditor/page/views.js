"use strict";

// A view: what leaks, the error beside it, and the numbers at the chosen place.

const NUMBERS = ["claimed", "worst", "attack", "error"];
const AGAIN_AFTER = 200;

class View {
  constructor(element, readout) {
    this.element = element;
    this.readout = readout;
    this.figures = {};
    this.answer = null;
  }

  // Takes an answer, or none, and shows its words; `draw` draws it.
  take(answer, asked) {
    this.answer = answer;
    this.asked = asked;
    if (answer) {
      this.showReadout();
      this.showNotes();
    }
  }

  // The exact curves, what was measured at their setting, and a limit that was asked about.
  draw(results, { limit, ranges }) {
    const { answer, asked: { axis } } = this;
    const measured = results.filter((result) => belongs(result, this.asked));
    const [curves] = answer.leakage.cases;
    const lines = [...curves.lines, ...measured.map((result) => result.lines[axis])];
    const shown = { ...curves, lines, most_y: limit.leakage ?? null, range_y: ranges.leakage };
    this.drawOne("leakage", { ...answer.leakage, cases: [shown] }, `, at ${curves.label}`);
    // What is looked at first is drawn first.
    clearTimeout(this.later);
    this.later = setTimeout(() => {
      const [errors] = answer.errors.cases;
      const has = errors.lines.length > 0;
      this.element.querySelector(".error-figure").hidden = !has;
      if (has) {
        const cases = [{ ...errors, most_y: limit.errors ?? null, range_y: ranges.errors }];
        this.drawOne("error", { ...answer.errors, cases }, `, with ${errors.label}`);
      }
      document.documentElement.dataset.ready = "yes";
    });
  }

  drawOne(name, data, words) {
    const place = this.element.querySelector(name === "error" ? ".error-figure" : ".leakage-figure");
    const caption = place.querySelector("figcaption");
    caption.querySelector("strong").textContent = data.cases[0].title;
    caption.lastChild.textContent = words;
    if (this.figures[name]) {
      this.figures[name].show(data);
    } else {
      this.figures[name] = new PageFigure(place, data);
      this.figures[name].refresh();
    }
  }

  get drawn() {
    return Object.values(this.figures);
  }

  showReadout() {
    const rows = this.answer.readout.map((row) => {
      const line = document.createElement("tr");
      const name = textElement("th", row.protocol);
      name.scope = "row";
      line.append(name, ...NUMBERS.map((key) => textElement("td", row[key] ?? "…")));
      if (row.missing) {
        line.title = row.missing;
      }
      return line;
    });
    this.readout.tBodies[0].replaceChildren(...rows);
    this.readout.caption.textContent = `At ${this.answer.leakage.cases[0].chosen_words}`;
  }

  // What a listener hears after a move.
  words() {
    const numbers = this.answer.readout.slice(0, 6)
      .map(({ protocol, attack }) => `${protocol} ${attack ?? "not yet known"}`);
    return `${this.readout.caption.textContent} the attack shows: ${numbers.join(", ")}.`;
  }

  showNotes() {
    const { notes, points, places } = this.answer;
    const more = `${points} of ${places} points so far; the rest is being worked out.`;
    const words = points < places ? [...notes, more] : notes;
    const list = this.element.querySelector(".notes");
    if (words.join() !== Array.from(list.children, (item) => item.textContent).join()) {
      list.replaceChildren(...words.map((note) => textElement("li", note)));
    }
  }

  // Whether asking again brings more, and after how many milliseconds.
  get waits() {
    const { points, places } = this.answer;
    const stands = points === this.points;
    this.points = points;
    return points < places ? (stands ? AGAIN_AFTER : 0) : null;
  }
}

// The heights that figures of two answers have in common, with a little room.
function rangesOf(answers) {
  const ends = (name) => {
    const all = answers.flatMap((answer) => answer[name].cases[0].lines.flatMap((line) => line.y))
      .filter((y) => typeof y === "number" && y > 0);
    return [Math.min(...all) / 1.3, Math.max(...all) * (name === "errors" ? 1.3 : 1.05)];
  };
  return { leakage: ends("leakage"), errors: ends("errors") };
}

// A measured point is laid over the curve of its own setting.
function belongs(result, asked) {
  const { mechanism, at } = result;
  if (at.attack !== asked.attack || !asked.protocols.includes(mechanism)) {
    return false;
  }
  return ["reports", ...USES[mechanism]].every(
    (name) => name === asked.axis || at[name] === asked[name]);
}
