"""Worked cases: small games whose results were found by hand, one file a theme, in tests/cases."""

import json
from pathlib import Path
from typing import Any

import pytest

from arena.rules.replay import replay_lines

CASES = [
    json.loads(line)
    for file in sorted((Path(__file__).parent.parent / "cases").glob("*.jsonl"))
    for line in file.read_text(encoding="utf-8").splitlines()
]


def agrees(found: object, expected: object) -> bool:
    """Whether every field that is expected is found; arrays as wholes, in each element in this same way."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(
            key in found and agrees(found[key], value) for key, value in expected.items()
        )
    if isinstance(expected, list):
        return (
            isinstance(found, list)
            and len(found) == len(expected)
            and all(agrees(*pair) for pair in zip(found, expected, strict=True))
        )
    return type(found) is type(expected) and found == expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_case(case: dict[str, Any]) -> None:
    text = case["raw"] if "raw" in case else json.dumps(case["record"])
    expected = case["expect"] if "raw" in case else [case["expect"]]
    found = list(replay_lines(text.encode()))
    assert agrees(found, expected), json.dumps(found)


def test_every_case_has_its_own_name() -> None:
    names = [case["name"] for case in CASES]
    assert len(names) == len(set(names)) >= 59
