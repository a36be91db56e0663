// A chart: axes, curves with bands, and reading them by pointer or keyboard.

// As crates/cli/src/report/palette.rs.
const DASHES = ["", "8 3", "3 2", "9 3 2 3", "14 4", "9 3 2 3 2 3", "5 5", "2 4"];
const MARKERS = [
  "",
  "-.88 -.88 .88 -.88 .88 .88 -.88 .88",
  "0 -1.25 1.15 .8 -1.15 .8",
  "0 -1.3 1.3 0 0 1.3 -1.3 0",
  "0 1.25 1.15 -.8 -1.15 -.8",
  "1.25 0 -.8 1.15 -.8 -1.15",
  "-.4 -1.2 .4 -1.2 .4 -.4 1.2 -.4 1.2 .4 .4 .4 .4 1.2 -.4 1.2 -.4 .4 -1.2 .4 -1.2 -.4 -.4 -.4",
  "1.1 0 .55 .95 -.55 .95 -1.1 0 -.55 -.95 .55 -.95",
];
const dashes = (index) => DASHES[(index + Math.floor(index / 8)) % 8];

function addMarker(parent, index, x, y, radius, filled) {
  const look = { class: `${filled ? "mark" : "hollow"} c${index % 8}` };
  const corners = MARKERS[index % 8];
  if (!corners) return add(parent, "circle", { cx: x, cy: y, r: radius, ...look });
  const numbers = corners.split(" ").map(Number);
  const points = numbers.map((n, i) => (i % 2 ? y : x) + n * radius);
  return add(parent, "polygon", { points: points.map((n) => n.toFixed(1)).join(" "), ...look });
}

// The line and the marker of a curve, as its legend shows them.
function addSample(parent, index) {
  const sample = add(parent, "svg", { width: 38, height: 14, "aria-hidden": "true" });
  const line = { x1: 1, x2: 37, y1: 7, y2: 7, class: `line c${index % 8}` };
  add(sample, "line", { ...line, "stroke-dasharray": dashes(index) });
  addMarker(sample, index, 19, 7, 4, true);
}

// Buttons for the curves, of which `hidden` has the names that are not shown. A double click, or Shift and
// Enter, shows one alone, and again all.
function buildLegend(parent, curves, hidden, redraw) {
  const buttons = curves.map((curve) => {
    const button = add(parent, "button", { "aria-pressed": !hidden.has(curve.name) });
    addSample(button, curve.index);
    add(button, "span", {}, curve.name);
    toggle(button, (on) => {
      if (on) hidden.delete(curve.name);
      else hidden.add(curve.name);
      redraw();
    });
    const alone = () => {
      const others = curves.filter((other) => other !== curve);
      const isAlone = !hidden.has(curve.name) && others.every((other) => hidden.has(other.name));
      hidden.clear();
      if (!isAlone) others.forEach((other) => hidden.add(other.name));
      buttons.forEach((other, i) => other.setAttribute("aria-pressed", !hidden.has(curves[i].name)));
      redraw();
    };
    button.addEventListener("dblclick", alone);
    button.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !event.shiftKey) return;
      event.preventDefault();
      alone();
    });
    return button;
  });
}

// Curves that a tip tells beside its own.
const OTHERS_MOST = 10;

class Scale {
  constructor(low, high, from, to, logarithmic) {
    Object.assign(this, { low, high, from, to, logarithmic });
  }

  px(value) {
    const of = this.logarithmic ? (v) => Math.log(Math.max(v, this.low / 100)) : (v) => v;
    const share = (of(value) - of(this.low)) / (of(this.high) - of(this.low));
    return this.from + share * (this.to - this.from);
  }

  // The value at a pixel.
  value(px) {
    const share = (px - this.from) / (this.to - this.from);
    if (this.logarithmic) return this.low * (this.high / this.low) ** share;
    return this.low + share * (this.high - this.low);
  }

  holds(value) {
    return value >= this.low * 0.999999 && value <= this.high * 1.000001;
  }

