"use strict";

// The figure: exact curves of the chosen protocols, and what was measured of them.

const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "x"];
const LOGARITHMIC = { epsilon: [false, false], domain_size: [true, false], reports: [true, true] };
const SHORT = { epsilon: "ε", domain_size: "k", reports: "τ" };

// The same protocol looks the same whatever else is chosen.
function lookOf(protocol) {
  const place = Math.max(0, PROTOCOLS.indexOf(protocol));
  const style = getComputedStyle(document.documentElement);
  const number = place % SYMBOLS.length;
  return {
    colour: style.getPropertyValue(`--series-${number + 1}`).trim(),
    symbol: SYMBOLS[number],
    dash: place < SYMBOLS.length ? "solid" : "8px 3px",
  };
}

function linesPlot(figure, item, state, colours) {
  const x = item.x;
  // Points that are still to come leave no gap.
  const there = (all, values) => all.filter((_, i) => values[i] !== "later");
  const line = (key, name, values, more) => ({
    key,
    label: KINDS[key],
    trace: {
      type: "scatter",
      mode: "lines",
      x: there(x, values),
      y: drawn(there(values, values)),
      name: plotText(name),
      hovertemplate: "%{y:.4f}",
      ...more,
    },
  });
  const series = [
    line("claimed", "claimed", item.claimed, {
      line: { color: colours.claimed, dash: "dash", width: 2.6 },
      zorder: 2,
    }),
  ];
  for (const { protocol, worst, attack } of item.curves) {
    const { colour, symbol, dash } = lookOf(protocol);
    const marker = { symbol, size: 8, color: colour, maxdisplayed: 9 };
    series.push(line("worst", `${protocol}, worst case`, worst, {
      line: { color: colour, dash: "dot", width: 2.2 },
    }));
    series.push(line("attack", `${protocol}, attack`, attack, {
      mode: "lines+markers",
      line: { color: colour, dash, width: 2.2 },
      marker,
    }));
  }
  for (const result of item.measured) {
    series.push(measuredPoint(result, item.axis, colours));
  }
  return { series, layout: linesLayout(item, state, colours) };
}

function measuredPoint(result, axis, colours) {
  const { colour, symbol } = lookOf(result.mechanism);
  const up = Math.max(0, result.estimate - result.empirical_epsilon);
  return {
    key: "measured",
    label: KINDS.measured,
    trace: {
      type: "scatter",
      mode: "markers",
      x: [result[axis]],
      y: drawn([result.empirical_epsilon]),
      name: `${plotText(result.mechanism)}, proven`,
      marker: { symbol, size: 13, color: colours.paper, line: { color: colour, width: 3 } },
      error_y: {
        type: "data",
        symmetric: false,
        array: [Number.isFinite(up) ? up : 0],
        arrayminus: [0],
        color: colour,
        thickness: 2,
        width: 5,
      },
      customdata: [result.trials.toLocaleString("en")],
      hovertemplate: "%{y:.4f} by %{customdata} trials",
      zorder: 3,
    },
  };
}

function linesLayout(item, state, colours) {
  const narrow = window.innerWidth < 600;
  const layout = {
    ...baseLayout(colours, narrow ? 330 : 400),
    margin: { l: 50, r: 12, t: 26, b: 44 },
    hovermode: item.curves.length > 5 ? "closest" : "x unified",
    xaxis: {
      ...baseAxis(colours, item.title),
      ...scaleOf(state.logX),
      unifiedhovertitle: { text: `${plotText(item.title)} %{x}` },
    },
    yaxis: { ...baseAxis(colours, "epsilon"), ...scaleOf(state.logY) },
    shapes: [{
      type: "line",
      x0: item.chosen,
      x1: item.chosen,
      y0: 0,
      y1: 1,
      yref: "paper",
      layer: "below",
      line: { color: colours.muted, width: 1.2, dash: "dot" },
    }],
    annotations: [{
      text: `${SHORT[item.axis]} = ${shortNumber(item.chosen)}`,
      x: state.logX ? Math.log10(item.chosen) : item.chosen,
      y: 1,
      yref: "paper",
      yanchor: "bottom",
      showarrow: false,
      font: { size: 12, color: colours.muted },
    }],
  };
  if (state.logX) {
    Object.assign(layout.xaxis, { dtick: narrow ? "D2" : "D1", tickformat: "~g" });
    layout.xaxis.tickvals = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];
    layout.xaxis.ticktext = layout.xaxis.tickvals.map((value) => shortNumber(value));
  }
  if (state.logY) {
    layout.yaxis.tickformat = "~g";
  } else {
    layout.yaxis.rangemode = "tozero";
  }
  return layout;
}

const KINDS = {
  claimed: "claimed",
  worst: "exact worst case",
  attack: "attack, unlimited trials",
  measured: "measured, proven (open marks)",
};

PLOTS.lines = linesPlot;

TABLES.lines = (figure, item) => {
  const head = [item.title, "claimed"];
  for (const { protocol } of item.curves) {
    head.push(`${protocol}, worst case`, `${protocol}, attack`);
  }
  const rows = item.x.map((x, i) => {
    const row = [shortNumber(x), numberText(item.claimed[i])];
    for (const { worst, attack } of item.curves) {
      row.push(numberText(worst[i]), numberText(attack[i]));
    }
    return row;
  });
  return { head, rows };
};

class LinesFigure extends PageFigure {
  axesAtFirst() {
    const [logX, logY] = LOGARITHMIC[this.data.cases[0].axis];
    return { logX, logY };
  }

  // A box for every kind of line, not for every line.
  buildControls() {
    const colours = theme();
    const swatches = {
      claimed: { colour: colours.claimed, dash: "dash" },
      worst: { colour: colours.muted, dash: "dot" },
      attack: { colour: colours.muted, dash: "solid" },
      measured: { colour: colours.muted, symbol: "diamond-open" },
    };
    const group = document.createElement("fieldset");
    const legend = document.createElement("legend");
    legend.className = "unseen";
    legend.textContent = "Lines to show";
    group.append(legend);
    for (const [key, label] of Object.entries(KINDS)) {
      group.append(this.toggle({ key, label, swatch: swatches[key] }));
    }
    const axes = document.createElement("div");
    axes.className = "axes";
    axes.append("Logarithmic:", this.axisToggle("logX", "across"), this.axisToggle("logY", "up"));
    this.element.querySelector(".controls").replaceChildren(group, axes);
  }

  buildKey() {
    const entries = this.item.curves.map(({ protocol }) => {
      const entry = document.createElement("li");
      entry.append(swatch(lookOf(protocol)), protocol);
      return entry;
    });
    this.element.querySelector(".key").replaceChildren(...entries);
  }

  words(series) {
    const names = this.item.curves.map(({ protocol }) => protocol).join(", ");
    const kinds = [...new Set(series.map((entry) => entry.label))].join("; ");
    return `Chart of ${this.data.name} of ${names} at ${this.item.label}: ${kinds}. `
      + "Its numbers are in the table below it.";
  }

  show(item) {
    const turned = item.axis !== this.item.axis;
    this.data.cases = [item];
    if (turned) {
      Object.assign(this.state, this.axesAtFirst());
      this.buildControls();
    }
    this.refresh();
  }

  refresh() {
    this.buildKey();
    this.draw();
    this.buildTable();
  }
}
