"""A seat that answers while it is asked, as those of the house do, is judged as one that answers a moment later."""

import itertools
import json
import random

import pytest
import trio
import trio.testing

from arena.fault import Fault
from arena.referee import Policy
from arena.rules.catalogue import VARIANTS
from arena.rules.catalogue import rules as rules_of
from arena.seat import Request
from tests.fakes import FakeSeat, Says, Script, illegal, lowest, silent
from tests.test_referee_faults import CONTROL, WRONG, faults, play


class Inside(FakeSeat):
    """What is to be said at once is said before `ask` or `retry` has returned."""

    def _say(self, attempt: int) -> None:
        says = self.script(self.requests[-1], attempt)
        if says.faces is None or says.after_s:
            super()._say(attempt)
            return
        self._attempt = attempt
        self.requests[-1].hear(tuple(says.faces), trio.current_time(), says.malformed)


def wild(seed: int) -> Script:
    """The same answer to the same question, now and then a wrong one or none."""

    def script(request: Request, attempt: int) -> Says:
        question, view = request.question, request.view
        place = (question.seat, view.number, len(view.tricks), question.ask, attempt)
        rng = random.Random(f"{seed} {place}")
        kind = rng.choices(("legal", "illegal", "wrong", "later", "silent"), (85, 5, 5, 3, 2))[0]
        if kind == "illegal":
            return Says(illegal(request, attempt).faces)
        if kind == "wrong":
            return Says(WRONG[rng.choice(list(WRONG))](request))
        return silent(request, attempt) if kind == "silent" else Says(lowest(request), 0.5 * (kind == "later"))

    return script


def said(fault: Fault) -> tuple[object, ...]:
    return fault.seat, fault.deal, fault.kind.value, fault.consequence.value, fault.answer


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("variant", VARIANTS)
async def test_it_does_not_matter_whether_an_answer_comes_while_the_question_is_put(
    autojump_clock: trio.testing.MockClock, variant: str, seed: int
) -> None:
    game = rules_of(variant, VARIANTS[variant].players[0])
    outcomes = []
    for kinds in ((FakeSeat, FakeSeat), (Inside, Inside), (FakeSeat, Inside)):
        seats = [kind(wild(seed)) for kind in itertools.islice(itertools.cycle(kinds), game.players)]
        result, kept = await play(game, seats, CONTROL, list(Policy)[seed % 2])
        outcomes.append(
            (
                result.places,
                result.forfeited,
                [(json.dumps(deal.record, sort_keys=True), deal.points, deal.standings) for deal in kept],
                sorted(map(said, faults(kept))),
                [(len(seat.accepted), len(seat.rejections), len(seat.requests)) for seat in seats],
            )
        )
    assert outcomes[0] == outcomes[1] == outcomes[2]