  ticks(count) {
    const ticks = [];
    if (this.logarithmic) {
      const decades = Math.log10(this.high / this.low);
      const steps = decades > 3 ? [1] : decades > 0.8 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9];
      for (let power = Math.floor(Math.log10(this.low)); power <= Math.log10(this.high); power++) {
        for (const step of steps) {
          const tick = Number((step * 10 ** power).toPrecision(3));
          if (this.holds(tick)) ticks.push(tick);
        }
      }
      if (ticks.length > 1) return ticks;
    }
    const rough = (this.high - this.low) / count;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find((step) => step * power >= rough) * power;
    for (let n = Math.ceil(this.low / step - 1e-9); n * step <= this.high * 1.000001; n++) {
      ticks.push(Number((n * step).toPrecision(6)));
    }
    return ticks;
  }
}

class Chart {
  // `options`: x(point), y(point), band(point), filled(point), xLabel, yLabel, domain(curves),
  // says(curve, point), under(chart, curves), pick(curve, point).
  constructor(figure, options) {
    Object.assign(this, options);
    this.figure = figure;
    this.plot = add(figure, "div", { class: "plot" });
    this.tip = add(figure, "div", { class: "tip", hidden: "" });
    this.said = add(figure, "p", { class: "unseen", role: "status" });
    this.selected = null;
    this.curves = [];
    this.width = 0;
    // What is looked at: the ends of both axes; null for all.
    this.view = null;
    addDownloads(this);
    new ResizeObserver(() => {
      if (this.plot.clientWidth !== this.width) this.draw(this.curves);
    }).observe(this.plot);
  }

  draw(curves) {
    this.curves = curves;
    this.width = this.plot.clientWidth;
    if (this.width === 0) return;
    const height = Math.round(Math.min(380, Math.max(270, this.width * 0.62)));
    const hadFocus = this.svg && this.svg === document.activeElement;
    this.plot.textContent = "";
    this.frame = null;
    this.svg = add(this.plot, "svg", {
      viewBox: `0 0 ${this.width} ${height}`, tabindex: 0, role: "application",
      "aria-roledescription": "chart",
      "aria-label": `${this.figure.querySelector("figcaption").textContent}: arrow keys read its points`,
    });
    const d = this.domain(curves);
    const [x_ends, y_ends] = this.view || [d.x, d.y];
    this.x = new Scale(x_ends[0], x_ends[1], 58, this.width - 14, d.x[2]);
    this.y = new Scale(y_ends[0], y_ends[1], height - 48, 10, d.y[2]);
    this.drawAxes(height);
    if (curves.length === 0) {
      const middle = { x: this.width / 2, y: height / 2, class: "label", "text-anchor": "middle" };
      add(this.svg, "text", middle, "no curve is shown");
    }
    const clip = `clip-${this.figure.id}`;
    const { x, y } = this;
    const area = { x: x.from, y: y.to, width: x.to - x.from, height: y.from - y.to };
    add(add(this.svg, "clipPath", { id: clip }), "rect", area);
    const inside = add(this.svg, "g", { "clip-path": `url(#${clip})` });
    this.under(this, inside, curves);
    this.points = [];
    for (const curve of curves) this.drawCurve(inside, curve);
    for (const curve of curves) this.drawMarkers(curve);
    this.ring = add(this.svg, "circle", { r: 8, class: "ring", visibility: "hidden" });
    this.listen();
    if (hadFocus) this.svg.focus();
  }

  drawAxes(height) {
    const { svg, x, y } = this;
    for (const tick of y.ticks(5)) {
      const at = y.px(tick);
      add(svg, "line", { x1: x.from, x2: x.to, y1: at, y2: at, class: "grid" });
      add(svg, "text", { x: x.from - 7, y: at + 4, class: "tick y", "text-anchor": "end" }, brief(tick, 4));
    }
    let free = -Infinity;
    for (const tick of x.ticks(Math.max(3, Math.floor((x.to - x.from) / 52)))) {
      const [at, text] = [x.px(tick), brief(tick, 4)];
      const half = text.length * 3.6;
      if (at - half < free || at + half > this.width) continue;
      free = at + half + 6;
      add(svg, "line", { x1: at, x2: at, y1: y.from, y2: y.from + 5, class: "axis" });
      add(svg, "text", { x: at, y: y.from + 18, class: "tick x", "text-anchor": "middle" }, text);
    }
    add(svg, "path", { d: `M${x.from} ${y.to}V${y.from}H${x.to}`, class: "axis" });
    const middle = (x.from + x.to) / 2;
    add(svg, "text", { x: middle, y: height - 8, class: "label", "text-anchor": "middle" }, this.xLabel);
    const turned = `translate(13 ${(y.from + y.to) / 2}) rotate(-90)`;
    add(svg, "text", { transform: turned, class: "label", "text-anchor": "middle" }, this.yLabel);
  }

