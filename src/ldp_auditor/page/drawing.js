"use strict";

// Draws figure data: a function for every kind, from its data to series and a layout.
// Names, words and numbers come with the data (figures/data.py); colours from the style sheet.
// A series has a key and a label (to toggle it), a swatch, and a trace of the plotting library.

const LOOKS = {
  claimed: { dash: "dash", width: 2.4 },
  worst: { dash: "dot", width: 2.1 },
  exact: { dash: "dashdot", width: 1.5 },
  proven: { dash: "solid", width: 2.2 },
  composed: { dash: "longdashdot", width: 1.5 },
  limit: { dash: "dot", width: 1.5 },
};
const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "x"];

const DASHES = ["solid", "10px 3px", "3px 3px"];

// A place has a colour, a symbol and a dash, the same as in files (figures/identity.py).
function markOf(place) {
  const around = Math.floor(place / SYMBOLS.length);
  const more = Math.floor(around / SYMBOLS.length);
  return {
    symbol: SYMBOLS[(place + around) % SYMBOLS.length],
    dash: DASHES[(around + more) % DASHES.length],
  };
}

function lookOf({ role, place, marks }, colours) {
  const number = (place ?? 0) % SYMBOLS.length;
  const { dash, width } = LOOKS[role];
  const look = { dash, width, colour: colours[role] ?? colours.muted };
  if (place !== null) {
    look.colour = colours.series[number];
  }
  if (marks) {
    const { symbol, dash: own } = markOf(place ?? 0);
    const shape = marks === "open" ? `${symbol}-open` : symbol;
    Object.assign(look, { symbol: shape, width: 2.2, dash: own });
  }
  return look;
}

function curvesPlot(item, state, colours) {
  const series = item.lines.map((line) => lineSeries(item, line, colours));
  const all = series.flatMap((entry) => reachOf(entry.trace)).filter((value) => value > 0);
  const layout = curvesLayout(item, state, colours, all);
  if (state.logY && all.length > 0) {
    const floor = Math.min(...all) / 2;
    const lifted = series.filter((entry) => lift(entry, floor));
    if (lifted.length > 0 && !item.range_y) {  // below a zero there is nothing
      layout.yaxis.range = [floor / 2, 1.2 * Math.max(...all)].map(Math.log10);
    }
  }
  return { series, layout };
}

// The heights of a line, and those of the ends of its whiskers.
function reachOf({ y, error_y: whiskers }) {
  const ends = (sizes, sign) => y.map((value, i) => value + sign * sizes[i]);
  return whiskers ? [...y, ...ends(whiskers.array, 1), ...ends(whiskers.arrayminus, -1)] : y;
}

function lineSeries(item, line, colours) {
  const look = lookOf(line, colours);
  const open = line.marks === "open";
  const y = drawn(line.y);
  const alone = line.x.length === 1 ? "lines+markers" : "lines";
  const trace = {
    type: "scatter",
    mode: open ? "markers" : line.marks ? "lines+markers" : alone,
    x: line.x,
    y,
    name: plotText(line.name),
    line: { color: look.colour, dash: look.dash, width: look.width },
    hovertemplate: line.words.length > 0 ? "%{customdata}" : `%{y:${item.number_format}}`,
    customdata: line.words.map(plotText),
    zorder: open ? 3 : line.role === "claimed" && item.kinds.claimed ? 2 : 0,
  };
  if (line.marks) {
    trace.marker = { symbol: markOf(line.place ?? 0).symbol, size: 8, color: look.colour };
    if (line.role === "exact") {
      trace.marker.maxdisplayed = 9;
    }
  }
  if (open) {
    Object.assign(trace.marker, { size: 13, color: colours.paper });
    trace.marker.line = { color: look.colour, width: 3 };
  }
  if (line.low.length > 0) {
    trace.error_y = {
      type: "data",
      array: y.map((value, i) => line.high[i] - value || 0),
      arrayminus: y.map((value, i) => value - line.low[i] || 0),
      symmetric: false,
      color: look.colour,
      thickness: open ? 2 : 1.2,
      width: 4,
    };
  }
  const label = item.kinds[line.role];
  return { key: label ?? line.name, label: label ?? line.name, name: line.series, swatch: look, trace };
}

