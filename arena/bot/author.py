"""What an author writes: a function, or an object with `choose` and as many of the other methods as it likes."""

import sys
import time
import traceback
from collections.abc import Callable, Iterable
from typing import Protocol, TypeAlias

from arena.bot.turn import Turn
from arena.gateway import wire
from arena.rules.cards import FACES, Card, rank_order
from arena.v1 import arena_pb2 as pb

Choice: TypeAlias = Card | Iterable[Card]
"""One face, or as many as were asked for."""

Choose: TypeAlias = Callable[[Turn], Choice]


class Bot(Protocol):
    """The least that a bot is. It may also have `match_start`, `deal_over` and `match_over`, each with the message."""

    def choose(self, turn: Turn) -> Choice:
        """The faces to give, out of ``turn.legal``."""
        ...


class Author:
    """Calls the author's code. Where that raises, the traceback is printed and the arena gets no answer."""

    def __init__(self, bot: Bot | Choose) -> None:
        """``bot`` is the function or the object."""
        self._choose: Choose = bot if callable(bot) else bot.choose
        self._bot = bot
        self._unknown: set[int] = set()

    def answer(self, message: pb.Question, received_at: float) -> pb.BotMessage | None:
        """The answer to a question, which says how long the author's code took; None where there is none to give."""
        if message.ask not in wire.ASK_OF:
            if message.ask not in self._unknown:
                self._unknown.add(message.ask)
                print(f"the arena asks for something that this kit does not know ({message.ask})", file=sys.stderr)  # noqa: T201
            return None
        try:
            turn = Turn(message, received_at)
            began_ns = time.perf_counter_ns()
            choice = self._choose(turn)
            faces = (choice,) if isinstance(choice, int) else tuple(choice)
            if not all(0 <= face < FACES for face in faces):
                raise ValueError(f"choose returned {choice!r}, and cards are whole numbers from 0 to 51")  # noqa: TRY301
            # After the faces: an author's generator has been run only by now.
            return _answer(message.decision, faces, max(1, (time.perf_counter_ns() - began_ns) // 1000))
        except Exception:  # noqa: BLE001  the author's, who reads it here
            traceback.print_exc()
            return None

    def correct(self, message: pb.Question, rejection: pb.Rejection) -> pb.BotMessage:
        """The second answer to a question whose first was refused with a try left: the lowest legal cards.

        The author reads what was wrong; the author's code is not asked again, for it would say the same.
        """
        self._show(rejection)
        faces = sorted(wire.faces(rejection.legal or message.legal), key=rank_order)[: message.count]
        return _answer(message.decision, faces)

    def tell(self, message: pb.ArenaMessage) -> None:
        """News, for a bot that has a method for it; other messages are nothing to it."""
        kind = message.WhichOneof("kind")
        try:
            if kind == "match_start":
                self._call("match_start", message.match_start)
            elif kind == "deal_end":
                self._call("deal_over", message.deal_end)
            elif kind == "match_end":
                self._call("match_over", message.match_end)
            elif kind == "rejection" and message.rejection.reason in (pb.REASON_ILLEGAL, pb.REASON_MALFORMED):
                self._show(message.rejection)
        except Exception:  # noqa: BLE001  the author's, who reads it here
            traceback.print_exc()

    def _show(self, said: pb.Rejection) -> None:
        left = "the lowest legal cards are played instead" if said.tries else "no try is left"
        what = " ".join(said.message.split())
        if not what.startswith(said.clause):  # the arena's own words begin with it
            what = f"{said.clause} {what}"
        print(f"the answer to decision {said.decision} was refused: {what}; {left}", file=sys.stderr)  # noqa: T201

    def _call(self, name: str, message: object) -> None:
        method = getattr(self._bot, name, None)
        if method is not None:
            method(message)


def _answer(decision: int, faces: Iterable[Card], thought_us: int = 0) -> pb.BotMessage:
    cards = [wire.VALUES[face] for face in faces]
    return pb.BotMessage(answer=pb.Answer(decision=decision, cards=cards, thought_us=thought_us))
