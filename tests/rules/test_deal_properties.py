"""What must hold in every deal of every game, whatever is played."""

import random
from collections.abc import Iterator
from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.rules import cards as c
from arena.rules.cards import Card, Cards
from arena.rules.catalogue import rules as rules_of
from arena.rules.deal import Ask, Deal, IllegalAnswer, MalformedAnswer
from arena.rules.settle import share_out
from arena.rules.variant import Rules, fallback
from tests.strategies import (
    GAMES,
    MANNERS,
    PROFILE,
    TABLES,
    Run,
    choice,
    fresh,
    label,
    manners,
    positions,
    runs,
    seeds,
    walk,
    walked,
)

MORE = settings(PROFILE, max_examples=80)
both = positions() | runs()


def snapshot(deal: Deal) -> dict[str, object]:
    """Every slot of the deal, lists frozen."""
    slots = {slot: getattr(deal, slot) for slot in Deal.__slots__}
    return {slot: tuple(value) if isinstance(value, list) else value for slot, value in slots.items()}


def zones(deal: Deal) -> list[Cards]:
    return [*deal.hands, c.mask(deal.rest), c.mask(deal.trick), deal.waiting, *deal.taken, deal.discards]


def every_game(manner: str | None = None) -> Iterator[tuple[Deal, str, int]]:
    for seed, rules in enumerate(GAMES):
        yield fresh(rules, seed, seed % 7), manner or MANNERS[seed % len(MANNERS)], seed


def conserved(deal: Deal) -> None:
    found = zones(deal)
    assert sum(zone.bit_count() for zone in found) == deal.dealt.bit_count()
    union = 0
    for zone in found:
        union |= zone
    assert union == deal.dealt
    assert deal.hand_sizes == [hand.bit_count() for hand in deal.hands]


def answerable(deal: Deal) -> None:
    """Something is asked until the end, and every question can be answered."""
    questions = deal.pending()
    assert bool(questions) is not deal.complete
    asked = questions[0] if deal.ask in (Ask.PLAY, Ask.DISCARD) else None
    assert (deal.turn, deal.legal) == ((asked.seat, asked.legal) if asked else (-1, 0))
    assert [question.seat for question in questions] == sorted({question.seat for question in questions})
    for question in questions:
        assert question.legal
        assert question.legal & ~deal.hands[question.seat] == 0
        assert 1 <= question.number <= question.legal.bit_count()


def test_cards_are_conserved_and_something_may_be_answered_in_every_game() -> None:
    for deal, manner, seed in every_game():
        for _ in walk(deal, manner, seed):
            conserved(deal)
            answerable(deal)
        conserved(deal)
        answerable(deal)


@MORE
@given(positions())
def test_cards_are_conserved_in_every_position(run: Run) -> None:
    deal = run.at_the_start()
    for _ in walk(deal, run.manner, run.seed):
        conserved(deal)
        answerable(deal)
    conserved(deal)


def test_every_deal_ends_with_every_card_taken_or_laid_away() -> None:
    for deal, manner, seed in every_game():
        answers = sum(1 for _ in walk(deal, manner, seed))
        assert answers <= deal.dealt.bit_count() + deal.rules.players + 1
        assert not any(deal.hands)
        assert not deal.rest
        assert not deal.trick
        assert not deal.waiting


SUMS = {
    "hearts": 26,
    "greek": 26,
    "widow": 26,
    "omnibus": 16,
    "spot": 104,
    "classic": 26,
    "black-lady": 26,
    "cancellation": 52,
    "no-queen": 13,
    "domino": 13,
}


@pytest.mark.parametrize("manner", MANNERS)
def test_the_points_of_a_deal_add_up_to_what_the_rulebook_says(manner: str) -> None:
    for deal, _, seed in every_game(manner):
        if seed % len(MANNERS) not in (MANNERS.index(manner), 4):
            continue  # every game in one manner, each fifth in all of them
        walked(deal, manner, seed)
        rules = deal.rules
        due = 22 if (rules.name, rules.players) == ("classic", 2) else SUMS[rules.name]
        if rules.options.get("jack_of_diamonds"):
            due -= 11
        laid_away = rules.points_of(deal.discards)
        raw = sum(rules.points_of(taken) for taken in deal.taken)
        assert raw == due - laid_away
        points, moon = deal.scores()
        if rules.options.get("discards_count") == "taker":
            assert sum(points) == 26
        elif moon is None:
            assert sum(points) == due - laid_away
        else:
            others = rules.players - 1
            after = {"greek": 0, "omnibus": -26, "classic": 26 * others - 11 * (raw in (11, 15))}
            assert sum(points) == after[rules.name]


