"""Golden files: whole deals of every variant, as they were when a person last read them."""

import pytest

from arena.rules.catalogue import VARIANTS
from tests.golden.write import HERE, text_of


@pytest.mark.parametrize("variant", VARIANTS)
def test_golden_deals_come_out_as_they_are_written(variant: str) -> None:
    written = (HERE / f"{variant}.txt").read_text(encoding="utf-8")
    assert text_of(VARIANTS[variant]) == written, "if it is meant: .venv/bin/python -m tests.golden.write"


def test_there_is_no_golden_file_without_a_variant() -> None:
    assert {file.stem for file in HERE.glob("*.txt")} == set(VARIANTS)
