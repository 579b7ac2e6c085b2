"""What the replayer gets, against the rules: every variant, every number of players."""

from collections.abc import Mapping
from typing import Any

import pytest

from arena.rules import cards as c
from arena.rules.catalogue import VARIANTS
from arena.rules.catalogue import rules as rules_of
from arena.rules.deal import Ask, Deal
from arena.rules.record import read_deal
from arena.rules.variant import OptionValue, Rules
from arena.store import read
from reports.replay_data import LETTERS, deal_data
from tests.reports.made_league import Plan, add_league, database

TABLES = [(variant.name, players) for variant in VARIANTS.values() for players in variant.players]
OPTIONS: dict[str, Mapping[str, OptionValue]] = {
    "classic": {"queen_breaks_hearts": True, "jack_of_diamonds": True},
    "black-lady": {"hearts_from_trick": 3, "settlement": "pot"},
}


def faces(word: str) -> list[int]:
    return [LETTERS.index(letter) for letter in word]


@pytest.mark.parametrize(("variant", "players"), TABLES)
def test_the_script_can_replay_every_deal_without_knowing_the_rules(variant: str, players: int) -> None:
    options = OPTIONS.get(variant, {})
    rules = rules_of(variant, players, options)
    bots = {f"bot {number}": number / 12 for number in range(players)}
    with database() as session:
        plan = Plan(variant=variant, players=players, options=options, bots=bots, orbits=1, target=1, faults=0.03)
        add_league(session, plan)
        rows = read.records(session=session, league=1, fixtures=range(players))
    assert len(rows) >= players
    for row in rows:
        _compare(rules, row)


def _compare(rules: Rules, row: read.RecordRow) -> None:
    """Move the cards as the script does, and the deal as the rules do, and look at both before every card."""
    said = deal_data(rules, row)
    record = read_deal(row.record, rules)
    deal = Deal(rules, record.number, record.dealer, record.hands, record.rest)
    hands = [sorted(faces(word)) for word in said["hands"]]
    rest = faces(said["rest"])
    if "passes" in said:
        moved = [faces(word) for word in said["passes"]]
        for seat, cards in enumerate(moved):
            if cards:
                deal.answer(seat, cards)
        if all(moved):
            for seat, cards in enumerate(moved):
                hands[seat] = [face for face in hands[seat] if face not in cards]
            for seat, cards in enumerate(moved):
                hands[said["to"][seat]] += cards
    else:
        assert deal.ask is not Ask.PASS or deal.stopped is None
    waiting: list[int] = []
    taken: list[list[int]] = [[] for _ in range(rules.players)]
    played = 0
    for number, (seats, word, winner, legal, drawn, points) in enumerate(said["tricks"]):
        trick = faces(word)
        for place, face in enumerate(trick):
            seat = int(seats[place])
            count = drawn[place] if drawn else 0
            hands[seat] += rest[:count]
            del rest[:count]
            assert sorted(hands[seat]) == list(c.faces_of(deal.hands[seat]))
            assert seat == deal.turn
            assert sorted(faces(legal[place]) or hands[seat]) == list(c.faces_of(deal.legal))
            assert deal.hearts_open == (played >= said.get("open", 0))
            hands[seat].remove(face)
            deal.answer(seat, (face,))
            played += 1
        if winner == -1:
            waiting += trick
        elif winner >= 0:
            taken[winner] += trick + waiting
            waiting = []
            if said.get("kitty") == number:
                taken[winner] += rest
                rest = []
        if number == 0 and "widow" in said:
            seat, away = said["widow"]
            assert seat == deal.turn
            hands[seat] += rest
            rest = []
            if away:
                deal.answer(seat, faces(away))
                for face in faces(away):
                    hands[seat].remove(face)
        assert points == [rules.points_of(cards) for cards in deal.taken]
    if "stopped" in said:
        deal.stop(said["stopped"])
    assert deal.complete
    if "last" in said:
        taken[said["last"]] += hands[said["last"]] + rest
    if "stopped" not in said:
        assert [sorted(cards) for cards in taken] == [sorted(c.faces_of(cards)) for cards in deal.taken]
    scores, moon = deal.scores()
    assert list(said["points"]) == list(scores)
    assert said.get("moon") == moon


def test_letters_are_told_apart() -> None:
    assert len(set(LETTERS[: c.FACES])) == c.FACES


def test_a_deal_is_small(session_row: tuple[Rules, read.RecordRow]) -> None:
    rules, row = session_row
    said: dict[str, Any] = deal_data(rules, row)
    assert len(str(said)) < 1600


@pytest.fixture
def session_row() -> tuple[Rules, read.RecordRow]:
    with database() as session:
        add_league(session, Plan(orbits=1, target=1))
        return rules_of("classic", 4), read.records(session=session, league=1, fixtures=[0])[0]
