"""What is said of pairs of bots."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from arena.stats.rows import MatchRow
from arena.stats.standings import standings
from arena.store import read
from reports.facts import facts
from reports.table import table
from reports.verdict import verdict
from tests.reports.made_league import Plan, add_league, database
from tests.stats.synthetic_league import KEY, match


def test_who_is_surely_better_is_said_across_the_lines_between_tiers() -> None:
    with database() as session:
        add_league(session, Plan(orbits=21, target=25))
        league = read.leagues(session=session)[0]
        known = facts(session, league)
        key = read.bootstrap_key(session=session, league=league.id)
        found = table(known, key)
    sure = {(pair.better, pair.worse) for pair in found.verdict.pairs if pair.sure}
    assert len(found.tiers) > 1
    for before, after in pairwise(found.tiers):
        assert (before[0].name, after[0].name) in sure
    order = [entry.name for entry in found.entries]
    assert all(order.index(pair.better) < order.index(pair.worse) for pair in found.verdict.pairs)
    neighbours = {(pair.better, pair.worse) for pair in found.verdict.pairs}
    assert neighbours >= set(pairwise(order))


def test_no_pair_is_told_apart_before_there_are_tiers() -> None:
    with database() as session:
        add_league(session, Plan(orbits=2))
        known = facts(session, read.leagues(session=session)[0])
    rows = read.as_match_rows(known.entrants, known.fixtures, known.results)
    lines = [replace(line, tier=None) for line in standings(rows, key=b"")]
    said = verdict(lines, rows, 2, primary="placement", finished=True)
    assert not any(pair.sure for pair in said.pairs)


def duel(streams: int, pairs: Sequence[str] = ("ab",), apart: int = 0) -> list[MatchRow]:
    """Two at a table; on every stream a table of each pair, of which the first bot wins six of ten. On ``apart``
    streams a and b win and lose as often as each other, each against a bot that it meets there only.
    """
    rows: list[MatchRow] = []
    for stream in range(streams):
        won = stream % 10 < 6
        for pair in pairs:
            points = [1, 2] if won else [2, 1]
            rows.append(match(len(rows), points, bots=pair, stream=f"s{stream}"))
    for stream in range(apart):
        won = stream % 10 < (6 if stream % 20 < 10 else 4)
        bots = "ay" if stream % 20 < 10 else "by"
        rows.append(match(len(rows), [1, 2] if won else [2, 1], bots=bots, stream=f"apart{stream}"))
    return rows


def more(rows: list[MatchRow], bots: str = "ab") -> int:
    lines = [line for line in standings(rows, key=KEY) if line.bot in bots]
    (pair,) = [
        p
        for p in verdict(lines, rows, 100, primary="placement", finished=True).pairs
        if (p.better, p.worse) == ("a", "b")
    ]
    assert not pair.sure
    assert pair.more is not None
    return pair.more


def test_so_many_more_matches_settle_it_four_times_out_of_five() -> None:
    draw = Random(1)
    total = 40 + more(duel(40))
    sure = 0
    for _ in range(100):
        results = [[1, 2] if draw.random() < 0.6 else [2, 1] for _ in range(total)]
        table = standings([match(n, points, bots="ab") for n, points in enumerate(results)], key=KEY)
        sure += table[0].bot == "a" and table[0].behind is not None and table[0].behind <= 0.05
    assert 70 <= sure <= 90


def test_more_pairs_that_are_not_told_apart_need_more_matches_of_each() -> None:
    lines = standings(duel(40), key=KEY)
    alone = verdict(lines, duel(40), 40, primary="placement", finished=True).pairs[0].more
    # Three more pairs of neighbours beside them, in a table of the same numbers.
    beside = [replace(lines[1], bot="b", rank=rank, behind=0.5) for rank in (3, 4, 5)]
    table = [lines[0], replace(lines[1], behind=0.5), *beside]
    among = verdict(table, duel(40), 40, primary="placement", finished=True).pairs[0].more
    assert alone is not None
    assert among is not None
    # (z(1 − .05/8) + z(.8))² / (z(.975) + z(.8))² of the streams in all.
    assert (40 + among) / (40 + alone) == pytest.approx(1.42, abs=0.05)


def test_matches_on_deals_that_the_other_does_not_play_count_as_matches_to_be_played() -> None:
    # Half of the matches of each are on streams that it shares with the other.
    assert more(duel(40, apart=80)) == pytest.approx(2 * more(duel(40)), rel=0.05)


def test_of_two_that_share_a_rank_none_is_said_to_be_better() -> None:
    rows = [match(n, [1, 2] if n % 2 else [2, 1], bots="ab") for n in range(4)]
    lines = standings(rows, key=KEY)
    assert [line.rank for line in lines] == [1, 1]
    found = verdict(lines, rows, 4, primary="placement", finished=True)
    assert [line.bot for line in found.leaders] == ["a", "b"]
    assert found.pairs == ()
