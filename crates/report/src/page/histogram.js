// How often each latency was seen.

function drawHistogram(figure, point) {
  figure.textContent = "";
  const bars = point.bars;
  if (!bars) {
    const why = point.latency === null
      ? "Packets of a point that is not stable have no latency: it would only tell how long the run was."
      : "The counts of latencies are not in this folder.";
    add(figure, "p", { class: "faint" }, why);
    return;
  }
  const width = Math.max(figure.clientWidth, 280);
  const height = 234;
  const count = bars.packets.length;
  const all = bars.packets.reduce((a, b) => a + b, 0) + bars.beyond;
  const most = Math.max(...bars.packets);
  const marks = [["median", point.p50], ["95 %", point.p95], ["99 %", point.p99]];
  const svg = add(figure, "svg", {
    viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Latencies of ${all} packets: mean ${brief(point.latency, 4)} cycles, `
      + marks.map(([name, value]) => `${name} ${brief(value, 4)}`).join(", "),
  });
  const end = bars.from + count * bars.width;
  const x = new Scale(bars.from, end, 58, width - 14, false);
  const y = new Scale(0, most / all, height - 46, 54, false);
  for (const tick of y.ticks(3)) {
    const at = y.px(tick);
    add(svg, "line", { x1: x.from, x2: x.to, y1: at, y2: at, class: "grid" });
    add(svg, "text", { x: x.from - 7, y: at + 4, class: "tick", "text-anchor": "end" }, percent(tick));
  }
  bars.packets.forEach((packets, i) => {
    const [left, right] = [x.px(bars.from + i * bars.width), x.px(bars.from + (i + 1) * bars.width)];
    const top = y.px(packets / all);
    const gap = right - left > 4 ? 1 : 0;
    const box = { x: left, y: top, width: right - left - gap, height: y.from - top, class: "bar" };
    const first = bars.from + i * bars.width;
    const range = bars.width === 1 ? `${first}` : `${first} – ${first + bars.width - 1}`;
    add(add(svg, "rect", box), "title", {}, `${range} cycles: ${packets} packets, ${percent(packets / all)}`);
  });
  for (const tick of x.ticks(Math.max(3, Math.floor((x.to - x.from) / 80)))) {
    const at = x.px(tick);
    add(svg, "line", { x1: at, x2: at, y1: y.from, y2: y.from + 5, class: "axis" });
    add(svg, "text", { x: at, y: y.from + 18, class: "tick", "text-anchor": "middle" }, brief(tick, 5));
  }
  add(svg, "path", { d: `M${x.from} ${y.from}H${x.to}`, class: "axis" });
  marks.forEach(([name, value], i) => {
    if (value === null || !x.holds(value)) return;
    const at = x.px(value + Math.min(0.5, bars.width / 2));
    add(svg, "line", { x1: at, x2: at, y1: 6 + 16 * i, y2: y.from, class: "quantile" });
    const anchor = at > width * 0.75 ? "end" : "start";
    const text = `${name}: ${brief(value, 4)}`;
    add(svg, "text", { x: at + (anchor === "end" ? -5 : 5), y: 15 + 16 * i, class: "tick", "text-anchor": anchor }, text);
  });
  const label = { x: (x.from + x.to) / 2, y: height - 8, class: "label", "text-anchor": "middle" };
  add(svg, "text", label, "packet latency (cycles)");
  const beyond = bars.beyond ? ` ${bars.beyond} packets beyond the axis, up to ${brief(point.max, 5)} cycles.` : "";
  const text = `Share of the ${all} packets measured, each bar ${brief(bars.width, 3)} `
    + `${bars.width === 1 ? "cycle" : "cycles"} wide.${beyond}`;
  add(figure, "figcaption", { class: "faint" }, text);
}
