"""The numbers that name the questions of a run."""


class Decisions:
    """Numbers for questions; `count` is how many there have been."""

    def __init__(self) -> None:
        """None yet."""
        self.count = 0

    def __iter__(self) -> "Decisions":
        """It counts for ever."""
        return self

    def __next__(self) -> int:
        """The next number."""
        self.count += 1
        return self.count