  drawCurve(parent, curve) {
    const group = add(parent, "g", { class: "curve", "data-series": curve.index });
    const runs = [[]];
    for (const point of curve.points) {
      const [px, value] = [this.x.px(this.x_of(point)), this.y_of(point)];
      if (value === null) {
        runs.push([]);
        continue;
      }
      const at = { x: px, y: this.y.px(value), curve, point };
      const half = this.band(point) || 0;
      at.low = this.y.px(Math.max(value - half, this.y.logarithmic ? this.y.low / 10 : 0));
      at.high = this.y.px(value + half);
      runs[runs.length - 1].push(at);
      if (this.x.holds(this.x_of(point))) this.points.push(at);
    }
    const text = (points, y) => points.map((p) => `${p.x.toFixed(1)} ${p[y].toFixed(1)}`).join("L");
    const colour = `c${curve.index % 8}`;
    for (const run of runs.filter((run) => run.length > 0)) {
      const back = [...run].reverse();
      add(group, "path", { d: `M${text(run, "high")}L${text(back, "low")}Z`, class: `band ${colour}` });
      const line = { d: `M${text(run, "y")}`, class: `line ${colour}`, "stroke-dasharray": dashes(curve.index) };
      add(group, "path", line);
    }
  }

  drawMarkers(curve) {
    const group = add(this.svg, "g", { class: "markers", "data-series": curve.index });
    for (const at of this.points.filter((at) => at.curve === curve)) {
      const filled = this.filled(at.point);
      if (at.y < this.y.to - 1) {
        at.y = this.y.to + 5;
        const d = `M${at.x - 4} ${at.y + 4}L${at.x} ${at.y - 3}L${at.x + 4} ${at.y + 4}`;
        add(group, "path", { d, class: `line c${curve.index % 8}` });
      } else if (at.y <= this.y.from + 1) {
        addMarker(group, curve.index, at.x, at.y, 3.6, filled);
      }
    }
  }

  listen() {
    const { svg } = this;
    const nearest = (event) => {
      const box = svg.getBoundingClientRect();
      const zoom = box.width / this.width || 1;
      const [x, y] = [(event.clientX - box.left) / zoom, (event.clientY - box.top) / zoom];
      const far = (at) => Math.hypot(at.x - x, at.y - y);
      const best = this.points.reduce((a, b) => (a && far(a) <= far(b) ? a : b), null);
      return best && far(best) < 40 ? best : null;
    };
    let from = null;
    let hasDragged = false;
    const place = (event) => {
      const box = svg.getBoundingClientRect();
      const zoom = box.width / this.width || 1;
      return [(event.clientX - box.left) / zoom, (event.clientY - box.top) / zoom];
    };
    svg.addEventListener("pointerdown", (event) => {
      hasDragged = false;
      from = event.pointerType === "touch" || event.button !== 0 ? null : place(event);
    });
    svg.addEventListener("pointermove", (event) => {
      if (from) this.select(from, place(event));
      else this.show(nearest(event));
    });
    svg.addEventListener("pointerup", (event) => {
      hasDragged = Boolean(from) && this.zoomTo(from, place(event));
      from = null;
    });
    svg.addEventListener("pointerleave", () => {
      from = null;
      this.select();
      this.show(null);
    });
    svg.addEventListener("dblclick", () => this.look(null));
    svg.addEventListener("click", (event) => {
      if (hasDragged) return;
      const at = nearest(event);
      this.show(at);
      if (at) this.pick(at.curve, at.point);
    });
    svg.addEventListener("focus", () => this.selected || this.say(this.points[0]));
    svg.addEventListener("blur", () => this.show(null));
    svg.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    const at = this.selected || this.points[0];
    if (!at) return;
    const mine = this.points.filter((other) => other.curve === at.curve);
    const index = mine.indexOf(at);
    const beside = (step) => {
      const order = this.curves.filter((c) => this.points.some((p) => p.curve === c));
      const next = order[(order.indexOf(at.curve) + step + order.length) % order.length];
      const there = this.points.filter((p) => p.curve === next);
      const far = (p) => Math.abs(p.x - at.x);
      return there.reduce((a, b) => (far(a) <= far(b) ? a : b));
    };
    const moves = {
      ArrowRight: () => mine[Math.min(index + 1, mine.length - 1)],
      ArrowLeft: () => mine[Math.max(index - 1, 0)],
      Home: () => mine[0],
      End: () => mine[mine.length - 1],
      ArrowDown: () => beside(1),
      ArrowUp: () => beside(-1),
    };
    if (event.key === "+" || event.key === "-") this.zoomBy(event.key === "+" ? 0.5 : 2, at);
    else if (event.key === "0") this.look(null);
    else if (event.key === "Enter") this.pick(at.curve, at.point);
    else if (event.key === "Escape") this.show(null);
    else if (moves[event.key]) this.say(moves[event.key]());
    else return;
    event.preventDefault();
  }

