"""What is changed in the lines of an export is found, at the very bounds of what a league can have."""

import json
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from arena.league.importing import read_books
from arena.league.verify import Checked, Difference, verify
from tests.league.played import exported, league_file, played

Line = dict[str, Any]


def kind(line: Line) -> str:
    return str(line["format"]).removeprefix("hearts-arena/").split("@")[0]


class Export:
    """Its lines, to be changed."""

    def __init__(self, path: Path) -> None:
        self.lines: list[Line] = [json.loads(text) for text in exported(path).splitlines()]

    def of(self, wanted: str) -> list[Line]:
        return [line for line in self.lines if kind(line) == wanted]

    def result(self, fixture: int) -> Line:
        return next(line for line in self.of("result") if line["fixture"] == fixture)

    def match(self, fixture: int) -> list[Line]:
        """All lines of a match, from its result on."""
        at = self.lines.index(self.result(fixture))
        end = next((n for n in range(at + 1, len(self.lines)) if kind(self.lines[n]) == "result"), len(self.lines))
        return self.lines[at:end]

    def check(self) -> Checked:
        text = "\n".join(json.dumps(line) for line in self.lines)
        (checked,) = [verify(book) for book in read_books(text.encode(), where="league.jsonl")]
        return checked


def stop_of(export: Export) -> tuple[Line, Line]:
    """A fault that stopped a deal without a seat's losing its right to play, and the record of its match."""
    fault = next(line for line in export.of("fault") if line["consequence"] == "stopped")
    return fault, next(line for line in export.match(fault["fixture"]) if kind(line) == "match")


@pytest.mark.parametrize("spoil", [{"consequence": "retry"}, {"deal": None}, {"seat": None}])
def test_a_stop_needs_a_fault_of_that_deal_of_that_seat_that_stops(finished: Path, spoil: Line) -> None:
    export = Export(finished)
    fault, _ = stop_of(export)
    where = f"fixture {fault['fixture']}, deal {fault['deal']}: stopped: recorded by seat {fault['seat']}, "
    deals = export.result(fault["fixture"])["deals"]
    others = {"deal": (fault["deal"] + 1) % deals, "seat": (fault["seat"] + 1) % 4}
    fault |= {name: others.get(name, value) for name, value in spoil.items()}
    with pytest.raises(Difference) as found:
        export.check()
    assert str(found.value).startswith(where)


@pytest.mark.parametrize("beyond", [{"deal": 0}, {"seat": 4}])
def test_a_fault_is_of_a_deal_and_a_seat_that_there_are(finished: Path, beyond: dict[str, int]) -> None:
    # The first number that there is not; the seats count it, where one of them can.
    export = Export(finished)
    fault = next(line for line in export.of("fault") if line["consequence"] == "retry")
    result = export.result(fault["fixture"])
    more = fault | {name: value or result["deals"] for name, value in beyond.items()}
    export.lines.insert(export.lines.index(fault) + 1, more)
    if more["seat"] < 4:
        result["seats"][more["seat"]]["faults"] += 1
    with pytest.raises(Difference) as found:
        export.check()
    assert str(found.value) == (
        f"fixture {fault['fixture']}: a fault: recorded in deal {more['deal']} by seat {more['seat']}, computed"
        f" {result['deals']} deals of 4 seats"
    )


@pytest.mark.parametrize("swap", [False, True])
def test_matches_come_once_each_and_in_the_order_of_the_schedule(finished: Path, *, swap: bool) -> None:
    export = Export(finished)
    first, second = export.match(4), export.match(5)
    at = export.lines.index(first[0])
    export.lines[at : at + len(first) + len(second)] = second + first if swap else first + first + second
    export.lines[0]["results"] += not swap
    with pytest.raises(Difference, match=f"^fixture 4: order: recorded after fixture {5 if swap else 4}, "):
        export.check()


@pytest.mark.parametrize("seats", [[0, 1, 2], [0, 1, 2, 2], [0, 1, 2, 5], [0, 1, 2, 3, 4]])
def test_tables_are_of_different_entrants_also_while_the_seed_is_secret(in_play: Path, seats: list[int]) -> None:
    export = Export(in_play)
    assert export.lines[0]["seed"] is None
    export.of("fixture")[9]["seats"] = seats
    with pytest.raises(Difference, match=r"^fixture 9: seats: .*4 different entrants"):
        export.check()


@pytest.mark.parametrize("numbers", [[0, 1, 3], [0, 0, 1, 2]])
def test_fixtures_are_numbered_without_gaps_also_while_the_seed_is_secret(in_play: Path, numbers: list[int]) -> None:
    export = Export(in_play)
    rest = [line for line in export.lines if kind(line) != "fixture"]
    fixtures = export.of("fixture")
    export.lines = [rest[0] | {"fixtures": len(numbers)}, *(fixtures[number] for number in numbers), *rest[1:]]
    with pytest.raises(Difference, match=r"^fixture [12]: schedule: recorded next is fixture [30], "):
        export.check()


def exchange_first(cards: str) -> str:
    first, second, *others = cards.split()
    return " ".join((second, first, *others))


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda result: result.update(deals=result["deals"] + 1), "number of deals"),
        (lambda result: result["scores"][0].update(moon=3), "moon"),
        (lambda result: [seat.update(place=1) for seat in result["seats"]], "place"),
    ],
)
@pytest.mark.parametrize("fixture", [0, 9])
def test_every_match_is_checked_from_the_first_to_the_last(
    finished: Path, change: Callable[[Line], object], where: str, fixture: int
) -> None:
    export = Export(finished)
    before = json.dumps(export.result(fixture))
    change(export.result(fixture))
    assert json.dumps(export.result(fixture)) != before
    with pytest.raises(Difference, match=f"^fixture {fixture}.*: {where}: "):
        export.check()


@pytest.mark.parametrize(("variant", "seats"), [("domino", 4), ("widow", 4), ("black-lady", 5), ("cancellation", 7)])
def test_cards_that_nobody_was_dealt_are_checked_in_their_order(variant: str, seats: int, tmp_path: Path) -> None:
    file = league_file(bots=seats, schedule={"orbits": 1}, variant=variant, seats=seats, max_deals=1)
    export = Export(played(tmp_path / "league.db", file))
    record = export.of("match")[0]
    spoilt = exchange_first(record["deals"][0]["rest"])
    record["deals"][0]["rest"] = spoilt
    with pytest.raises(Difference) as found:
        export.check()
    assert str(found.value).startswith(f"fixture 0, deal 0: rest: recorded {spoilt}, ")


def test_what_is_counted_is_what_is_there(finished: Path) -> None:
    export = Export(finished)
    checked = export.check()
    assert checked.matches == len(export.of("result"))
    assert checked.deals == sum(line["deals"] for line in export.of("result"))
    assert checked.faults == len(export.of("fault"))
    per_match = {number: [*own] for number, own in groupby(export.of("fault"), key=lambda line: line["fixture"])}
    assert len(per_match) > 1
