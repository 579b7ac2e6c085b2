"""The book of bots beside a running arena: who is on trial is examined, and what is changed in it is carried out."""

import secrets
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import trio

from arena.cli.check import Asked, repeat
from arena.gateway.bridge import Bridge
from arena.gateway.dialer import Dial, Terms
from arena.gateway.practice import Game
from arena.gateway.server import Event, Gateway
from arena.gateway.submissions import CLOSED, Application, Entered, Fault, Refusal, Status, Unable
from arena.gateway.submissions import Standing as Told
from arena.gateway.tls import ClientTls
from arena.gateway.trial import Trials
from arena.gateway.trial_check import Bounds, Candidate, Failure
from arena.store.submission import ATTEMPTS, Bot, NotEntered, Registry, Standing, SubmissionError, Wrong

FOLLOW_EVERY_S = 1.0
SEEDS: Final = 1_000_000
_FAULTS: Final = {Wrong.INVITE: Fault.INVITE, Wrong.TAKEN: Fault.TAKEN, Wrong.NAME: Fault.VALUE}
_TOLD: Final = {
    Standing.ON_TRIAL: Told.ON_TRIAL,
    Standing.ADMITTED: Told.ADMITTED,
    Standing.REFUSED: Told.REFUSED,
}


@dataclass(frozen=True, slots=True)
class BookOffice:
    """The book, for the gateway."""

    registry: Registry
    open: bool = True  # it takes submissions

    def apply(self, application: Application) -> Entered | Refusal:
        """Enter a bot; it is on trial."""
        if not self.open:
            return CLOSED
        name = application.name
        bot = Bot(name, "", application.address, application.tables, application.variants, application.software)
        try:
            return Entered(name, self.registry.enter(bot, application.invite))
        except NotEntered as error:
            return Refusal(_FAULTS[error.wrong], str(error))
        except SubmissionError as error:  # of the book, which the operator is to mend; the league goes on
            raise Unable(str(error)) from None

    def status(self, name: str) -> Status | None:
        """How the bot stands."""
        bot = next((one for one in self.registry.last_good().bots if one.name == name), None)
        if bot is None:
            return None
        left = max(0, ATTEMPTS - bot.attempts) if bot.invite else 0
        return Status(Told.SUSPENDED if bot.suspended else _TOLD[bot.standing], bot.reason, bot.repeat, left)


async def follow(
    bridge: Bridge,
    gateway: Gateway,
    registry: Registry,
    terms: Terms,
    *,
    bounds: Bounds | None = None,
    seat: bool = True,
) -> None:
    """Beside a running arena, for ever. ``seat``: those who are admitted are dialled, to play."""
    follower = _Follower(gateway, registry, terms, Trials(bridge, gateway, terms, bounds), seat)
    try:
        async with trio.open_nursery() as nursery:
            while True:
                follower.look(nursery)
                await trio.sleep(FOLLOW_EVERY_S)
    finally:
        follower.close()


