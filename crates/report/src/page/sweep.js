// The page of a sweep: its curves, and one series at one load.

const FLITS = "flits/node/cycle";
const series = DATA.series.map((one, index) => ({ ...one, index }));
const hiddenSeries = new Set();
const axes = { logLoad: false, logLatency: false, bounds: false };
const stable = (point) => point.status === "converged" || point.status === "max-cycles";
// Where series have different units, all loads are told in flits.
const loadOf = (one, point) => (one.unit === DATA.unit ? point.load : point.offered);
const wallOf = (one) => one.points.find((point) => !stable(point));

// The load in the unit of the chart is kept with the point.
for (const one of series) {
  for (const point of one.points) point.at = loadOf(one, point);
  one.points.sort((a, b) => a.at - b.at);
}

const most = (values) => Math.max(0, ...values.filter((value) => value !== null && isFinite(value)));
const least = (values) => {
  const positive = values.filter((value) => value > 0);
  return positive.length ? Math.min(...positive) : 1e-3;
};
const everyPoint = (curves) => curves.flatMap((one) => one.points);

function loadAxis(loads, end) {
  return axes.logLoad ? [least(loads) * 0.9, end * 1.06, true] : [0, end * 1.03, false];
}

function latencyDomain(curves) {
  const of = curves.length ? curves : series;
  const points = everyPoint(of);
  const ends = of.map((one) => {
    const wall = wallOf(one) || one.points[one.points.length - 1];
    return wall ? wall.at : 0;
  });
  const x = loadAxis(points.map((point) => point.at), most(ends) || 1);
  const highest = most(points.map((point) => point.time && point.time + point.time_ci95));
  const base = most(of.map((one) => one.zero_load ?? least(one.points.map((point) => point.time))));
  if (axes.logLatency) {
    const bottom = least([...points.map((point) => point.time), ...of.map((one) => one.zero_load)]);
    return { x, y: [bottom * 0.9, Math.max(highest, bottom * 2) * 1.1, true] };
  }
  if (!DATA.open_loop && highest > 0) return { x, y: [0, 1.1 * highest, false] };
  // As crates/report/src/chart.rs: the flat part of the curves stays readable.
  const end = Math.min(Math.max(1.1 * highest, 3 * base), 8 * base);
  const limit = Math.max(DATA.limit, 1.25 * base);
  return { x, y: [0, end > 0 ? Math.min(end, limit) : limit, false] };
}

function acceptedDomain(curves) {
  const points = everyPoint(curves.length ? curves : series);
  const loads = points.map(amountOf);
  const bounds = axes.bounds ? curves.map((one) => one.ideal) : [];
  const end = most([...points.map((p) => p.accepted + (p.accepted_ci95 || 0)), ...bounds]) || most(loads) || 1;
  const x = loadAxis(loads, most(loads) || 1);
  // Accepted against offered is read on axes of one kind.
  const bottom = least(points.map((p) => p.accepted)) * 0.9;
  return { x, y: axes.logLoad ? [bottom, end * 1.1, true] : [0, end * 1.08, false] };
}

const amountOf = (point) => (DATA.open_loop ? point.offered : point.at);

function says(one, point) {
  const lines = [one.name, `${DATA.open_loop ? "load" : "amount"} ${brief(point.load, 4)} ${one.unit}`];
  if (point.time !== null) {
    lines.push(`${DATA.time} ${withInterval(point.time, point.time_ci95)} cycles`);
  }
  if (point.latency !== null) {
    if (DATA.time !== "mean packet latency") lines.push(`mean packet latency ${brief(point.latency, 4)} cycles`);
    lines.push(`median ${brief(point.p50, 4)}, 99 % ${brief(point.p99, 4)}`);
  }
  lines.push(`accepted ${withInterval(point.accepted, point.accepted_ci95)} ${FLITS}`, point.status);
  return lines;
}

// Zero loads and walls.
function underLatency(chart, parent, curves) {
  const { x, y } = chart;
  for (const one of curves) {
    const colour = `c${one.index % 8}`;
    if (one.zero_load !== null) {
      const at = y.px(one.zero_load);
      add(parent, "line", { x1: x.from, x2: x.from + 9, y1: at, y2: at, class: `zero ${colour}` });
    }
    const wall = wallOf(one);
    if (!wall) continue;
    const at = x.px(wall.at);
    add(parent, "line", { x1: at, x2: at, y1: y.from, y2: y.to, class: `wall ${colour}` });
  }
}

