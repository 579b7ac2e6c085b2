"use strict";
// The replayer: draws the moment, listens to buttons and the address.
(function () {
  const cards = window.arenaCards;
  const { faces, stepsOf, tableAt } = window.arenaDeal;
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const say = (text, values) => data.say[text].replace(/\{(\w+)\}/g, (_, key) => values[key]);
  const state = { match: -1, deal: -1, steps: [], step: 0, view: -1, entry: null, made: null, timer: 0, asked: 0 };
  const shards = new Map(); // number → promise of its matches

  // ---- Reading -------------------------------------------------------------------------------------------------

  function load(number) {
    if (!shards.has(number)) {
      shards.set(number, new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = `${data.shards}${number}.js`;
        const missing = () => reject(new Error(say("The deals could not be loaded: {file} is missing.", { file: script.src.split("/").pop() })));
        script.onload = () => { const found = (window.arenaDeals || []).pop(); if (found) resolve(found); else missing(); };
        script.onerror = missing;
        document.head.append(script);
      }));
    }
    return shards.get(number);
  }

  function published(match) {
    return data.published.some(([first, last]) => first <= match && match <= last);
  }

  // ---- Words -----------------------------------------------------------------------------------------------------

  function nameOf(seat) {
    return data.names[state.entry.seats[seat]];
  }

  function words(list) {
    return list.map(cards.text).join(" ");
  }

  function sentence(deal, step, table) {
    const trick = step.trick + 1;
    if (step.kind === "dealt") return say("The cards as they were dealt. Dealer: {name}.", { name: nameOf(deal.dealer) });
    if (step.kind === "pass") return say("Everybody has chosen the cards to pass.");
    if (step.kind === "arrive") return say("The passed cards have arrived.");
    if (step.kind === "draw") return say("{name} draws {cards} from the stock.", { name: nameOf(step.seat), cards: step.count });
    if (step.kind === "widow") return say("{name} takes the widow.", { name: nameOf(step.seat) });
    if (step.kind === "discard") {
      const seen = state.view < 0 || state.view === step.seat;
      return say("{name} lays away {cards}.", { name: nameOf(step.seat), cards: seen ? words(table.away) : table.away.length });
    }
    if (step.kind === "end") {
      const said = [];
      if (deal.stopped !== undefined) said.push(say("The deal was stopped: revoke of {name}.", { name: nameOf(deal.stopped) }));
      else said.push(say("The deal is over."));
      if (deal.last !== undefined) said.push(say("{name} keeps the last hand and takes the stock.", { name: nameOf(deal.last) }));
      if (deal.moon !== undefined) said.push(say("{name} shot the moon.", { name: nameOf(deal.moon) }));
      return said.join(" ");
    }
    const pattern = step.place ? "Trick {trick}: {name} plays {card}." : "Trick {trick}: {name} leads {card}.";
    const said = [say(pattern, { trick, name: nameOf(step.seat), card: cards.text(step.face) })];
    if (step.done) {
      const [, , winner, , , points] = deal.tricks[step.trick];
      const before = step.trick ? deal.tricks[step.trick - 1][5] : points.map(() => 0);
      if (winner < 0) said.push(say("All cards of the suit led cancel each other; the trick waits."));
      else said.push(say("{name} wins the trick: {points}.", { name: nameOf(winner), points: signed(points[winner] - before[winner]) }));
    }
    return said.join(" ");
  }

  function signed(number) {
    return number > 0 ? `+${number}` : number < 0 ? `−${-number}` : "0";
  }

  function plain(number) {
    return number < 0 ? `−${-number}` : String(number);
  }

  // ---- Drawing ---------------------------------------------------------------------------------------------------

  function node(tag, classes, text) {
    const made = document.createElement(tag);
    if (classes) made.className = classes;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function spoken(list) {
    const suits = ["clubs", "diamonds", "spades", "hearts"].map((suit, number) => {
      const held = list.filter((face) => cards.suit(face) === number);
      return held.length ? `${say(suit)} ${held.map(cards.rank).join(" ")}` : "";
    });
    return suits.filter((text) => text).join("; ");
  }

  function group(label, list, hidden, classes) {
    const box = node("div", `group ${classes || ""}`);
    box.append(node("span", "label", label));
    const row = node("div", "cards");
    list.forEach((face) => row.append(cards.element(hidden ? -1 : face, "small")));
    box.append(row, node("span", "unseen", hidden ? String(list.length) : spoken(list)));
    return box;
  }

  function panel(deal, table, seat, next) {
    const open = state.view < 0 || state.view === seat || table.over;
    const box = node("section", "seat");
    const acting = next && (next.seat === seat || next.kind === "pass");
    if (acting) box.classList.add("acting");
    const head = node("h2", "who");
    const dot = node("span", `dot b${seat % 10}`);
    const name = node("bdi", "", nameOf(seat));
    head.append(dot, name);
    const facts = node("p", "about");
    facts.append(node("strong", "points", say("{points} p.", { points: plain(table.points[seat]) })));
    facts.append(node("span", "", say("{tricks} taken", { tricks: table.taken[seat] })));
    if (deal.dealer === seat) facts.append(node("span", "badge", say("dealer")));
    if (next && next.seat === seat) facts.append(node("span", "badge warn", say("to play")));
    const hand = node("div", "hand");
    const held = table.hands[seat];
    const legal = next && next.kind === "play" && next.seat === seat && open ? next.legal : null;
    const allowed = legal ? new Set(faces(legal)) : null;
    held.forEach((card) => {
      const classes = [card.mark];
      // In the view of one seat nobody sees what the others chose.
      if (legal !== null) classes.push(!allowed || allowed.has(card.face) ? "legal" : "barred");
      if (!open) classes.length = 0;
      const slot = node("span", "slot");
      slot.append(cards.element(open ? card.face : -1, classes.join(" ")));
      hand.append(slot);
    });
    box.append(head, facts, hand);
    box.append(node("span", "unseen", open ? spoken(held.map((card) => card.face)) : say("{cards} in hand", { cards: held.length })));
    if (table.awayBy === seat) box.append(group(say("Laid away"), table.away, !open));
    return box;
  }

  function middle(deal, table, order) {
    const box = node("div", "middle");
    const count = order.length;
    table.trick.forEach((one, place) => {
      const angle = Math.PI / 2 + (2 * Math.PI * order.indexOf(one.seat)) / count;
      const card = cards.element(one.face, "played" + (table.winner === one.seat ? " won" : "") + (place ? "" : " led"));
      const holder = node("div", "spot");
      holder.style.left = `${50 + 34 * Math.cos(angle)}%`;
      holder.style.top = `${50 + 31 * Math.sin(angle)}%`;
      holder.append(card, node("span", `tag b${one.seat % 10}`));
      box.append(holder);
    });
    const side = node("div", "zones");
    if (table.rest.length) {
      const label = data.rest === "stock" ? say("Stock") : data.rest === "widow" ? say("Widow") : say("Kitty");
      side.append(group(`${label} (${table.rest.length})`, table.rest, state.view >= 0, "rest"));
    }
    if (table.waiting.length) side.append(group(say("Waiting"), table.waiting, false, "waiting"));
    if (table.given) side.append(group(`${say("Kitty")} → ${nameOf(table.given.seat)}`, table.given.faces, state.view >= 0 && state.view !== table.given.seat, "rest"));
    if (side.childNodes.length) box.append(side);
    if (deal.open !== undefined) {
      const open = table.played >= deal.open;
      box.append(node("p", `hearts ${open ? "open" : "shut"}`, `${open ? "♥" : "♡"} ${open ? say("hearts are open") : say("hearts not open yet")}`));
    }
    return box;
  }

  // Who sits where: the viewer at the bottom, the others clockwise: up the left side, along the top, down the right.
  function layout(order) {
    const others = order.slice(1);
    const side = others.length === 1 ? 0 : others.length === 2 ? 1 : Math.floor(others.length / 3);
    return {
      south: [order[0]],
      west: others.slice(0, side).reverse(),
      north: others.slice(side, others.length - side),
      east: others.slice(others.length - side),
    };
  }

  function draw() {
    const deal = state.made;
    const table = tableAt(deal, state.steps, state.step);
    const next = state.steps[state.step + 1];
    const count = deal.hands.length;
    const first = Math.max(0, state.view);
    const order = Array.from({ length: count }, (_, place) => (first + place) % count);
    const places = layout(order);
    const board = at("board");
    board.className = `board seats-${count}`;
    board.replaceChildren();
    for (const place of ["north", "west"]) {
      const box = node("div", place);
      places[place].forEach((seat) => box.append(panel(deal, table, seat, next)));
      board.append(box);
    }
    board.append(middle(deal, table, order));
    for (const place of ["east", "south"]) {
      const box = node("div", place);
      places[place].forEach((seat) => box.append(panel(deal, table, seat, next)));
      board.append(box);
    }
    const step = state.steps[state.step];
    at("status").textContent = sentence(deal, step, table);
    at("slider").value = String(state.step);
    at("slider").setAttribute("aria-valuetext", at("status").textContent);
    at("counter").textContent = `${state.step} / ${state.steps.length - 1}`;
    at("first").disabled = at("back").disabled = at("back-trick").disabled = state.step === 0;
    at("last").disabled = at("on").disabled = at("on-trick").disabled = state.step === state.steps.length - 1;
    Array.from(at("tricks").tBodies[0].rows).forEach((row, trick) => {
      const here = step.kind === "play" && step.trick === trick;
      row.classList.toggle("here", here);
      if (here) row.setAttribute("aria-current", "step"); else row.removeAttribute("aria-current");
    });
    document.documentElement.dataset.step = String(state.step);
  }

  function listTricks() {
    const body = at("tricks").tBodies[0];
    body.replaceChildren();
    let before = state.made.points.map(() => 0);
    state.made.tricks.forEach(([seats, word, winner, , , points], trick) => {
      const row = body.insertRow();
      const number = node("th", "", "");
      number.scope = "row";
      const link = node("a", "", String(trick + 1));
      number.append(link);
      row.append(number);
      const played = node("td", "left wide");
      faces(word).forEach((face, place) => {
        const one = node("span", `mini ${cards.suit(face) % 2 ? "red" : "black"}${Number(seats[place]) === winner ? " won" : ""}`, cards.text(face));
        one.title = nameOf(Number(seats[place]));
        played.append(one, " ");
      });
      const who = node("td", "left");
      if (winner >= 0) who.append(node("bdi", "", data.short[state.entry.seats[winner]]));
      else who.textContent = winner === -1 ? say("waits") : "–";
      const gain = winner >= 0 ? points[winner] - before[winner] : 0;
      row.append(played, who, node("td", "", gain ? signed(gain) : "0"));
      before = points;
    });
  }

  // ---- Where we are ----------------------------------------------------------------------------------------------

  function firstOf(trick) {
    const found = state.steps.findIndex((step) => step.trick === trick && (step.kind === "play" || step.kind === "draw"));
    return found < 0 ? state.steps.length - 1 : found;
  }

  // The address of a place in a deal, seen with the same eyes as now.
  function hash(match, deal, place) {
    return `#deal=${match}-${deal}${place}${state.view < 0 ? "" : `&seat=${state.view}`}`;
  }

  function address() {
    history.replaceState(null, "", hash(state.match, state.deal, state.step ? `&step=${state.step}` : ""));
    at("tricks").querySelectorAll("a").forEach((link, trick) => { link.href = hash(state.match, state.deal, `&trick=${trick}`); });
    carry();
  }

  // The page in the other language is called for what this one was called for.
  function carry() {
    document.querySelectorAll("nav.lang a").forEach((link) => { link.hash = location.hash; });
  }

  function go(step) {
    state.step = Math.min(Math.max(step, 0), state.steps.length - 1);
    draw();
    address();
  }

  function tricksOn(direction) {
    const starts = [0];
    state.steps.forEach((step, number) => { if (step.kind === "play" && step.place === 0) starts.push(number); });
    starts.push(state.steps.length - 1);
    const found = direction > 0 ? starts.find((start) => start > state.step) : starts.reverse().find((start) => start < state.step);
    go(found === undefined ? state.step : found);
  }

  function options(select, list, chosen) {
    select.replaceChildren(...list.map(([value, text]) => {
      const option = node("option", "", text);
      option.value = value;
      option.selected = value === chosen;
      return option;
    }));
  }

  function trouble(text) {
    const box = at("trouble");
    box.textContent = text;
    box.hidden = false;
    at("replayer").hidden = true;
  }

  // A number of the address; −1 for what is missing or is none, whatever somebody has typed.
  function whole(text) {
    return /^\d{1,9}$/.test(text) ? Number(text) : -1;
  }

  async function open() {
    stop();
    carry();
    const turn = state.asked += 1;
    const wanted = new URLSearchParams(location.hash.slice(1));
    const first = data.published.length ? `${data.published[0][0]}-0` : "";
    const [match, deal] = (wanted.get("deal") || first).split("-").map(whole);
    const missing = say("No deal of this address is published. Choose a match that has finished at all tables of its deals.");
    if (!published(match)) { trouble(missing); return; }
    let entries;
    try {
      entries = await load(Math.floor(match / data.shard));
    } catch (error) {
      if (turn === state.asked) trouble(error.message);
      return;
    }
    if (turn !== state.asked) return; // somebody has gone on meanwhile
    const entry = entries[match];
    if (!entry || !entry.deals[deal]) { trouble(missing); return; }
    const other = match !== state.match || deal !== state.deal;
    state.match = match;
    state.deal = deal;
    state.entry = entry;
    state.made = entry.deals[deal];
    state.steps = stepsOf(state.made);
    const seat = whole(wanted.get("seat"));
    state.view = seat < state.made.hands.length ? seat : -1;
    at("trouble").hidden = true;
    at("replayer").hidden = false;
    at("title").textContent = say("Match {match}, deal {deal}", { match: match + 1, deal: deal + 1 });
    const back = at("match-link");
    back.href = `${data.match}${match}.html#deal-${deal + 1}`;
    back.textContent = say("match {match}", { match: match + 1 });
    at("slider").max = String(state.steps.length - 1);
    if (other) {
      listTricks();
      options(at("view"), [["-1", say("open")]].concat(entry.seats.map((number, place) => [String(place), say("only {name}", { name: data.short[number] })])), String(state.view));
      options(at("deal"), entry.deals.map((_, number) => [String(number), say("Deal {deal}", { deal: number + 1 })]), String(deal));
      const tables = [match].concat(entry.mates).sort((a, b) => a - b);
      options(at("table"), tables.map((number) => [String(number), say("match {match}", { match: number + 1 })]), String(match));
      at("table-label").hidden = tables.length < 2;
    }
    at("view").value = String(state.view);
    const trick = whole(wanted.get("trick"));
    go(trick < 0 ? whole(wanted.get("step")) : firstOf(trick));
  }

  // ---- Hands on --------------------------------------------------------------------------------------------------

  function stop() {
    window.clearInterval(state.timer);
    state.timer = 0;
    at("play").setAttribute("aria-pressed", "false");
    at("play").classList.remove("running");
  }

  function play() {
    if (state.timer) { stop(); return; }
    if (state.step === state.steps.length - 1) go(0);
    at("play").setAttribute("aria-pressed", "true");
    at("play").classList.add("running");
    state.timer = window.setInterval(() => {
      go(state.step + 1);
      if (state.step === state.steps.length - 1) stop();
    }, 900);
  }

  function look(view) {
    state.view = view;
    at("view").value = String(view);
    draw();
    address();
  }

  const actions = {
    first: () => go(0), back: () => go(state.step - 1), on: () => go(state.step + 1), last: () => go(state.steps.length - 1),
    "back-trick": () => tricksOn(-1), "on-trick": () => tricksOn(1),
  };
  Object.keys(actions).forEach((id) => at(id).addEventListener("click", () => { stop(); actions[id](); }));
  at("play").addEventListener("click", play);
  at("slider").addEventListener("input", () => { stop(); go(Number(at("slider").value)); });
  at("view").addEventListener("change", () => look(Number(at("view").value)));
  at("deal").addEventListener("change", () => { location.hash = hash(state.match, at("deal").value, ""); });
  at("table").addEventListener("change", () => { location.hash = hash(at("table").value, state.deal, ""); });

  const letters = { P: "play", V: "view" };
  window.arenaKeys.listen(at("letters"), letters, (id) => {
    if (id === "play") play();
    else if (id === "view") look(state.view + 1 < state.made.hands.length ? state.view + 1 : -1);
    else { stop(); actions[id](); }
  }, () => at("replayer").hidden);

  cards.sheet();
  window.addEventListener("hashchange", open);
  open();
})();
