"""What a bot is asked, as its author sees it."""

import random
import time
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from arena.gateway import wire
from arena.rules.cards import Card
from arena.rules.deal import Ask
from arena.rules.variant import Rules
from arena.rules.view import View
from arena.v1 import arena_pb2 as pb


class Turn:
    """One question. Everything in it is read from the message when it is first used."""

    def __init__(self, message: pb.Question, received_at: float) -> None:
        """``received_at`` is on `time.monotonic`."""
        self.message: Final = message
        """The question as it came, for what the properties leave out."""
        self._received_at: Final = received_at

    @cached_property
    def ask(self) -> Ask:
        """What is asked for: cards to pass, a card to play, or cards to discard for the widow."""
        return wire.ASK_OF[self.message.ask]

    @property
    def count(self) -> int:
        """How many cards."""
        return self.message.count

    @cached_property
    def legal(self) -> tuple[Card, ...]:
        """The faces (0 to 51) of which ``count`` are to be chosen, C D S H and 2 to A; two equal ones come twice."""
        return wire.faces(self.message.legal)

    @property
    def table(self) -> int:
        """The table, for as long as its match lasts: what a bot remembers, it remembers by table."""
        return self.message.table

    @property
    def match(self) -> str:
        """The match's name, the same after the arena was restarted."""
        return self.message.match

    @property
    def deal(self) -> int:
        """The number of the deal in its match, from 0."""
        return self.message.view.deal

    @property
    def seat(self) -> int:
        """The bot's own seat."""
        return self.message.seat

    @property
    def players(self) -> int:
        """How many play."""
        return self.message.rules.players

    @cached_property
    def hand(self) -> tuple[Card, ...]:
        """The faces in hand, C D S H and 2 to A; two equal cards are there twice."""
        return wire.faces(self.message.view.hand)

    @cached_property
    def view(self) -> View:
        """The deal as the bot sees it, in the engine's own terms; ValueError where the kit is too old for its rules."""
        return wire.read_view(self.message)

    @cached_property
    def rules(self) -> Rules:
        """The rules of the table, one object for each game; ValueError where the kit is too old for them."""
        return wire.read_rules(self.message.rules)

    @cached_property
    def points(self) -> Sequence[int]:
        """What each face counts, by face."""
        return tuple(self.message.rules.points)

    @cached_property
    def totals(self) -> Sequence[int]:
        """Points of each seat before this deal."""
        return tuple(self.message.score.totals)

    @property
    def target(self) -> int:
        """The match ends after the deal in which a total reaches this."""
        return self.message.score.target

    @property
    def max_deals(self) -> int | None:
        """The match also ends after so many deals, whatever the totals are; None: only at the target."""
        score = self.message.score
        return score.max_deals if score.HasField("max_deals") else None

    @property
    def chips(self) -> Sequence[str]:
        """Chips of each seat as exact fractions, e.g. "-13/2"; empty in variants without them."""
        return self.message.score.chips

    @property
    def pot(self) -> int:
        """Chips in the pot."""
        return self.message.score.pot

    @property
    def time_left_s(self) -> float:
        """Seconds from now until the answer must be there, the way back not counted."""
        return self.message.clock.left_us / 1e6 - (time.monotonic() - self._received_at)

    @property
    def bank_s(self) -> float:
        """Seconds left for all answers of the match together, as the question came."""
        return self.message.clock.bank_us / 1e6

    def rng(self) -> random.Random:
        """Randomness that is the same whenever this question is asked: in a replay, after a reconnect or a restart."""
        view = self.message.view
        seen = sum([len(trick.cards) for trick in view.tricks]) + len(view.trick.cards)
        return random.Random(f"{self.match} {self.deal} {self.seat} {self.ask.value} {seen}")  # noqa: S311  cards
