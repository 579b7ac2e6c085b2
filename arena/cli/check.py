"""`arena check`: is a bot fit for a league? Step by step, with the reason of the first failure."""

import asyncio
import secrets
import shlex
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated
from xml.etree import ElementTree as Xml

import typer

from arena.cli.child import child
from arena.cli.options import HOUR_S, CaOption, CommandOption, ConnectOption, TokenFileOption
from arena.cli.words import count
from arena.gateway import wire
from arena.gateway.addresses import AddressError, Place, parse
from arena.gateway.check import Outcome, Step, Verdict, examine
from arena.gateway.check_exam import Exam, Patience
from arena.gateway.check_line import calling, opened_door
from arena.gateway.check_order import steps
from arena.gateway.check_transcript import transcript_steps
from arena.gateway.dialer import Terms
from arena.gateway.script import read
from arena.gateway.tls import ClientTls, ServerTls
from arena.league.config import ConfigError


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be checked, and how."""

    address: str = ""  # to be dialled
    listen: str = ""  # it dials in there
    command: str = ""  # it is started
    token: str = ""
    again: bool = False  # it is started again when it has ended
    insecure: bool = False
    server_tls: ServerTls | None = None
    client_tls: ClientTls = field(default_factory=ClientTls)
    patience: Patience = field(default_factory=Patience)
    seed: int = 0
    only: tuple[str, ...] = ()
    token_file: Path | None = None  # where the token is from
    transcript: Path | None = None  # its questions are asked, and no others


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(check)


def check(
    target: Annotated[str, typer.Argument(metavar="HOST:PORT", help="The address of a bot to be dialled.")] = "",
    command: CommandOption = "",
    listen: Annotated[str, typer.Option(metavar="HOST:PORT", help="Wait here for a bot to dial in.")] = "",
    token_file: TokenFileOption = None,
    step: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this step; may be given again.")] = None,
    list_steps: Annotated[bool, typer.Option("--list", help="List the steps and check nothing.")] = False,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the outcome as JUnit XML.")] = None,
    seed: Annotated[int, typer.Option(help="Chooses the cards.")] = 0,
    answer: Annotated[float, typer.Option(min=0.1, max=HOUR_S, metavar="S", help="Seconds for an answer.")] = 2.0,
    connect: ConnectOption = 30.0,
    restart: Annotated[bool, typer.Option("--restart", help="Start --command again whenever it has ended.")] = False,
    ca: CaOption = None,
    tls_certificate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Of the check, for --listen, in PEM.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="The key of that certificate.")] = None,
    insecure: Annotated[bool, typer.Option("--insecure", help="Without TLS, though others may listen in.")] = False,
    transcript: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Ask what a transcript asks, and compare the answers.")
    ] = None,
) -> int:
    """Check a bot, step by step: it is dialled at an address, dials in with --listen, or is started with --command."""
    if list_steps:
        for one in steps(Exam.of_nobody()):
            typer.echo(f"{one.name:<22} {one.does}")
        return 0
    if sum(map(bool, (target, command, listen))) != 1:
        raise typer.BadParameter("give one of HOST:PORT, --listen HOST:PORT and --command PROGRAM")
    if restart and not command:
        raise typer.BadParameter("--restart goes with --command")
    if (tls_certificate is None) != (tls_key is None):
        raise typer.BadParameter("--tls-certificate and --tls-key go together")
    if not command and token_file is None:
        raise typer.BadParameter("a bot that is not started here has a token: give --token-file FILE")
    asked = Asked(
        target,
        listen,
        command,
        read_token(token_file),
        restart,
        insecure,
        ServerTls(tls_certificate, tls_key) if tls_certificate is not None and tls_key is not None else None,
        ClientTls(ca).checked(),
        Patience(connect_s=connect, answer_s=answer),
        seed,
        tuple(step or ()),
        token_file,
        transcript,
    )
    known = [one.name for one in steps_of(asked)(Exam.of_nobody())]
    for name in asked.only:
        if not any(one == name or one.startswith(name + " ") for one in known):
            raise typer.BadParameter(f"no step {name!r}; `arena check --list` lists them")
    if junit is not None:
        junit.open("a").close()  # that it cannot be written is to be known now
    outcomes = asyncio.run(_show(asked))
    if junit is not None:
        junit.write_text(as_junit(outcomes), encoding="utf-8")
    return _summary(asked, outcomes)


def steps_of(asked: Asked) -> Callable[[Exam], Sequence[Step]]:
    """The steps that are asked for; ConfigError in one line where a transcript cannot be read."""
    if asked.transcript is None:
        return steps
    try:
        found = transcript_steps(read(asked.transcript.read_text(encoding="utf-8")))
    except ValueError as error:
        raise ConfigError(f"{asked.transcript}: not a transcript: {error}") from None
    if not any(not step.first for step in found(Exam.of_nobody())):
        raise ConfigError(f"{asked.transcript}: not a transcript: no question is in it")
    return found


def read_token(file: Path | None) -> str:
    """The bot's, or one that nobody knows yet."""
    if file is None:
        return secrets.token_urlsafe(32)
    try:
        token = file.read_text(encoding="utf-8-sig").partition("\n")[0].strip()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: {error}") from None
    if not token:
        raise ConfigError(f"{file}: its first line is to be the bot's token, and is empty")
    return token