// A logarithmic axis has no place for 0: it is drawn below all else, with an open marker.
// Returns whether there was one.
function lift({ trace }, floor) {
  if (!trace.marker || !trace.y.includes(0)) {
    return false;
  }
  const isZero = trace.y.map((value) => value === 0);
  trace.y = trace.y.map((value, i) => (isZero[i] ? floor : value));
  const { symbol } = trace.marker;
  trace.marker.symbol = isZero.map((zero) => (zero ? `${symbol}-open` : symbol));
  for (const name of trace.error_y ? ["array", "arrayminus"] : []) {
    trace.error_y[name] = trace.error_y[name].map((size, i) => (isZero[i] ? 0 : size));
  }
  Object.assign(trace, {
    mode: `${trace.mode}+text`,
    text: isZero.map((zero) => (zero ? "0" : "")),
    textposition: "bottom center",
  });
  return true;
}

function curvesLayout(item, state, colours, all) {
  const narrow = isNarrow();
  const places = [...new Set(item.lines.flatMap((line) => line.x))].sort((a, b) => a - b);
  const many = new Set(item.lines.map((line) => line.series)).size > 6;
  const layout = {
    ...baseLayout(colours, narrow ? 330 : 400),
    margin: { l: 56, r: 14, t: item.chosen === null && !item.note ? 12 : 26, b: 46 },
    hovermode: many ? "closest" : "x unified",
    hoverdistance: -1,
    xaxis: {
      ...baseAxis(colours, item.x_title),
      type: state.logX ? "log" : "linear",
      unifiedhovertitle: { text: `${plotText(item.x_title)} %{x}` },
    },
    yaxis: { ...baseAxis(colours, item.y_title), type: state.logY ? "log" : "linear" },
  };
  if (places.length <= 10 && (state.logX || places.length <= 6)) {
    const texts = item.table.rows.map((row) => row[0]);
    const ticktext = withRoom(texts, places.map(state.logX ? Math.log : Number), state.width - 80);
    Object.assign(layout.xaxis, { tickvals: places, ticktext, tickangle: 0 });
  } else if (state.logX) {
    Object.assign(layout.xaxis, { dtick: narrow ? "D2" : "D1", tickformat: ",~g" });
    layout.xaxis.tickvals = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];
  }
  if (!state.logY) {
    layout.yaxis.rangemode = "tozero";
    if (item.range_y) {  // figures beside each other have the same heights
      layout.yaxis.range = [0, item.range_y[1]];
    }
  } else if (all.length > 0) {  // few decades have ticks at 1, 2 and 5
    const span = Math.log10(Math.max(...all) / Math.min(...all));
    Object.assign(layout.yaxis, { dtick: span > 3 ? 1 : "D2", tickformat: "~g" });
    if (item.range_y) {
      layout.yaxis.range = item.range_y.map(Math.log10);
    }
  }
  const { shapes = [], annotations = [] } = item.chosen === null ? {} : chosenPlace(item, state, colours);
  return {
    ...layout,
    shapes: [...shapes, ...beyondLimits(item, colours)],
    annotations: [...annotations, ...(item.note ? [noteAbove(item.note, colours)] : [])],
  };
}

// Labels of ticks on an axis of so many pixels, without those that would touch another one.
function withRoom(texts, places, pixels) {
  const last = places.length - 1;
  const middle = places.map((place) => 0.9 * pixels * (place - places[0]) / (places[last] - places[0] || 1));
  const half = texts.map((text) => 4.2 * (text.length + 0.8)); // a letter has 8.4 pixels at most
  const fits = (a, b) => middle[a] + half[a] <= middle[b] - half[b];
  let shown = 0;
  return texts.map((text, i) => {
    const isShown = i === 0 || i === last || (fits(shown, i) && fits(i, last));
    shown = isShown ? i : shown;
    return isShown ? text : "";
  });
}

