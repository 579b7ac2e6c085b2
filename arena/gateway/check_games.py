"""The steps of games, one set for each variant that the bot says it plays, and those of matches."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from arena.gateway.check import Step
from arena.gateway.check_exam import Exam, games
from arena.gateway.check_steps import goes_on
from arena.rules.deal import Ask
from arena.rules.variant import Rest, Rules
from arena.v1 import arena_pb2 as pb

POSITIONS: Final = 4  # of each kind of question


def game_steps(exam: Exam) -> Iterator[Step]:
    """For each variant, each thing that may be asked, and a whole deal."""
    for rules in games(exam.hello):
        if any(rules.passing.count and rules.passing.direction(n).receiver(0, rules.players) for n in range(4)):
            yield Step(f"pass {rules.name}", "passes cards", partial(positions, rules, Ask.PASS))
        if rules.variant.rest is Rest.WIDOW:
            yield Step(f"discard {rules.name}", "lays cards away for the widow", partial(positions, rules, Ask.DISCARD))
        yield Step(
            f"play {rules.name}", "plays legal cards in the middle of deals", partial(positions, rules, Ask.PLAY)
        )
        yield Step(f"deal {rules.name}", "plays a whole deal against the house", partial(whole_deal, rules))


async def positions(rules: Rules, ask: Ask, exam: Exam) -> str | None:
    """Questions of one kind, each at a table of its own."""
    for _ in range(POSITIONS):
        seat, deal, asked = await exam.position(rules, ask)
        await exam.ask([exam.question(seat, deal, asked)], [seat.start])
    return f"{POSITIONS} positions"


async def whole_deal(rules: Rules, exam: Exam) -> str | None:
    """From the first question to DealEnd."""
    seat = exam.sit(rules)
    await exam.send(seat.start)
    await exam.play_deal(seat, 0)
    await exam.ping()
    return f"{rules.players} players, seat {seat.index}, {seat.match.totals[seat.index]} points"


async def match(exam: Exam) -> str | None:
    """Two deals and MatchEnd."""
    seat = exam.sit(exam.rng.choice(games(exam.hello)))
    await exam.send(seat.start)
    for number in range(2):
        await exam.play_deal(seat, number)
    await exam.end_match(seat)
    await goes_on(exam)
    return seat.rules.name


async def restart(exam: Exam) -> str | None:
    """MatchStart in the middle of a match, with a score, as after a restart of the arena."""
    seat = exam.sit(exam.rng.choice(games(exam.hello)))
    await exam.send(seat.start)
    await exam.play_deal(seat, 0)
    await exam.send(seat.start)
    await exam.play_deal(seat, 1)
    await exam.ping()
    return None


async def table_again(exam: Exam) -> str | None:
    """The number of a table that is over is used for another match."""
    first = exam.sit(exam.rng.choice(games(exam.hello)))
    await exam.send(first.start)
    await exam.end_match(first)
    seat, deal, asked = await exam.position(exam.rng.choice(games(exam.hello)), Ask.PLAY)
    seat.table = first.table
    await exam.ask([exam.question(seat, deal, asked)], [seat.start])
    return None


async def strange_table(exam: Exam) -> str | None:
    """DealEnd and MatchEnd of a table that it was never told of."""
    table = 2**40
    rules = games(exam.hello)[0]
    deal_end = pb.DealEnd(table=table, deal=3, points=[0] * rules.players)
    match_end = pb.MatchEnd(table=table, totals=[0] * rules.players, places=[1] * rules.players)
    await exam.send(pb.ArenaFrame(messages=[pb.ArenaMessage(deal_end=deal_end)]).SerializeToString())
    await exam.send(pb.ArenaFrame(messages=[pb.ArenaMessage(match_end=match_end)]).SerializeToString())
    await goes_on(exam)
    return None


async def no_start(exam: Exam) -> str | None:
    """A question is complete in itself."""
    seat, deal, asked = await exam.position(exam.rng.choice(games(exam.hello)), Ask.PLAY)
    await exam.ask([exam.question(seat, deal, asked)])
    return None


MATCHES: Final = (
    Step("match", "plays a match of two deals to its MatchEnd, and goes on", match),
    Step("match-restart", "bears MatchStart again, with a score", restart),
    Step("table-again", "plays another match at a table whose number it knows", table_again),
    Step("strange-table", "bears DealEnd and MatchEnd of a table that it does not know", strange_table),
    Step("complete-question", "answers a question of a table of which it has heard nothing", no_start),
)
