"""`arena demo`: the demo league, its bots as separate processes that dial in over gRPC."""

import os
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Annotated, Final

import trio
import typer
from sqlmodel import Session

from arena.cli.play import check_server, play_league
from arena.cli.progress import heard_or_not
from arena.gateway.server import Gateway
from arena.league.config import ConfigError, read_league
from arena.league.tokens import make_tokens, read_tokens
from arena.store.database import open_database
from reports.site import write_site

PROGRAMS: Final = ("cautious", "counting", "montecarlo", "random")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


def demo(
    directory: Annotated[Path, typer.Option("--dir", metavar="DIR", help="Database, tokens, logs and site.")] = Path(
        "demo"
    ),
    league: Annotated[
        Path | None, typer.Option(metavar="LEAGUE.toml", help="Another league of reference bots.")
    ] = None,
) -> int:
    """Play the demo league with the reference bots and write its site. A second call goes on where it stood."""
    with resources.as_file(resources.files("reference_bots") / "demo.toml") as path:
        file = read_league(league or path)
    for bot in file.bots:
        if _program(bot.name) not in PROGRAMS:
            raise ConfigError(f"bots: {bot.name!r} is no reference bot; there is {', '.join(PROGRAMS)}")
    check_server(file.server)
    directory.mkdir(parents=True, exist_ok=True)
    token_file = directory / "tokens.txt"
    if not token_file.exists():
        make_tokens(token_file, [bot.name for bot in file.bots])
    tokens = read_tokens(token_file)
    lines = token_file.read_text(encoding="utf-8-sig").splitlines()
    by_name = {name: token for token, _, name in (line.partition(" ") for line in lines)}
    for bot in file.bots:
        if bot.name not in by_name:
            raise ConfigError(f"{token_file}: no token for {bot.name!r}; give another league a directory of its own")
    database = str(directory / "demo.db")

    async def bring_bots(gateway: Gateway) -> None:
        """Start each bot with its token in the environment; end them with this task."""
        async with trio.open_nursery() as nursery:
            for bot in file.bots:
                nursery.start_soon(_bot, bot.name, by_name[bot.name], f"127.0.0.1:{gateway.port}", directory)

    play_league(
        file,
        database=database,
        site=directory / "site",
        tokens=tokens,
        say=heard_or_not(typer.echo),
        bots=bring_bots,
    )
    with Session(open_database(database, write=False)) as session:
        index = write_site(session, directory=directory / "site")
    typer.echo(f"site: {index.resolve()}")
    return 0


def _program(name: str) -> str:
    """The reference bot of a name: its first word, as several of a kind may play."""
    return name.split(" ")[0]


async def _bot(name: str, token: str, address: str, directory: Path) -> None:
    """Run one reference bot until it ends or is ended; what it says goes to a log."""
    environment = os.environ | {"ARENA_ADDRESS": address, "ARENA_TOKEN": token}
    with (directory / f"{name.replace('/', '_')}.log").open("ab") as log:
        await trio.run_process(
            [sys.executable, "-m", f"reference_bots.{_program(name)}_bot"],
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,
        )
