"""What docs/operators.md says is there is there, and what is there is in it."""

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from arena.fault import Consequence, Kind
from arena.league import book
from tests.commands import Arena

OPERATORS = (Path(__file__).parent.parent / "docs" / "operators.md").read_text(encoding="utf-8")


def test_every_command_on_the_page_is_there(arena: Arena) -> None:
    """With its options."""
    found = re.findall(r"^ +(arena .*?)(?: +#.*)?$|`(arena [^`]*)`", OPERATORS, re.MULTILINE)
    commands = {command for line in found for command in "".join(line).split(" && ")}
    assert len(commands) > 15
    for command in commands:
        name, *words = command.split()[1:]
        done = arena(name, "--help")
        assert done.returncode == 0, command
        for word in words:
            assert not word.startswith("--") or f"{word} " in done.stdout or f"{word}\n" in done.stdout, command


@pytest.mark.parametrize(
    "model",
    [book.LeagueLine, book.FixtureLine, book.ResultLine, book.FaultLine, book.LeagueTimes, book.MatchTimes],
    ids=lambda model: str(model.__name__),
)
def test_every_field_of_an_export_is_on_the_page(model: type[BaseModel]) -> None:
    form = str(model.model_fields["format"].default).removeprefix("hearts-arena/")
    section = OPERATORS.split(f"### {form}\n")[1].split("\n###")[0]
    fields = [
        name for row in re.findall(r"^\| (.*?) \|", section, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    ]
    assert sorted(fields) == sorted(name for name in model.model_fields if name != "format")


def test_every_kind_of_fault_is_on_the_page() -> None:
    section = OPERATORS.split("## Reading the faults")[1].split("\n## ")[0]
    listed = set(re.findall(r"^\| `([\w-]+)` \|", section, re.MULTILINE))
    times = set(book.FaultTimes.model_fields)
    assert listed - {"kind", "consequence"} == {one.value for one in (*Kind, *Consequence)} | times
