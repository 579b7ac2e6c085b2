"""What pages say, in English and Russian. The English text itself is the key; `reports.russian` has the other."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from string import Formatter
from typing import Final

from markupsafe import Markup, escape

from arena.rules.clauses import CLAUSES
from arena.rules.variant import Variant
from reports.names import LONG, short, shown
from reports.russian import NOUNS, RUSSIAN
from reports.russian_clauses import CLAUSES_RU

ENGLISH: Final[Mapping[str, tuple[str, str]]] = {
    "answer": ("answer", "answers"),
    "bot": ("bot", "bots"),
    "deal": ("deal", "deals"),
    "match": ("match", "matches"),
    "more match": ("more match", "more matches"),
    "orbit": ("orbit", "orbits"),
    "player": ("player", "players"),
    "point": ("point", "points"),
    "stream": ("deal stream", "deal streams"),
    "table": ("table", "tables"),
}
"""One and many; Russian has three forms (`NOUNS`)."""


class Words:
    """One language."""

    def __init__(self, lang: str) -> None:
        """``lang`` is ``"en"`` or ``"ru"``."""
        self.lang = lang
        self._russian = lang == "ru"
        self._parts: dict[str, list[tuple[str, str | None]]] = {}
        self._whole: dict[str, Markup] = {}

    def say(self, text: str, **values: object) -> Markup:
        """The text in this language, values filled in and escaped; KeyError where it was never translated."""
        if not values and text in self._whole:
            return self._whole[text]
        parts = self._parts.get(text)
        if parts is None:
            known = str(escape(self.raw(text)))
            pieces = Formatter().parse(known)
            parts = self._parts[text] = [(words, name) for words, name, _, _ in pieces]
        # As Markup.format does it, but that takes the text apart every time, ten times as slow.
        filled = [words if name is None else words + str(escape(values[name])) for words, name in parts]
        said = Markup("".join(filled))  # noqa: S704  each part is escaped
        if not values:
            self._whole[text] = said
        return said

    def raw(self, text: str) -> str:
        """The text in this language as it is, for scripts."""
        return (RUSSIAN[text] if self._russian else text).replace(" %", "\u00a0%")

    def count(self, number: int, noun: str) -> str:
        """``"1 match"``, ``"5 матчей"``."""
        figure = f"{number:,}".replace(",", "\u202f")
        if not self._russian:
            return f"{figure}\u00a0{ENGLISH[noun][number != 1]}"
        tens, ones = number % 100, number % 10
        form = 2 if 11 <= tens <= 14 else 0 if ones == 1 else 1 if 2 <= ones <= 4 else 2
        return f"{figure}\u00a0{NOUNS[noun][form]}"

    def title(self, variant: Variant) -> str:
        """The variant's name."""
        return variant.title_ru if self._russian else variant.title

    def clause(self, name: str) -> str:
        """What a clause of the rules says, in one sentence; "" for one that the rules do not have."""
        return (CLAUSES_RU if self._russian else CLAUSES).get(name, "")


@lru_cache(maxsize=4096)
def bdi(name: str) -> Markup:
    """A bot's name in a text: shown, escaped, and kept from turning the words around it."""
    return Markup("<bdi>{}</bdi>").format(shown(name))


def strong(name: str) -> Markup:
    """The same in a sentence: set off, and cut where it is long."""
    return Markup("<strong>{}</strong>").format(bdi(short(name, LONG)))


def listed(names: Iterable[str]) -> Markup:
    """Names with commas between them, cut where they are long."""
    return Markup(", ").join(bdi(short(name, LONG)) for name in names)
