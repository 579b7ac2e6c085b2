"""`arena invite`, `arena bots`: who may play, from an invitation to a suspension."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

import trio
import typer

from arena.gateway.addresses import AddressError, parse
from arena.gateway.bridge import Bridge, run
from arena.gateway.dialer import Dial
from arena.gateway.server import Event, Gateway, News, open_gateway
from arena.gateway.submissions import Admitted, Application, Apply, Fault, Refusal
from arena.gateway.tls import ServerTls
from arena.league.config import ConfigError
from arena.store.submission import Bot, NotEntered, Registry, SubmissionError, Wrong

T = TypeVar("T")
FOLLOW_EVERY_S = 1.0

BookOption = Annotated[Path, typer.Option("--book", metavar="FILE", help="The book of bots, which is made if need be.")]
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The bot's name.")]
BOOK = Path("bots.json")
_FAULTS = {Wrong.INVITE: Fault.INVITE, Wrong.TAKEN: Fault.TAKEN, Wrong.NAME: Fault.VALUE}

bots_app = typer.Typer(help="List, enter, suspend and resume bots, and change their tokens.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(invite)
    app.add_typer(bots_app, name="bots")


def invite(book: BookOption = BOOK) -> int:
    """Print an invitation: a code with which one bot can be submitted, once."""
    typer.echo(_said(Registry(book).invite))
    return 0


@bots_app.command("list")
def list_bots(book: BookOption = BOOK) -> int:
    """List the bots of a book."""
    found = _said(Registry(book).book)
    for bot in found.bots:
        where = f"dialled at {bot.address}" if bot.address else "dials in"
        tables = f", at most {bot.tables} tables" if bot.tables else ""
        variants = f", plays {' '.join(bot.variants)}" if bot.variants else ""
        typer.echo(f"{bot.name}: {where}{tables}{variants}{', SUSPENDED' if bot.suspended else ''}")
    typer.echo(f"{len(found.bots)} bots, {len(found.invites)} invitations open")
    return 0


@bots_app.command()
def add(
    name: NameArgument,
    address: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where the arena dials it; else it dials in.")] = "",
    book: BookOption = BOOK,
) -> int:
    """Enter a bot of your own and print its token, which is not shown again."""
    try:
        where = str(parse(address)) if address else ""
    except AddressError as error:
        raise ConfigError(f"--address: {error}") from None
    typer.echo(_said(lambda: Registry(book).enter(Bot(name, "", where), None)))
    return 0


@bots_app.command()
def suspend(name: NameArgument, book: BookOption = BOOK) -> int:
    """Let a bot in no more. A running arena ends its connection."""
    _said(lambda: Registry(book).suspend(name))
    return 0


@bots_app.command()
def resume(name: NameArgument, book: BookOption = BOOK) -> int:
    """Let a suspended bot in again."""
    _said(lambda: Registry(book).suspend(name, suspended=False))
    return 0


@bots_app.command()
def rotate(name: NameArgument, book: BookOption = BOOK) -> int:
    """Print a new token for a bot; the old one is good no more."""
    typer.echo(_said(lambda: Registry(book).rotate(name)))
    return 0


@bots_app.command()
def receive(
    address: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where to listen.")] = "127.0.0.1:7070",
    tls_certificate: Annotated[Path | None, typer.Option(metavar="FILE", help="In PEM, with its chain.")] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="Its key, in PEM.")] = None,
    insecure: Annotated[bool, typer.Option("--insecure", help="Without TLS, though others reach it.")] = False,
    book: BookOption = BOOK,
) -> int:
    """Take submissions, without a league, until Ctrl-C."""
    registry = Registry(book)
    _said(registry.book)
    if (tls_certificate is None) != (tls_key is None):
        raise ConfigError("--tls-certificate and --tls-key go together")
    tls = ServerTls(tls_certificate, tls_key) if tls_certificate is not None and tls_key is not None else None

    async def main(bridge: Bridge) -> None:
        async with open_gateway(
            bridge,
            address=address,
            authenticate=registry.authenticate,
            league="submissions",
            notify=_tell,
            tls=tls,
            insecure=insecure,
            apply=applying(registry, dial=False),
        ) as gateway:
            typer.echo(f"taking submissions on {address.rpartition(':')[0]}:{gateway.port}")
            sys.stdout.flush()
            await trio.sleep_forever()

    run(main)
    return 0


def applying(registry: Registry, *, dial: bool = True, taken: Callable[[], tuple[str, ...]] = lambda: ()) -> Apply:
    """Enters submissions in the book; ``taken`` are names besides those in it. ``dial``: the new bot, at once."""

    def apply(application: Application) -> Admitted | Refusal:
        name = application.name
        bot = Bot(name, "", application.address, application.tables, application.variants, application.software)
        try:
            token = registry.enter(bot, application.invite, taken())
        except NotEntered as error:
            return Refusal(_FAULTS[error.wrong], str(error))
        entered = registry.book().find(name)
        wanted = Dial(name, entered.address, entered.key) if dial and entered.address else None
        return Admitted(name, token, wanted)

    return apply


def dials(registry: Registry) -> list[Dial]:
    """The bots that are to be dialled."""
    return [Dial(bot.name, bot.address, bot.key) for bot in registry.book().bots if bot.address and not bot.suspended]


async def follow(gateway: Gateway, registry: Registry) -> None:
    """Beside a running arena, for ever: what is changed in the book is carried out at once."""
    before = {bot.name: bot for bot in registry.last_good().bots}
    while True:
        await trio.sleep(FOLLOW_EVERY_S)
        now = {bot.name: bot for bot in registry.last_good().bots}
        for name, bot in now.items():
            old = before.get(name)
            if old == bot:
                continue
            if old is not None:
                gateway.hang_up(name, _why(old, bot))
            if bot.address and not bot.suspended:
                gateway.dial(Dial(name, bot.address, bot.key))
        before = now


def _why(old: Bot, new: Bot) -> str:
    if new.suspended:
        return "suspended by whoever runs the arena"
    return "the token was changed" if new.token != old.token else "the entry of this bot was changed"


def _tell(news: News) -> None:
    if news.event in (Event.SUBMITTED, Event.REFUSED):
        typer.echo(f"{news.name}: {news.event.value}{': ' + news.reason if news.reason else ''}")
        sys.stdout.flush()


def _said(work: Callable[[], T]) -> T:
    """What it returns; what is wrong with the book is the user's to know."""
    try:
        return work()
    except SubmissionError as error:
        raise ConfigError(str(error)) from None
