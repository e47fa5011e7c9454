"use strict";

// Takes things out of the page: figures as files, commands to the clipboard.

function addDownloads(figure) {
  const place = document.createElement("p");
  place.className = "downloads";
  place.append("Save: ");
  const name = figure.data.name.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60);
  const kinds = {
    SVG: () => Plotly.toImage(figure.place, { format: "svg", ...sizeOf(figure) }),
    PNG: () => Plotly.toImage(figure.place, { format: "png", scale: 2, ...sizeOf(figure) }),
    CSV: async () => `data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(figure.item.table))}`,
  };
  for (const [kind, make] of Object.entries(kinds)) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = kind;
    button.setAttribute("aria-label", `Save this figure (${figure.data.name}) as ${kind}`);
    button.addEventListener("click", async () => {
      const link = document.createElement("a");
      link.href = await make();
      link.download = `${name}.${kind.toLowerCase()}`;
      link.click();
    });
    place.append(button);
  }
  figure.element.append(place);
}

function sizeOf(figure) {
  return { width: figure.place.clientWidth, height: figure.place.clientHeight };
}

function csvOf({ head, rows }) {
  // A cell that begins like a formula would be computed by a spreadsheet.
  const cell = (text) => `"${(/^[=+\-@]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text).replaceAll('"', '""')}"`;
  return [head, ...rows].map((row) => row.map(cell).join(",")).join("\r\n");
}

function addCopyButtons() {
  for (const place of document.querySelectorAll(".command")) {
    const code = place.querySelector("code");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy this command");
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(code); // the reader copies it
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    place.append(button);
  }
}
