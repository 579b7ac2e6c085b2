"""Play a record under the rules and say what came out: the result objects of `arena replay --json`."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from arena.rules import cards as c
from arena.rules.clauses import CLAUSES
from arena.rules.deal import Ask, Deal, IllegalAnswer
from arena.rules.match import Match, places
from arena.rules.record import BadRecord, DealRecord, Json, MatchRecord, read, read_match_deal
from arena.rules.variant import Rest


@dataclass(frozen=True, slots=True)
class Replayed:
    """The state that a deal record leads to."""

    deal: Deal
    points: tuple[int, ...] | None  # None: not complete
    moon: int | None


def replay_line(line: str) -> dict[str, Json]:
    """The result of one record; an error is a result too."""
    place: list[int] = []  # index of the deal at fault, once a match has come to one
    try:
        record = read(line)
        if isinstance(record, DealRecord):
            return _deal_result(record, replay(record), record.pot)
        return _match_result(record, place)
    except BadRecord as error:
        said = _error("bad-record", None, error.seat, error.trick, error.card, None, str(error))
    except IllegalRecord as error:
        found = error.illegal
        legal = c.text(c.faces_of(found.legal))
        what = "that number of cards" if found.card is None else c.name(found.card)
        said_no = f"{found.clause}: seat {found.seat} may not {error.ask.value} {what}."
        message = f"{said_no} {CLAUSES[found.clause]} Legal: {legal}"
        said = _error("illegal", found.clause, found.seat, error.trick, found.card, legal, message)
    said["deal"] = place[0] if place else None
    return {"ok": False, "error": said}


def replay_lines(text: bytes) -> Iterator[dict[str, Json]]:
    """The results of a whole file, record by record; empty lines give none."""
    for number, raw in enumerate(text.split(b"\n"), 1):
        if not raw.strip():
            continue
        try:
            line = raw.decode()
        except UnicodeDecodeError as error:
            said = _error("bad-record", None, None, None, None, None, f"line {number} is not UTF-8: {error.reason}")
            yield {"ok": False, "error": {**said, "deal": None}}
        else:
            yield replay_line(line)


class IllegalRecord(Exception):  # noqa: N818
    """An illegal answer, with the trick that it belongs to (None for a pass or a discard)."""

    def __init__(self, illegal: IllegalAnswer, ask: Ask, trick: int | None) -> None:
        super().__init__(illegal.clause)
        self.illegal = illegal
        self.ask = ask
        self.trick = trick


def replay(record: DealRecord) -> Replayed:
    """Play the record; BadRecord or an illegal answer where the rules do not allow it."""
    deal = Deal(record.rules, record.number, record.dealer, record.hands, record.rest)
    _passes(deal, record)
    for number, trick in enumerate(record.plays):
        if deal.ask is Ask.PASS or (deal.ask is Ask.DISCARD and not record.discards):
            raise BadRecord(f"trick {number}: played before the {_ask(deal)} is complete", trick=number)
        if deal.complete:
            raise BadRecord(f"trick {number}: played after the end of the deal", trick=number)
        _play_trick(deal, trick, number)
        if deal.trick and number + 1 < len(record.plays):
            raise BadRecord(f"trick {number}: {len(trick)} cards are too few", trick=number)
        if deal.ask is Ask.DISCARD and record.discards:
            _answer(deal, deal.turn, record.discards, None)
    if record.discards and not deal.discards:
        raise BadRecord(f"discards: nothing is discarded here, but there is {c.text(record.discards)!r}")
    if record.stopped is not None:
        if all(question.seat != record.stopped for question in deal.pending()):
            raise BadRecord(f"stopped: seat {record.stopped} is not asked here")
        deal.stop(record.stopped)
    if not deal.complete:
        return Replayed(deal, None, None)
    return Replayed(deal, *deal.scores())


def _passes(deal: Deal, record: DealRecord) -> None:
    """Check the size of the hands for what is asked, then enter the passes seat by seat."""
    number = deal.rules.passing.count
    if deal.ask is Ask.PASS and any(hand.bit_count() < number for hand in record.hands):
        raise BadRecord(f"hands: too small to pass {number} cards")
    for seat, faces in enumerate(record.passes):
        if faces:
            if deal.ask is not Ask.PASS:
                raise BadRecord(f"passes: nothing is passed in deal {deal.number}")
            _answer(deal, seat, faces, None)


def _play_trick(deal: Deal, trick: tuple[c.Card, ...], number: int) -> None:
    """The cards of one trick, each by the seat on turn."""
    if not trick:
        raise BadRecord(f"trick {number}: empty", trick=number)
    for face in trick:
        if len(deal.tricks) > number or deal.complete:
            raise BadRecord(f"trick {number}: {len(trick)} cards are too many", trick=number)
        seat = deal.turn
        if c.held(deal.hands[seat], face) is None:
            raise BadRecord(
                f"trick {number}: seat {seat} is on turn and does not hold {c.name(face)}",
                trick=number, seat=seat, card=face,
            )  # fmt: skip
        _answer(deal, seat, (face,), number)


def _answer(deal: Deal, seat: int, faces: tuple[c.Card, ...], trick: int | None) -> None:
    ask = deal.ask
    assert ask is not None
    try:
        deal.answer(seat, faces)
    except IllegalAnswer as error:
        raise IllegalRecord(error, ask, trick) from None


def _ask(deal: Deal) -> str:
    return "discard" if deal.ask is Ask.DISCARD else "passing"


def _deal_result(record: DealRecord, replayed: Replayed, pot: int) -> dict[str, Json]:
    chips: tuple[Fraction, ...] | None = None
    pot_after: int | None = None
    if replayed.points is not None:
        chips, pot_after = record.rules.variant.settlement.settle(replayed.points, pot)
    deal = replayed.deal
    to_act: list[Json] = [
        {
            "seat": question.seat,
            "ask": question.ask.value,
            "legal": c.text(c.faces_of(question.legal)),
            "count": question.number,
        }
        for question in deal.pending()
    ]
    return {
        "ok": True,
        "complete": deal.complete,
        "tricks": _tricks(deal),
        "points": None if replayed.points is None else list(replayed.points),
        "moon": replayed.moon,
        "chips": None if chips is None else [str(one) for one in chips],
        "pot": pot_after,
        "to_act": None if deal.complete else to_act,
    }


def _tricks(deal: Deal) -> list[Json]:
    """Every trick that has a card."""
    stock = deal.rules.variant.rest is Rest.STOCK
    found: list[Json] = []
    shown = [(trick.leader, trick.cards, trick.winner, trick.drawn) for trick in deal.tricks]
    if deal.trick:
        shown.append((deal.seats[0], tuple(deal.trick), None, tuple(deal.drawn[: len(deal.trick)])))
    for leader, cards, winner, drawn in shown:
        one: dict[str, Json] = {"leader": leader, "cards": c.text(cards), "winner": winner}
        if stock:
            one["drawn"] = list(drawn)
        found.append(one)
    return found


def _match_result(record: MatchRecord, place: list[int]) -> dict[str, Json]:
    rules = record.rules
    match = Match(rules, record.target, record.max_deals)
    results: list[Json] = []
    complete = True
    for index, data in enumerate(record.deals):
        if not complete:
            raise BadRecord(f"deal {index - 1} is not complete, but another follows")
        place[:] = [index]
        if match.end:
            raise BadRecord(f"deal {index} comes after the end of the match")
        deal = read_match_deal(data, rules, index, match.pot)
        replayed = replay(deal)
        results.append(_deal_result(deal, replayed, match.pot))
        complete = replayed.points is not None
        if replayed.points is not None:
            match.enter(replayed.points)
    totals: list[Json] = [*match.totals]
    ranked: list[Json] = [*places(match.totals)]
    return {
        "ok": True,
        "complete": match.end is not None,
        "deals": results,
        "totals": totals,
        "chips": [str(one) for one in match.chips],
        "places": ranked if match.end else None,
        "end": match.end,
    }


def _error(
    code: str,
    clause: str | None,
    seat: int | None,
    trick: int | None,
    card: c.Card | None,
    legal: str | None,
    message: str,
) -> dict[str, Json]:
    return {
        "code": code,
        "clause": clause,
        "deal": None,
        "trick": trick,
        "seat": seat,
        "card": None if card is None else c.name(card),
        "legal": legal,
        "message": message,
    }
