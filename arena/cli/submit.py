"""`arena invite`, `arena bots`: who may play, from an invitation to a suspension."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from arena.cli.progress import heard_or_not
from arena.cli.trials import BookOffice, follow
from arena.cli.words import count
from arena.gateway.addresses import AddressError, parse
from arena.gateway.bridge import Bridge, run
from arena.gateway.dialer import Terms
from arena.gateway.server import STRANGERS, Event, News, open_gateway
from arena.gateway.tls import ClientTls, ServerTls
from arena.league.config import ConfigError
from arena.store.submission import Bot, Registry, Standing, SubmissionError

T = TypeVar("T")

BookOption = Annotated[Path, typer.Option("--book", metavar="FILE", help="The book of bots, which is made if need be.")]
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The bot's name.")]
BOOK = Path("bots.json")

bots_app = typer.Typer(invoke_without_command=True)


@bots_app.callback()
def _bots(context: typer.Context) -> None:
    """List, enter, examine, admit, suspend and resume bots, and change their tokens."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


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
    if not book.exists():
        raise ConfigError(f"{book}: no such file; `arena invite` or `arena bots add` begins one")
    found = _said(Registry(book).book)
    for bot in found.bots:
        where = f"dialled at {bot.address}" if bot.address else "dials in"
        tables = f", at most {bot.tables} tables" if bot.tables else ""
        variants = f", plays {' '.join(bot.variants)}" if bot.variants else ""
        typer.echo(f"{bot.name}: {where}{tables}{variants}{_standing(bot)}")
        if bot.repeat:
            typer.echo(f"  repeat it: {bot.repeat}")
    typer.echo(f"{book}: {count(len(found.bots), 'bot')}, {count(len(found.invites), 'invitation')} open")
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


def _standing(bot: Bot) -> str:
    """What is to be known of a bot that may not play."""
    suspended = ", SUSPENDED" if bot.suspended else ""
    match bot.standing:
        case Standing.ON_TRIAL:
            return f", ON TRIAL{suspended}"
        case Standing.REFUSED:
            return f", REFUSED{suspended}: {bot.reason}"
    return suspended


@bots_app.command()
def admit(name: NameArgument, book: BookOption = BOOK) -> int:
    """Let a bot play, whatever has come of its trial."""
    _say_of(name, book, lambda registry: registry.admit(name))
    return 0


@bots_app.command()
def examine(name: NameArgument, book: BookOption = BOOK) -> int:
    """Put a bot on trial, again. A running arena first lets its matches come to their end, and seats it no more until
    it has passed.
    """
    _say_of(name, book, lambda registry: registry.examine(name))
    return 0


@bots_app.command()
def suspend(name: NameArgument, book: BookOption = BOOK) -> int:
    """Let a bot in no more. A running arena ends its connection."""
    _say_of(name, book, lambda registry: registry.suspend(name))
    return 0


@bots_app.command()
def resume(name: NameArgument, book: BookOption = BOOK) -> int:
    """Let a suspended bot in again, as it stood before."""
    _say_of(name, book, lambda registry: registry.suspend(name, suspended=False))
    return 0


@bots_app.command()
def rotate(name: NameArgument, book: BookOption = BOOK) -> int:
    """Print a new token for a bot; the old one is good no more."""
    typer.echo(_said(lambda: Registry(book).rotate(name)))
    return 0


@bots_app.command()
def receive(
    address: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where to listen.")] = "127.0.0.1:7070",
    tls_certificate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The arena's, with its chain, in PEM.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="Its key, in PEM.")] = None,
    insecure: Annotated[bool, typer.Option("--insecure", help="Without TLS, though others may listen in.")] = False,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Dial bots on this machine and private networks too.")
    ] = False,
    bots_ca: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Who signed the bots' certificates, in PEM.")
    ] = None,
    book: BookOption = BOOK,
) -> int:
    """Take submissions and examine them, without a league, until Ctrl-C."""
    registry = Registry(book)
    _said(registry.book)
    if (tls_certificate is None) != (tls_key is None):
        raise typer.BadParameter("--tls-certificate and --tls-key go together")
    tls = ServerTls(tls_certificate, tls_key) if tls_certificate is not None and tls_key is not None else None
    terms = Terms(allow_private, ClientTls(bots_ca).checked(), insecure)
    say = heard_or_not(typer.echo)

    def tell(news: News) -> None:
        if news.event in (Event.SUBMITTED, Event.ADMITTED, *STRANGERS, Event.UNGUARDED):
            say(f"{news.name}: {news.event.value}{': ' + news.reason if news.reason else ''}")

    async def main(bridge: Bridge) -> None:
        async with open_gateway(
            bridge,
            address=address,
            authenticate=registry.authenticate,
            league="submissions",
            notify=tell,
            tls=tls,
            insecure=insecure,
            terms=terms,
            office=BookOffice(registry),
        ) as gateway:
            say(f"taking submissions on {address.rpartition(':')[0]}:{gateway.port}")
            await follow(bridge, gateway, registry, terms, seat=False)

    run(main)
    return 0


def _say_of(name: str, book: Path, change: Callable[[Registry], None]) -> None:
    """Change the entry of a bot, and print how the bot stands then."""
    registry = Registry(book)
    _said(lambda: change(registry))
    typer.echo(outlook(_said(lambda: registry.book().find(name)), book))


def outlook(bot: Bot, book: Path) -> str:
    """How a bot stands, and what follows, in one line; a running arena looks into the book every second."""

    def command(*words: str) -> str:
        other = () if book == BOOK else ("--book", str(book))
        return f"`{shlex.join(['arena', 'bots', *words, *other])}`"

    resume = command("resume", bot.name)
    match bot.standing:
        case Standing.ON_TRIAL if bot.suspended:
            return f"{bot.name} is on trial, and suspended: it is examined after {resume}"
        case Standing.ON_TRIAL:
            return (
                f"{bot.name} is on trial: an arena with this book examines it, when the matches that it is in are over;"
                f" {command('list')} says how it has gone"
            )
        case Standing.REFUSED:
            also = ", and is suspended" if bot.suspended else ""
            return f"{bot.name} has failed its trial{also}: {command('examine', bot.name)} holds it again"
        case Standing.ADMITTED if bot.suspended:
            return f"{bot.name} is suspended: a running arena ends its connection; {resume} lets it in again"
    started = "" if bot.address else "; if its program has ended, its author has to start it again"
    return f"{bot.name} is admitted, and may play from now on{started}"


def _said(work: Callable[[], T]) -> T:
    """What it returns; what is wrong with the book is the user's to know."""
    try:
        return work()
    except SubmissionError as error:
        raise ConfigError(str(error)) from None