function underAccepted(chart, parent, curves) {
  const { x, y } = chart;
  if (DATA.open_loop) {
    const [low, high] = [Math.max(x.low, y.low), Math.min(x.high, y.high)];
    add(parent, "line", { x1: x.px(low), y1: y.px(low), x2: x.px(high), y2: y.px(high), class: "guide" });
  }
  if (!axes.bounds) return;
  for (const one of curves.filter((one) => one.ideal !== null)) {
    const at = y.px(one.ideal);
    const line = add(parent, "line", { x1: x.from, x2: x.to, y1: at, y2: at, class: `wall c${one.index % 8}` });
    add(line, "title", {}, `${one.name}: ideal bound ${brief(one.ideal, 4)} ${FLITS}`);
  }
}

const pick = (one, point) => {
  byId("series").value = one.index;
  chooseSeries(one.points.indexOf(point));
};
const xName = DATA.open_loop ? "offered load" : "amount";
const charts = [
  new Chart(byId("latency"), {
    x_of: (point) => point.at, y_of: (point) => point.time, band: (point) => point.time_ci95,
    filled: (point) => point.status === "converged", xLabel: `${xName} (${DATA.unit})`,
    yLabel: `${DATA.time} (cycles)`, domain: latencyDomain, under: underLatency, says, pick,
  }),
  new Chart(byId("accepted"), {
    x_of: amountOf, y_of: (point) => point.accepted, band: (point) => point.accepted_ci95, filled: stable,
    xLabel: DATA.open_loop ? `offered load (${FLITS})` : `amount (${DATA.unit})`,
    yLabel: `accepted load (${FLITS})`, domain: acceptedDomain, under: underAccepted, says, pick,
  }),
];


// A chart of a column against the load, where the page has room for it.
function addColumn(id, name) {
  const at = DATA.columns.findIndex((column) => column.name === name);
  if (!byId(id) || at < 0) return;
  const { label } = DATA.columns[at];
  const of = (point) => point.v[at];
  const domain = (curves) => {
    const points = everyPoint(curves.length ? curves : series);
    const values = points.map(of).filter((value) => value !== null);
    const bottom = axes.logLatency ? [least(values) * 0.9, most(values) * 1.1, true] : [0, most(values) * 1.08 || 1, false];
    return { x: loadAxis(points.map((point) => point.at), most(points.map((point) => point.at)) || 1), y: bottom };
  };
  charts.push(new Chart(byId(id), {
    x_of: (point) => point.at, y_of: of, band: () => 0, filled: stable, xLabel: `${xName} (${DATA.unit})`,
    yLabel: label, domain, under: () => {}, pick,
    says: (one, point) => [one.name, `load ${brief(point.load, 4)} ${one.unit}`, `${label} ${brief(of(point), 4)}`],
  }));
}
addColumn("energy", "energy_per_packet_pj");
addColumn("power", "power_mw");

const drawCharts = () => charts.forEach((chart) => chart.draw(series.filter((one) => !hiddenSeries.has(one.name))));

buildLegend(byId("legend"), series, hiddenSeries, drawCharts);
for (const [id, key] of [["log-load", "logLoad"], ["log-latency", "logLatency"], ["bounds", "bounds"]]) {
  toggle(byId(id), (on) => {
    axes[key] = on;
    charts.forEach((chart) => (chart.view = null));
    drawCharts();
  });
}
if (series.every((one) => one.ideal === null)) byId("bounds").remove();

// One series at one load.

const picture = new NetworkPicture(byId("network"), byId("channel"));
const [chooser, slider] = [byId("series"), byId("load")];
let relative = false;

for (const one of series.filter((one) => one.points.length > 0)) {
  add(chooser, "option", { value: one.index }, one.name);
}

const chosen = () => {
  const one = series[chooser.value];
  return [one, one.points[slider.value]];
};

function chooseSeries(index) {
  const one = series[chooser.value];
  slider.max = one.points.length - 1;
  const last = one.points.findLastIndex((point) => point.status === "converged");
  slider.value = index ?? Math.max(0, last);
  showPoint();
}

function showPoint() {
  const [one, point] = chosen();
  const unit = one.unit;
  byId("load-value").textContent = `${brief(point.load, 6)} ${unit}`;
  slider.setAttribute("aria-valuetext", `${brief(point.load, 6)} ${unit}`);
  byId("point").textContent = says(one, point).slice(2).join(" · ");
  drawHistogram(byId("histogram"), point);
  showDetails(point);
  showChannels(one, point);
}

