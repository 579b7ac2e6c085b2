"use strict";
// The replayer's keys. Single letters can be turned off: who speaks to a computer types letters without wanting to.
window.arenaKeys = (function () {
  const KEPT = "arena.letters"; // where the browser keeps the choice
  const named = {
    ArrowLeft: "back", ArrowRight: "on", ArrowUp: "back-trick", ArrowDown: "on-trick", Home: "first", End: "last",
  };

  // A browser may keep nothing for pages; then the choice holds as long as the page is open.
  function kept() {
    try { return localStorage.getItem(KEPT); } catch { return null; }
  }

  function keep(on) {
    try { localStorage.setItem(KEPT, on ? "on" : "off"); } catch { /* see above */ }
  }

  // `press` is called with the id of a control, of `letters` or of the named keys, unless `asleep()`.
  // A letter is told to screen readers at the control that it is for, as long as it is on.
  function listen(box, letters, press, asleep) {
    const tell = () => Object.entries(letters).forEach(([letter, id]) => {
      const control = document.getElementById(id);
      if (box.checked) control.setAttribute("aria-keyshortcuts", letter); else control.removeAttribute("aria-keyshortcuts");
    });
    box.checked = kept() !== "off";
    box.addEventListener("change", () => { keep(box.checked); tell(); });
    tell();
    document.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || asleep()) return;
      if (event.target instanceof Element && event.target.closest("select")) return;
      const id = named[event.key];
      const letter = box.checked && letters[event.key.toUpperCase()];
      if (id) event.preventDefault();
      if (id || letter) press(id || letter);
    });
  }

  return { listen };
})();
