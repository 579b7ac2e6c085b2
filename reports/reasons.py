"""Why something is a fault, in the reader's language.

The database has the arena's own English sentence. Here is a list of those that there are; what is none of them is shown
as it is, and said to be English.
"""

import re
from functools import lru_cache
from string import Formatter
from typing import Final, NamedTuple

from markupsafe import Markup, escape

from arena.rules.clauses import CLAUSES
from arena.store.read import FaultRow
from reports.names import shown
from reports.numbers import Numbers
from reports.words import Words

SENTENCES: Final = (
    "no answer within {limit} s",
    "not asked, as the bank has no time left",
    "; the connection was lost for {away} s of {elapsed} s",
    ", and the grace of {grace} s is spent",
    "; the house plays on: the grace is spent",
    "; the house plays on: the bank is empty",
    "; the house plays on: {stops} deals stopped by revokes",
    "; the house plays on: {strikes} questions without an answer of its own",
    "a walk-over: the bot was away when the time of the run was over",
    "seat {seat} names what is no card: {cards}",
    "seat {seat} does not hold {cards}",
    "one card is asked for, not {number}",
    "{number} cards",
    "no cards",
    "{number} is not a card",
)
"""What the arena writes, part by part as it puts them together; clauses of the rules are told by their names."""


_FIGURE: Final = "[-+.e0-9]+"
_OTHER: Final = {"seat": "[0-9]{1,3}", "cards": "[-0-9A-Z ]+"}


def _pattern(sentence: str) -> re.Pattern[str]:
    pieces = [
        re.escape(words) + ("" if name is None else f"(?P<{name}>{_OTHER.get(name, _FIGURE)})")
        for words, name, _, _ in Formatter().parse(sentence)
    ]
    return re.compile("".join(pieces))


_PATTERNS: Final = {sentence: _pattern(sentence) for sentence in SENTENCES}


class Part(NamedTuple):
    """A sentence of the list, and the figures in it as they are written."""

    sentence: str
    values: dict[str, str]


@lru_cache(maxsize=1 << 12)
def parts(text: str) -> tuple[Part, ...] | None:
    """The sentences that a reason is put together from; None where there is anything else in it."""
    found: list[Part] = []
    at = 0
    while at < len(text):
        for sentence, pattern in _PATTERNS.items():
            match = pattern.match(text, at)
            if match:
                found.append(Part(sentence, match.groupdict()))
                at = match.end()
                break
        else:
            return None
    return tuple(found)


class Reasons:
    """Reasons in one language."""

    def __init__(self, lang: str) -> None:
        """``lang`` is ``"en"`` or ``"ru"``."""
        self._words = Words(lang)
        self._numbers = Numbers(lang)
        self._lang = "" if lang == "en" else ' lang="en"'

    def why(self, fault: FaultRow) -> Markup:
        """The reason of a fault, with the clause that it goes by; seats are counted from 1, as on all pages."""
        rule = CLAUSES.get(fault.clause)
        whole = f"{fault.clause}: {rule}"
        by_rule = rule is not None and fault.reason.startswith(whole)
        known = parts(fault.reason.removeprefix(whole) if by_rule else fault.reason)
        if known is None:
            reason = Markup(f"<bdi{self._lang}>{escape(shown(fault.reason))}</bdi>")  # noqa: S704  it is escaped
            return reason + self._small(fault)
        said = Markup("").join([self._part(one) for one in known])
        if not by_rule:
            return said + self._small(fault)
        clause = self._clause(fault.clause)
        return escape(clause.rstrip(".") if said else clause) + said

    def _small(self, fault: FaultRow) -> Markup:
        """The clause that a fault goes by; empty where none is named."""
        if not fault.clause:
            return Markup()
        return Markup('<span class="sub">{}</span>').format(self._clause(fault.clause))

    def _clause(self, name: str) -> str:
        return f"{shown(name)}: {self._words.clause(name)}"

    def _part(self, part: Part) -> Markup:
        label = self._numbers.label
        values = {
            name: str(int(text) + 1) if name == "seat" else text if name == "cards" else label(text)
            for name, text in part.values.items()
        }
        return self._words.say(part.sentence, **values)
