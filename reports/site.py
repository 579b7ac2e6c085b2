"""A league's database as a site that works from a directory: no server, no network, the same bytes every time."""

import gc
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache, partial
from importlib import resources
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from sqlmodel import Session

from arena.store import read
from reports import exports, replay_data
from reports.about_page import about_page
from reports.bot_page import bot_page
from reports.cross_page import cross_page
from reports.facts import Facts, facts
from reports.files import Files
from reports.front_page import Card, card
from reports.match_page import match_page
from reports.matches_page import Chapter, chapters
from reports.paths import SHARD, LeaguePaths, shard, static
from reports.render import Pages, trees
from reports.replay_data import shard_text
from reports.replay_page import replay_page
from reports.stream_page import stream_page
from reports.table import Entry, Table, table

STATIC: Final = ("site.css", "site.js", "replay.css", "cards.js", "deal.js", "replay.js", "icon.svg")

MANY_SHARDS: Final = 12
"""From so many on, another process makes them: its start costs as much as half a dozen."""


def write_site(session: Session, *, directory: Path, lang: str = "en") -> Path:
    """Write every league of the database to ``directory`` and return the path of the first page.

    ``lang`` is the language of the first page; the other is one click away. Files that would be the same are left
    alone, what has no source any more is removed. OSError, with the path, where the directory cannot be written;
    ValueError for an unknown language.
    """
    languages = trees(lang)
    writers = tuple(Pages(tree, languages) for tree in languages)
    try:
        files = Files(directory)
        source = resources.files("reports")
        for name in STATIC:
            files.put(static(name), None, (source / "static" / name).read_text)
        with _uncollected():
            _write_leagues(session, files, writers)
        files.close()
    except OSError as error:
        # The name of a temporary file would say nothing to who called.
        raise OSError(error.errno, f"the site cannot be written: {error.strerror}", str(directory)) from error
    return directory / "index.html"


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the collector of cycles: a million rows that are all in use would be searched again and again."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def _write_leagues(session: Session, files: Files, writers: Sequence[Pages]) -> None:
    leagues = read.leagues(session=session)
    cards = []
    for league in leagues:
        known = facts(session, league)
        standings = table(known, read.bootstrap_key(session=session, league=league.id))
        cards.append(card(known, standings))
        places = [pages.tree.league(league.id, alone=len(leagues) == 1) for pages in writers]
        _League(session, files, tuple(zip(writers, places, strict=True)), known, standings).write()
    if len(leagues) != 1:
        for pages in writers:
            _write_front(files, pages, cards)


@cache
def program() -> str:
    """A digest of everything that makes pages, so that another version of it makes them anew."""
    digest = hashlib.sha256()
    root = resources.files("reports")
    for folder in (root, root / "templates", root / "static"):
        for file in sorted(folder.iterdir(), key=lambda one: one.name):
            if file.is_file():
                digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _write_front(files: Files, pages: Pages, cards: list[Card]) -> None:
    path = pages.tree.front
    leagues = [(one, pages.tree.league(one.league.id, alone=False)) for one in cards]
    files.put(path, None, lambda: pages.render("front.html", path, None, here="front", data={"leagues": leagues}))


