"""What a bot has said, as it may stand in a line of ours: on a terminal, in a log, in the book."""

from typing import Final

LINE: Final = 300  # characters


def one_line(said: str) -> str:
    """The same in one printable line of bounded length, whatever a bot has put in it."""
    line = "".join([char if char.isprintable() else "?" for char in " ".join(said.split())[: LINE + 1]])
    return line if len(line) <= LINE else f"{line[: LINE - 1]}…"