// What was measured beside the latency and the channels, a table each.
function showDetails(point) {
  const parent = byId("details");
  parent.textContent = "";
  for (const { name, order, columns, rows, all } of point.tables) {
    add(parent, "h3", {}, name[0].toUpperCase() + name.slice(1));
    const rest = all > rows.length ? `${rows.length} of ${all} rows; all are in ${name}.csv` : "";
    const said = [order, rest].filter(Boolean).join("; ");
    if (said) add(parent, "p", { class: "faint" }, said);
    const box = add(parent, "div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name });
    const table = add(box, "table", {});
    const head = add(add(table, "thead", {}), "tr", {});
    const isNumber = columns.map((_, i) => rows.every((row) => row[i] === null || typeof row[i] === "number"));
    columns.forEach((column, i) => add(head, "th", { scope: "col", class: isNumber[i] ? "number" : "" }, column));
    const body = add(table, "tbody", {});
    for (const row of rows) {
      const line = add(body, "tr", {});
      row.forEach((cell, i) => add(line, "td", { class: isNumber[i] ? "number" : "" }, cell === null ? "–" : String(cell)));
    }
  }
}

// The expected loads of a point: those for an accepted load of 1, by its accepted load.
function expectedAt(one, point) {
  return one.expected && point.accepted !== null ? { of: one.expected, times: point.accepted } : null;
}

function showChannels(one, point) {
  const network = DATA.networks[one.network];
  const expected = expectedAt(one, point);
  const loads = point.measured ? { of: point.measured, times: 1 } : expected;
  byId("source").textContent = sourceOf(one, point, Boolean(expected));
  picture.draw(network);
  byId("hottest").textContent = "";
  byId("scale").textContent = "";
  byId("summary").textContent = loads
    ? `Mean over all channels ${percent(loads.of.mean * loads.times)}, busiest ${percent(loads.of.max * loads.times)} of the time.`
    : "";
  if (network.why) {
    picture.channelSaid.textContent = `${one.topology} is not drawn: ${network.why}.`;
    for (const [name, value] of loads ? loads.of.hottest : []) {
      add(byId("hottest"), "li", {}, `${name}  ${percent(value * loads.times)}`);
    }
    return;
  }
  const values = loads && unpack(loads.of).map((value) => value * loads.times);
  const other = point.measured && expected && unpack(expected.of).map((value) => value * expected.times);
  const full = relative && loads ? loads.of.max * loads.times || 1 : 1;
  picture.colour(values, full, (id) => {
    const beside = other ? ` (expected ${percent(other[id])})` : "";
    return `Channel ${picture.channelName(id)}: busy ${percent(values[id])} of the time${beside}`;
  });
  if (values) {
    drawScale(full);
    listHottest(values);
  }
}

function sourceOf(one, point, isExpected) {
  if (point.measured) return "Measured: flits counted on every channel in the measurement window.";
  const ask = 'For measured loads, ask for them: details = ["channels"] in the scenario\'s [measure].';
  const thinned = one.points.some((p) => p.measured) && DATA.every_measured > 1
    ? ` Measured loads are on this page for one point in ${DATA.every_measured}; channels.csv has all.` : ` ${ask}`;
  if (!isExpected) return `There is nothing to expect of these channels without a simulation.${thinned}`;
  const how = one.oblivious
    ? "Expected, not measured: the exact load that routing and traffic put on every channel, for the load accepted."
    : "Expected, not measured: what routing and traffic put on every channel of an empty network, for the load accepted; an adaptive routing spreads a full one otherwise.";
  const past = stable(point) ? "" : " Past saturation this takes all flows to suffer alike.";
  return how + past + thinned;
}

function drawScale(full) {
  const parent = byId("scale");
  const steps = add(parent, "div", { class: "steps", "aria-hidden": "true" });
  for (let level = 0; level < LEVELS; level++) add(steps, "span", { class: `u${level}` });
  add(parent, "p", { class: "faint" }, `busy 0 – ${percent(full)} of the time`);
  const button = add(parent, "button", { id: "relative", "aria-pressed": relative }, "colours up to the hottest");
  toggle(button, (on) => {
    relative = on;
    showChannels(...chosen());
    byId("relative").focus();
  });
}

function listHottest(values) {
  const list = byId("hottest");
  for (const id of picture.order.slice(0, 8)) {
    const button = add(add(list, "li", {}), "button", { "data-of": id, "aria-pressed": "false" });
    add(button, "span", {}, picture.channelName(id));
    add(button, "span", {}, ` ${percent(values[id])}`);
    button.addEventListener("click", () => picture.choose(id));
    button.addEventListener("focus", () => picture.choose(id));
  }
  const eighth = values[picture.order[7]];
  const alike = picture.order.filter((id) => values[id] > eighth * 0.9995).length - 8;
  if (alike > 0) add(list, "li", { class: "faint more" }, `and ${alike} more as busy as the last of these`);
}

chooser.addEventListener("change", () => chooseSeries());
slider.addEventListener("input", showPoint);
new ResizeObserver(() => {
  if (slider.max !== "" && chooser.value !== "") drawHistogram(byId("histogram"), chosen()[1]);
}).observe(byId("one-load"));

drawCharts();
// The picture of a large network must not hold up the first sight of the page.
if (chooser.options.length === 0) byId("one-load").remove();
else setTimeout(() => chooseSeries(), 0);
