"""The pages of the leagues of a database, each made only where something that it tells of has changed."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

from sqlmodel import Session

from arena.stats.standings import Standing
from arena.store import read
from arena.store.digest import Digest
from arena.store.read import LeagueRow
from reports import exports, replay_data
from reports.about_page import about_page
from reports.bot_page import bot_page
from reports.cross_page import cross_page
from reports.facts import facts
from reports.files import Files
from reports.front_page import Card, card
from reports.match_page import match_page
from reports.matches_page import chapter, chapters
from reports.paths import CHAPTER, SHARD, LeaguePaths, Tree, shard
from reports.program import program
from reports.render import Pages
from reports.replay_page import replay_page
from reports.stream_page import stream_page
from reports.table import Entry, Table, drawn, measured


def put_leagues(session: Session, files: Files, languages: tuple[Tree, ...], digests: Mapping[int, Digest]) -> None:
    """Put the pages of every league, and the first page where it is none of theirs, in every language."""
    writers = tuple(Pages(tree, languages) for tree in languages)
    leagues = []
    rows = read.leagues(session=session)
    for row in rows:
        places = [pages.tree.league(row.id, alone=len(rows) == 1) for pages in writers]
        league = _League(session, files, tuple(zip(writers, places, strict=True)), row, digests[row.id])
        league.put_matches()
        leagues.append(league)

    def put(measured: Sequence[Sequence[Standing]]) -> None:
        cards = [league.put_standings(lines) for league, lines in zip(leagues, measured, strict=True)]
        if len(leagues) != 1:
            for pages in writers:
                _put_front(files, pages, cards)

    files.put_after(lambda: [league.measured() for league in leagues], put)


def _put_front(files: Files, pages: Pages, cards: list[Card]) -> None:
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
        league: LeagueRow,
        digest: Digest,
    ) -> None:
        self._session = session
        self._files = files
        self._languages = languages
        self._facts = known = facts(session, league)
        self._bootstrap = read.bootstrap_key(session=session, league=league.id)
        self._digests = digest.matches
        self._shared = {
            "league": known.league,
            "rules": known.rules,
            "chips": known.rules.variant.settlement.value != "none",
            "ranked": frozenset(entrant.number for entrant in known.entrants if entrant.ranked),
        }
        # What every page may say of the league; its end and who is away are told by pages that are made every time.
        lasting = replace(known.league, finished_at=None, seed="")
        bots = [(entrant.name, entrant.ranked) for entrant in known.entrants]
        self._key = _digest(f"{program()} {lasting} {bots} {[paths.standings for _, paths in languages]}")
        self._finished = {
            stream: [mate.number for mate in mates if mate.number in known.results]
            for stream, mates in known.tables.items()
        }
        self._streams = {stream: self._stream_key(stream) for stream in known.tables}

    def _stream_key(self, stream: str) -> str:
        """Names all that is told of the finished matches of a stream: they compare each other's deals."""
        mates = [(mate.number, mate.number in self._facts.results) for mate in self._facts.tables[stream]]
        finished = [self._digests[number] for number in self._finished[stream]]
        return _digest(f"{self._facts.streams[stream]} {mates} {finished}")

    def put_matches(self) -> None:
        """What can be told without the standings."""
        known = self._facts
        for number in range(chapters(known)):
            self._chapter(number)
        for stream in known.tables:
            self._stream(stream)
        self._deals()
        for pages, paths in self._languages:
            self._replay(pages, paths)

    def measured(self) -> Sequence[Standing]:
        """The lines of the standings."""
        return measured(self._facts, self._bootstrap)

    def put_standings(self, lines: Sequence[Standing]) -> Card:
        """All the rest, with these lines; the league on the first page of several."""
        known, standings = self._facts, drawn(self._facts, lines)
        as_json = cache(lambda: exports.as_json(known, standings))
        as_csv = cache(lambda: exports.as_csv(standings))
        for _, paths in self._languages:
            self._files.put(paths.json, None, as_json)
            self._files.put(paths.csv, None, as_csv)
        self._page("standings", lambda paths: paths.standings, lambda: {"table": standings, "facts": known})
        counted = [self._digests[match.fixture] for match in standings.matches]
        self._page(
            "cross",
            lambda paths: paths.cross,
            lambda: {"page": cross_page(standings)},
            f"{[entry.entrant for entry in standings.entries]} {counted}",
        )
        self._page("about", lambda paths: paths.about, lambda: {"page": about_page(known, standings)})
        own = [self._own_key(fixture.number) for fixture in known.fixtures]
        for entry in standings.entries:
            self._bot(standings, entry, own)
        return card(known, standings)

    def _chapter(self, number: int) -> None:
        known = self._facts
        held = known.fixtures[number * CHAPTER : (number + 1) * CHAPTER]
        listed = [(known.streams[one.stream], self._digests[one.number]) for one in held]
        self._page(
            "matches",
            lambda paths: paths.matches(number),
            lambda: {"page": chapter(known, number)},
            f"{chapters(known)} {listed}",
        )

    def _own_key(self, match: int) -> str:
        """Names all that the page of a bot tells of a match of its."""
        known = self._facts
        if match in known.published:
            # Its deals are compared with those of other tables when all tables of their stream have finished.
            return self._streams[known.fixtures[match].stream]
        return self._digests[match] if match in known.results else repr(known.faults_of.get(match))

    def _bot(self, standings: Table, entry: Entry, matches: Sequence[str]) -> None:
        known = self._facts
        self._page(
            "bot",
            lambda paths: paths.bot(entry.entrant),
            lambda: {"page": bot_page(known, entry, standings.duels), "table": standings},
            f"{known.entrants[entry.entrant].software!r} {entry} {len(standings.entries)} {standings.counted} "
            f"{standings.scale} {[(match, matches[match]) for match in known.seats_of[entry.entrant]]}",
        )

    def _stream(self, stream: str) -> None:
        """The page of a stream and of the matches in it."""
        known = self._facts
        if not self._finished[stream]:
            return
        self._page(
            "stream",
            lambda paths: paths.stream(known.streams[stream]),
            lambda: {"page": stream_page(known, stream)},
            self._streams[stream],
        )
        for number in self._finished[stream]:
            self._match(number)

    def _match(self, number: int) -> None:
        known = self._facts
        self._page(
            "match",
            lambda paths: paths.match(number),
            lambda: {"page": match_page(known, number)},
            f"{self._streams[known.fixtures[number].stream]} {known.around(number)}",
        )

    def _deals(self) -> None:
        """The deals for the replayer."""
        known = self._facts
        blocks: dict[int, list[int]] = {}
        for match in sorted(known.published):
            blocks.setdefault(match // SHARD, []).append(match)
        for number, matches in blocks.items():
            streams = [(match, self._streams[known.fixtures[match].stream]) for match in matches]
            path = shard(known.league.id, number)
            self._files.put(path, f"{self._key} {streams}", partial(self._shard, matches), here=True)

    def _shard(self, matches: Sequence[int]) -> str:
        known = self._facts
        tables = {}
        for match in matches:
            fixture = known.fixtures[match]
            mates = tuple([mate.number for mate in known.tables[fixture.stream] if mate.number != match])
            tables[match] = replay_data.Table(fixture.seats, mates)
        rows = read.records(session=self._session, league=known.league.id, fixtures=matches)
        return replay_data.shard_text(known.rules, tables, rows)

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


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
