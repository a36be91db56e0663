// The picture of a network, its channels coloured by how busy they are.

// Steps of the colours, c0 to …; as many as page.css has.
const LEVELS = 12;

// The numbers that picture.rs packs, two digits each.
function unpack(loads) {
  const digit = (code) => {
    if (code >= 97) return code - 97 + 26;
    if (code === 95) return 63;
    if (code >= 65) return code - 65;
    return code === 45 ? 62 : code - 48 + 52;
  };
  const values = new Float64Array(loads.packed.length / 2);
  for (let i = 0; i < values.length; i++) {
    const [high, low] = [loads.packed.charCodeAt(2 * i), loads.packed.charCodeAt(2 * i + 1)];
    values[i] = ((digit(high) * 64 + digit(low)) / 4095) * loads.max;
  }
  return values;
}

// The corners of a line close enough together to take it for a polygon.
function corners(data) {
  const points = [];
  for (const [, letter, rest] of data.matchAll(/([MLC])([^MLC]*)/g)) {
    const n = rest.trim().split(" ").map(Number);
    if (letter !== "C") {
      points.push([n[0], n[1]]);
      continue;
    }
    const [x, y] = points[points.length - 1];
    for (let step = 1; step <= 10; step++) {
      const [t, s] = [step / 10, 1 - step / 10];
      const mix = (a, b, c, d) => a * s * s * s + 3 * b * s * s * t + 3 * c * s * t * t + d * t * t * t;
      points.push([mix(x, n[0], n[2], n[4]), mix(y, n[1], n[3], n[5])]);
    }
  }
  return points;
}

// `points` moved aside to the right of their way, without what lies in the marks at the ends.
function lane(points, aside, radius) {
  const moved = points.map(([x, y], i) => {
    const [a, b] = [points[Math.max(i - 1, 0)], points[Math.min(i + 1, points.length - 1)]];
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
    return [x - ((b[1] - a[1]) / length) * aside, y + ((b[0] - a[0]) / length) * aside];
  });
  return cut(cut(moved, points[0], radius).reverse(), points[points.length - 1], radius).reverse();
}

// `points` from where they leave the circle round `middle`.
function cut(points, middle, radius) {
  const far = (p) => Math.hypot(p[0] - middle[0], p[1] - middle[1]);
  const first = points.findIndex((p) => far(p) > radius);
  if (first <= 0) return points;
  let [inside, outside] = [points[first - 1], points[first]];
  for (let i = 0; i < 8; i++) {
    const half = [(inside[0] + outside[0]) / 2, (inside[1] + outside[1]) / 2];
    if (far(half) > radius) outside = half;
    else inside = half;
  }
  return [outside, ...points.slice(first)];
}

// An arrow along `points`: a ribbon with a head, as one polygon.
function arrow(points, width) {
  const last = points.length - 1;
  const total = points.slice(1).reduce((sum, p, i) => sum + Math.hypot(p[0] - points[i][0], p[1] - points[i][1]), 0);
  const head = Math.min(3.2 * width, 0.6 * total);
  const neck = cut([...points].reverse(), points[last], head).reverse();
  const [left, right] = [[], []];
  let normal = [0, 0];
  neck.forEach((p, i) => {
    const [a, b] = [neck[Math.max(i - 1, 0)], neck[i + 1] || points[last]];
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
    normal = [-(b[1] - a[1]) / length, (b[0] - a[0]) / length];
    left.push([p[0] + (normal[0] * width) / 2, p[1] + (normal[1] * width) / 2]);
    right.push([p[0] - (normal[0] * width) / 2, p[1] - (normal[1] * width) / 2]);
  });
  const base = neck[neck.length - 1];
  const wing = (sign) => [base[0] + sign * normal[0] * width * 1.3, base[1] + sign * normal[1] * width * 1.3];
  const all = [...left, wing(1), points[last], wing(-1), ...right.reverse()];
  return `M${all.map((p) => `${p[0].toFixed(1)} ${p[1].toFixed(1)}`).join("L")}Z`;
}

class NetworkPicture {
  constructor(figure, channelSaid) {
    this.figure = figure;
    this.channelSaid = channelSaid;
    this.network = null;
    this.selected = null;
  }

  name(node) {
    const { names } = this.network;
    return names ? names[node] : String(node);
  }

  channelName(id) {
    return `${this.name(this.network.from[id])} → ${this.name(this.network.to[id])}`;
  }

  draw(network) {
    if (this.network === network) return;
    this.network = network;
    this.selected = null;
    this.figure.textContent = "";
    this.paths = [];
    if (network.why) return;
    const { width, height, radius } = network;
    const pad = 3;
    this.svg = add(this.figure, "svg", {
      viewBox: `${-pad} ${-pad} ${width + 2 * pad} ${height + 2 * pad}`, tabindex: 0,
      role: "application", "aria-roledescription": "network",
      "aria-label": "The network; arrow keys go through its channels from the hottest on",
      style: `max-width:${Math.max(width * 1.7, 420)}px`,
    });
    this.drawChannels(radius);
    this.drawNodes(radius);
    for (const [x, y, text] of network.captions) {
      add(this.svg, "text", { x, y, class: "caption", "text-anchor": "end" }, text);
    }
    this.mark = add(this.svg, "path", { class: "chosen", d: "" });
    this.listen();
  }

