"""What is counted comes from rows, and every row follows from others."""

import json
from collections import Counter, defaultdict
from functools import partial
from pathlib import Path

import pytest
import trio

from arena.league.runner import Runner
from arena.rules.variant import fallback
from arena.seat import Request
from arena.stats.thinking import Stopwatch
from tests.fakes import Says
from tests.league.scripted import FakeLobby, chosen, maker, rows, run_until


def clumsy(request: Request, attempt: int) -> Says:
    """Now and then no legal card, and now and then nothing that is one."""
    if sum(map(ord, str(request.view.hand))) % 9 == 0:
        return Says([fallback(request.question.legal, 1)[0] % 52] * 2, malformed="" if attempt else "nonsense")
    return chosen(request, attempt)


def counts(runner: Runner, query: str) -> dict[object, int]:
    """The first column, and how many there are of it."""
    return {key: int(str(count)) for key, count in rows(runner.engine, query)}


@pytest.fixture
def played(tmp_path: Path) -> Runner:
    runner = maker(tmp_path)(lobby=FakeLobby(scripts={"bot 1": clumsy, "bot 2": clumsy}), bots=6)
    trio.run(runner.run)
    return runner


def test_results_are_the_sums_of_their_deals_and_a_match_closes_with_the_deal_that_reaches_the_target(
    played: Runner,
) -> None:
    deals: dict[object, list[list[int]]] = defaultdict(list)
    for fixture, points in rows(played.engine, "select fixture, points from deal order by fixture, number"):
        deals[fixture].append(json.loads(str(points)))
    found: dict[object, list[object]] = defaultdict(list)
    for fixture, points in rows(played.engine, "select fixture, points from seat_result order by fixture, seat"):
        found[fixture].append(points)
    ended = counts(played, "select fixture, deals from result")
    assert len(ended) == played.total
    for fixture, each in deals.items():
        totals = [sum(column) for column in zip(*each, strict=True)]
        before = [sum(column[:-1]) for column in zip(*each, strict=True)]
        assert totals == found[fixture]
        assert len(each) == ended[fixture]
        assert max(totals) >= 40 > max(before)


def test_faults_are_counted_once_each(played: Runner) -> None:
    by_row = counts(
        played,
        "select s.entrant, count(*) from fault f join seat_result s on s.league_id = f.league_id"
        " and s.fixture = f.fixture and s.seat = f.seat group by 1",
    )
    assert by_row == counts(played, "select entrant, sum(faults) from seat_result group by 1 having sum(faults) > 0")
    assert set(by_row) == {1, 2}
    assert sum(by_row.values()) == played.faults.total() == played.kinds.total()
    assert counts(played, "select kind, count(*) from fault group by 1") == dict(played.kinds)


def test_every_attempt_and_result_belongs_to_one_fixture(played: Runner) -> None:
    fixtures = rows(played.engine, "select number from fixture order by 1")
    assert rows(played.engine, "select fixture from result order by 1") == fixtures
    assert rows(played.engine, "select fixture from attempt where ended = 'finished' order by 1") == fixtures
    assert rows(played.engine, "select distinct fixture from deal order by 1") == fixtures


def test_deals_of_a_match_are_numbered_without_gaps(played: Runner) -> None:
    numbers = rows(
        played.engine,
        "select d.fixture, min(d.number), max(d.number) + 1 - count(*), count(*) - r.deals from deal d"
        " join result r on r.league_id = d.league_id and r.fixture = d.fixture group by d.fixture, r.deals",
    )
    assert {row[1:] for row in numbers} == {(0, 0, 0)}


def watched(deals: list[list[list[int]]], seat: int) -> str:
    """The histogram of a seat's answers, from what the deals' rows say."""
    watch = Stopwatch()
    for deal in deals:
        for tenth in deal[seat]:
            watch.add(tenth / 1e4)
    return watch.thinking().to_text()


@pytest.mark.parametrize("cuts", [(), (800, 900, 750)])  # at each cut, more than a deal at every table
@pytest.mark.parametrize("players", [2, 4])
def test_results_have_the_moons_faults_and_times_of_all_their_deals_also_of_matches_that_were_cut_off(
    tmp_path: Path, players: int, cuts: tuple[int, ...]
) -> None:
    lobby = FakeLobby(scripts={"bot 1": clumsy, "bot 2": clumsy})
    make = partial(maker(tmp_path), lobby=lobby, bots=6, seats=players, target=100)
    for cut in cuts:
        run_until(make(), cut)
    engine = make().engine
    assert bool(rows(engine, "select 1 from deal")) is bool(cuts)
    trio.run(make().run)
    deals: dict[object, list[tuple[object, ...]]] = defaultdict(list)
    for fixture, *deal in rows(engine, "select fixture, moon, thinking from deal order by fixture, number"):
        deals[fixture].append(tuple(deal))
    blamed = Counter(rows(engine, "select fixture, seat from fault"))
    found = rows(engine, "select fixture, seat, moons, moons_suffered, faults, thinking from seat_result")
    assert len(found) == players * len(deals)
    for fixture, seat, *told in found:
        shooters = [moon for moon, _ in deals[fixture] if moon is not None]
        times = [json.loads(str(thinking)) for _, thinking in deals[fixture]]
        moons = shooters.count(seat)
        assert told == [moons, len(shooters) - moons, blamed[fixture, seat], watched(times, int(str(seat)))]
    assert blamed
    assert players > 2 or any(moon is not None for each in deals.values() for moon, _ in each)
