"use strict";

// Unpacks the data and the plotting library, and draws what comes into view.

// A page has not loaded while a frame in it is being written: browsers that print or take a picture
// as soon as it has (chromium --headless --print-to-pdf) wait until there is something to be seen.
function delayLoad() {
  const frame = document.createElement("iframe");
  frame.hidden = true;
  document.body.append(frame);
  frame.contentDocument.open();
  return () => {
    frame.contentDocument.close();
    frame.remove();
  };
}

async function unpacked(name) {
  const text = document.getElementById(`data-${name}`).textContent;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

async function start(ready) {
  const filters = new Filters();
  startTable(filters);
  document.querySelectorAll(".command").forEach((line) => addCopyButton(line, "Copy this command"));
  filters.onChange(({ budget }) => tellBudget(Number(budget)));
  filters.onChange(({ protocol }) => {
    for (const place of document.querySelectorAll("[data-of]")) {
      place.hidden = Boolean(protocol) && place.dataset.of !== protocol;
    }
  });
  const data = JSON.parse(await unpacked("figures"));
  const places = Array.from(document.querySelectorAll("figure[data-figure]"));
  if (places.length === 0) {
    ready();
    return;
  }
  const script = document.createElement("script");
  script.textContent = await unpacked("library");
  document.head.append(script);
  const figures = places.map((place) => new PageFigure(place, data[place.dataset.figure]));
  figures.forEach(addDownloads);
  let drawn = false;
  filters.onChange((values) => figures.forEach((figure) => figure.filter(values, drawn)));
  drawn = true;
  const waiting = new Set(figures);
  const drawOne = (figure) => {
    waiting.delete(figure);
    figure.draw();
  };
  const drawRest = () => {
    const [next] = waiting;
    if (next) {
      drawOne(next);
      later(drawRest);
    } else {
      ready();
    }
  };
  const later = window.requestIdleCallback || ((work) => setTimeout(work, 30));
  later(drawRest);
  const redraw = (width) => {
    for (const figure of figures) {
      waiting.delete(figure);
      figure.buildControls();
      const half = figure.element.closest(".mechanisms"); // two of them stand side by side
      figure.draw(width && half ? width / 2 - 10 : width);
    }
  };
  for (const changed of ["(prefers-color-scheme: dark)", "(max-width: 599px)"]) {
    matchMedia(changed).addEventListener("change", () => redraw());
  }
  // Pages are counted before the colours of paper are there: figures have their size by then.
  addEventListener("beforeprint", () => redraw(PAPER_WIDTH));
  addEventListener("afterprint", () => redraw());
  matchMedia("print").addEventListener("change", (event) =>
    redraw(event.matches ? PAPER_WIDTH : undefined));
}

const endLoad = delayLoad();
start(() => {
  document.documentElement.dataset.ready = "yes";
  endLoad();
}).catch((error) => {
  endLoad();
  throw error;
});
