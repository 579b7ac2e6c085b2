"""`arena bots list`: a book that is not there is no empty book."""

from pathlib import Path

from tests.commands import Arena, one_line


def test_a_mistyped_book_is_not_listed_as_an_empty_one(arena: Arena, tmp_path: Path) -> None:
    book = tmp_path / "bots.json"
    one_line(arena("bots", "list", "--book", book), f"{book}: no such file; `arena invite` or `arena bots add`")
    assert list(tmp_path.iterdir()) == []
    arena("invite", "--book", book)
    assert arena("bots", "list", "--book", book).stdout == f"{book}: 0 bots, 1 invitation open\n"