class _League:
    """Writes the pages of one league, each in every language."""

    def __init__(
        self,
        session: Session,
        files: Files,
        languages: tuple[tuple[Pages, LeaguePaths], ...],
        known: Facts,
        standings: Table,
    ) -> None:
        self._session = session
        self._files = files
        self._languages = languages
        self._facts = known
        self._table = standings
        self._shared = {
            "league": known.league,
            "rules": known.rules,
            "chips": known.rules.variant.settlement.value != "none",
            "ranked": frozenset(entrant.number for entrant in known.entrants if entrant.ranked),
        }
        # What every page may say of the league; its end and who is away are told by pages that are made every time.
        lasting = replace(known.league, finished_at=None, seed="")
        bots = [(entrant.name, entrant.ranked) for entrant in known.entrants]
        common = f"{program()} {lasting} {bots} {[paths.standings for _, paths in languages]}"
        self._key = hashlib.sha256(common.encode()).hexdigest()

    def write(self) -> None:
        """Everything."""
        known, standings = self._facts, self._table
        as_json, as_csv = exports.as_json(known, standings), exports.as_csv(standings)
        for _, paths in self._languages:
            self._files.put(paths.json, None, lambda: as_json)
            self._files.put(paths.csv, None, lambda: as_csv)
        self._page("standings", lambda paths: paths.standings, lambda: {"table": standings, "facts": known})
        self._page("cross", lambda paths: paths.cross, lambda: {"page": cross_page(standings)})
        self._page("about", lambda paths: paths.about, lambda: {"page": about_page(known, standings)})
        with self._deals() as put_deals:
            for chapter in chapters(known):
                self._chapter(chapter)
            for entry in standings.entries:
                self._bot(entry)
            for stream in known.tables:
                self._stream(stream)
            put_deals()
        for pages, paths in self._languages:
            self._replay(pages, paths)

    def _chapter(self, chapter: Chapter) -> None:
        listed = [(one.stream, one.finished, one.ranking, one.deals) for one in chapter.matches]
        key = f"{chapter.number} {chapter.last} {listed}"
        self._page("matches", lambda paths: paths.matches(chapter.number), lambda: {"page": chapter}, key)

    def _bot(self, entry: Entry) -> None:
        known, standings = self._facts, self._table
        # Its deals are compared with those of other tables when all tables of their stream have finished.
        own = [(match in known.results, match in known.published) for match in known.seats_of[entry.entrant]]
        faults = known.faults_by.get(entry.entrant, 0)
        self._page(
            "bot",
            lambda paths: paths.bot(entry.entrant),
            lambda: {"page": bot_page(known, entry, standings.duels), "table": standings},
            f"{known.entrants[entry.entrant].software!r} {entry} {len(standings.entries)} {standings.counted} "
            f"{standings.scale} {faults} {own}",
        )

    def _stream(self, stream: str) -> None:
        """The page of a stream and of the matches in it; they compare each other's deals."""
        known = self._facts
        finished = [mate.number for mate in known.tables[stream] if mate.number in known.results]
        if not finished:
            return
        deals = [[(deal.points, deal.moon) for deal in known.deals[number]] for number in finished]
        all_in = hashlib.sha256(f"{finished} {deals}".encode()).hexdigest()
        complete = len(finished) == len(known.tables[stream])
        self._page(
            "stream",
            lambda paths: paths.stream(known.streams[stream]),
            lambda: {"page": stream_page(known, stream)},
            f"{all_in} {complete}",
        )
        for number in finished:
            self._match(number, f"{all_in} {complete}")

    def _match(self, number: int, stream_key: str) -> None:
        known = self._facts
        self._page(
            "match",
            lambda paths: paths.match(number),
            lambda: {"page": match_page(known, number)},
            f"{stream_key} {self._result(number)} {known.faults_of.get(number)} {known.around(number)}",
        )

    def _result(self, number: int) -> str:
        """All that its page tells of a result. The histograms, of which it tells the mean, take long to write out."""
        result = self._facts.results[number]
        seats = [
            (one.entrant, one.points, one.place, one.chips, one.moons, one.faults, one.forfeited, one.thinking.total_ns,
             one.thinking.count)
            for one in result.seats
        ]  # fmt: skip
        return f"{result.deals} {result.end} {result.finished_at} {result.seconds} {seats}"

    @contextmanager
    def _deals(self) -> Iterator[Callable[[], None]]:
        """Writes the deals for the replayer. Where they are many, another process makes them in the meantime."""
        league = self._facts.league.id
        blocks: dict[int, list[int]] = {}
        for match in sorted(self._facts.published):
            blocks.setdefault(match // SHARD, []).append(match)
        files = {number: (shard(league, number), f"{self._key} {matches}") for number, matches in blocks.items()}
        due = [number for number, file in files.items() if self._files.is_due(*file)]
        made: dict[int, Future[str]] = {}

        def make(number: int) -> str:
            if number in made:
                return made.pop(number).result()
            return shard_text(*self._shard(blocks[number]))

        def put() -> None:
            for number, (path, key) in files.items():
                self._files.put(path, key, partial(make, number))

        with ExitStack() as stack:
            if len(due) >= MANY_SHARDS:
                other = ProcessPoolExecutor(1, get_context("spawn"))
                stack.callback(other.shutdown, cancel_futures=True)
                made.update({number: other.submit(shard_text, *self._shard(blocks[number])) for number in due})
            yield put

    def _shard(
        self, matches: Sequence[int]
    ) -> tuple[read.LeagueRow, dict[int, replay_data.Table], Sequence[read.RecordRow]]:
        """All that the deals of these matches are made from."""
        known = self._facts
        tables = {}
        for match in matches:
            fixture = known.fixtures[match]
            mates = tuple([mate.number for mate in known.tables[fixture.stream] if mate.number != match])
            tables[match] = replay_data.Table(fixture.seats, mates)
        rows = read.records(session=self._session, league=known.league.id, fixtures=matches)
        return known.league, tables, rows

    def _replay(self, pages: Pages, paths: LeaguePaths) -> None:
        data = {**self._shared, "page": replay_page(self._facts, paths, pages.words)}
        self._files.put(
            paths.replay, None, lambda: pages.render("replay.html", paths.replay, paths, here="replay", data=data)
        )

    def _page(
        self,
        name: str,
        path_of: Callable[[LeaguePaths], str],
        make: Callable[[], Mapping[str, object]],
        key: str | None = None,
    ) -> None:
        """The page from its template, in every language; ``key`` names all of its data, None: render it anyway."""
        made = cache(make)
        for pages, paths in self._languages:
            path = path_of(paths)
            self._files.put(
                path,
                key and f"{self._key} {path} {key}",
                lambda pages=pages, paths=paths, path=path: pages.render(  # type: ignore[misc]
                    f"{name}.html", path, paths, here=name, data={**self._shared, **made()}
                ),
            )
