"""The trial of a submitted bot: the steps of `arena check`, then deals against the house as in `arena play`.

Whoever is on trial is not seated otherwise. A bot that dials in is waited for at its door, however long that takes; one
with an address is looked for with growing pauses. Everything after that is bounded, and few are examined at a time.
"""

import itertools
from collections.abc import Sequence
from typing import Final

import trio

from arena.clock import TimeControl
from arena.gateway.addresses import ForbiddenError
from arena.gateway.bridge import Bridge
from arena.gateway.dialer import Dial, Terms
from arena.gateway.practice import Game, wait_there
from arena.gateway.server import Gateway
from arena.gateway.trial_check import Bounds, Candidate, Failure, Judge, check, look
from arena.rules.match import TARGET
from arena.rules.variant import Rules

DEALS: Final = 2  # of each game


class Trials:
    """All that are going on, in one gateway."""

    def __init__(self, bridge: Bridge, gateway: Gateway, terms: Terms, bounds: Bounds | None = None) -> None:
        """``terms`` are those of bots that are dialled."""
        self._bridge: Final = bridge
        self._gateway: Final = gateway
        self._terms: Final = terms
        self._bounds: Final = bounds or Bounds()
        self._room: Final = trio.CapacityLimiter(self._bounds.at_once)
        self._tables: Final = itertools.count(2**32)  # not those of leagues
        self._decisions: Final = itertools.count(2**48)

    async def hold(self, candidate: Candidate, judge: Judge) -> None:
        """One trial from its beginning to its end. ``judge`` is called in a thread with what has come of it.

        The bot is told after that. Where the task is cancelled there is no verdict.
        """
        gateway, name = self._gateway, candidate.name
        try:
            failure = await self._wait_there(candidate)
            if failure is None:
                gateway.anteroom.note(name, "it waits until others have had their trial")
                async with self._room:
                    found = await self._bridge.aio(check(gateway.anteroom, candidate, judge, self._terms, self._bounds))
                    if isinstance(found, Failure):
                        return  # judged and told
                    failure = await self._play(candidate, found)
            await trio.to_thread.run_sync(judge, failure)
            if failure is not None:
                gateway.hang_up(name, failure.end.reason)
        finally:
            gateway.anteroom.close(name)

    async def _wait_there(self, candidate: Candidate) -> Failure | None:
        """Until there is somebody to examine."""
        note = self._gateway.anteroom.note
        if not candidate.address:
            note(candidate.name, "the arena waits for it to dial in")
            await self._bridge.aio(self._gateway.anteroom.door(candidate.name).called.wait())
            return None
        pause_s, longest_s = self._bounds.pauses_s
        failure = Failure("tcp", f"{candidate.address}: nobody was there")
        with trio.move_on_after(self._bounds.address_s):
            while True:
                try:
                    missing = await self._bridge.aio(
                        look(candidate.address, self._terms, self._bounds.patience.connect_s)
                    )
                except ForbiddenError as error:
                    return Failure("dns", str(error))
                if missing is None:
                    return None
                failure = missing
                note(candidate.name, f"the arena waits for it at {candidate.address}: {failure}")
                await trio.sleep(pause_s)
                pause_s = min(2 * pause_s, longest_s)
        return Failure(failure.step, f"{failure.reason}, for {self._bounds.address_s:g} s")

    async def _play(self, candidate: Candidate, played: Sequence[Rules]) -> Failure | None:
        """Deals of every game, one after the other, as the arena's own referee judges them."""
        gateway, name = self._gateway, candidate.name
        if candidate.address:
            gateway.dial(Dial(name, candidate.address, candidate.key))
        connect_s = self._bounds.patience.connect_s
        with trio.move_on_after(connect_s) as waiting:
            await wait_there(gateway, name)
        if waiting.cancelled_caught:
            return Failure("connect", f"it did not come back within {connect_s:g} s, to play")
        game: Game | None = None
        with trio.move_on_after(self._bounds.deals_s) as playing:
            for number, rules in enumerate(played, 1):
                gateway.anteroom.note(name, f"it plays {rules.name} against the house, game {number} of {len(played)}")
                game = Game(rules, candidate.seed % rules.players, candidate.seed, TARGET, DEALS, TimeControl(), name)
                await game.play(gateway, next(self._tables), self._decisions)
                for fault in game.faults:
                    return Failure(f"deals {rules.name}", f"{fault.kind.value}: {fault.reason}", game)
        if playing.cancelled_caught and game is not None:
            reason = f"the deals have taken more than {self._bounds.deals_s:g} s"
            return Failure(f"deals {game.rules.name}", reason, game)
        return None
