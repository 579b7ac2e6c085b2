"use strict";
// Playing cards, drawn. One symbol a face in one sheet; a card on the table is a reference to it.
window.arenaCards = (function () {
  const NS = "http://www.w3.org/2000/svg"; // a name, nothing is fetched
  const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
  const SUITS = ["♣", "♦", "♠", "♥"];
  const KEYS = ["C", "D", "S", "H"];
  const PATHS = [
    "M12 2.5a4.6 4.6 0 0 0-3.3 7.8A4.7 4.7 0 1 0 10.9 16c-.2 2.2-.9 4-2.4 5.5h7C14 20 13.3 18.2 13.1 16a4.7 4.7 0 1 0 2.2-5.7A4.6 4.6 0 0 0 12 2.5z",
    "M12 1.5C14.2 5.3 17 8.8 20 12c-3 3.2-5.8 6.7-8 10.5C9.8 18.7 7 15.2 4 12c3-3.2 5.8-6.7 8-10.5z",
    "M12 1.5C10 5.5 3 9.2 3 14.2a4.3 4.3 0 0 0 7.9 2.3c-.2 2-.9 3.6-2.3 5h6.8c-1.4-1.4-2.1-3-2.3-5A4.3 4.3 0 0 0 21 14.2C21 9.2 14 5.5 12 1.5z",
    "M12 21.8C6 16.8 2.5 13 2.5 8.8 2.5 5.6 4.8 3.3 7.6 3.3c1.9 0 3.5 1 4.4 2.8.9-1.8 2.5-2.8 4.4-2.8 2.8 0 5.1 2.3 5.1 5.5 0 4.2-3.5 8-9.5 13z",
  ];
  // Where the pips of a number card lie: x in thirds (0 left, 1 middle, 2 right), y from 0 (top) to 1.
  const L = 0, M = 1, R = 2, T = 1 / 3, U = 2 / 3;
  const four = [[L, 0], [R, 0], [L, 1], [R, 1]];
  const eight = four.concat([[L, T], [R, T], [L, U], [R, U]]);
  const PIPS = {
    "2": [[M, 0], [M, 1]], "3": [[M, 0], [M, 0.5], [M, 1]], "4": four, "5": four.concat([[M, 0.5]]),
    "6": four.concat([[L, 0.5], [R, 0.5]]), "7": four.concat([[L, 0.5], [R, 0.5], [M, 0.25]]),
    "8": four.concat([[L, 0.5], [R, 0.5], [M, 0.25], [M, 0.75]]), "9": eight.concat([[M, 0.5]]),
    "10": eight.concat([[M, 1 / 6], [M, 5 / 6]]),
  };

  function make(name, attributes, parent) {
    const node = document.createElementNS(NS, name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    if (parent) parent.append(node);
    return node;
  }

  function pip(parent, suit, x, y, size, turned) {
    const k = size / 24;
    const turn = turned ? " rotate(180 12 12)" : "";
    make("path", { d: PATHS[suit], transform: `translate(${x - size / 2} ${y - size / 2}) scale(${k})${turn}` }, parent);
  }

  function corner(parent, rank, suit, turned) {
    const group = make("g", turned ? { transform: "rotate(180 50 70)" } : {}, parent);
    const text = make("text", { x: 13, y: 24, "text-anchor": "middle", "class": rank === "10" ? "index ten" : "index" }, group);
    text.textContent = rank;
    pip(group, suit, 13, 37, 17, false);
  }

  function draw(sheet, face) {
    const suit = Math.floor(face / 13), rank = RANKS[face % 13];
    const symbol = make("symbol", { id: `card-${face}`, viewBox: "0 0 100 140" }, sheet);
    const card = make("g", { "class": suit % 2 ? "red" : "black" }, symbol);
    make("rect", { "class": "paper", x: 1, y: 1, width: 98, height: 138, rx: 9 }, card);
    corner(card, rank, suit, false);
    corner(card, rank, suit, true);
    if (PIPS[rank]) {
      PIPS[rank].forEach(([column, y]) => pip(card, suit, 32 + 18 * column, 24 + 92 * y, 21, y > 0.5));
    } else if (rank === "A") {
      pip(card, suit, 50, 70, suit === 2 ? 62 : 46, false);
    } else {
      make("rect", { "class": "frame", x: 25, y: 17, width: 50, height: 106, rx: 4 }, card);
      make("path", { "class": "sash", d: "M25 93 75 47v10L25 103zM25 83 75 37v4L25 87z" }, card);
      pip(card, suit, 36, 29, 16, false);
      pip(card, suit, 64, 111, 16, true);
      const text = make("text", { x: 50, y: 84, "text-anchor": "middle", "class": "court" }, card);
      text.textContent = rank;
      const crown = { J: "M38 45h24l-3-9-9 5-9-5z", Q: "M37 45h26l2-13-7 7-8-9-8 9-7-7z", K: "M36 45h28l1-14-8 6-7-10-7 10-8-6z" }[rank];
      make("path", { "class": "crown", d: crown }, card);
    }
  }

  function sheet() {
    const svg = make("svg", { width: 0, height: 0, "class": "cardsheet", "aria-hidden": "true", focusable: "false" });
    for (let face = 0; face < 52; face += 1) draw(svg, face);
    const back = make("symbol", { id: "card-back", viewBox: "0 0 100 140" }, svg);
    make("rect", { "class": "paper", x: 1, y: 1, width: 98, height: 138, rx: 9 }, back);
    make("rect", { "class": "backing", x: 7, y: 7, width: 86, height: 126, rx: 5 }, back);
    for (let line = 0; line < 6; line += 1) {
      make("path", { "class": "weave", d: `M${10 + 16 * line} 10 90 ${90 - 16 * line + 40}M${90 - 16 * line} 10 10 ${90 - 16 * line + 40}` }, back);
    }
    document.body.append(svg);
  }

  function element(face, classes) {
    const svg = make("svg", { "class": `card ${classes || ""}`, viewBox: "0 0 100 140", "aria-hidden": "true", focusable: "false" });
    make("use", { href: face < 0 ? "#card-back" : `#card-${face}` }, svg);
    return svg;
  }

  return {
    sheet, element,
    face: (letter) => { const code = letter.charCodeAt(0); return code < 97 ? code - 65 : code - 71; },
    text: (face) => RANKS[face % 13] + SUITS[Math.floor(face / 13)],
    key: (face) => KEYS[Math.floor(face / 13)],
    suit: (face) => Math.floor(face / 13),
    rank: (face) => RANKS[face % 13],
  };
})();
