"use strict";
// Tables of the report are sorted by a click on a heading. Without JavaScript they are in the order of the report.

for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const original = [...body.rows];
  if (original.length < 2) continue;

  /* The number at the start of a cell, such as 51 of "51% to 100%"; text where there is none. */
  const read = (row, column) => {
    const text = row.cells[column].textContent.trim();
    const number = text.match(/^[-−]?[0-9][0-9,]*(\.[0-9]+)?/);
    return number ? Number(number[0].replaceAll(",", "").replace("−", "-")) : text.toLowerCase();
  };
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b
    : typeof a === typeof b ? a.localeCompare(b, "en", { numeric: true }) : typeof a === "number" ? -1 : 1);

  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const before = heading.getAttribute("aria-sort");
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      // Numbers begin with the largest, texts with A; the third click brings the order of the report back.
      const isNumber = heading.classList.contains("number");
      const order = isNumber ? ["descending", "ascending", null] : ["ascending", "descending", null];
      const next = order[(order.indexOf(before) + 1) % 3];
      const rows = next === null ? original : [...original].sort((a, b) => compare(read(a, column), read(b, column)) * (next === "ascending" ? 1 : -1));
      if (next !== null) heading.setAttribute("aria-sort", next);
      body.append(...rows);
    });
  });
}