  lines() {
    const { x, y, from, to, partner, paths } = this.network;
    const lines = from.map(() => null);
    from.forEach((source, id) => {
      if (lines[id]) return;
      const straight = [[x[source], y[source]], [x[to[id]], y[to[id]]]];
      lines[id] = paths[id] ? corners(paths[id]) : straight;
      if (partner[id] >= 0) lines[partner[id]] = [...lines[id]].reverse();
    });
    return lines;
  }

  drawChannels(radius) {
    const { kinds, from, partner } = this.network;
    const width = Math.min(4.5, Math.max(0.9, radius * 0.24));
    const paired = new Set(partner.flatMap((other, id) => (other >= 0 ? [other, id] : [])));
    const group = add(this.svg, "g", { class: "channels" });
    this.lanes = this.lines().map((line, id) => {
      const ends = radius * (kinds[from[id]] === "i" ? 0.85 : 1) * 1.05;
      return lane(line, paired.has(id) ? width * 0.95 : 0, ends);
    });
    this.paths = this.lanes.map((points, id) => add(group, "path", { d: arrow(points, width), "data-channel": id }));
  }

  drawNodes(radius) {
    const { x, y, kinds, places } = this.network;
    const group = add(this.svg, "g", { class: "nodes" });
    const shown = kinds.length <= 64;
    x.forEach((_, node) => {
      const kind = kinds[node];
      const [cx, cy] = [x[node], y[node]];
      const r = kind === "i" ? radius * 0.85 : radius;
      let mark;
      if (kind === "t") mark = add(group, "circle", { cx, cy, r, class: "terminal" });
      else if (kind === "s") {
        const half = r * 0.9;
        const box = { x: cx - half, y: cy - half, width: 2 * half, height: 2 * half, rx: r * 0.18 };
        mark = add(group, "rect", { ...box, class: "switch" });
      } else {
        const points = `${cx - r},${cy} ${cx},${cy - r} ${cx + r},${cy} ${cx},${cy + r}`;
        mark = add(group, "polygon", { points, class: "interchange" });
      }
      const place = places && places[node] ? `: ${places[node]}` : "";
      add(mark, "title", {}, this.name(node) + place);
      const size = Math.min((1.7 * r) / (0.62 * this.name(node).length), r * 0.95, 14);
      if (shown && size >= 7) {
        const text = { x: cx, y: cy + size * 0.36, "font-size": size, "text-anchor": "middle" };
        add(group, "text", text, this.name(node));
      }
    });
  }

  // Colours the channels: `loads` by channel as a share of `full`; `says(id)` tells one.
  colour(loads, full, says) {
    this.loads = loads;
    this.says = says;
    this.order = loads && [...loads.keys()].sort((a, b) => loads[b] - loads[a] || a - b);
    this.paths.forEach((path, id) => {
      const level = loads ? Math.min(LEVELS - 1, Math.floor((loads[id] / full) * LEVELS)) : 0;
      path.setAttribute("class", loads && loads[id] > 0 ? `u${level}` : "idle");
    });
    this.choose(this.selected);
  }

  choose(id) {
    this.selected = id;
    if (!this.mark) return;
    this.mark.setAttribute("d", id === null ? "" : this.paths[id].getAttribute("d"));
    this.channelSaid.textContent = id === null || !this.loads
      ? "Point at a channel, or focus the picture and use the arrow keys, to read its load."
      : this.says(id);
    for (const item of document.querySelectorAll("#hottest button")) {
      item.setAttribute("aria-pressed", Number(item.dataset.of) === id && id !== null);
    }
  }

  nearest(event) {
    const matrix = this.svg.getScreenCTM();
    if (!matrix) return null;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const reach = Math.max(this.network.radius * 0.6, 8 / matrix.a);
    let [best, least] = [null, reach];
    this.lanes.forEach((points, id) => {
      for (let i = 1; i < points.length; i++) {
        const far = distance(at, points[i - 1], points[i]);
        if (far < least) [best, least] = [id, far];
      }
    });
    return best;
  }

  listen() {
    this.svg.addEventListener("pointermove", (event) => {
      const id = this.nearest(event);
      if (id !== null && id !== this.selected) this.choose(id);
    });
    this.svg.addEventListener("keydown", (event) => {
      if (!this.order) return;
      const last = this.order.length - 1;
      const at = this.selected === null ? -1 : this.order.indexOf(this.selected);
      const moves = {
        ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last,
        PageDown: at + 10, PageUp: at - 10,
      };
      if (event.key === "Escape") this.choose(null);
      else if (event.key in moves) this.choose(this.order[Math.min(last, Math.max(0, moves[event.key]))]);
      else return;
      event.preventDefault();
    });
    this.svg.addEventListener("focus", () => {
      if (this.selected === null && this.order) this.choose(this.order[0]);
    });
  }
}

// From a point to a stretch of a line.
function distance(at, a, b) {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const along = ((at.x - a[0]) * dx + (at.y - a[1]) * dy) / (dx * dx + dy * dy || 1);
  const t = Math.min(1, Math.max(0, along));
  return Math.hypot(at.x - a[0] - t * dx, at.y - a[1] - t * dy);
}
