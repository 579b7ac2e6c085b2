"use strict";
// A deal as a list of steps, and the table after each of them. What the rules decide (winners, legal cards, draws,
// points) comes with the deal; here cards only move.
window.arenaDeal = (function () {
  const cards = window.arenaCards;

  function faces(word) {
    return Array.from(word, cards.face);
  }

  // ---- The deal as a list of steps -------------------------------------------------------------------------------

  function stepsOf(deal) {
    const steps = [{ kind: "dealt", trick: 0 }];
    if (deal.passes) {
      steps.push({ kind: "pass", trick: 0 });
      if (deal.passes.every((word) => word)) steps.push({ kind: "arrive", trick: 0 });
    }
    deal.tricks.forEach(([seats, word, winner, legal, drawn], trick) => {
      faces(word).forEach((face, place) => {
        const seat = Number(seats[place]);
        if (drawn && drawn[place]) steps.push({ kind: "draw", trick, seat, count: drawn[place] });
        steps.push({ kind: "play", trick, place, seat, face, legal: legal[place], done: place === word.length - 1 && winner !== -2 });
      });
      if (trick === 0 && deal.widow) {
        steps.push({ kind: "widow", trick: 1, seat: deal.widow[0] });
        if (deal.widow[1]) steps.push({ kind: "discard", trick: 1, seat: deal.widow[0] });
      }
    });
    steps.push({ kind: "end", trick: deal.tricks.length });
    return steps;
  }

  function remove(hand, face) {
    const place = hand.findIndex((card) => card.face === face);
    return place < 0 ? null : hand.splice(place, 1)[0];
  }

  // The table after step `upTo`: zones of cards, built from the start, which takes no time worth saving.
  function tableAt(deal, steps, upTo) {
    const seats = deal.hands.length;
    const table = {
      hands: deal.hands.map((word) => faces(word).map((face) => ({ face, mark: "" }))),
      rest: faces(deal.rest), trick: [], winner: null, waiting: [], away: [], awayBy: -1,
      points: new Array(seats).fill(0), taken: new Array(seats).fill(0), played: 0, given: null,
    };
    const order = (hand) => hand.sort((a, b) => a.face - b.face);
    table.hands.forEach(order);
    const sweep = () => {
      if (table.winner === null) return;
      if (table.winner < 0) table.waiting.push(...table.trick.map((one) => one.face));
      else table.waiting = [];
      table.trick = [];
      table.winner = null;
      table.given = null;
    };
    for (let number = 1; number <= upTo; number += 1) {
      const step = steps[number];
      table.hands.forEach((hand) => hand.forEach((card) => { if (step.kind === "play") card.mark = ""; }));
      if (step.kind === "pass") {
        deal.passes.forEach((word, seat) => faces(word).forEach((face) => {
          const card = table.hands[seat].find((one) => one.face === face && !one.mark);
          if (card) card.mark = "out";
        }));
      } else if (step.kind === "arrive") {
        const moved = deal.passes.map((word, seat) => faces(word).map((face) => {
          const place = table.hands[seat].findIndex((one) => one.face === face && one.mark === "out");
          return table.hands[seat].splice(place, 1)[0];
        }));
        moved.forEach((given, seat) => given.forEach((card) => { card.mark = "in"; table.hands[deal.to[seat]].push(card); }));
      } else if (step.kind === "draw") {
        if (table.winner !== null) sweep();
        table.hands[step.seat].push(...table.rest.splice(0, step.count).map((face) => ({ face, mark: "in" })));
      } else if (step.kind === "play") {
        sweep();
        remove(table.hands[step.seat], step.face);
        table.trick.push({ seat: step.seat, face: step.face });
        table.played += 1;
        if (step.done) {
          const [, , winner, , , points] = deal.tricks[step.trick];
          table.winner = winner;
          table.points = points;
          if (winner >= 0) table.taken[winner] += 1;
          if (deal.kitty === step.trick) { table.given = { seat: winner, faces: table.rest }; table.rest = []; }
        }
      } else if (step.kind === "widow") {
        sweep();
        table.hands[step.seat].push(...table.rest.splice(0).map((face) => ({ face, mark: "in" })));
      } else if (step.kind === "discard") {
        table.awayBy = step.seat;
        table.away = faces(deal.widow[1]);
        table.away.forEach((face) => remove(table.hands[step.seat], face));
      } else if (step.kind === "end") {
        if (table.winner !== null && table.winner < 0) table.waiting = [];
        sweep();
        table.points = deal.points;
        table.over = true;
      }
      table.hands.forEach(order);
    }
    return table;
  }

  return { faces, stepsOf, tableAt };
})();
