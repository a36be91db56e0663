// The page of a reproduction: claims by verdict and by paper.

const rows = [...document.querySelectorAll("#claims tbody tr")];
const buttons = [...document.querySelectorAll("#verdicts button")];
const paper = byId("paper");

function filter() {
  const wanted = new Set(buttons.filter((b) => b.getAttribute("aria-pressed") === "true").map((b) => b.value));
  let count = 0;
  for (const row of rows) {
    row.hidden = !wanted.has(row.dataset.verdict) || (paper.value !== "" && paper.value !== row.dataset.paper);
    count += row.hidden ? 0 : 1;
  }
  for (const section of document.querySelectorAll("section.paper")) {
    section.hidden = paper.value !== "" && paper.value !== section.id;
  }
  byId("count").textContent = `${count} of ${rows.length} claims shown`;
}

buttons.forEach((button) => toggle(button, filter));
if (paper) {
  paper.addEventListener("change", filter);
  filter();
}