@pytest.mark.parametrize("name", ["greek", "omnibus", "classic"])
def test_moons_are_among_the_deals_that_are_looked_at(name: str) -> None:
    shot = [walked(deal, manner, seed).scores()[1] for deal, manner, seed in every_game("one takes all")
            if deal.rules.name == name]  # fmt: skip
    tables = [rules for rules in TABLES if rules.name == name]
    each = range(300 // len(tables))
    shot += [walked(fresh(rules, seed), "one takes all", seed).scores()[1] for rules in tables for seed in each]
    assert any(seat is not None for seat in shot)


@MORE
@given(both, st.integers(0, 200))
def test_chips_and_the_change_of_the_pot_sum_to_zero(run: Run, pot: int) -> None:
    points, _ = run.finished().scores()
    chips, after = run.rules.variant.settlement.settle(points, pot)
    assert sum(chips) + after - pot == 0
    assert after >= 0
    assert sum(share_out(after, points)) == after


@MORE
@given(both, st.integers(0, 40))
def test_chips_sum_to_zero_in_a_stopped_deal_too(run: Run, pot: int) -> None:
    deal = run.stopped()
    for question in deal.pending():
        twin = deal.copy()
        twin.stop(question.seat)
        points, moon = twin.scores()
        assert moon is None
        assert points == tuple(deal.rules.penalty if seat == question.seat else 0 for seat in range(deal.rules.players))
        chips, after = run.rules.variant.settlement.settle(points, pot)
        assert sum(chips) + after == pot
        assert not twin.pending()
        conserved(twin)


def test_the_fallback_is_accepted_in_every_state_of_every_game() -> None:
    for deal, manner, seed in every_game():
        for _ in walk(deal, manner, seed):
            for question in deal.pending():
                answer = fallback(question.legal, question.number)
                deal.copy().answer(question.seat, [card % c.FACES for card in answer])


def test_a_deal_of_fallbacks_comes_to_its_end() -> None:
    for deal, _, _ in every_game():
        while not deal.complete:
            question = deal.pending()[-1]
            deal.answer(question.seat, fallback(question.legal, question.number))
        conserved(deal)


# --- Refusals


def refusals(deal: Deal) -> None:
    """Every face outside `legal` is refused, illegal when it is held, else malformed, and nothing changes."""
    before = snapshot(deal)
    (question,) = deal.pending()
    held = set(c.faces_of(deal.hands[question.seat]))
    legal = set(c.faces_of(question.legal))
    for face in range(-1, 2 * c.FACES + 2):
        if face in legal or (face >= c.FACES and question.legal >> face & 1):
            continue
        with pytest.raises(IllegalAnswer if face in held else MalformedAnswer) as caught:
            deal.answer(question.seat, (face,))
        if isinstance(caught.value, IllegalAnswer):
            assert (caught.value.seat, caught.value.card) == (question.seat, face)
            assert caught.value.legal == question.legal
    assert snapshot(deal) == before


@pytest.mark.parametrize("rules", TABLES, ids=label)
def test_every_card_that_is_not_legal_is_refused(rules: Rules) -> None:
    deal = fresh(rules, 7, 3)
    for step, question in enumerate(walk(deal, "dear first", 7)):
        if question.ask is Ask.PLAY and step % 2:
            refusals(deal)


@MORE
@given(positions())
def test_every_card_that_is_not_legal_is_refused_in_positions(run: Run) -> None:
    deal = run.stopped()
    if deal.ask is Ask.PLAY:
        refusals(deal)


@MORE
@given(both, st.lists(st.integers(-2, 110), max_size=5), st.integers(-1, 10))
def test_an_answer_that_is_refused_changes_nothing(run: Run, faces: list[Card], seat: int) -> None:
    deal = run.stopped()
    before = snapshot(deal)
    try:
        deal.answer(seat, faces)
    except (IllegalAnswer, MalformedAnswer):
        assert snapshot(deal) == before
    else:
        assert snapshot(deal) != before


@MORE
@given(both, st.integers(0, 10**6))
def test_choosing_cards_is_refused_by_g7_and_only_by_it(run: Run, pick: int) -> None:
    deal = run.stopped()
    before = snapshot(deal)
    for question in deal.pending():
        if question.ask is Ask.PLAY:
            continue
        hand = c.faces_of(question.legal)
        strange = [face for face in range(c.FACES) if face not in hand]
        right = list(hand[: question.number])
        wrong: list[tuple[list[Card], Card | None]] = [
            (right[1:], None),
            ([*right, strange[0]], None),
            ([], None),
        ]
        foreign = strange[pick % len(strange)]
        wrong.append(([foreign, *right[1:]], foreign))
        if question.number > 1:
            wrong.append(([*right[:-1], right[0]], right[0] if len(set(hand)) == len(hand) else None))
        for faces, at_fault in wrong:
            if at_fault is None and len(faces) == question.number:
                continue
            with pytest.raises(IllegalAnswer) as caught:
                deal.answer(question.seat, faces)
            assert (caught.value.clause, caught.value.card, caught.value.seat) == ("G7", at_fault, question.seat)
            assert caught.value.legal == question.legal
    assert snapshot(deal) == before


@MORE
@given(both)
def test_nobody_else_may_answer_or_be_stopped(run: Run) -> None:
    deal = run.stopped()
    before = snapshot(deal)
    asked = {question.seat for question in deal.pending()}
    for seat in set(range(-1, deal.rules.players + 1)) - asked:
        own = c.faces_of(deal.hands[seat]) if 0 <= seat < deal.rules.players else (0, 1, 2)
        for count in (1, 2, 3):
            with pytest.raises(MalformedAnswer):
                deal.answer(seat, own[:count])
        with pytest.raises(MalformedAnswer):
            deal.stop(seat)
    assert snapshot(deal) == before


# --- Independence


@MORE
@given(both, manners, seeds)
def test_a_copy_is_independent(run: Run, manner: str, seed: int) -> None:
    deal = run.stopped()
    before = snapshot(deal)
    twin = deal.copy()
    assert snapshot(twin) == before
    walked(twin, manner, seed)
    assert snapshot(deal) == before
    walked(deal, manner, seed)
    assert snapshot(deal) == snapshot(twin)


def test_nothing_leaks_from_one_deal_to_the_next() -> None:
    for index, rules in enumerate(GAMES):
        start = snapshot(fresh(rules, 99, 1))
        walked(fresh(rules, index, 0), "dear first", index)
        assert snapshot(fresh(rules, 99, 1)) == start
        untouched = rules_of(rules.name, rules.players, rules.options)
        assert [getattr(rules, one.name) for one in fields(Rules) if one.name != "variant"] == [
            getattr(untouched, one.name) for one in fields(Rules) if one.name != "variant"
        ]
        assert fresh(rules, 99, 1).hearts_open is not (
            rules.name == "classic" or (rules.options.get("hearts_from_trick") or 1) not in (1, True)
        )


@MORE
@given(runs(st.sampled_from([rules for rules in TABLES if rules.passing.count])), seeds)
def test_passes_may_come_in_any_order(run: Run, seed: int) -> None:
    start = run.at_the_start()
    questions = list(start.pending())
    if start.ask is not Ask.PASS:
        return
    chosen = {question.seat: choice("random", random.Random(seed), run.rules, question) for question in questions}
    deals = []
    for order in (
        sorted(chosen),
        sorted(chosen, reverse=True),
        random.Random(seed).sample(sorted(chosen), len(chosen)),
    ):
        deal = run.at_the_start()
        for seat in order:
            deal.answer(seat, chosen[seat])
        deals.append(snapshot(deal))
    assert deals[0] == deals[1] == deals[2]
