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
    found.append(commandLine(result.command, `Copy the command that repeats ${result.mechanism}`));
  }
  item.append(sign, textElement("span", result.badge, "badge"), found);
  return item;
}
