"use strict";

// Colours come from the style sheet, so that dark mode and paper have their own.

const PAPER_WIDTH = 660;

function theme() {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: value("ink"),
    muted: value("muted"),
    line: value("line"),
    paper: value("paper"),
    claimed: value("claimed"),
    worst: value("worst"),
    loss: value("loss"),
    bad: value("bad"),
    series: [1, 2, 3, 4, 5, 6, 7].map((n) => value(`series-${n}`)),
    font: getComputedStyle(document.body).fontFamily,
  };
}

// Plotly reads a little HTML in its texts, and formulas between dollars; names are text.
const READ_BY_PLOTLY = { "&": "&amp;", "<": "&lt;", ">": "&gt;", $: "&#36;" };

function plotText(text) {
  return String(text).replace(/[&<>$]/g, (letter) => READ_BY_PLOTLY[letter]);
}

// "inf" cannot be drawn.
function drawn(values) {
  return values.map((value) => (typeof value === "number" ? value : null));
}

function baseLayout(colours, height) {
  return {
    height,
    autosize: true,
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: colours.font, size: 13, color: colours.ink },
    showlegend: false,
    dragmode: false,
    hoverlabel: {
      bgcolor: colours.paper,
      bordercolor: colours.muted,
      font: { family: colours.font, size: 13, color: colours.ink },
      namelength: -1,
      align: "left",
    },
  };
}

function baseAxis(colours, title, size = 13) {
  return {
    title: { text: plotText(title), font: { size, color: colours.muted }, standoff: 8 },
    gridcolor: colours.line,
    linecolor: colours.muted,
    tickcolor: colours.muted,
    zerolinecolor: colours.muted,
    zeroline: false,
    automargin: true,
    fixedrange: true,
  };
}
