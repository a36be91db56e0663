// What every page does: elements, numbers, the theme, sorting tables, copying.

const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);
const DATA = JSON.parse(byId("data").textContent);

function add(parent, name, attributes, text) {
  const element = parent.namespaceURI === SVG || name === "svg"
    ? document.createElementNS(SVG, name)
    : document.createElement(name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
}

// At most `digits` significant digits, a dash where there is no number.
function brief(value, digits) {
  return value === null || value === undefined || !isFinite(value)
    ? "–"
    : String(Number(value.toPrecision(digits)));
}

// As flitsim_sweep::results::number::with_interval.
function withInterval(mean, half) {
  if (!(half > 0 && isFinite(half)) || mean === null) return brief(mean, 4);
  const rounded = Number(half.toPrecision(2));
  const decimals = Math.min(17, Math.max(0, 1 - Math.floor(Math.log10(rounded))));
  return `${mean.toFixed(decimals)} ± ${rounded.toFixed(decimals)}`;
}

const percent = (share) => `${brief(share * 100, 3)} %`;

// A button that is on or off.
function toggle(button, changed) {
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", on);
    changed(on);
  });
}

function setUpTheme() {
  const names = { "light dark": "as the system", light: "light", dark: "dark" };
  const order = Object.keys(names);
  let at = 0;
  byId("theme").addEventListener("click", () => {
    at = (at + 1) % order.length;
    document.documentElement.style.colorScheme = order[at];
    byId("theme").textContent = `Theme: ${names[order[at]]}`;
  });
}

// Numbers by value, what is none last; texts by their letters.
function compareCells(a, b) {
  const [x, y] = [parseFloat(a), parseFloat(b)];
  if (isNaN(x) || isNaN(y)) {
    return isNaN(x) && isNaN(y) ? a.localeCompare(b, "en", { numeric: true }) : isNaN(x) - isNaN(y);
  }
  return x - y;
}

// A click on a header sorts by its column; another turns the order round, a third restores it.
function setUpSorting(table) {
  const body = table.tBodies[0];
  const original = [...body.rows];
  const headers = [...table.tHead.rows[0].cells];
  const cell = (row, index) => row.cells[index].textContent;
  headers.forEach((header, index) => {
    const button = document.createElement("button");
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => {
      const next = { none: "ascending", ascending: "descending", descending: "none" };
      const order = next[header.getAttribute("aria-sort") || "none"];
      headers.forEach((other) => other.removeAttribute("aria-sort"));
      if (order !== "none") header.setAttribute("aria-sort", order);
      table.classList.toggle("sorted", order !== "none");
      const rows = [...original];
      const numeric = header.classList.contains("number");
      const sign = order === "descending" ? -1 : 1;
      if (order !== "none") {
        rows.sort((a, b) => {
          const [x, y] = [cell(a, index), cell(b, index)];
          if (!numeric) return sign * x.localeCompare(y, "en", { numeric: true });
          // What is no number stays last.
          const order = compareCells(x, y);
          return isNaN(parseFloat(x)) || isNaN(parseFloat(y)) ? order : sign * order;
        });
      }
      body.append(...rows);
    });
  });
}

function setUpCopying() {
  const [command, said] = [byId("command"), byId("copied")];
  const select = () => {
    const range = document.createRange();
    range.selectNodeContents(command);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  };
  byId("copy").addEventListener("click", async () => {
    let done = false;
    try {
      await navigator.clipboard.writeText(command.textContent);
      done = true;
    } catch {
      // No permission, or no clipboard for pages from a file: the old way, then by hand.
      select();
      done = document.execCommand("copy");
    }
    said.textContent = done ? "Copied." : "Selected: press Ctrl+C, or ⌘C, to copy.";
  });
}

setUpTheme();
document.querySelectorAll("table.sortable").forEach(setUpSorting);
if (byId("copy")) setUpCopying();
