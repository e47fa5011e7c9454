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
