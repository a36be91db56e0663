// The chart of any column against any other, with its controls.

const choosers = ["y", "x", "by", "facet"].map((name) => byId(`choose-${name}`));
const typed = ["x-from", "x-to", "y-from", "y-to"].map(byId);
const logarithmic = { x: false, y: false };
const hidden = new Set();
const panels = [];
let legendOf = null;
const nameOf = (name) => {
  const known = DATA.columns.find((column) => column.name === name);
  return known ? known.label : name === SATURATION ? `saturation load (${DATA.unit})` : name;
};

function setUpChoosers() {
  const numeric = DATA.keys.filter((key, i) => DATA.series.every((one) => typeof one.keys[i] === "number"));
  const shownColumns = DATA.columns.filter((column) => !column.name.endsWith("ci95")).map((c) => c.name);
  const columns = [...shownColumns, ...numeric];
  const options = [
    [...(numeric.length && DATA.open_loop ? [SATURATION] : []), ...shownColumns],
    columns, ["series", ...DATA.keys], ["", "series", ...DATA.keys],
  ];
  const first = ["latency_p99", "load", "series", ""];
  const fallback = shownColumns.includes("latency_p99") ? "latency_p99" : shownColumns[shownColumns.length - 1];
  choosers.forEach((chooser, i) => {
    for (const name of options[i]) add(chooser, "option", { value: name }, name ? nameOf(name) : "one panel");
    chooser.value = i === 0 ? fallback : first[i];
    chooser.addEventListener("change", drawPanels);
  });
  typed.forEach((input) => input.addEventListener("change", drawPanels));
  for (const axis of ["x", "y"]) {
    toggle(byId(`log-${axis}`), (on) => {
      logarithmic[axis] = on;
      drawPanels();
    });
  }
}

const chosenNow = () => Object.fromEntries(["y", "x", "by", "facet"].map((name, i) => [name, choosers[i].value]));

function panelOf(index) {
  if (!panels[index]) {
    const figure = add(byId("panels"), "figure", { class: "chart", id: `panel-${index}` });
    add(figure, "figcaption", {});
    panels[index] = new Chart(figure, {
      x_of: (point) => point.x, y_of: (point) => point.y, band: (point) => point.half,
      filled: (point) => point.status === "converged", under: () => {},
      pick: (_, at) => pick(at.one, at.point),
    });
  }
  return panels[index];
}

function drawPanels() {
  const choice = chosenNow();
  const all = gather(DATA, series, choice);
  const points = all.flatMap((panel) => panel.curves).flatMap((curve) => curve.points);
  const drawn = points.filter((point) => point.y !== null);
  const ends = typed.map((input) => (input.value === "" ? null : Number(input.value)));
  const x = rangeOf(drawn.map((point) => point.x), logarithmic.x, ends.slice(0, 2));
  const y = rangeOf(drawn.flatMap((p) => [p.y, p.y + p.half]), logarithmic.y, ends.slice(2));
  all.forEach((panel, index) => {
    const chart = panelOf(index);
    chart.figure.hidden = false;
    chart.figure.querySelector("figcaption").textContent =
      `${panel.name ? `${panel.name}: ` : ""}${nameOf(choice.y)} against ${nameOf(choice.x)}`;
    Object.assign(chart, {
      xLabel: nameOf(choice.x), yLabel: nameOf(choice.y), domain: () => ({ x, y }), view: null,
      says: (curve, at) => [curve.name, `${nameOf(choice.x)} ${brief(at.x, 4)}`,
        `${nameOf(choice.y)} ${withInterval(at.y, at.half)}`, choice.y === SATURATION ? "" : at.status].filter(Boolean),
    });
    chart.draw(panel.curves.filter((curve) => !hidden.has(curve.name)));
  });
  panels.slice(all.length).forEach((chart) => (chart.figure.hidden = true));
  const curves = new Map(all.flatMap((panel) => panel.curves).map((curve) => [curve.name, curve]));
  const names = [...curves.keys()].join("\n");
  if (names !== legendOf) {
    legendOf = names;
    hidden.clear();
    byId("curves-shown").textContent = "";
    buildLegend(byId("curves-shown"), [...curves.values()].sort((a, b) => a.index - b.index), hidden, drawPanels);
  }
  byId("nothing").hidden = drawn.length > 0;
}

setUpChoosers();
// It must not hold up the first sight of the page.
setTimeout(drawPanels, 0);
