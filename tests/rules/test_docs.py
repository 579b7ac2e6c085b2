"""What the documentation shows is what happens: its examples are run, its clauses and options are counted."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from arena.rules.catalogue import VARIANTS
from arena.rules.clauses import CLAUSES
from arena.rules.record import DEAL, DIGITS, MATCH, read
from arena.rules.replay import replay_line

DOCS = Path(__file__).parents[2] / "docs"


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text_of(page), re.DOTALL)


def test_every_clause_is_in_the_rules_and_no_other() -> None:
    headed = re.findall(r"^\*\*([A-Z]\d+)\*\* ", text_of("rules.md"), re.MULTILINE)
    named = set(re.findall(r"\*\*([A-Z]\d+)\*\*", text_of("rules.md")))
    assert named == set(CLAUSES)
    assert len(headed) == len(set(headed))
    assert set(re.findall(r"\b([GHDKWOSCBXN]\d{1,2})\b", text_of("rules.md"))) <= set(CLAUSES)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_game_is_described_with_its_options_and_their_values(name: str) -> None:
    section = text_of("rules.md").split(f'<a id="{name}"></a>\n## `{name}`')[1].split("\n## ")[0]
    variant = VARIANTS[name]
    assert variant.title_ru in text_of("rules.md")
    rows: dict[str, str] = dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|", section, re.MULTILINE))
    assert set(rows) == {option.name for option in variant.options}
    for option in variant.options:
        assert f"`{json.dumps(option.default)}` (default)" in rows[option.name]
        for choice in option.choices:
            assert f"`{json.dumps(choice)}`" in rows[option.name]


def test_the_example_of_a_deal_is_a_record_with_the_result_that_is_shown() -> None:
    example, _, deal_result, _, error = blocks("records.md", "json")
    assert replay_line(" ".join(example.splitlines())) == json.loads(deal_result)
    wrong: dict[str, Any] = {**json.loads(example), "plays": ["5C 9D"]}
    assert replay_line(json.dumps(wrong)) == json.loads(error)


def test_the_examples_of_a_match_have_all_its_fields() -> None:
    _, match, _, match_result, _ = blocks("records.md", "json")
    read(" ".join(match.splitlines()))
    found = replay_line(" ".join(match.splitlines()))
    shown = json.loads(match_result)
    assert list(found) == list(shown)
    assert DEAL in text_of("records.md")
    assert MATCH in text_of("records.md")
    assert f"at most {DIGITS} digits" in text_of("records.md")


def test_the_program_in_the_page_on_deals_runs() -> None:
    (program,) = blocks("deals.md", "python")
    names: dict[str, Any] = {}
    exec(program, names)
    cards = " ".join(names["shuffled"](names["key"], names["pack"]))
    (vector,) = [block for block in blocks("deals.md", "") if block.startswith("2S")]
    assert cards == " ".join(vector.split())


def test_the_vectors_of_the_page_on_deals_are_those_that_are_tested() -> None:
    tested = (Path(__file__).parent / "test_deck.py").read_text(encoding="utf-8")
    hashes = set(re.findall(r"\b[0-9a-f]{64}\b", text_of("deals.md")))
    assert len(hashes) == 3
    assert all(one in tested for one in hashes)
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \| (\d+) \| `([^`]*)` \|", text_of("deals.md"), re.MULTILINE)
    assert len(rows) == 3
    assert all(
        f'("{game}", {players}, {index}, {dealer}, "{hand}"' in tested for game, players, index, dealer, hand in rows
    )
