"""Thinking time: a limit for each answer, a bank for the match, an increment that returns to the bank.

All times are seconds on one monotonic clock (trio's), so that a test can turn it.
"""

from dataclasses import dataclass
from typing import Final

LEAST_S: Final = 1e-6
"""What a bot is asked with at least: the unit in which it is told."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The time settings of a league."""

    move_s: float = 5.0  # the most that one answer may take
    bank_s: float = 120.0  # all answers of one match together
    increment_s: float = 0.5  # returned after each accepted answer; the bank never grows beyond `bank_s`
    grace_s: float = 30.0  # of one match, in which a lost connection does not cost thinking time
    credit_s: float = 0.05  # the most that one answer is forgiven as time on the network


@dataclass(slots=True)
class Clock:
    """One seat's time in one match."""

    control: TimeControl
    bank_s: float
    grace_s: float
    last_charged_s: float = 0.0
    last_credit_s: float = 0.0

    @classmethod
    def full(cls, control: TimeControl) -> "Clock":
        """The clock at the start of a match."""
        return cls(control, control.bank_s, control.grace_s)

    def left_s(self) -> float:
        """What the next answer may take: the limit, or the bank where that is less."""
        move_s, bank_s = self.control.move_s, self.bank_s
        return move_s if move_s < bank_s else bank_s  # noqa: FURB136  once a question; `min` takes three times as long

    def empty(self) -> bool:
        """Whether there is no time left to be asked with."""
        return self.bank_s < LEAST_S

    def charge(self, elapsed_s: float, credit_s: float) -> float:
        """Take an answer's time from the bank; returns the seconds charged, ``elapsed_s`` less the credit.

        Charges add up to exactly what the bank loses; increments are counted apart.
        """
        if credit_s > self.control.credit_s:
            credit_s = self.control.credit_s
        if credit_s > elapsed_s:
            credit_s = elapsed_s
        charged = elapsed_s - credit_s
        if charged > self.bank_s:
            charged = self.bank_s
        self.last_credit_s = credit_s
        self.last_charged_s = charged
        self.bank_s -= charged
        return charged

    def reward(self) -> None:
        """Return the increment after an accepted answer."""
        control = self.control
        bank_s = self.bank_s + control.increment_s
        self.bank_s = bank_s if bank_s < control.bank_s else control.bank_s  # noqa: FURB136  as above