@dataclass(slots=True)
class _Follower:
    """What has been made of the book."""

    gateway: Gateway
    registry: Registry
    terms: Terms
    trials: Trials
    seat: bool
    known: dict[str, Bot] = field(default_factory=dict)  # entries as they have been carried out
    held: dict[str, tuple[Bot, trio.CancelScope]] = field(default_factory=dict)  # trials
    dialled: dict[str, Dial] = field(default_factory=dict)  # to play
    claims: dict[str, Callable[[], None]] = field(default_factory=dict)  # on bots to be dialled; each gives it up

    def look(self, nursery: trio.Nursery) -> None:
        """Carry out what has changed; trials are held in the nursery."""
        now = self.registry.last_good().bots
        for bot in now:
            old = self.known.get(bot.name)
            if old is not None and self._plays_on(old, bot):
                self.gateway.anteroom.note(bot.name, "its matches in play come to their end first")
            elif old != bot:
                self.known[bot.name] = bot
                if old is not None:
                    self._carry_out(old, bot)
        wanted = {bot.name: bot for bot in now if bot.standing is Standing.ON_TRIAL and not bot.suspended}
        for name, (bot, scope) in tuple(self.held.items()):
            if wanted.get(name) != bot:
                scope.cancel()
                del self.held[name]
        for name, bot in wanted.items():
            if self.gateway.is_seated(name):
                continue
            there = name in self.dialled or self.gateway.player(name).connected
            if there and not self.gateway.anteroom.is_through(name):
                self._hang_up(name, "its trial begins", again=True)  # its next call is the trial's
            if name not in self.held and (not bot.address or self._claim(name)):
                self.held[name] = bot, trio.CancelScope()
                nursery.start_soon(self._hold, *self.held[name])
        for bot in now:
            if self.seat and bot.plays and bot.address:
                self._dial(bot)
        for name in self.claims.keys() - self.dialled.keys() - self.held.keys():
            self.claims.pop(name)()

    def close(self) -> None:
        """Others may dial them."""
        for give_up in self.claims.values():
            give_up()

    def _plays_on(self, old: Bot, new: Bot) -> bool:
        """Whether a bot that is to be examined, or was refused by another arena, is still in matches: it pays for no
        decision of the operator's with those.
        """
        stopped = old.plays and not (new.plays or new.suspended)
        return stopped and new.token == old.token and self.gateway.is_seated(new.name)

    def _carry_out(self, old: Bot, bot: Bot) -> None:
        """What follows from the change of an entry at once."""
        why = _why(old, bot)
        if why:
            self._hang_up(bot.name, why)
        elif bot.address != old.address:
            self._hang_up(bot.name, "the entry of this bot was changed", again=True)
        if bot.plays and not old.plays:
            self.gateway.tell(Event.ADMITTED, bot.name, "")
            if not self.seat:  # it is to play elsewhere
                self._hang_up(bot.name, "it is admitted, and nothing is played here", again=True)
        elif bot.standing is Standing.REFUSED and old.standing is not Standing.REFUSED:
            self.gateway.tell(Event.REFUSED, bot.name, bot.reason)

    def _hang_up(self, name: str, why: str, *, again: bool = False) -> None:
        self.dialled.pop(name, None)
        self.gateway.hang_up(name, why, again=again)

    def _dial(self, bot: Bot) -> None:
        """From now on, unless another arena does: a bot hears one call, and each new one would end the other's."""
        dial = Dial(bot.name, bot.address, bot.key)
        if self.dialled.get(bot.name) != dial and self._claim(bot.name):
            self.dialled[bot.name] = dial
            self.gateway.dial(dial)

    def _claim(self, name: str) -> bool:
        """Whether it is ours to dial; else the reason is kept where it is looked for."""
        if name in self.claims:
            return True
        try:
            give_up = self.registry.claim(name)
        except SubmissionError as error:
            self.gateway.player(name).last_reason = str(error)
            return False
        if give_up is None:
            self.gateway.player(name).last_reason = "another arena with this book of bots dials it"
            return False
        self.claims[name] = give_up
        return True

    async def _hold(self, bot: Bot, scope: trio.CancelScope) -> None:
        with scope:
            seed = secrets.randbelow(SEEDS)
            candidate = Candidate(bot.name, bot.address, bot.key, bot.variants, seed)
            try:
                await self.trials.hold(candidate, _judging(self.registry, bot, seed, self.terms))
            except SubmissionError as error:  # the league goes on; the trial is held again after a restart
                self.gateway.tell(Event.REFUSED, bot.name, f"no verdict can be written: {error}")


def _why(old: Bot, new: Bot) -> str:
    """Why the bot must not come back as it is, "" where it may."""
    if new.suspended:
        return "suspended by whoever runs the arena"
    if new.token != old.token:
        return "the token was changed"
    return f"it has failed its trial: {new.reason}" if new.standing is Standing.REFUSED else ""


def _judging(registry: Registry, bot: Bot, seed: int, terms: Terms) -> Callable[[Failure | None], None]:
    """Enters a verdict in the book, unless the bot's entry has changed meanwhile."""

    def judge(failure: Failure | None) -> None:
        if failure is None:
            registry.judge(bot, Standing.ADMITTED)
        else:
            registry.judge(bot, Standing.REFUSED, str(failure), how_to_repeat(bot, failure, seed, terms))

    return judge


def how_to_repeat(bot: Bot, failure: Failure, seed: int, terms: Terms) -> str:
    """The author's command; PROGRAM stands for a bot that dials in, and FILE for that of the token."""
    if failure.game is not None:
        return _play_again(bot, failure.game)
    command = "" if bot.address else "PROGRAM"
    asked = Asked(bot.address, command=command, seed=seed, insecure=terms.insecure, client_tls=ClientTls(terms.tls.ca))
    return repeat(asked, failure.step)


def _play_again(bot: Bot, game: Game) -> str:
    where = [bot.address, "--token-file", "FILE"] if bot.address else ["--command", "PROGRAM"]
    what = ["--variant", game.rules.name, "--players", str(game.rules.players), "--seat", str(game.seat)]
    cards = ["--seed", str(game.seed), "--deals", str(game.deals)]
    return shlex.join(["arena", "play", *where, *what, *cards])
