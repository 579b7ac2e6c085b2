"""Positions laid out by hand: the shortest way from a sentence of the rulebook to a deal on the table."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from arena.rules import cards as c
from arena.rules.catalogue import rules as rules_of
from arena.rules.deal import Ask, Deal, IllegalAnswer
from arena.rules.record import DEAL, game_fields, write_deal
from arena.rules.replay import replay_line
from arena.rules.variant import OptionValue, Rules


def table(variant: str, players: int, **options: OptionValue) -> Rules:
    """The rules of a game."""
    return rules_of(variant, players, options)


def laid_out(
    variant: str,
    *hands: str,
    rest: str = "",
    number: int | None = None,
    dealer: int | None = None,
    **options: OptionValue,
) -> Deal:
    """A constructed deal in which these hands are held when the first card is played; seat 0 is eldest.

    Where the variant passes in that deal, every seat passes on what its receiver is to hold, and the pass is done.
    ``number`` is the first deal without passing if it is not given, 0 if every deal has it.
    """
    game = table(variant, len(hands), **options)
    players, passing = game.players, game.passing
    if number is None:
        directions = [passing.direction(deal).receiver(0, players) for deal in range(4)]
        number = directions.index(0) if passing.count and 0 in directions else 0
    wanted = [c.parse(hand) for hand in hands]
    copies = iter(_copies([*(face for hand in wanted for face in hand), *c.parse(rest)]))
    held = [[next(copies) for _ in hand] for hand in wanted]
    receiver = [passing.direction(number).receiver(seat, players) for seat in range(players)]
    count = passing.count if receiver[0] else 0
    given = [held[receiver[seat]][:count] for seat in range(players)]
    dealt = [c.mask([*held[seat][count:], *given[seat]]) for seat in range(players)]
    deal = Deal(game, number, (players - 1) if dealer is None else dealer, dealt, tuple(copies))
    for seat in range(players if count else 0):
        deal.answer(seat, [card % c.FACES for card in given[seat]])
    return deal


def _copies(faces: Sequence[int]) -> list[int]:
    seen: set[int] = set()
    found = []
    for face in faces:
        found.append(face + c.FACES if face in seen else face)
        seen.add(face)
    return found


def played(deal: Deal, *tricks: str) -> Deal:
    """The deal after these cards, each played by the seat on turn; one text a trick, for the reader."""
    for trick in tricks:
        before = len(deal.tricks)
        for face in c.parse(trick):
            deal.answer(deal.turn, (face,))
        assert not deal.trick or trick is tricks[-1], f"{trick!r} is not a whole trick"
        assert len(deal.tricks) - before <= 1, f"{trick!r} is more than one trick"
    return deal


def may(deal: Deal) -> str:
    """What the seat on turn may play."""
    assert deal.ask is Ask.PLAY
    return c.text(c.faces_of(deal.legal))


def refused(deal: Deal, card: str) -> str:
    """The clause that this play would break."""
    with pytest.raises(IllegalAnswer) as caught:
        deal.answer(deal.turn, c.parse(card))
    assert c.text(c.faces_of(caught.value.legal)) == may(deal)
    assert (caught.value.seat, caught.value.card) == (deal.turn, c.card(card))
    return caught.value.clause


def held(deal: Deal, seat: int) -> str:
    """A hand."""
    return c.text(c.faces_of(deal.hands[seat]))


def taken(deal: Deal, seat: int) -> str:
    """What a seat has taken, sorted."""
    return c.text(c.faces_of(deal.taken[seat]))


def points(deal: Deal) -> tuple[int, ...]:
    """The points of a complete deal."""
    return deal.scores()[0]


def record_of(deal: Deal, *, pot: int = 0, constructed: bool = True) -> dict[str, Any]:
    """The record of a deal, also of a position."""
    return {**game_fields(deal.rules, DEAL), **write_deal(deal, pot), "constructed": constructed}


def result_of(record: Mapping[str, object]) -> dict[str, Any]:
    """What comes out when the record is replayed."""
    return replay_line(json.dumps(record))


def error_of(record: Mapping[str, object]) -> dict[str, Any]:
    """The error of a record that is none, or that the rules forbid."""
    result = result_of(record)
    assert result["ok"] is False, result
    assert set(result) == {"ok", "error"}
    error: dict[str, Any] = result["error"]
    assert set(error) == {"code", "clause", "deal", "trick", "seat", "card", "legal", "message"}
    assert isinstance(error["message"], str)
    assert error["message"]
    assert "\n" not in error["message"]
    return error


def bad(record: Mapping[str, object], **where: object) -> str:
    """The message of a bad record; ``where`` is all that the error says beside it."""
    error = error_of(record)
    expected = {"code": "bad-record", "clause": None, "legal": None, "deal": None, "trick": None, "seat": None}
    assert {**error, "message": ""} == {**expected, "card": None, "message": "", **where}
    message: str = error["message"]
    return message


def illegal(record: Mapping[str, object], clause: str, **where: object) -> None:
    """The record breaks the clause; ``where`` is what the error says beside it."""
    error = error_of(record)
    expected = {"code": "illegal", "clause": clause, "deal": None}
    assert {**error, "message": ""} == {**expected, "message": "", **where}
    assert clause in error["message"]


def small(**fields: object) -> dict[str, Any]:
    """A position of plain Hearts that two tricks finish."""
    base = {
        "format": DEAL,
        "variant": "hearts",
        "players": 3,
        "hands": ["2C 3D", "5C QS", "7C 4H"],
        "constructed": True,
    }
    return {**base, **fields}


def classic(**fields: object) -> dict[str, Any]:
    """A position of classic Hearts, deal 0: three cards are passed to the left."""
    hands = ["2C 3C 4C 5D", "5C 6C 7C 6D", "8C 9C TC 7D"]
    return small(variant="classic", hands=hands, **fields)


PASSES = ["2C 3C 4C", "5C 6C 7C", "8C 9C TC"]
WIDOW = {"variant": "widow", "hands": ["2C 3C", "9C 4D", "4C 5D"], "rest": "QS KH"}
