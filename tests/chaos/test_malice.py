"""A league of honest bots and of everybody who means harm: who does it pays for it, and nobody else."""

from collections import defaultdict
from pathlib import Path

from typer.testing import CliRunner

from arena.cli.main import app
from arena.cli.watch import Watched
from arena.gateway.player import MISSED_KEPT
from arena.gateway.server import Event, News
from arena.league.happenings import Happening
from tests.chaos.league import complaints, league_file, play, rows
from tests.chaos.malice import MALICE
from tests.chaos.soak import memory_mb
from tests.chaos.test_chaos_league import verified

FAULTY = (
    "select distinct name from fault join seat_result using (fixture, seat)"
    " join entrant on entrant.number = seat_result.entrant"
)
HONEST = 7
INNOCENT = ("greets_again", "pongs")
"""What these do is useless, and no fault."""
TOLD = {"foresees": "flooding: ", "heaps": "a frame of 1000", "bytes": "not a BotFrame: "}
"""What is the matter, in the words that the bot is told."""


class Reasons:
    """Why bots were closed."""

    def __init__(self) -> None:
        self.by_name: dict[str, set[str]] = defaultdict(set)

    def news(self, news: News) -> None:
        if news.event in (Event.DISCONNECTED, Event.REFUSED):
            self.by_name[news.name].add(news.reason)

    def happened(self, what: Happening) -> None:
        pass

    async def watch(self, watched: Watched) -> None:
        pass


def test_who_means_harm_does_it_to_nobody_else(tmp_path: Path) -> None:
    bots = {f"honest {number}": "honest" for number in range(HONEST)} | {manner: manner for manner in MALICE}
    reasons, before = Reasons(), memory_mb()
    database, gateway, said = play(
        tmp_path, league_file("malice", bots, move_s=1.0, versions="any"), bots, 1, watchers=[reasons]
    )

    assert complaints(database, bots) == [], said
    assert verified(database) == HONEST + len(MALICE)
    attempts = rows(database, "select ended, count(*) from attempt group by ended")
    assert attempts == [("finished", HONEST + len(MALICE))], "no match is void"
    faulty = {name for (name,) in rows(database, FAULTY)}
    assert faulty <= set(MALICE) - set(INNOCENT)

    for name, words in TOLD.items():
        assert any(words in reason for reason in reasons.by_name[name]), reasons.by_name[name]
    told = [reason for ones in reasons.by_name.values() for reason in ones] + said
    assert [one for one in told if not one.isprintable()] == []

    for player in gateway.players.values():
        assert (player.pending, player.seats) == ({}, {}), player.name
        assert len(player._missed) <= MISSED_KEPT
        assert player.software.isprintable()
    assert not gateway._connections
    assert memory_mb() - before < 100

    site = tmp_path / "site"
    done = CliRunner().invoke(app, ["report", "--db", str(database), "--site", str(site)])
    assert done.exit_code == 0, done.output
    pages = [page.read_text() for page in site.rglob("*.html")]
    assert not any("<b>guesses" in page or "\u202e" in page or "\0" in page for page in pages)
    assert any("&lt;b&gt;guesses" in page for page in pages)
