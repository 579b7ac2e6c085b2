"""`arena leagues`, `standings`, `export`, `import`, `verify`: leagues as data, in and out of a database."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, BinaryIO, Final, TypeVar

import typer
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from arena.cli.options import DatabaseOption
from arena.league.book import Book, shown
from arena.league.config import ConfigError
from arena.league.export import book_of, leagues_of, lines, record_lines
from arena.league.importing import enter, read_books
from arena.league.verify import Checked, verify
from arena.stats.intervals import Estimate
from arena.store import read
from arena.store.database import DatabaseError, open_database, open_in_memory
from arena.store.league import count_fixtures
from arena.store.read import LeagueRow
from reports import exports
from reports.facts import facts
from reports.table import Table, table

LEAGUES: Final = "hearts-arena/leagues@1"
_T = TypeVar("_T")
EXPORT_HELP: Final = """Write leagues as JSON Lines: all that somebody needs to check them without the database.

For each league: a line hearts-arena/league@1 (settings, entrants, commitment, and the seed once it is finished), a
fixture@1 for each match of the schedule, then of each finished match a result@1, its record (match@1, which
`arena replay` reads) and its fault@1 lines.

Matches whose cards a table has still to play are left out, and how many is said. The bytes are the same for the
same play; with --times what the clocks showed is added, in league-times@1 and match-times@1 lines of its own."""

NameOption = Annotated[str | None, typer.Option("--league", metavar="NAME", help="One league of several.")]
JsonOption = Annotated[bool, typer.Option("--json", help="For programs.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(leagues)
    app.command()(standings)
    app.command(help=EXPORT_HELP)(export)
    app.command("import")(import_)
    app.command("verify")(verify_)


def leagues(db: DatabaseOption, as_json: JsonOption = False) -> int:
    """List the leagues of a database."""
    rows = []
    with Session(open_database(db, write=False)) as session:
        for league in read.leagues(session=session):
            finished, total = count_fixtures(session=session, league_id=league.id)
            bots = sum(one.ranked for one in read.entrants(session=session, league=league.id))
            state = "finished" if league.finished_at else "started" if finished else "open"
            rows.append((league.name, league.variant, league.seats, bots, finished, total, state))
    if as_json:
        keys = ("league", "variant", "players", "bots", "finished", "matches", "state")
        listed = [dict(zip(keys, row, strict=True)) for row in rows]
        typer.echo(json.dumps({"format": LEAGUES, "leagues": listed}, ensure_ascii=False))
    elif rows:
        head = ("league", "variant", "seats", "bots", "matches", "state")
        cells = [(*map(str, row[:4]), f"{row[4]}/{row[5]}", row[6]) for row in rows]
        _print_columns([head, *cells])
    else:
        typer.echo("there is no league in it")
    return 0


def standings(
    db: DatabaseOption,
    league: NameOption = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="As the site's standings.csv.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As the site's standings.json.")] = False,
) -> int:
    """Print the table of a league: the same numbers as the site."""
    if as_csv and as_json:
        raise typer.BadParameter("--csv or --json, not both")
    with Session(open_database(db, write=False)) as session:
        row = league_of(session, league, db)
        known = facts(session, row)
        found = table(known, read.bootstrap_key(session=session, league=row.id))
    if as_csv:
        _write_out([exports.as_csv(found)], sys.stdout.buffer)
    elif as_json:
        _write_out([exports.as_json(known, found)], sys.stdout.buffer)
    else:
        _print_standings(row, found, len(known.results), len(known.fixtures))
    return 0


def export(
    db: DatabaseOption,
    league: NameOption = None,
    out: Annotated[str, typer.Option(metavar="FILE", help="- is standard output.")] = "-",
    times: Annotated[bool, typer.Option("--times", help="With what the clocks showed.")] = False,
    records: Annotated[bool, typer.Option("--records", help="Only the match records.")] = False,
) -> int:
    if times and records:
        raise typer.BadParameter("records have no times: --times or --records")
    with Session(open_database(db, write=False)) as session, _target(out) as target:
        for row in _found(leagues_of(session=session), league, lambda one: one.name, db):
            book = book_of(session=session, league=row, times=times)
            _write_out((f"{line}\n" for line in (record_lines(book) if records else lines(book))), target)
            _say_what_is_in(book)
    return 0


def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `arena export` wrote.")], db: DatabaseOption
) -> int:
    """Enter exported leagues in a database, all of them or none. They are verified first.

    A league that was not finished when it was exported comes without its seed, and so can be read, but not played on.
    """
    data = file.read_bytes()
    for book in read_books(data, where=str(file)):
        _verified(book)
    engine = open_database(db, create=True)
    try:
        with Session(engine) as session, session.begin():
            entered = [
                (book.line.league, enter(session=session, book=book)) for book in read_books(data, where=str(file))
            ]
    except DBAPIError as error:
        raise DatabaseError(f"{db}: {str(error.orig or error).strip().splitlines()[0]}") from None
    finally:
        engine.dispose()
    for name, matches in entered:
        typer.echo(f"{name}: {matches} matches")
    return 0


def verify_(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="What `arena export` wrote, instead of --db.")
    ] = None,
    db: Annotated[str | None, typer.Option("--db", metavar="URL", help="A database.")] = None,
    league: NameOption = None,
    published: Annotated[
        Path | None,
        typer.Option("--standings", metavar="FILE", help="A standings.json of the site, to be computed again too."),
    ] = None,
) -> int:
    """Check leagues from a database or an export: commitment, schedule, every card, every play, every result.

    Says what was checked, or the first difference. Exit status 1 where there is one.
    """
    if (file is None) == (db is None):
        raise typer.BadParameter("one of FILE and --db")
    if db is not None:
        with Session(open_database(db, write=False)) as session:
            rows = _found(leagues_of(session=session), league, lambda one: one.name, db)
            good = [_reported(book_of(session=session, league=row, everything=True)) for row in rows]
            if published and all(good):
                good.append(_standings_reported(session, published))
        return 0 if all(good) else 1
    assert file is not None
    data = file.read_bytes()
    good, names = [], []
    for book in read_books(data, where=str(file)):
        names.append(book.line.league)
        if league in (None, book.line.league):
            good.append(_reported(book))
            if not good[-1]:
                return 1  # where a line is wrong, so may be what follows
    if not good:
        raise typer.BadParameter(f"{file} has no league {league!r}; there is {', '.join(map(repr, names))}")
    if published:
        with Session(open_in_memory()) as session:
            for book in read_books(data, where=str(file)):
                if not book.line.finished:
                    raise ConfigError(f"{file}: the standings of a league in play can be checked with --db only")
                enter(session=session, book=book)
            good.append(_standings_reported(session, published))
    return 0 if all(good) else 1


def _reported(book: Book) -> bool:
    """Say what was checked, or the first difference."""
    try:
        _print_checked(_verified(book))
    except ConfigError as error:
        typer.echo(f"arena: {error}", err=True)
        return False
    return True


def _verified(book: Book) -> Checked:
    try:
        return verify(book)
    except ConfigError as error:
        raise ConfigError(f"league {book.line.league!r}: {error}") from None


def _print_checked(checked: Checked) -> None:
    known = checked.seed_known
    state = "finished" if checked.finished else "not finished"
    typer.echo(f"{checked.league}: {state}; everything that could be checked is as it should be")
    for line in (
        f"commitment {checked.commitment}: "
        + ("that of the seed" if known else "to be compared with the seed when the league is finished"),
        f"beacon {checked.beacon}: " + ("bound into schedule and deals" if known else "to be bound in with the seed")
        if checked.beacon
        else "",
        f"{checked.fixtures} fixtures, hash {checked.schedule_hash}: "
        + ("drawn again under the seed" if known else "the draw needs the seed"),
        f"those that it was created with: hash {checked.first_hash}"
        if checked.first_hash != checked.schedule_hash
        else "",
        f"{checked.deals} deals: replayed under the rules {checked.rules}; {checked.dealt} of them dealt again from"
        " the seed",
        f"{checked.matches} results: ends, points, places, chips, moons, {checked.faults} faults and forfeits",
        f"{checked.begun} matches that are not finished: their deals so far" if checked.begun else "",
        f"{checked.open} fixtures are open" if checked.open else "",
    ):
        if line:
            typer.echo(f"  {line}")


def _standings_reported(session: Session, path: Path) -> bool:
    """Whether the published standings are what the results give; says so, or the first difference."""
    try:
        said = json.loads(path.read_bytes())
        name = said["league"]
        del said["times"]
    except (ValueError, TypeError, LookupError, RecursionError):
        raise ConfigError(f"{path}: not a standings.json of the site") from None
    row = _one(read.leagues(session=session), name, lambda one: one.name, str(path))
    known = facts(session, row)
    due = json.loads(exports.as_json(known, table(known, read.bootstrap_key(session=session, league=row.id))))
    del due["times"]
    difference = _first_difference(said, due)
    if difference:
        typer.echo(f"arena: {path}: {difference}", err=True)
        return False
    typer.echo(f"  {len(due['standings'])} lines of {path}: computed")
    return True


def _first_difference(said: object, due: object, where: str = "") -> str:
    """Where two JSON values differ first, and both values there; "" where they do not."""
    pairs: Iterable[tuple[object, object, object]]
    if isinstance(said, dict) and isinstance(due, dict):
        pairs = ((key, said.get(key), due.get(key)) for key in {**due, **said})
    elif isinstance(said, list) and isinstance(due, list):
        pairs = ((at, *both) for at, both in enumerate(zip_longest(said, due)))
    else:
        return "" if said == due else f"{where}: published {shown(said)}, computed {shown(due)}"
    found = (_first_difference(one, other, f"{where}.{key}".strip(".")) for key, one, other in pairs)
    return next(filter(None, found), "")


def _print_standings(league: LeagueRow, found: Table, finished: int, total: int) -> None:
    typer.echo(
        f"{league.name}: {league.variant}, {finished} of {total} matches, {found.counted} of complete orbits count,"
        f" {found.streams} deal streams"
    )
    head = ("rank", "bot", "matches", "placement", "95 %", "points/deal", "wins", "strength", "moons", "faults")
    cells = []
    for entry in found.entries:
        one = entry.standing
        spread = f" ({one.ranks.low}–{one.ranks.high})" if one.ranks else ""
        placement, interval = _estimate(one.placement, one.matches)
        cells.append(
            (
                f"{one.rank}{spread}",
                entry.name,
                str(one.matches),
                placement,
                interval,
                _estimate(one.points_per_deal, one.matches, digits=2)[0],
                _estimate(one.wins, one.matches)[0],
                "–" if one.strength is None else f"{one.strength:.0f}",
                str(one.moons),
                str(one.faults),
            )
        )
    _print_columns([head, *cells])


def _estimate(one: Estimate, matches: int, digits: int = 3) -> tuple[str, str]:
    """The value and its interval."""
    if not matches:
        return "–", "–"
    interval = one.interval
    span = "–" if interval is None else f"{interval.low:.{digits}f}–{interval.high:.{digits}f}"
    return f"{one.value:.{digits}f}", span


def _print_columns(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def league_of(session: Session, name: str | None, db: str) -> LeagueRow:
    """The league of that name, or the only one there is; an error in one line where there is none."""
    return _one(read.leagues(session=session), name, lambda one: one.name, db)


def _one(leagues: Sequence[_T], name: str | None, name_of: Callable[[_T], str], db: str) -> _T:
    """The one of that name, or the only one there is."""
    found = _found(leagues, name, name_of, db)
    if len(found) > 1:
        raise typer.BadParameter(
            f"{db} has several leagues: --league {' or '.join(repr(name_of(one)) for one in found)}"
        )
    return found[0]


def _found(leagues: Sequence[_T], name: str | None, name_of: Callable[[_T], str], db: str) -> tuple[_T, ...]:
    """The one of that name, or all of them; at least one."""
    if not leagues:
        raise DatabaseError(f"{db}: there is no league in it")
    found = tuple(one for one in leagues if name in (None, name_of(one)))
    if not found:
        raise DatabaseError(f"{db}: no league {name!r}; there is {', '.join(repr(name_of(one)) for one in leagues)}")
    return found


@contextmanager
def _target(out: str) -> Iterator[BinaryIO]:
    """Where to write: standard output, or a file that is there when it is complete, and not before.

    What is no file, a pipe or a device, is written to, and stays what it is.
    """
    path = Path(out)
    if out == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    part = Path(f"{out}.part")
    try:
        with part.open("wb") as file:
            yield file
        os.replace(part, out)
    finally:
        part.unlink(missing_ok=True)


def _write_out(texts: Iterable[str], target: BinaryIO) -> None:
    """UTF-8 and the ends of lines as they are, whatever the terminal likes."""
    target.writelines(text.encode() for text in texts)
    target.flush()


def _say_what_is_in(book: Book) -> None:
    line = book.line
    said = f"{line.league}: {line.results} of {line.fixtures} matches"
    if book.withheld:
        said += f"; {book.withheld} more are finished and left out, as other tables have still to play their cards"
    typer.echo(said if line.finished else f"{said}; the seed is left out until the league is finished", err=True)
