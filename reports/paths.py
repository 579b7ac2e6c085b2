"""Where each page is. Names of files are numbers: what bots are called never gets near the file system."""

import posixpath
from dataclasses import dataclass
from functools import cache
from typing import Final

LANGUAGES: Final = ("en", "ru")
SHARD: Final = 25  # matches whose deals are in one file for the replayer
CHAPTER: Final = 250  # matches on one page of the list


def link(source: str, target: str) -> str:
    """The relative address of ``target`` (with or without an anchor) on the page ``source``."""
    folder, _, name = target.rpartition("/")
    return _way(source.rpartition("/")[0], folder) + name


@cache
def _way(source: str, target: str) -> str:
    """From folder to folder, ``"../ru/"``; "" where they are the same."""
    way = posixpath.relpath(target or ".", source or ".")
    return "" if way == "." else way + "/"


@dataclass(frozen=True, slots=True)
class Tree:
    """The pages in one language. The site's own language is at the top, the others each have a folder."""

    lang: str
    top: str  # "" or "ru/"

    @property
    def front(self) -> str:
        """The first page."""
        return self.top + "index.html"

    def league(self, number: int, *, alone: bool) -> "LeaguePaths":
        """The pages of a league; one that is alone in its database has its standings on the first page."""
        folder = f"{self.top}league-{number}/"
        return LeaguePaths(number, folder, self.front if alone else folder + "index.html")


@dataclass(frozen=True, slots=True)
class LeaguePaths:
    """The pages of one league in one language."""

    number: int
    folder: str
    standings: str

    @property
    def csv(self) -> str:
        """The standings for a spreadsheet."""
        return self.folder + "standings.csv"

    @property
    def json(self) -> str:
        """The standings for a program."""
        return self.folder + "standings.json"

    @property
    def cross(self) -> str:
        """Bot against bot."""
        return self.folder + "cross.html"

    @property
    def about(self) -> str:
        """Rules, schedule, settings, proof."""
        return self.folder + "about.html"

    @property
    def replay(self) -> str:
        """The replayer; the address's anchor says which deal."""
        return self.folder + "replay.html"

    def matches(self, chapter: int = 0) -> str:
        """One part of the list of matches."""
        return f"{self.folder}matches-{chapter + 1}.html"

    def bot(self, number: int) -> str:
        """A bot, by its number in the schedule."""
        return f"{self.folder}bot-{number}.html"

    def match(self, number: int) -> str:
        """A match, by its number in the schedule."""
        return f"{self.folder}match-{number}.html"

    def stream(self, number: int) -> str:
        """The tables that were dealt the same cards, by the order in which streams first appear."""
        return f"{self.folder}stream-{number}.html"

    def deal(self, match: int, deal: int, trick: int | None = None) -> str:
        """A deal in the replayer, from its start or at a trick, counted from 0."""
        return f"{self.replay}#deal={match}-{deal}" + ("" if trick is None else f"&trick={trick}")


def shard(league: int, number: int) -> str:
    """The deals of a block of matches; every language reads the same."""
    return f"deals/league-{league}/{number}.js"


def static(name: str) -> str:
    """A style sheet or script."""
    return "static/" + name


def trees(lang: str) -> tuple[Tree, ...]:
    """The trees of all languages, ``lang`` at the top; ValueError for a language that there is not."""
    if lang not in LANGUAGES:
        raise ValueError(f"the site is written in {' and '.join(LANGUAGES)}, not {lang!r}")
    return tuple(Tree(one, "" if one == lang else one + "/") for one in LANGUAGES)
