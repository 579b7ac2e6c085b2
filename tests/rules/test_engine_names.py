"""The engine reads the axes of a variant; no variant is named in it, and every clause has its test."""

import ast
import inspect
import re
from pathlib import Path

import pytest

from arena.rules import cards
from arena.rules.catalogue import VARIANTS
from arena.rules.clauses import CLAUSES

ROOM = Path(inspect.getfile(cards)).parent
ENGINE = ("deal", "view", "match", "settle", "tricks", "position", "variant", "record", "replay", "deck")


def named(tree: ast.AST) -> list[str]:
    """String literals that are the name of a variant, docstrings and other loose strings apart."""
    loose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if id(node) not in loose and node.value in VARIANTS
    ]


@pytest.mark.parametrize("module", ENGINE)
def test_no_variant_is_named_inside_the_engine(module: str) -> None:
    tree = ast.parse((ROOM / f"{module}.py").read_text(encoding="utf-8"))
    assert named(tree) == []


@pytest.mark.parametrize("module", ["deal", "view", "match", "settle", "tricks", "position"])
def test_the_engine_does_not_look_at_a_variants_name_at_all(module: str) -> None:
    tree = ast.parse((ROOM / f"{module}.py").read_text(encoding="utf-8"))
    attributes = [node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    owned_by_cards = [
        node for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "name"
        and isinstance(node.value, ast.Name) and node.value.id == "c"
    ]  # fmt: skip
    assert attributes.count("name") == len(owned_by_cards)
    assert not {"title", "title_ru", "clauses"} & set(attributes)


def test_the_search_finds_a_name_that_is_compared() -> None:
    assert named(ast.parse('if rules.name == "spot": pass')) == ["spot"]
    assert named(ast.parse('"""spot"""\nx = "a spot"')) == []


def test_every_clause_has_a_test_that_names_it() -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in Path(__file__).parent.glob("test_*.py"))
    pinned = {match.upper() for match in re.findall(r"^def test_([a-z]\d+)_", text, re.MULTILINE)}
    assert set(CLAUSES) - pinned == set()
    assert pinned <= set(CLAUSES)
