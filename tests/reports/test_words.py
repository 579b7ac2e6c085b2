"""Both languages say everything."""

import re
from pathlib import Path
from string import Formatter

import pytest

import reports
from arena.rules.clauses import CLAUSES
from reports import reasons
from reports.numbers import Numbers
from reports.replay_page import SENTENCES
from reports.russian import NOUNS, RUSSIAN
from reports.russian_clauses import CLAUSES_RU
from reports.words import ENGLISH, Words, bdi

TEMPLATES = Path(next(iter(reports.__path__))) / "templates"
SAID = re.compile(r"""\bsay\(\s*(?:"([^"]*)"|'([^']*)')""")
COUNTED = re.compile(r"""\bcount\([^"']*?,\s*["']([^"']*)["']\)""")


def said() -> set[str]:
    text = "".join(
        path.read_text("utf-8") for path in [*sorted(TEMPLATES.glob("*.html")), TEMPLATES.parent / "rows.py"]
    )
    return {double or single for double, single in SAID.findall(text)} | set(SENTENCES) | set(reasons.SENTENCES)


def test_everything_that_is_said_is_said_in_russian_and_nothing_else() -> None:
    assert len(said()) > 200
    assert said() == RUSSIAN.keys()


def test_every_clause_is_said_in_russian() -> None:
    assert CLAUSES_RU.keys() == CLAUSES.keys()


def test_everything_that_is_counted_has_all_its_forms() -> None:
    text = "".join(path.read_text("utf-8") for path in sorted(TEMPLATES.glob("*.html")))
    assert set(COUNTED.findall(text)) == ENGLISH.keys() == NOUNS.keys()


@pytest.mark.parametrize("text", sorted(RUSSIAN))
def test_a_translation_fills_in_the_same(text: str) -> None:
    def names(sentence: str) -> set[str]:
        return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}

    assert names(RUSSIAN[text]) == names(text)


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 матчей"), (1, "1 матч"), (2, "2 матча"), (5, "5 матчей"), (11, "11 матчей"), (12, "12 матчей"),
     (21, "21 матч"), (22, "22 матча"), (111, "111 матчей"), (1234, "1 234 матча")],
)  # fmt: skip
def test_russian_numbers_agree_with_their_nouns(number: int, text: str) -> None:
    assert Words("ru").count(number, "match").replace("\u00a0", " ").replace("\u202f", " ") == text


def test_english_has_one_and_many() -> None:
    assert Words("en").count(1, "match") == "1\u00a0match"
    assert Words("en").count(0, "match") == "0\u00a0matches"


def test_what_is_filled_in_is_escaped() -> None:
    sentence = Words("en").say("{name} leads.", name="<b>")
    assert sentence == "&lt;b&gt; leads."
    assert Words("en").say("{name} leads.", name=bdi("<b>")) == "<bdi>&lt;b&gt;</bdi> leads."


def test_a_text_that_nobody_translated_is_an_error() -> None:
    with pytest.raises(KeyError):
        Words("ru").say("no such text")


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (Numbers("en").fixed(-0.004), "0.00"),
        (Numbers("en").fixed(-0.5, 1), "−0.5"),
        (Numbers("ru").fixed(1.25), "1,25"),
        (Numbers("en").fixed(None), "–"),
        (Numbers("en").signed(0.1), "+0.10"),
        (Numbers("en").signed(0.0), "0.00"),
        (Numbers("en").signed(-2.0, 1), "−2.0"),
        (Numbers("en").chance(0.999), ">\u00a099\u00a0%"),
        (Numbers("en").chance(0.002), "<\u00a01\u00a0%"),
        (Numbers("en").chance(1.0), ">\u00a099\u00a0%"),
        (Numbers("en").chance(0.0), "<\u00a01\u00a0%"),
        (Numbers("en").whole(1234567), "1\u202f234\u202f567"),
        (Numbers("en").chips("-13/2"), "−6.5"),
        (Numbers("en").chips("4/3"), "1.33"),
        (Numbers("en").chips("-7"), "−7"),
        (Numbers("en").time(0.456), "0.46\u00a0ms"),
        (Numbers("en").time(5000.4), "5.0\u00a0s"),
        (Numbers("en").time(999.7), "1.0\u00a0s"),
        (Numbers("en").duration(3725), "1:02:05\u00a0h"),
        (Numbers("en").duration(59.99), "1:00\u00a0min"),
        (Numbers("en").date("2026-03-14T09:00:00+02:00"), "2026-03-14\u00a007:00\u00a0UTC"),
        (Numbers("ru").date("2026-03-14T09:00:00+02:00"), "14.03.2026\u00a007:00\u00a0UTC"),
        (Numbers("en").date("soon"), "soon"),
    ],
)
def test_numbers_are_printed_so(text: str, seen: str) -> None:
    assert text == seen
