"use strict";

// What pages with sliders share: the sliders, and questions to the command that serves them.

const { steps: SLIDER_STEPS } = JSON.parse(document.getElementById("start").textContent);

async function ask(place, given) {
  const request = given === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(given),
  };
  let response;
  try {
    response = await fetch(place, request);
  } catch {
    throw new Error("The command has ended; start ldp-auditor explore again.");
  }
  const answer = await response.json();
  if (answer.error) {
    throw Object.assign(new Error(answer.error), { wrong: answer.wrong });
  }
  return answer;
}

// What stands on the page goes along: as links to files that the command draws, and by copying.
function linkFiles(asked) {
  const query = encodeURIComponent(JSON.stringify(asked));
  for (const link of document.querySelectorAll("#export a[data-file]")) {
    link.href = `${link.dataset.file}?${query}`;
  }
}

function showExport({ command, cell }) {
  document.getElementById("export-command").replaceChildren(...wholeWords(command));
  document.getElementById("export-cell").textContent = cell;
}

for (const button of document.querySelectorAll("[data-copies]")) {
  startCopy(button, document.getElementById(button.dataset.copies));
}

const numberOf = (id) => {
  const text = document.getElementById(id).value;
  return text === "" ? null : Number(text);
};

// Sliders.

function nearestStep(steps, value) {
  const away = steps.map((step) => Math.abs(step - value));
  return away.indexOf(Math.min(...away));
}

// A slider follows the number that is typed beside it.
function followNumber(name) {
  const slider = document.getElementById(`${name}-slider`);
  const number = document.getElementById(`${name}-number`);
  slider.value = nearestStep(SLIDER_STEPS[name], Number(number.value));
  slider.setAttribute("aria-valuetext", number.value);
}

function startSlider(place, changed) {
  const { name } = place.dataset;
  const steps = SLIDER_STEPS[name];
  const slider = document.getElementById(`${name}-slider`);
  const number = document.getElementById(`${name}-number`);
  slider.addEventListener("input", () => {
    const value = steps[slider.value];
    number.value = value < 1e-3 ? value.toExponential() : value;
    slider.setAttribute("aria-valuetext", number.value);
    changed();
  });
  number.addEventListener("input", () => {
    followNumber(name);
    changed();
  });
  followNumber(name);
}

// Marks fields that are wrong, each with its reason; returns reasons that have no field to stand at.
function markWrong(wrong) {
  const left = { ...wrong };
  for (const place of document.querySelectorAll(".wrong")) {
    const { name } = place.dataset;
    const field = document.getElementById(`${name}-number`) ?? document.getElementById(name);
    const words = wrong[name] ?? "";
    place.textContent = words;
    place.hidden = words === "";
    if (words) {
      field.setAttribute("aria-invalid", "true");
      field.closest(".slider")?.removeAttribute("hidden");
      delete left[name];
    } else {
      field.removeAttribute("aria-invalid");
    }
  }
  return Object.values(left);
}

// What is no number leaves its field empty; a list that has not this number of trials gets it.
function fill(field, value) {
  field.value = field.type === "number" && !Number.isFinite(Number(value)) ? "" : value;
  if (field.id === "trials" && field.value !== String(value)) {
    field.append(new Option(value, value, false, true));
  }
}

const inWords = (view) =>
  new URLSearchParams(Object.entries(view).map(([name, value]) => [name, value ?? ""]));
const fromWords = (words) => Object.fromEntries(new URLSearchParams(words));

const WRITE_AFTER = 250;

// The setting is in the address, behind the #: reload, back and a second tab show the same view.
class Address {
  // `viewOf` reads the fields of the page; `onMove` is called when the address has another setting.
  constructor(viewOf, onMove) {
    this.viewOf = viewOf;
    this.first = viewOf();
    addEventListener("popstate", () => {
      if (this.isView()) {
        onMove();
      }
    });
  }

  // A link within the page, such as that to the settings, has no setting in it.
  isView() {
    return location.hash === "" || location.hash.includes("=");
  }

  get said() {
    return this.isView() ? location.hash.slice(1) : "";
  }

  // Writes the view down a moment after the last move, so that one drag is one step back.
  write() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.writeNow(), WRITE_AFTER);
  }

  writeNow() {
    const { words } = this;
    const hash = words.size === 0 ? "" : `#${words}`;
    if (hash !== location.hash && (hash || this.isView())) {
      history.pushState(null, "", hash || location.pathname);
    }
  }

  get words() {
    return inWords(this.changed(this.viewOf()));
  }

  // What differs from the setting at first, which the page has anyway.
  changed(view) {
    const differs = ([name, value]) => String(value) !== String(this.first[name]);
    return Object.fromEntries(Object.entries(view).filter(differs));
  }
}
