"use strict";
// Sorting of tables, by mouse and keyboard. Without this script every table is there, in its own order.
(function () {
  const lang = document.documentElement.lang;

  function value(row, column) {
    const cell = row.cells[column];
    const data = cell.querySelector("data");
    const given = data ? data.value : cell.getAttribute("data-v");
    return given === null ? cell.textContent.trim() : Number(given);
  }

  function compare(a, b) {
    return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), lang, { numeric: true });
  }

  function sortBy(table, column, direction) {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows).map((row) => ({ row, at: Number(row.dataset.at), value: value(row, column) }));
    const sign = direction === "ascending" ? 1 : -1;
    rows.sort((a, b) => sign * compare(a.value, b.value) || a.at - b.at);
    body.append(...rows.map((one) => one.row));
    const heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach((head, at) => {
      if (head.dataset.sort) head.setAttribute("aria-sort", at === column ? direction : "none");
    });
    table.classList.toggle("sorted", column !== 0 || direction !== "ascending");
  }

  function label(head) {
    return head.textContent.trim().replace(/\s+/g, " ");
  }

  function setUp(table) {
    Array.from(table.tBodies[0].rows).forEach((row, at) => { row.dataset.at = at; });
    const heads = Array.from(table.tHead.rows[0].cells);
    const select = document.createElement("select");
    heads.forEach((head, column) => {
      const first = head.dataset.sort;
      if (!first) return;
      const start = first === "down" ? "descending" : "ascending";
      const option = document.createElement("option");
      option.value = String(column);
      option.textContent = label(head);
      select.append(option);
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        const other = start === "ascending" ? "descending" : "ascending";
        sortBy(table, column, now === start ? other : start);
        select.value = String(column);
      });
    });
    const ranked = heads[0].dataset.sort === "up";
    if (ranked) heads[0].setAttribute("aria-sort", "ascending");
    else select.selectedIndex = -1;
    const bar = document.createElement("p");
    bar.className = "sortbar";
    const text = document.createElement("label");
    text.append(table.dataset.by + " ", select);
    bar.append(text);
    select.addEventListener("change", () => {
      const column = Number(select.value);
      sortBy(table, column, heads[column].dataset.sort === "down" ? "descending" : "ascending");
    });
    if (table.tBodies[0].rows.length > 1) table.closest(".sheet").before(bar);
  }

  document.querySelectorAll("table.sortable").forEach(setUp);

  // On a phone standings and faults are laid out as cards, and to some browsers what is not laid out as a table is none.
  // In the markup such roles would be an error.
  function keepTable(table) {
    const roles = [["thead, tbody", "rowgroup"], ["tr", "row"], ["td", "cell"], ["thead th", "columnheader"], ["tbody th", "rowheader"]];
    table.setAttribute("role", "table");
    roles.forEach(([parts, role]) => table.querySelectorAll(parts).forEach((one) => one.setAttribute("role", role)));
  }
  document.querySelectorAll("table.standings, table.faults").forEach(keepTable);

  // A table that is wider than its place says so at the edge beyond which it goes on.
  function edges(sheet) {
    const left = sheet.scrollWidth - sheet.clientWidth - sheet.scrollLeft;
    sheet.classList.toggle("more", left > 2);
    sheet.classList.toggle("less", sheet.scrollLeft > 2);
  }
  const sized = new ResizeObserver((seen) => seen.forEach((one) => edges(one.target.closest(".sheet"))));
  document.querySelectorAll(".sheet").forEach((sheet) => {
    sheet.addEventListener("scroll", () => edges(sheet), { passive: true });
    sized.observe(sheet);
    if (sheet.firstElementChild) sized.observe(sheet.firstElementChild);
  });

  // A list of matches is opened when the page is called for its row.
  function openTarget() {
    const target = document.getElementById(location.hash.slice(1));
    const details = target && target.matches("tr") && target.querySelector("details");
    if (details) details.open = true;
  }
  window.addEventListener("hashchange", openTarget);
  openTarget();
})();
