"use strict";

// Starts measurements, asks how far they are, and shows what they found.

const ASK_EVERY = 150;

class Measuring {
  constructor(settingOf, ask, onResult) {
    this.settingOf = settingOf;
    this.ask = ask;
    this.onResult = onResult;
    this.seen = 0;
    this.bar = document.getElementById("bar");
    this.status = document.getElementById("status");
    this.start = document.getElementById("measure");
    this.cancel = document.getElementById("cancel");
    document.getElementById("measuring").addEventListener("submit", (event) => {
      event.preventDefault();
      this.run();
    });
    this.cancel.addEventListener("click", () => this.stop());
  }

  async run() {
    if (this.start.disabled) {
      return;
    }
    this.running(true);
    try {
      this.seen = 0;
      let now = await this.ask("measure", this.settingOf());
      this.say("Measuring…");
      while (now.state === "running") {
        this.show(now);
        await new Promise((later) => setTimeout(later, ASK_EVERY));
        now = await this.ask("progress");
      }
      this.show(now);
      this.end(now);
    } catch (error) {
      const left = markWrong(error.wrong ?? {});
      this.say(error.wrong ? [error.message, ...left].join(" ") : error.message);
    }
    this.running(false);
  }

  async stop() {
    this.cancel.disabled = true;
    try {
      await this.ask("cancel", {});
    } catch (error) {
      this.say(error.message);
    }
  }

  show(now) {
    this.bar.value = now.trials ? now.done / now.trials : 0;
    for (const result of now.results.slice(this.seen)) {
      this.onResult(result);
    }
    if (now.state === "running" && this.protocol !== now.protocol) {
      this.say(`Measuring ${now.protocol}…`);
    }
    this.protocol = now.protocol;
    this.seen = now.results.length;
    if (now.wealth) {
      this.showWealth(now.wealth);
    }
  }

  // The wealth of the bets as it grows: of the latest protocol, unless another one is chosen.
  showWealth({ figure: sent, words }) {
    const figure = { ...sent, chooses: "Protocol" };
    const place = document.getElementById("wealth");
    place.hidden = false;
    if (!this.figure) {
      this.figure = new PageFigure(place, figure);
    }
    const { state, data } = this.figure;
    this.latest = words.at(-1);
    if (figure.cases.length !== data.cases.length) {
      state.item = figure.start;
      this.figure.data = figure;
      this.figure.buildControls();
    }
    this.figure.show(figure);
    place.querySelector("figcaption strong").textContent = figure.cases[state.item].title;
    document.getElementById("wealth-words").textContent = words[state.item];
  }

  get drawn() {
    return this.figure ? [this.figure] : [];
  }

  end(now) {
    const count = now.results.length === 1 ? "1 protocol" : `${now.results.length} protocols`;
    // A bet may be stopped at any moment; what it has proven stays proven.
    const won = now.wealth && now.state === "cancelled" ? ` ${this.latest}` : "";
    const ends = {
      done: `Done: ${count} measured.`,
      cancelled: `Cancelled; ${now.results.length ? count : "nothing"} was measured.${won}`,
      failed: now.failure,
    };
    this.say([ends[now.state], ...now.refused.map((why) => `Left out: ${why}.`)].join(" "));
  }

  running(is) {
    this.start.disabled = is;
    this.cancel.disabled = !is;
    this.bar.hidden = !is;
    this.bar.value = 0;
    this.protocol = "";
  }

  say(words) {
    this.status.textContent = words;
  }
}