// What lies beyond limits is shaded, as far as there are lines: shapes move the ends of axes.
function beyondLimits({ most_x: mostX, most_y: mostY, lines }, colours) {
  const farthest = (values) => Math.max(...values.filter((value) => typeof value === "number"));
  const [lastX, lastY] = [lines.flatMap((line) => line.x), lines.flatMap((line) => line.y)].map(farthest);
  const shade = { type: "rect", layer: "below", fillcolor: colours.claimed, opacity: 0.08, line: { width: 0 } };
  const right = { ...shade, x0: mostX, x1: lastX, y0: 0, y1: 1, yref: "paper" };
  const above = { ...shade, y0: mostY, y1: lastY, x0: 0, x1: 1, xref: "paper" };
  const isWithin = (most, last) => most !== null && most < last;
  return [...(isWithin(mostX, lastX) ? [right] : []), ...(isWithin(mostY, lastY) ? [above] : [])];
}

function chosenPlace({ chosen, chosen_words: words }, state, colours) {
  const line = { color: colours.muted, width: 1.2, dash: "dot" };
  const above = { y: 1, yref: "paper", yanchor: "bottom", showarrow: false };
  const font = { size: 12, color: colours.muted };
  return {
    shapes: [{ type: "line", x0: chosen, x1: chosen, y0: 0, y1: 1, yref: "paper", layer: "below", line }],
    annotations: [{ ...above, text: words, x: state.logX ? Math.log10(chosen) : chosen, font }],
  };
}

function noteAbove(note, colours) {
  const above = { x: 0, y: 1, xref: "paper", yref: "paper", xanchor: "left", yanchor: "bottom" };
  return { ...above, text: plotText(note), showarrow: false, font: { size: 12, color: colours.muted } };
}

function gapPlot(item, state, colours) {
  const series = item.waterfalls.map((fall, row) => gapSeries(fall, row, colours));
  const shownRows = series.filter((entry) => !state.hidden.has(entry.key));
  const height = 168 * Math.max(1, shownRows.length);
  const layout = {
    ...baseLayout(colours, height + 48),
    margin: { l: 10, r: 62, t: 6, b: 42 },
    hovermode: "closest",
    bargap: 0.28,
    xaxis: { ...baseAxis(colours, "epsilon"), rangemode: "tozero", anchor: "free", position: 0 },
    annotations: [],
  };
  series.forEach((entry, row) => {
    const at = shownRows.indexOf(entry);
    const share = 1 / Math.max(1, shownRows.length);
    const top = 1 - at * share;
    layout[row === 0 ? "yaxis" : `yaxis${row + 1}`] = {
      ...baseAxis(colours, ""),
      autorange: "reversed",
      domain: at < 0 ? [0, 0.01] : [top - share + 0.01, top - 24 / height],
      visible: at >= 0,
      showgrid: false,
    };
    if (at >= 0) {
      const place = { x: 0, y: top, xref: "paper", yref: "paper", xanchor: "left", yanchor: "top" };
      const text = `<b>${plotText(entry.label)}</b>`;
      layout.annotations.push({ ...place, text, showarrow: false });
    }
  });
  return { series, layout };
}

// A series of horizontal bars.
function blockSeries(name, colour, trace) {
  const bars = { type: "bar", orientation: "h", name: plotText(name), constraintext: "none" };
  return { key: name, label: name, swatch: { colour, block: true }, trace: { ...bars, ...trace } };
}

function gapSeries({ name, place, steps }, row, colours) {
  const colour = colours.series[place % SYMBOLS.length];
  const paint = { claimed: colours.claimed, excess: colours.bad, proven: colour };
  const isLoss = steps.map((step) => !(step.kind in paint));
  return blockSeries(name, colour, {
    y: steps.map((step) => step.label),
    base: steps.map((step) => Math.min(step.start, step.end)),
    x: steps.map((step) => Math.abs(step.end - step.start)),
    marker: {
      color: steps.map((step) => paint[step.kind] ?? colours.loss),
      pattern: { shape: isLoss.map((is) => (is ? "/" : "")), fgcolor: colours.paper, size: 6 },
    },
    text: steps.map((step) => step.words),
    textposition: "outside",
    textangle: 0,
    cliponaxis: false,
    hovertemplate: "%{y}: %{text}<extra></extra>",
    xaxis: "x",
    yaxis: row === 0 ? "y" : `y${row + 1}`,
  });
}

