// Any column against any other: which points are on which curve of which panel.

const SATURATION = "saturation";
const isUnstable = (point) => point.status === "saturated" || point.status === "deadlock";
const placeOf = (names, name) => names.findIndex((one) => (one.name ?? one) === name);

// The value of `point` of the series `one` in a column or under a key.
function valueIn(data, one, point, name) {
  const key = placeOf(data.keys, name);
  return key < 0 ? point.v[placeOf(data.columns, name)] : one.keys[key];
}

// What tells curves apart: the key or series asked for, or, where a key is used otherwise, the other keys.
function tellers(data, choice) {
  if (choice.by !== "series") return [choice.by];
  const used = (key) => key === choice.x || key === choice.facet;
  return data.keys.some(used) ? data.keys.filter((key) => !used(key)) : ["series"];
}

function told(data, one, point, name) {
  if (name === "series") return one.name;
  return `${name.slice(name.lastIndexOf(".") + 1)}=${valueIn(data, one, point, name) ?? "–"}`;
}

// Half way from the last load that converged to the first that is saturated; null where one is missing.
function bracket(points) {
  const sorted = [...points].sort((a, b) => a.load - b.load);
  const high = sorted.find(isUnstable);
  const low = high && sorted.findLast((p) => p.load < high.load && p.status === "converged");
  return low ? { y: (low.load + high.load) / 2, half: (high.load - low.load) / 2 } : null;
}

// The panels of `choice` (x, y, by, facet): each with its curves, each with its points in the order of x.
function gather(data, series, choice) {
  const by = tellers(data, choice);
  const isKey = data.keys.includes(choice.x);
  const y = data.columns[placeOf(data.columns, choice.y)];
  // Saturation is that of all loads: against one of them it says nothing.
  if (!y && !isKey) return [];
  const names = [];
  const panels = new Map();
  const add = (one, point, at) => {
    const panel = choice.facet ? told(data, one, point, choice.facet) : "";
    const words = by.map((name) => told(data, one, point, name));
    // Where a key is the axis, a curve is of one load.
    if (isKey && y) words.push(`load ${point.load}`);
    const name = words.join(", ") || "all";
    if (!names.includes(name)) names.push(name);
    if (!panels.has(panel)) panels.set(panel, new Map());
    const curves = panels.get(panel);
    if (!curves.has(name)) curves.set(name, { name, index: names.indexOf(name), points: [] });
    curves.get(name).points.push({ ...at, status: point.status, one, point });
  };
  const number = (value) => (typeof value === "number" ? value : null);
  for (const one of series) {
    if (!y) {
      const found = bracket(one.points);
      const first = one.points[0];
      const x = first && number(valueIn(data, one, first, choice.x));
      if (found && x !== null) add(one, { ...first, status: "converged" }, { x, ...found });
      continue;
    }
    for (const point of one.points) {
      const x = number(valueIn(data, one, point, choice.x));
      if (x === null) continue;
      const half = y.interval === null ? 0 : point.v[y.interval] || 0;
      add(one, point, { x, y: number(valueIn(data, one, point, choice.y)), half });
    }
  }
  return [...panels].map(([name, curves]) => {
    const sorted = [...curves.values()];
    sorted.forEach((curve) => curve.points.sort((a, b) => a.x - b.x));
    return { name, curves: sorted };
  });
}

// A range that holds all `values`, on an axis from 0 or a logarithmic one; typed ends come first.
function rangeOf(values, logarithmic, [from, to]) {
  const drawn = values.filter((value) => value !== null && isFinite(value) && (!logarithmic || value > 0));
  const [low, high] = drawn.length ? [Math.min(...drawn), Math.max(...drawn)] : [logarithmic ? 0.1 : 0, 1];
  const start = logarithmic ? low * 0.9 : Math.min(0, low);
  const ends = [from ?? start, to ?? (logarithmic ? high * 1.1 : high + 0.05 * Math.abs(high))];
  if (logarithmic && !(ends[0] > 0)) ends[0] = start;
  if (!(ends[1] > ends[0])) ends[1] = logarithmic ? ends[0] * 10 : ends[0] + 1;
  return [...ends, logarithmic];
}
