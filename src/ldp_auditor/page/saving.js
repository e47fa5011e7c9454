"use strict";

// Takes things out of the page: figures as files, commands to the clipboard.

function addDownloads(figure) {
  const place = document.createElement("p");
  place.className = "downloads";
  place.append("Save: ");
  const name = figure.data.name.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60);
  const kinds = {
    SVG: () => Plotly.toImage(standalone(figure), { format: "svg", ...sizeOf(figure) }),
    PNG: () => Plotly.toImage(standalone(figure), { format: "png", scale: 2, ...sizeOf(figure) }),
    CSV: async () => csvLink(figure.item.table),
  };
  for (const [kind, make] of Object.entries(kinds)) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = kind;
    button.setAttribute("aria-label", `Save this figure (${figure.data.name}) as ${kind}`);
    button.addEventListener("click", async () => saveAs(`${name}.${kind.toLowerCase()}`, await make()));
    place.append(button);
  }
  figure.element.append(place);
  offerPdf(figure, place);
}

// Browsers write no PDF of a figure: the command that draws it for a column of a journal.
function offerPdf(figure, place) {
  const { command } = document.getElementById("main").dataset;
  const number = Number(figure.element.dataset.figure) + 1;
  const offer = document.createElement("div");
  offer.className = "pdf";
  offer.hidden = true;
  const button = textElement("button", "PDF");
  button.type = "button";
  button.setAttribute("aria-label", `Show the command that draws this figure (${figure.data.name}) as PDF`);
  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", () => {
    offer.hidden = !offer.hidden;
    button.setAttribute("aria-expanded", String(!offer.hidden));
  });
  figure.onDraw = () => {
    const words = `${command} --figure figure-${number}.pdf --of ${number}.${figure.state.item + 1} --style paper --columns 1`;
    const note = "Draws it for one column of a journal; --columns 2 is for two, and a name that ends in .svg or .png makes those.";
    offer.replaceChildren(textElement("p", note), commandLine(words, "Copy the command that draws this figure"));
  };
  place.append(button);
  place.after(offer);
}

const TITLE_ROOM = 40;
const LEGEND_ROOM = 24;

// A figure that leaves the page takes along what stands around it there: title, key and ground.
function standalone(figure) {
  const { data, layout } = figure.place;
  const { margin } = layout;
  const { paper, ink } = theme();
  const title = [figure.data.name, figure.item.label].filter(Boolean).join(", ");
  return {
    data: data.map((trace) => ({ ...trace, showlegend: trace.visible !== false })),
    layout: {
      ...layout,
      paper_bgcolor: paper,
      showlegend: figure.data.kind !== "gap", // its bars are named
      legend: { orientation: "h", y: 0, yref: "container", yanchor: "bottom", font: { size: 12, color: ink } },
      title: { text: plotText(title), x: 0.01, y: 0.99, yanchor: "top", font: { size: 14, color: ink } },
      margin: { ...margin, t: margin.t + TITLE_ROOM, b: margin.b + keyRoom(figure) },
    },
  };
}

const keyRoom = ({ place, data: { kind } }) => (kind === "gap" ? 0 : LEGEND_ROOM) * (1 + Math.ceil(place.data.length / Math.max(1, Math.floor(place.clientWidth / 280))));

function sizeOf(figure) {
  return { width: figure.place.clientWidth, height: figure.place.clientHeight + TITLE_ROOM + keyRoom(figure) };
}

function saveAs(name, address) {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}

const csvLink = (table) => `data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(table))}`;

function csvOf({ head, rows }) {
  // A cell that begins like a formula would be computed by a spreadsheet.
  const cell = (text) => `"${(/^[=+\-@]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text).replaceAll('"', '""')}"`;
  return [head, ...rows].map((row) => row.map(cell).join(",")).join("\r\n");
}
