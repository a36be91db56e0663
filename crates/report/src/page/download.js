// A chart as a file: its picture as SVG or PNG, its points as CSV.

const STYLED = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "font-family",
  "font-size", "visibility"];

function save(name, type, content) {
  const link = document.createElement("a");
  link.download = name;
  link.setAttribute("href", URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type })));
  link.click();
  URL.revokeObjectURL(link.getAttribute("href"));
}

// The picture by itself: every element has the style that the page gives it.
function standalone(svg) {
  const copy = svg.cloneNode(true);
  const [from, to] = [svg, copy].map((root) => [...root.querySelectorAll("*")]);
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    STYLED.forEach((name) => to[i].setAttribute(name, style.getPropertyValue(name)));
    to[i].removeAttribute("class");
  });
  const [, , width, height] = svg.getAttribute("viewBox").split(" ");
  const root = { xmlns: SVG, width, height, style: `background: ${getComputedStyle(document.body).backgroundColor}` };
  for (const name in root) copy.setAttribute(name, root[name]);
  ["tabindex", "role", "aria-roledescription"].forEach((name) => copy.removeAttribute(name));
  return new XMLSerializer().serializeToString(copy);
}

// Dots, three for each pixel.
function savePng(name, svg) {
  const image = new Image();
  image.onload = () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width * 3, image.height * 3];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(name, "image/png", blob));
  };
  image.src = `data:image/svg+xml,${encodeURIComponent(standalone(svg))}`;
}

const csvField = (field) => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
const csvNumber = (number) => (number === null || number === undefined ? "" : String(number));

// A row for each point shown: its curve, both values, the half-width of the interval, its status.
function csvOf(chart) {
  const rows = chart.curves.flatMap((curve) => curve.points.map((point) => [
    curve.name, csvNumber(chart.x_of(point)), csvNumber(chart.y_of(point)), csvNumber(chart.band(point)), point.status,
  ]));
  const header = ["curve", chart.xLabel, chart.yLabel, "half-width", "status"];
  return [header, ...rows].map((row) => `${row.map(csvField).join(",")}\n`).join("");
}

function addDownloads(chart) {
  const { figure } = chart;
  const bar = add(figure, "div", { class: "downloads", role: "group", "aria-label": "Download the chart" });
  const button = (text, action) => add(bar, "button", {}, text).addEventListener("click", action);
  button("SVG", () => save(`${figure.id}.svg`, "image/svg+xml", standalone(chart.svg)));
  button("PNG", () => savePng(`${figure.id}.png`, chart.svg));
  button("CSV", () => save(`${figure.id}.csv`, "text/csv", csvOf(chart)));
}
