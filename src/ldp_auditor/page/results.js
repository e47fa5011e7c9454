"use strict";

// What was measured: a verdict in words for every result, and the command that repeats it.

const MOST_RESULTS = 40;

function resultItem(result) {
  const item = document.createElement("li");
  item.className = result.kind;
  const sign = textElement("span", result.sign, "sign");
  sign.setAttribute("aria-hidden", "true");
  const found = document.createElement("div");
  found.className = "found";
  const words = document.createElement("p");
  const between = result.sentence.startsWith("no ") ? ": " : " ";
  words.append(textElement("strong", result.mechanism), between, result.sentence);
  words.append(textElement("span", result.where, "where"));
  found.append(words);
  if (result.command) {
    found.append(commandLine(result));
  }
  item.append(sign, textElement("span", result.badge, "badge"), found);
  return item;
}

function commandLine(result) {
  const line = document.createElement("div");
  line.className = "command";
  const copy = textElement("button", "Copy");
  copy.type = "button";
  copy.setAttribute("aria-label", `Copy the command that repeats ${result.mechanism}`);
  startCopy(copy, () => result.command);
  const place = document.createElement("pre");
  place.append(...wholeWords(result.command));
  line.append(place, copy);
  return line;
}

// Words of a command: a line may end between them only, not behind the hyphens of an option.
function wholeWords(command) {
  return command.split(" ").flatMap((word) => [textElement("span", word), " "]).slice(0, -1);
}

function startCopy(button, textOf) {
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(textOf());
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}

function textElement(tag, text, name) {
  const element = document.createElement(tag);
  element.textContent = text;
  if (name) {
    element.className = name;
  }
  return element;
}
