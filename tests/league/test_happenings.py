"""What a run tells those who watch it, and what it keeps of transcripts."""

from collections import Counter
from collections.abc import Collection, Sequence

import trio

from arena.league.happenings import Began, DealOver, Failed, Finished, Happening, Parked
from arena.league.runner import Runner
from tests.fakes import illegal
from tests.league.scripted import FakeLobby, MakeRunner, rows, run_until
from tests.league.test_attempts import BrokenLobby

FAULTED = "select distinct fixture, seat, deal from fault order by 1, 2, 3"
KEPT = "select fixture, seat, deal, entries from transcript order by 1, 2, 3"


def told(runner: Runner) -> list[Happening]:
    """What will be told."""
    happenings: list[Happening] = []
    runner.observe = happenings.append
    return happenings


def count(happenings: Sequence[Happening]) -> Counter[type[Happening]]:
    return Counter(type(one) for one in happenings)


def test_every_match_and_deal_is_told_once(make_runner: MakeRunner) -> None:
    runner = make_runner()
    happenings = told(runner)
    trio.run(runner.run)
    (deals,) = rows(runner.engine, "select count(*) from deal")[0]
    assert count(happenings) == {Began: 5, DealOver: deals, Finished: 5}
    for kind in (Began, Finished):
        assert sorted(one.at.match for one in happenings if isinstance(one, kind)) == [f"test/{n}" for n in range(5)]
    at = {one.at.match: one.at for one in happenings}
    assert len({one.table for one in at.values()}) == 5
    names = {f"test/{n}": tuple(seats.split()) for n, seats in rows(runner.engine, "select number, seats from fixture")}  # type: ignore[attr-defined] # text
    assert {match: tuple(name.removeprefix("bot ") for name in one.names) for match, one in at.items()} == names


def test_a_match_that_is_put_aside_is_told_to_be_so_and_to_go_on(make_runner: MakeRunner) -> None:
    first = make_runner(tables=1)
    happenings = told(first)
    run_until(first, 100)
    parked = [one for one in happenings if isinstance(one, Parked)]
    assert [(one.at.match, one.deals) for one in parked] == [("test/0", 1)]
    second = make_runner(tables=1)
    again = told(second)
    trio.run(second.run)
    assert [one.deals for one in again if isinstance(one, Began)] == [1, 0, 0, 0, 0]
    assert not [one for one in again if isinstance(one, Parked)]


def test_a_fault_of_our_own_is_told(make_runner: MakeRunner) -> None:
    runner = make_runner(lobby=BrokenLobby("/2", 2))
    happenings = told(runner)
    trio.run(runner.run)
    failed = [one for one in happenings if isinstance(one, Failed)]
    assert [(one.at.match, one.failures, one.reason) for one in failed] == [
        ("test/2", 1, "Broken: the encoder failed"), ("test/2", 2, "Broken: the encoder failed"),
    ]  # fmt: skip
    assert count(happenings)[Began] == 7
    assert count(happenings)[Finished] == 5


def test_a_bot_that_fails_in_every_match_takes_no_table_away(make_runner: MakeRunner) -> None:
    """It forfeits wherever it plays, and there are as many tables in play at the end as at the beginning."""
    lobby = FakeLobby(capacity=4, scripts={"bot 0": illegal, "bot 1": illegal})
    runner = make_runner(lobby=lobby, bots=8, tables=6)
    in_play: list[int] = []
    runner.observe = lambda what: in_play.append(len(runner.playing)) if isinstance(what, Began) else None
    trio.run(runner.run)
    (lost,) = rows(runner.engine, "select count(distinct fixture) from seat_result where forfeited")[0]
    assert int(str(lost)) > runner.total // 2
    assert len(in_play) == runner.total
    third = len(in_play) // 3
    assert max(in_play[:third]) == max(in_play[-third:]) == 6
    assert not +runner.busy


class Said:
    """A part of a transcript that says whose it is."""

    def __init__(self, text: str) -> None:
        self.text = text

    def packed(self) -> bytes:
        return self.text.encode()


def test_transcripts_are_kept_with_the_deal_they_are_of(make_runner: MakeRunner) -> None:
    """All of them, or of who had a fault; the end of a match comes after its last deal."""
    cuts: list[tuple[int, tuple[int, ...]]] = []

    def cut(table: int, faulted: Collection[int]) -> Sequence[tuple[int, Said]]:
        cuts.append((table, tuple(sorted(faulted))))
        return [(seat, Said(f"{len(cuts)}")) for seat in faulted or (0,)]

    runner = make_runner(lobby=FakeLobby(scripts={"bot 1": illegal}), tables=1, more={"cut": cut})
    trio.run(runner.run)
    deals = rows(runner.engine, "select fixture, max(number) from deal group by 1")
    ends = [(fixture, 0, int(str(last)) + 1) for fixture, last in deals]
    faulted = rows(runner.engine, FAULTED)
    assert len(faulted) > 5
    kept = [row[:3] for row in rows(runner.engine, KEPT)]
    assert set(faulted) | set(ends) <= set(kept)
    (played,) = rows(runner.engine, "select count(*) from deal")[0]
    assert len(cuts) == int(str(played)) + 5  # one a deal, and one a match
    assert [table for table, _ in cuts] == sorted(table for table, _ in cuts)
    assert kept == sorted(set(kept))


def test_of_a_deal_that_is_cut_off_nothing_is_kept_and_later_once(make_runner: MakeRunner) -> None:
    def cut(_table: int, _faulted: Collection[int]) -> Sequence[tuple[int, Said]]:
        return [(0, Said("x"))]

    run_until(make_runner(tables=1, more={"cut": cut}), 100)
    runner = make_runner(tables=1, more={"cut": cut})
    assert [row[:3] for row in rows(runner.engine, KEPT)] == [(0, 0, 0)]
    trio.run(runner.run)
    (played,) = rows(runner.engine, "select count(*) from deal")[0]
    assert len(rows(runner.engine, KEPT)) == int(str(played)) + 5
