"use strict";

// What is drawn: a function for every kind of figure, from its data to series and a layout.
// A series has a key (to toggle it), a label, a swatch, and a trace of the plotting library.

function curvePlot(figure, item, state, colours) {
  const x = drawn(item.x);
  const series = [];
  const line = (key, label, values, colour, dash, width) => ({
    key,
    label,
    swatch: { colour, dash },
    trace: {
      type: "scatter",
      mode: x.length > 1 ? "lines" : "lines+markers",
      x,
      y: drawn(values),
      name: plotText(label),
      line: { color: colour, dash, width },
      hovertemplate: "%{y:.4f}",
    },
  });
  if (item.claimed.some((value) => typeof value === "number")) {
    series.push(line("claimed", "claimed", item.claimed, colours.claimed, "dash", 2.2));
  }
  if (item.worst.some((value) => typeof value === "number")) {
    series.push(line("worst", "worst case (exact)", item.worst, colours.worst, "dot", 2));
  }
  for (const attack of item.attacks) {
    const place = placeOf(attack.attack);
    const colour = colours.attacks[place];
    if (attack.exact.some((value) => typeof value === "number")) {
      const label = `${attack.attack} attack, unlimited trials`;
      series.push(line(`exact ${attack.attack}`, label, attack.exact, colour, EXACT_DASHES[place], 1.5));
    }
    series.push(measuredSeries(item, attack, x, colour, ATTACK_MARKERS[place]));
  }
  const all = series.flatMap((entry) => entry.trace.y).filter((value) => value > 0);
  if (state.logY && all.length > 0) {
    series.forEach((entry) => lift(entry, Math.min(...all) / 2));
  }
  const layout = {
    ...baseLayout(colours, 400),
    margin: { l: 56, r: 14, t: 12, b: 46 },
    hovermode: "x unified",
    hoverdistance: -1,
    xaxis: {
      ...baseAxis(colours, figure.axis),
      ...scaleOf(state.logX),
      unifiedhovertitle: { text: `${plotText(figure.axis)} %{x}` },
    },
    yaxis: { ...baseAxis(colours, "epsilon"), ...scaleOf(state.logY), ...decades(all, state.logY) },
  };
  if (x.length <= 10 && (state.logX || x.length <= 6)) {
    Object.assign(layout.xaxis, { tickvals: x, ticktext: x.map((value) => shortNumber(value)) });
  }
  if (!state.logY) {
    layout.yaxis.rangemode = "tozero";
  }
  return { series, layout };
}

// A logarithmic axis has no place for 0: it is drawn below all else, with an open marker.
function lift({ swatch, trace }, floor) {
  if (!swatch.symbol || !trace.y.includes(0)) {
    return;
  }
  const isZero = trace.y.map((value) => value === 0);
  trace.y = trace.y.map((value, i) => (isZero[i] ? floor : value));
  trace.marker = {
    ...trace.marker,
    symbol: isZero.map((zero) => (zero ? `${swatch.symbol}-open` : swatch.symbol)),
  };
  trace.error_y = {
    ...trace.error_y,
    array: trace.error_y.array.map((size, i) => (isZero[i] ? 0 : size)),
    arrayminus: trace.error_y.arrayminus.map((size, i) => (isZero[i] ? 0 : size)),
  };
  Object.assign(trace, {
    mode: `${trace.mode}+text`,
    text: isZero.map((zero) => (zero ? "0" : "")),
    textposition: "middle right",
  });
}

function measuredSeries(item, attack, x, colour, symbol) {
  const y = drawn(attack.measured);
  const spread = attack.deviation.some((value) => typeof value === "number");
  const up = y.map((value, i) => {
    const top = spread ? attack.deviation[i] : attack.estimate[i] - value;
    return typeof top === "number" && top > 0 ? top : 0;
  });
  const notes = y.map((_, i) => {
    const more = spread
      ? `± ${numberText(attack.deviation[i])}`
      : `(counts ${numberText(attack.estimate[i])})`;
    return `${numberText(y[i])} ${more}${attack.violated[i] ? " VIOLATION" : ""}`;
  });
  const label = `${attack.attack} attack, proven`;
  return {
    key: `proven ${attack.attack}`,
    label,
    swatch: { colour, dash: "solid", symbol },
    trace: {
      type: "scatter",
      mode: "lines+markers",
      x,
      y,
      name: plotText(label),
      line: { color: colour, width: 2.2 },
      marker: { symbol, size: 8, color: colour },
      error_y: {
        type: "data",
        array: up,
        arrayminus: spread ? up : y.map(() => 0),
        symmetric: false,
        color: colour,
        thickness: 1.2,
        width: 4,
      },
      customdata: notes,
      hovertemplate: "%{customdata}",
    },
  };
}

function scaleOf(log) {
  return log ? { type: "log" } : { type: "linear" };
}

// A logarithmic axis of few decades has ticks at 1, 2 and 5.
function decades(values, log) {
  if (!log || values.length === 0) {
    return {};
  }
  const span = Math.log10(Math.max(...values) / Math.min(...values));
  return { dtick: span > 3 ? 1 : "D2", tickformat: "~g" };
}

function shortNumber(value) {
  if (value !== 0 && Math.abs(value) < 1e-3) {
    return value.toExponential().replace("e", "e");
  }
  return value >= 1e4 ? value.toLocaleString("en") : String(value);
}

// A worst case above the claim is no slack: the promise is broken by so much.
function stepsOf(excess) {
  const second = excess ? "excess of worst case" : "slack";
  return ["claimed", second, "weakness of attack", "Monte Carlo", "proven"];
}

function gapPlot(figure, item, state, colours) {
  const series = item.attacks.map((attack, row) => {
    const [claimed, slack, weakness, chance, proven] = attack.steps;
    const levels = [claimed, claimed - slack, claimed - slack - weakness];
    const last = Math.min(levels[2], proven);
    const colour = colours.attacks[placeOf(attack.attack)];
    const label = `${attack.attack} attack`;
    const values = [claimed, -slack, -weakness, -chance, proven];
    const excess = slack < -5e-4;
    return {
      key: label,
      label,
      swatch: { colour, block: true },
      trace: {
        type: "bar",
        orientation: "h",
        y: stepsOf(excess),
        base: [0, Math.min(claimed, levels[1]), Math.min(...levels.slice(1)), last, 0],
        x: values.map(Math.abs),
        name: plotText(label),
        marker: {
          color: [
            colours.claimed,
            excess ? colours.bad : colours.loss,
            colours.loss,
            colours.loss,
            colour,
          ],
          pattern: {
            shape: ["", excess ? "" : "/", "/", "/", ""],
            fgcolor: colours.paper,
            size: 6,
          },
        },
        text: values.map((value, i) => (excess && i === 1 ? "+" : "") + signed(value)),
        textposition: "outside",
        textangle: 0,
        cliponaxis: false,
        constraintext: "none",
        hovertemplate: "%{y}: %{text}<extra></extra>",
        xaxis: "x",
        yaxis: row === 0 ? "y" : `y${row + 1}`,
      },
    };
  });
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
      layout.annotations.push({
        text: `<b>${plotText(entry.label)}</b>`,
        x: 0,
        y: top,
        xref: "paper",
        yref: "paper",
        xanchor: "left",
        yanchor: "top",
        showarrow: false,
      });
    }
  });
  return { series, layout };
}

function signed(value) {
  const size = Math.abs(value) < 5e-4 ? "0" : Math.abs(value).toPrecision(3);
  return value < -5e-4 ? `−${size}` : size;
}
