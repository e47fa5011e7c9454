"use strict";

// Commands that readers take along: whole words on every line, and a button that copies them.

function textElement(tag, text, name) {
  const element = document.createElement(tag);
  element.textContent = text;
  if (name) {
    element.className = name;
  }
  return element;
}

// Words of a command: a line may end between them only, not behind the hyphens of an option.
function wholeWords(command) {
  return command.split(" ").flatMap((word) => [textElement("span", word), " "]).slice(0, -1);
}

// The place of a command, with the button that copies it.
function commandLine(command, about) {
  const line = document.createElement("div");
  line.className = "command";
  const place = document.createElement("pre");
  place.append(...wholeWords(command));
  line.append(place);
  addCopyButton(line, about);
  return line;
}

function addCopyButton(line, about) {
  const button = textElement("button", "Copy");
  button.type = "button";
  button.setAttribute("aria-label", about);
  startCopy(button, line.querySelector("pre"));
  line.append(button);
}

function startCopy(button, place) {
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(place.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(place); // the reader copies it
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}
