"""What a bot has said that it takes is kept at every instant, and what is played is told before it is."""

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
import trio

from arena.cli.play import describe
from arena.rules.catalogue import rules
from arena.seat import Seat
from arena.store.database import open_database
from tests.league.scripted import FakeLobby, MakeRunner, league_file, rows, runner_of


class CountingLobby(FakeLobby):
    """Counts where the bots sit at every moment; what they take is drawn, and drawn again as they come and go."""

    def __init__(self, seed: int, bots: int) -> None:
        super().__init__()
        self.rng = random.Random(seed)
        self.capacities = {f"bot {number}": self.rng.randint(1, 4) for number in range(bots)}
        self.at: dict[int, tuple[str, ...]] = {}
        self.most: Counter[str] = Counter()
        self.began = 0

    def seats(self, table: int, names: Sequence[str]) -> Sequence[Seat]:
        self.at[table] = tuple(names)
        self.began += 1
        now = Counter(name for one in self.at.values() for name in one)
        for name in names:
            assert now[name] <= self.capacities[name], (
                f"{name} is at {now[name]} tables, and takes {self.capacities[name]}"
            )
            self.most[name] = max(self.most[name], now[name])
        return super().seats(table, names)

    async def change(self) -> None:
        """For ever: one of the bots takes more or fewer, as when it comes again; never fewer than it has."""
        while True:
            await trio.lowlevel.checkpoint()
            name = self.rng.choice(sorted(self.capacities))
            has = sum(name in names for names in self.at.values())
            self.capacities[name] = self.rng.randint(max(1, has), 4)
            self.changed.set()

    def forget(self, table: int) -> None:
        self.at.pop(table, None)
        super().forget(table)


@pytest.mark.parametrize("seed", [1, 2])
def test_no_bot_is_ever_at_more_tables_than_it_takes_in_many_matches(make_runner: MakeRunner, seed: int) -> None:
    lobby = CountingLobby(seed, bots=10)
    runner = make_runner(
        lobby=lobby, tables=64, bots=10, schedule={"orbits": 50}, variant="domino", seats=2, max_deals=1
    )

    async def run() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lobby.change)
            await runner.run()
            nursery.cancel_scope.cancel()

    trio.run(run)
    assert runner.finished == lobby.began == 500
    assert max(lobby.most.values()) == 4


def test_what_is_played_in_effect_is_printed_hashed_and_stored(tmp_path: Path) -> None:
    engine = open_database(str(tmp_path / "league.db"), create=True)
    runner = runner_of(engine, league_file(options={"jack_of_diamonds": True}, max_deals=9))
    said: list[str] = []
    assert describe(engine, runner.league, said.append)
    ((digest, options),) = rows(engine, "select schedule_hash, options from league")
    game = rules("classic", 4, {"jack_of_diamonds": True})
    text = "\n".join(said)
    for needle in (
        str(digest)[:16],
        game.hash,
        "'jack_of_diamonds': True",
        "5 bots at tables of 4",
        "to 40 points or 9",
    ):
        assert needle in text
    assert '"jack_of_diamonds": true' in str(options)
    assert game.hash != rules("classic", 4, {}).hash
