"""One arena at a time, also where somebody removes the file of the lock while one plays."""

from pathlib import Path

import pytest
import trio
import trio.testing

from arena.cli.play import KEEP_EVERY_S, KEEP_TRIES, holding
from arena.gateway.server import Gateway
from arena.store.database import in_one_line, open_database
from arena.store.lock import Busy, sole_arena

NO_GATEWAY: Gateway = None  # type: ignore[assignment]  # it is not looked at


def test_a_run_takes_its_lock_again_and_ends_where_another_arena_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.store.lock.PAUSE_S", 0)
    path = str(tmp_path / "league.db")
    engine = open_database(path, create=True)
    lock = Path(f"{path}-arena")

    def remove_lock() -> None:
        lock.unlink()

    async def play() -> None:
        remove_lock()
        await trio.sleep(1.5 * KEEP_EVERY_S)
        with pytest.raises(Busy), sole_arena(open_database(path)):
            pytest.fail("two arenas play")
        remove_lock()
        with sole_arena(open_database(path)):
            await trio.sleep((KEEP_TRIES + 0.5) * KEEP_EVERY_S)
            pytest.fail("two arenas play on")

    async def main() -> None:
        with sole_arena(engine) as holds:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(holding(engine, holds), NO_GATEWAY)
                await play()

    with pytest.raises(Busy, match="another arena is playing"), in_one_line(engine):
        trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