async def _show(asked: Asked) -> list[Outcome]:
    """Print each outcome as soon as it is there; those that are skipped as there is nobody left, in one line."""
    outcomes, missed = [], []
    async for one in checked(asked):
        outcomes.append(one)
        if one.nobody:
            missed.append(one)
            continue
        said = f": {one.said}" if one.said else ""
        typer.echo(f"{one.verdict.value:<4} {one.step.name:<22} {one.step.does}{said} ({one.seconds:.2f} s)")
    if missed:
        typer.echo(f"skip {count(len(missed), 'step')} for which there is nobody there, {missed[0].said}")
    return outcomes


async def checked(asked: Asked) -> AsyncIterator[Outcome]:
    """The outcome of each step, as soon as it is there; OSError and ConfigError in one line."""
    async with _exam(asked) as exam:
        async for outcome in examine(exam, steps_of(asked), asked.only):
            yield outcome


@asynccontextmanager
async def _exam(asked: Asked) -> AsyncIterator[Exam]:
    """The examination of what is asked for, its target there or about to be."""
    key = wire.key_of(asked.token)
    if asked.address:
        terms = Terms(allow_private=True, tls=asked.client_tls, insecure=asked.insecure)
        async with calling(_place(asked.address), terms) as caller:
            yield Exam(caller, key, asked.patience, asked.seed)
        return
    at = asked.listen or "127.0.0.1:0"
    async with opened_door(at, asked.server_tls, insecure=asked.insecure) as door:
        exam = Exam(door, key, asked.patience, asked.seed)
        address = f"{at.rpartition(':')[0]}:{door.port}"
        if asked.listen:
            typer.echo(f"waiting for the bot to dial in at {address}")
            yield exam
            return
        environment = {"ARENA_ADDRESS": address, "ARENA_TOKEN": asked.token}
        async with child(asked.command, environment, again=asked.again) as program:
            exam.gone = program.gone
            exam.restart = None if asked.again else program.restart  # it is not to be seen to stop
            yield exam


def _place(address: str) -> Place:
    try:
        return parse(address)
    except AddressError as error:
        raise ConfigError(str(error)) from None


def _summary(asked: Asked, outcomes: Sequence[Outcome]) -> int:
    counts = Counter(one.verdict for one in outcomes)
    words = {Verdict.OK: "ok", Verdict.FAILED: "failed", Verdict.SKIPPED: "skipped"}
    said = ", ".join(f"{counts[verdict]} {word}" for verdict, word in words.items() if counts[verdict])
    typer.echo(f"{len(outcomes)} steps: {said}")
    first = next((one for one in outcomes if one.verdict is Verdict.FAILED), None)
    if first is None:
        return 0
    typer.echo(f"first failure: {first.step.name}: {first.said}")
    typer.echo(f"repeat it: {repeat(asked, first.step.name)}")
    return 1


def repeat(asked: Asked, step: str) -> str:
    """The command that takes this step again, on the same cards."""
    tls, own, patience, usual = asked.client_tls, asked.server_tls, asked.patience, Patience()
    words = ["arena", "check"]
    words += [asked.address] if asked.address else []
    words += ["--listen", asked.listen] if asked.listen else []
    words += ["--command", asked.command] if asked.command else ["--token-file", str(asked.token_file or "FILE")]
    words += ["--restart"] if asked.again else []
    words += ["--ca", str(tls.ca)] if tls.ca else []
    words += ["--tls-certificate", str(own.certificate), "--tls-key", str(own.key)] if own else []
    words += ["--insecure"] if asked.insecure else []
    words += ["--answer", f"{patience.answer_s:g}"] if patience.answer_s != usual.answer_s else []
    words += ["--connect", f"{patience.connect_s:g}"] if patience.connect_s != usual.connect_s else []
    words += ["--transcript", str(asked.transcript)] if asked.transcript else ["--seed", str(asked.seed)]
    words += ["--step", step]
    return shlex.join(words)


def as_junit(outcomes: Sequence[Outcome]) -> str:
    """The outcomes as JUnit XML."""
    counts = Counter(one.verdict for one in outcomes)
    suite = Xml.Element(
        "testsuite",
        name="arena check",
        tests=str(len(outcomes)),
        failures=str(counts[Verdict.FAILED]),
        errors="0",
        skipped=str(counts[Verdict.SKIPPED]),
        time=f"{sum(one.seconds for one in outcomes):.3f}",
    )
    for one in outcomes:
        case = Xml.SubElement(suite, "testcase", classname="check", name=one.step.name, time=f"{one.seconds:.3f}")
        said = "".join(char if char.isprintable() else "?" for char in one.said)
        if one.verdict is Verdict.FAILED:
            Xml.SubElement(case, "failure", message=said)
        elif one.verdict is Verdict.SKIPPED:
            Xml.SubElement(case, "skipped", message=said)
        elif said:
            Xml.SubElement(case, "system-out").text = said
    return str(Xml.tostring(suite, encoding="unicode", xml_declaration=True))
