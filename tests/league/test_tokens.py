"""A file of tokens; the book of bots has tests of its own."""

from pathlib import Path

import pytest

from arena.league.config import ConfigError
from arena.league.tokens import make_tokens, read_tokens


def test_made_tokens_are_read(tmp_path: Path) -> None:
    made = make_tokens(tmp_path / "tokens.txt", ["ada", "grace hopper"])
    tokens = read_tokens(tmp_path / "tokens.txt")
    assert [tokens.authenticate(made[name]) for name in made] == ["ada", "grace hopper"]
    assert tokens.authenticate("") is None


def test_comments_and_empty_lines_are_nobody_s(tmp_path: Path) -> None:
    (tmp_path / "tokens.txt").write_text("# TOKEN NAME\n\nsecret ada\n")
    tokens = read_tokens(tmp_path / "tokens.txt")
    assert tokens.hashes == ((tokens.key("ada"), "ada"),)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("secret\n", "line 1 is not TOKEN NAME"),
        ("secret ada\nother \n", "line 2 is not TOKEN NAME"),
        ("secret ada\n grace\n", "line 2 is not TOKEN NAME"),  # an empty token would be anybody's
        ("secret ada\nsecret grace\n", "line 2 has the token of 'ada' again"),
    ],
)
def test_a_line_that_cannot_be_is_told(tmp_path: Path, text: str, wrong: str) -> None:
    path = tmp_path / "tokens.txt"
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        read_tokens(path)
    assert str(error.value) == f"{path}: {wrong}"
