'use strict';
// Which cards to give: the part of a bot that is worth your own ideas. Everything else is plumbing.
//
// `choose(question)` gets one arena.v1.Question as proto-loader reads it: field names in camelCase, cards as the numbers
// of the enum Card (1 is 2C, 52 is AH). It returns `question.count` of the cards in `question.legal`. The arena says what
// is legal, so a bot need not know the rules of ten games; and it says what each card costs, so this one does not think
// "queen of spades" but "the card that costs 13", which may be another one, or none, in the game that is played.

const PASS = 1; // the enum Ask
const PLAY = 2;
const DISCARD = 3;

const KING = 11; // ranks count from 0, the 2, to 12, the ace
const rank = (card) => (card - 1) % 13;
const suit = (card) => Math.floor((card - 1) / 13);

/** The cards to answer with; null for a kind of question that did not exist when this was written. */
function choose(question) {
  const points = (card) => question.rules.points[card - 1];
  switch (question.ask) {
    case PASS:
      return mostDangerous(question.legal, points, question.count);
    case DISCARD:
      return layAway(question, points);
    case PLAY: {
      const trick = question.view.trick ? question.view.trick.cards : [];
      return [trick.length === 0 ? lead(question.legal, points) : follow(question, trick, points)];
    }
    default:
      return null;
  }
}

/**
 * How gladly we are rid of a card. One that costs points is dangerous, a high one wins tricks, and the king and ace over
 * a dear card of their suit may have to take it. What is worth having (negative points) is kept.
 */
function danger(card, points) {
  let catches = 0;
  for (let lower = card - rank(card); lower < card; lower++) {
    if (points(lower) >= 5) catches += points(lower);
  }
  return 3 * points(card) + rank(card) + (rank(card) >= KING ? catches : 0);
}

/** The first `count` cards by danger. Array.sort keeps equal ones in order, so that the answer is always the same. */
function mostDangerous(cards, points, count = 1) {
  return [...cards].sort((a, b) => danger(b, points) - danger(a, points)).slice(0, count);
}

/** For the widow. Where cards that are laid away are charged to us (an option), those that cost nothing go first. */
function layAway(question, points) {
  const options = JSON.parse(question.rules.options || '{}');
  if (options.discards_count !== 'taker') return mostDangerous(question.legal, points, question.count);
  const cost = (card) => Math.max(points(card), 0);
  const order = [...question.legal].sort((a, b) => cost(a) - cost(b) || danger(b, points) - danger(a, points));
  return order.slice(0, question.count);
}

/** To lead: the lowest card, for somebody will have to go over it. What costs more than 2 stays at home if it can. */
function lead(legal, points) {
  const before = (a, b) => (points(a) > 2) - (points(b) > 2) || rank(a) - rank(b) || points(a) - points(b);
  return [...legal].sort(before)[0];
}

/** To follow: duck under what lies there; where that cannot be, take the trick as cheaply as may be. */
function follow(question, trick, points) {
  const led = suit(trick[0]);
  // With two packs, equal cards cancel each other: only a card that is there once can win. Other games have no equals.
  const winners = trick.filter((card) => suit(card) === led && trick.indexOf(card) === trick.lastIndexOf(card));
  const best = Math.max(0, ...winners);
  const stake = trick.reduce((sum, card) => sum + points(card), 0);
  const last = playsLast(question);

  const safe = question.legal.filter((card) => suit(card) !== led || card < best);
  const taking = question.legal.filter((card) => !safe.includes(card));
  const free = taking.filter((card) => points(card) <= 0);
  // Nothing to fear, or something to gain: now the high cards can go.
  if (free.length > 0 && (stake < 0 || (stake === 0 && last))) return Math.max(...free);
  if (safe.length > 0) return mostDangerous(safe, points)[0];
  const least = Math.min(...taking.map(points));
  const cheap = taking.filter((card) => points(card) === least);
  return last ? Math.max(...cheap) : Math.min(...cheap);
}

/** Whether nobody plays to this trick after us. In domino, seats that have no card left are out. */
function playsLast(question) {
  const { trick, handSizes } = question.view;
  const players = question.rules.players;
  let seat = (question.seat + 1) % players;
  while (seat !== trick.leader && handSizes[seat] === 0) seat = (seat + 1) % players;
  return seat === trick.leader;
}

/** The lowest cards by rank, clubs, diamonds, spades, hearts among equals: what is played for who gives no answer. */
function lowest(legal, count) {
  return [...legal].sort((a, b) => rank(a) - rank(b) || a - b).slice(0, count);
}

module.exports = { choose, lowest };
