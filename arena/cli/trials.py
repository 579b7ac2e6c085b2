"""The book of bots beside a running arena: who is on trial is examined, and what is changed in it is carried out."""

import secrets
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import trio

from arena.cli.check import Asked, repeat
from arena.gateway.bridge import Bridge
from arena.gateway.dialer import Dial, Terms
from arena.gateway.practice import Game
from arena.gateway.server import Event, Gateway
from arena.gateway.submissions import CLOSED, Application, Entered, Fault, Refusal, Status
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
    taken: Callable[[], tuple[str, ...]] = lambda: ()  # names besides those in the book

    def apply(self, application: Application) -> Entered | Refusal:
        """Enter a bot; it is on trial."""
        if not self.open:
            return CLOSED
        name = application.name
        bot = Bot(name, "", application.address, application.tables, application.variants, application.software)
        try:
            return Entered(name, self.registry.enter(bot, application.invite, self.taken()))
        except NotEntered as error:
            return Refusal(_FAULTS[error.wrong], str(error))

    def status(self, name: str) -> Status | None:
        """How the bot stands."""
        bot = next((one for one in self.registry.last_good().bots if one.name == name), None)
        if bot is None:
            return None
        left = max(0, ATTEMPTS - bot.attempts) if bot.invite else 0
        return Status(Told.SUSPENDED if bot.suspended else _TOLD[bot.standing], bot.reason, bot.repeat, left)


def dials(registry: Registry) -> list[Dial]:
    """The bots that are to be dialled to play."""
    return [Dial(bot.name, bot.address, bot.key) for bot in registry.book().bots if bot.address and bot.plays]


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
    trials = Trials(bridge, gateway, terms, bounds)
    held: dict[str, tuple[Bot, trio.CancelScope]] = {}
    before = registry.last_good().bots
    with registry.alone() as alone:
        async with trio.open_nursery() as nursery:

            async def hold(bot: Bot, scope: trio.CancelScope) -> None:
                with scope:
                    seed = secrets.randbelow(SEEDS)
                    candidate = Candidate(bot.name, bot.address, bot.key, bot.variants, seed)
                    try:
                        await trials.hold(candidate, _judging(registry, bot, seed, terms))
                    except SubmissionError as error:  # the league goes on; the trial is held again after a restart
                        gateway.tell(Event.REFUSED, bot.name, f"no verdict can be written: {error}")

            while True:
                now = registry.last_good().bots
                _carry_out(gateway, before, now, seat=seat)
                before = now
                wanted = {bot.name: bot for bot in now if bot.standing is Standing.ON_TRIAL and not bot.suspended}
                for name, (bot, scope) in tuple(held.items()):
                    if wanted.get(name) != bot:
                        scope.cancel()
                        del held[name]
                for name, bot in wanted.items():
                    if name not in held and (alone or not bot.address):
                        held[name] = bot, trio.CancelScope()
                        nursery.start_soon(hold, *held[name])
                await trio.sleep(FOLLOW_EVERY_S)


def _carry_out(gateway: Gateway, before: tuple[Bot, ...], now: tuple[Bot, ...], *, seat: bool) -> None:
    """What has changed between two looks in the book."""
    known = {bot.name: bot for bot in before}
    for bot in now:
        old = known.get(bot.name)
        if old == bot:
            continue
        if old is not None:
            why = _why(old, bot)
            if why:
                gateway.hang_up(bot.name, why)
            elif bot.address != old.address or (old.plays and not bot.plays):
                gateway.hang_up(bot.name, "the entry of this bot was changed", again=True)
        if bot.plays:
            if seat and bot.address:
                gateway.dial(Dial(bot.name, bot.address, bot.key))
            if old is not None and not old.plays:
                gateway.tell(Event.ADMITTED, bot.name, "")
                if not seat:  # or two arenas would dial it for ever, and each end the other's call
                    gateway.hang_up(bot.name, "it is admitted, and nothing is played here", again=True)
        elif bot.standing is Standing.REFUSED and old is not None and old.standing is Standing.ON_TRIAL:
            gateway.tell(Event.REFUSED, bot.name, bot.reason)


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
