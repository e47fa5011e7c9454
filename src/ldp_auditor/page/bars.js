"use strict";

// All mechanisms side by side: bars of what was proven, marks of the claim and of the limit.

function barsPlot(figure, item, state, colours) {
  const claims = drawn(item.claimed).filter((value) => value !== null);
  const promised = item.attacks.flatMap((attack) =>
    attack.measured.filter((value, i) => typeof value === "number" && item.claimed[i] !== "inf"));
  const most = 1.12 * Math.max(...claims, ...promised, 1e-9);
  const rows = item.names.map((_, i) => i);
  const height = 0.76 / item.attacks.length;
  const placesOf = (index) =>
    rows.map((row) => row + (index - (item.attacks.length - 1) / 2) * height);
  const series = [];
  item.attacks.forEach((attack, index) => {
    series.push(barsOfAttack(item, attack, placesOf(index), height, most, colours));
  });
  series.unshift({
    key: "claimed",
    label: "claimed",
    swatch: { colour: colours.claimed, dash: "solid" },
    trace: {
      type: "scatter",
      mode: "lines",
      x: drawn(item.claimed).flatMap((value) => [value, value, null]),
      y: rows.flatMap((row) => [row - 0.46, row + 0.46, null]),
      name: "claimed",
      line: { color: colours.claimed, width: 3 },
      hovertemplate: "claimed %{x:.4f}<extra></extra>",
      zorder: 2,
    },
  });
  item.attacks.forEach((attack, index) => {
    series.push(limitsOfAttack(item, attack, placesOf(index), most, colours));
  });
  const perRow = item.attacks.length > 1 ? 38 : 26;
  const axis = { ...baseAxis(colours, "epsilon"), ...scaleOf(state.logX), side: "top" };
  if (!state.logX) {
    axis.range = [0, most];
  }
  const layout = {
    ...baseLayout(colours, item.names.length * perRow + 66),
    margin: { l: 10, r: 12, t: 50, b: 10 },
    hovermode: "closest",
    xaxis: axis,
    yaxis: {
      ...baseAxis(colours, ""),
      range: [item.names.length - 0.4, -0.6],
      showgrid: false,
      tickvals: rows,
      ticktext: item.names.map((name) => plotText(shortName(name))),
    },
  };
  return { series, layout };
}

// A narrow screen has room for a few letters beside the bars.
function shortName(name) {
  const most = window.innerWidth < 600 ? 16 : 36;
  return name.length > most ? `${name.slice(0, most - 1)}…` : name;
}

function barsOfAttack(item, attack, places, height, most, colours) {
  const colour = colours.attacks[placeOf(attack.attack)];
  const label = `${attack.attack} attack, proven`;
  return {
    key: `proven ${attack.attack}`,
    label,
    swatch: { colour, block: true },
    trace: {
      type: "bar",
      orientation: "h",
      x: drawn(attack.measured).map((value) => (value === null ? null : Math.min(value, most))),
      y: places,
      width: 0.92 * height,
      name: plotText(label),
      marker: { color: colour },
      text: attack.measured.map((value) => {
        const over = typeof value === "number" && value > most ? " →" : "";
        return typeof value === "number" ? `${value.toFixed(3)}${over}` : "";
      }),
      textposition: "inside",
      insidetextanchor: "start",
      insidetextfont: { color: colours.paper, size: 11 },
      constraintext: "none",
      customdata: item.names.map(
        (name, i) => `${plotText(name)}: ${numberText(attack.measured[i])}`,
      ),
      hovertemplate: `%{customdata} proven by the ${plotText(attack.attack)} attack<extra></extra>`,
    },
  };
}

function limitsOfAttack(item, attack, places, most, colours) {
  const colour = colours.attacks[placeOf(attack.attack)];
  const label = `${attack.attack} attack, unlimited trials`;
  return {
    key: `exact ${attack.attack}`,
    label,
    swatch: { colour, symbol: "diamond-open" },
    trace: {
      type: "scatter",
      mode: "markers",
      x: drawn(attack.exact).map((value) => (value !== null && value > most ? null : value)),
      y: places,
      name: plotText(label),
      marker: { symbol: "diamond", size: 9, color: colours.paper, line: { width: 2, color: colour } },
      customdata: item.names.map(plotText),
      hovertemplate: `%{customdata}: %{x:.4f}, ${plotText(label)}<extra></extra>`,
      zorder: 3,
    },
  };
}

const PLOTS = { curve: curvePlot, gap: gapPlot, bars: barsPlot };
