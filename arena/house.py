"""The house's own player: it fills up a table and stands in for a bot that lost the right to play.

It knows nothing but the view, decides at once and always alike, so that what it does to the others' results is the
same for everybody: it ducks where it can, sheds what costs most, and takes what is worth having.
"""

from arena.rules import cards as c
from arena.rules.cards import Card
from arena.rules.deal import Ask, Question
from arena.rules.view import View
from arena.seat import DealOver, Late, MatchOver, OpenRequest, Rejection, Start


def choose(question: Question, view: View) -> tuple[Card, ...]:
    """The faces that the house answers with; always legal."""
    faces = c.faces_of(question.legal)
    danger = {face: _danger(view, face) for face in set(faces)}
    if question.ask is not Ask.PLAY:
        return tuple(sorted(faces, key=lambda face: (-danger[face], face))[: question.number])
    if not view.trick:
        return (min(faces, key=lambda face: (face % 13, danger[face], face)),)
    suit = c.SUIT_OF[view.trick[0]]
    following = [face for face in faces if suit >> face & 1]
    if not following:
        return (max(faces, key=lambda face: (danger[face], face)),)
    best = max(card % c.FACES for card in view.trick if suit >> card & 1)
    below = [face for face in following if face < best]
    wanted = max if below else min
    return (wanted(below or following, key=lambda face: (view.rules.points[face], face)),)


def _danger(view: View, face: Card) -> int:
    """How glad the house is to be rid of a card: its points, then high cards of suits that hold points."""
    points = view.rules.points[face]
    guards = sum(view.rules.points[other] for other in range(face - face % 13, face) if view.rules.points[other] > 0)
    return 20 * points + guards + face % 13


class HouseSeat:
    """A `Seat` of the house: it answers at once and is never away."""

    def __init__(self, name: str) -> None:
        """``name`` is what the table calls it."""
        self._name = name

    @property
    def name(self) -> str:
        """What the table calls it."""
        return self._name

    def ask(self, request: OpenRequest) -> None:
        """The house's choice, at once: what it takes to choose is the arena's own time, and no seat's."""
        request.hear(choose(request.question, request.view), request.started)

    def retry(self, rejection: Rejection) -> None:
        """The house plays legally; a refusal is our own mistake."""
        raise AssertionError(rejection.message)

    def start(self, start: Start) -> None:
        """Nothing to prepare."""

    def close(self, decision: int, rejection: Rejection | None) -> None:
        """Nothing to remember."""

    def deal_over(self, over: DealOver) -> None:
        """Nothing to remember."""

    def match_over(self, over: MatchOver) -> None:
        """Nothing to remember."""

    def away_s(self) -> float:
        """Never."""
        return 0.0

    def thought_s(self) -> float | None:
        """It does not say."""
        return None

    def late(self, decision: int) -> Late | None:
        """Never."""
        return None

    def latency_s(self) -> float:
        """None."""
        return 0.0
