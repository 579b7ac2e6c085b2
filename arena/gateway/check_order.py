"""All steps in their order."""

from collections.abc import Sequence

from arena.gateway.check import Step
from arena.gateway.check_ends import ENDS, LAST, RECONNECTS
from arena.gateway.check_exam import Exam
from arena.gateway.check_games import MATCHES, game_steps
from arena.gateway.check_steps import ASKING, BEGINNING, FUTURE, USELESS


def steps(exam: Exam) -> Sequence[Step]:
    """Those for this bot. Until it has said Hello, as for one that plays every variant."""
    return (*BEGINNING, *ASKING, *game_steps(exam), *MATCHES, *FUTURE, *RECONNECTS, USELESS, LAST, *ENDS)