// Bars of what was proven, marks of the claim and of the same attack with unlimited trials.
function barsPlot(item, state, colours) {
  const rows = item.names.map((_, i) => i);
  // The bars of a row lie side by side, and leave no room for a series that it does not have.
  const ownOf = (row) => item.series.filter(({ measured }) => measured[row] !== null);
  const height = 0.76 / Math.max(1, ...rows.map((row) => ownOf(row).length));
  const placesOf = (index) => rows.map((row) => {
    const own = ownOf(row);
    return row + (own.indexOf(item.series[index]) - (own.length - 1) / 2) * height;
  });
  const claims = {
    key: "claimed",
    label: item.claimed_name,
    swatch: { colour: colours.claimed, dash: "solid" },
    trace: {
      type: "scatter",
      mode: "lines",
      x: drawn(item.claimed).flatMap((value) => [value, value, null]),
      y: rows.flatMap((row) => [row - 0.46, row + 0.46, null]),
      name: plotText(item.claimed_name),
      line: { color: colours.claimed, width: 3 },
      hovertemplate: `claimed %{x:${item.number_format}}<extra></extra>`,
      zorder: 2,
    },
  };
  const series = [
    claims,
    ...item.series.map((bars, index) => barSeries(item, bars, placesOf(index), height, state, colours)),
    ...item.series
      .map((bars, index) => limitSeries(item, bars, placesOf(index), colours))
      .filter((entry) => entry.trace.x.some((value) => value !== null)),
  ];
  const layout = {
    ...baseLayout(colours, item.height),
    margin: { l: 10, r: 12, t: 50, b: 10 },
    hovermode: "closest",
    xaxis: { ...baseAxis(colours, item.value_title, isNarrow() ? 11 : 13), type: state.logX ? "log" : "linear", side: "top" },
    yaxis: {
      ...baseAxis(colours, ""),
      range: [item.names.length - 0.4, -0.6],
      showgrid: false,
      tickvals: rows,
      ticktext: besideBars(item).map((name) => plotText(shortName(name))),
    },
  };
  if (!state.logX) {
    layout.xaxis.range = [0, item.top];
  }
  return { series, layout };
}

const isNarrow = () => window.innerWidth < 600;

// What stands beside bars: on a narrow screen whose they are, if that tells them apart.
function besideBars({ names, mechanisms }) {
  const owners = new Set(mechanisms);
  return isNarrow() && mechanisms.length === names.length && owners.size === names.length ? mechanisms : names;
}

// A narrow screen has room for a few letters beside the bars.
function shortName(name) {
  const most = isNarrow() ? 16 : 36;
  return name.length > most ? `${name.slice(0, most - 1)}…` : name;
}

function barSeries(item, { name, place, measured, words, deviation }, places, height, state, colours) {
  const colour = colours.series[place % SYMBOLS.length];
  return blockSeries(name, colour, {
    x: measured.map((value) => (value === "inf" ? item.top : value && Math.min(value, item.top))),
    y: places,
    width: 0.92 * height,
    marker: { color: colour },
    error_x: { type: "data", array: drawn(deviation), color: colours.ink, thickness: 1.2, width: 3 },
    text: words.map((text, i) => (measured[i] === "inf" || measured[i] > item.top ? `${text} →` : text)),
    textposition: "inside",
    insidetextanchor: "start",
    insidetextfont: { color: colours.paper, size: Math.round(11 * state.share) },
    customdata: item.names.map((row, i) => `${plotText(row)}: ${words[i]}, ${plotText(name)}`),
    hovertemplate: "%{customdata}<extra></extra>",
  });
}

function limitSeries(item, { exact, exact_name: name, place }, places, colours) {
  const colour = colours.series[place % SYMBOLS.length];
  return {
    key: name,
    label: name,
    swatch: { colour, symbol: "diamond-open" },
    trace: {
      type: "scatter",
      mode: "markers",
      x: drawn(exact).map((value) => (value !== null && value > item.top ? null : value)),
      y: places,
      name: plotText(name),
      marker: { symbol: "diamond", size: 9, color: colours.paper, line: { width: 2, color: colour } },
      customdata: item.names.map(plotText),
      hovertemplate: `%{customdata}: %{x:${item.number_format}}, ${plotText(name)}<extra></extra>`,
      zorder: 3,
    },
  };
}

const PLOTS = { curves: curvesPlot, gap: gapPlot, bars: barsPlot };
