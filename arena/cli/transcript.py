"""`arena transcript`: what went to and came from one seat of a match, to the byte."""

import base64
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer
from sqlmodel import Session

from arena.cli.data import NameOption, league_of
from arena.cli.options import DatabaseOption
from arena.gateway.script import Said, as_json, frame_of, told, written
from arena.gateway.tape import Entry, Way, unpacked
from arena.store import read
from arena.store.database import DatabaseError, open_database
from arena.store.transcripts import stream_is_over, transcript

FORMAT: Final = "hearts-arena/frame@1"
DIGITS: Final = 18  # of a number of a match or a seat; Python refuses to read thousands of them
FROM: Final = {Way.SENT: "arena", Way.RECEIVED: "bot", Way.NOTE: None}
NONE_KEPT: Final = (
    'nothing is kept of it; [server] transcripts = "all" in the league file keeps every seat, and "faults", which is'
    " usual, the deals in which the seat had a fault"
)


@dataclass(frozen=True, slots=True)
class Found:
    """A seat's transcript: its parts by the number of their deal."""

    match: str
    seat: int
    bot: str
    parts: Sequence[tuple[int, Sequence[Entry]]]
    deals: int  # of the match; a part of that number is what came after the last one
    faults: Sequence[read.FaultRow]  # of the seat


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("transcript")(transcript_)


def transcript_(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="Its number, or its name as bots are told it.")],
    seat: Annotated[str, typer.Argument(metavar="SEAT", help="The number of a seat, or the name of the bot there.")],
    db: DatabaseOption,
    league: NameOption = None,
    deal: Annotated[int | None, typer.Option(min=0, metavar="N", help="Only this deal, from 0.")] = None,
    in_json: Annotated[bool, typer.Option("--json", help="JSON Lines, with the exact bytes in base64.")] = False,
    running: Annotated[
        bool, typer.Option("--running", help="Also while other tables have to play its cards: for your eyes only.")
    ] = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Default: standard output.")] = None,
) -> int:
    """Print what went to and came from a seat, frame by frame, with times.

    The text can be played again to a bot: `arena check … --transcript FILE`.
    """
    with Session(open_database(db, write=False)) as session:
        name, number = _match(match, league)
        found = _find(session, db, name, number, seat, running=running)
    if deal is not None:
        found = Found(
            found.match,
            found.seat,
            found.bot,
            [one for one in found.parts if one[0] == deal],
            found.deals,
            found.faults,
        )
    if not found.parts:
        which = "" if deal is None else f", deal {deal}"
        raise DatabaseError(f"{db}: match {found.match!r}, seat {found.seat} ({found.bot}){which}: {NONE_KEPT}")
    text = "".join(f"{line}\n" for line in _as_json(found)) if in_json else _as_text(found)
    if out is None:
        sys.stdout.write(text)
    else:
        out.write_text(text, encoding="utf-8")
    return 0


def _match(match: str, league: str | None) -> tuple[str | None, int]:
    """The league, where it is named, and the number of the match."""
    named, slash, number = match.rpartition("/")
    if not _is_number(number):
        raise typer.BadParameter(f"a match is a number, or LEAGUE/NUMBER, not {match[:40]!r}")
    if slash and league not in (None, named):
        raise typer.BadParameter(f"{match!r} is not a match of --league {league!r}")
    return (named if slash else league), int(number)


def _is_number(text: str) -> bool:
    """As a match or a seat may have."""
    return text.isascii() and text.isdigit() and len(text) <= DIGITS


def _find(session: Session, db: str, name: str | None, number: int, seat: str, *, running: bool) -> Found:
    """What is kept of the seat; DatabaseError and BadParameter in one line where there is no such seat."""
    row = league_of(session, name, db)
    fixture = next((one for one in read.fixtures(session=session, league=row.id) if one.number == number), None)
    if fixture is None:
        raise DatabaseError(f"{db}: league {row.name!r} has no match {number}")
    entrants = read.entrants(session=session, league=row.id)
    names = [entrants[one].name for one in fixture.seats]
    if seat in names:
        place = names.index(seat)
    elif _is_number(seat) and int(seat) < len(names):
        place = int(seat)
    else:
        raise typer.BadParameter(
            f"match {number} has the seats {', '.join(f'{n} ({one})' for n, one in enumerate(names))}, not {seat!r}"
        )
    if not running and not stream_is_over(session=session, league_id=row.id, fixture=number):
        raise DatabaseError(
            f"{db}: match {number}: other tables have still to play its cards; --running shows them all the same"
        )
    parts = []
    for deal, data in transcript(session=session, league_id=row.id, fixture=number, seat=place):
        try:
            parts.append((deal, unpacked(data)))
        except ValueError as error:
            raise DatabaseError(f"{db}: match {number}, seat {place}, deal {deal}: {error}") from None
    result = read.results(session=session, league=row.id).get(number)
    faults = [one for one in read.faults(session=session, league=row.id) if (one.fixture, one.seat) == (number, place)]
    deals = result.deals if result is not None else 1 + max((deal for deal, _ in parts), default=0)
    return Found(f"{row.name}/{number}", place, names[place], parts, deals, faults)


def _as_text(found: Found) -> str:
    """Text that can be read, and played again."""
    head = [
        f"Match {found.match}, seat {found.seat}: {found.bot}.",
        "",
        "Protobuf text format: every paragraph is what one gRPC message said of this seat, an arena.v1.ArenaFrame or",
        "an arena.v1.BotFrame. Times are milliseconds since the first paragraph of the deal: the arena's frames, when",
        "they were ready to be sent, the bot's, when they had been read. Play it again to a bot:",
        "arena check … --transcript FILE",
    ]
    return written("\n".join(head), _conversation(found))


def _conversation(found: Found) -> Iterator[Said]:
    for deal, entries in found.parts:
        yield Said(None, "the end of the match" if deal == found.deals else f"deal {deal}")
        for one in found.faults:
            if one.deal == deal:
                yield Said(None, f"fault: {one.kind}, {one.reason}; {one.consequence}")
        for entry in entries:
            yield Said(frame_of(entry), _remark(entry))


def _remark(entry: Entry) -> str:
    """When, and what it says in a few words."""
    when = f"{entry.at_s * 1e3:.3f} ms"
    if entry.handed_s is not None:
        when += f", with the transport at {entry.handed_s * 1e3:.3f} ms"
    frame = frame_of(entry)
    parts = [when, *([] if frame is None else told(frame)), *([entry.note] if entry.note else [])]
    return "; ".join(parts)


def _as_json(found: Found) -> Iterator[str]:
    """A line for each frame and note."""
    for deal, entries in found.parts:
        for entry in entries:
            frame = frame_of(entry)
            line = {
                "format": FORMAT,
                "match": found.match,
                "seat": found.seat,
                "deal": deal,
                "at_ms": round(entry.at_s * 1e3, 3),
                "handed_ms": None if entry.handed_s is None else round(entry.handed_s * 1e3, 3),
                "from": FROM[entry.way],
                "note": entry.note,
                "bytes": base64.b64encode(entry.frame).decode(),
                "frame": None if frame is None else as_json(frame),
            }
            yield json.dumps(line, ensure_ascii=False)
