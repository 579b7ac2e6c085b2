"""What the deals of a match that are written down add up to, so that its result need not read them again."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.stats.thinking import Stopwatch


@dataclass(frozen=True, slots=True)
class Tally:
    """Of each seat."""

    answers: tuple[Counter[int], ...]  # by what they were charged, in tenths of a millisecond
    moons: Counter[int]  # shot, by seat
    faults: Counter[int]  # by seat

    @classmethod
    def of(cls, seats: int) -> "Tally":
        """Of no deal yet."""
        return cls(tuple(Counter() for _ in range(seats)), Counter(), Counter())

    def add(self, thinking: Sequence[Sequence[int]], moon: int | None, faults: Iterable[int]) -> None:
        """A deal: what each seat's answers were charged, in tenths of a millisecond, who shot the moon (None: nobody),
        and the seat of each fault.
        """
        for seat, times in zip(self.answers, thinking, strict=True):
            seat.update(times)
        if moon is not None:
            self.moons[moon] += 1
        self.faults.update(faults)

    def thinking(self, seat: int) -> str:
        """The answer times of a seat as one histogram."""
        watch = Stopwatch()
        for tenth, answers in self.answers[seat].items():
            watch.add(tenth / 1e4, answers)
        return watch.thinking().to_text()