  // Marks what a drag takes in.
  select(from, to) {
    if (this.frame) this.frame.remove();
    this.frame = null;
    if (!from) return;
    const [x, y] = [Math.min(from[0], to[0]), Math.min(from[1], to[1])];
    const size = { width: Math.abs(to[0] - from[0]), height: Math.abs(to[1] - from[1]) };
    this.frame = add(this.svg, "rect", { x, y, ...size, class: "frame" });
  }

  // Looks at what a drag took in; false where it was a click.
  zoomTo(from, to) {
    this.select();
    if (Math.abs(from[0] - to[0]) < 8 || Math.abs(from[1] - to[1]) < 8) return false;
    const inside = (scale, px) => Math.min(Math.max(px, Math.min(scale.from, scale.to)), Math.max(scale.from, scale.to));
    const ends = (scale, a, b) => [a, b].map((px) => scale.value(inside(scale, px))).sort((one, other) => one - other);
    this.look([ends(this.x, from[0], to[0]), ends(this.y, from[1], to[1])]);
    return true;
  }

  // Looks at `times` as much, a point staying where it is.
  zoomBy(times, at) {
    const ends = (scale, px) => [scale.from, scale.to].map((end) => scale.value(px + (end - px) * times));
    this.look([ends(this.x, at.x), ends(this.y, at.y)]);
  }

  look(view) {
    this.view = view;
    this.draw(this.curves);
  }

  // Shows a point's values, and has them read out.
  say(at) {
    if (!at) return;
    this.show(at);
    this.said.textContent = this.says(at.curve, at.point).join(", ");
  }

  // The other curves at the same place along the axis, from the top down.
  tellOthers(at) {
    const others = this.points.filter((p) => p.curve !== at.curve && Math.abs(p.x - at.x) < 1);
    others.sort((a, b) => this.y_of(b.point) - this.y_of(a.point));
    for (const other of others.slice(0, OTHERS_MOST)) {
      const line = add(this.tip, "div", { class: "other" });
      addSample(line, other.curve.index);
      add(line, "span", {}, `${other.curve.name}: ${brief(this.y_of(other.point), 4)}`);
    }
    if (others.length > OTHERS_MOST) add(this.tip, "div", { class: "faint" }, `and ${others.length - OTHERS_MOST} more`);
  }

  show(at) {
    this.selected = at;
    this.tip.hidden = !at;
    this.ring.setAttribute("visibility", at ? "visible" : "hidden");
    if (!at) return;
    this.ring.setAttribute("cx", at.x);
    this.ring.setAttribute("cy", at.y);
    this.tip.textContent = "";
    this.says(at.curve, at.point).forEach((line, i) => add(this.tip, i ? "div" : "strong", {}, line));
    this.tellOthers(at);
    const plot = this.plot;
    const left = at.x + 14 + this.tip.offsetWidth > this.width ? at.x - 14 - this.tip.offsetWidth : at.x + 14;
    this.tip.style.left = `${plot.offsetLeft + Math.max(0, left)}px`;
    this.tip.style.top = `${plot.offsetTop + Math.max(0, at.y - this.tip.offsetHeight / 2)}px`;
  }
}
