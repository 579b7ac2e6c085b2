"""Strength on one scale, from who finished ahead of whom: the Plackett–Luce model."""

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from arena.stats.rows import MatchRow, in_order

CENTRE, SCALE = 1500.0, 400 / math.log(10)
PRECISION = 1e-9  # relative change of w between two steps
STEPS = 20_000

Floats = NDArray[np.float64]


def strengths(rows: Iterable[MatchRow]) -> dict[str, float]:
    """By bot, house bots too: ``1500 + 400/ln 10 · (ln w − mean)``, the mean being that of the ranked bots.

    A match is a ranking: its first place falls to bot i with probability w_i / Σ w, the next one likewise among
    those left. The fit is D. R. Hunter's MM algorithm (Annals of Statistics 32, 2004):
    ``w_i ← W_i / Σ_rankings Σ_{t ≤ min(pos_i, k−1)} 1/Σ_{s ≥ t} w_(s)``, W_i being the places won, all but the
    last. Every bot also has half a win and half a loss against a ghost, so that each w is finite. The m bots of a
    tie share its m places as by B. Efron (1977): at the j-th of them, each is still there to a share of 1 − j/m.
    """
    ordered = in_order(rows)
    bots = sorted({seat.bot for row in ordered for seat in row.seats})
    if not bots:
        return {}
    # Sparse: chance is a stage of a match, at which `who` is present to the share `present`.
    index = {bot: number for number, bot in enumerate(bots)}
    won = np.full(len(bots), 0.5)
    chance: list[int] = []
    who: list[int] = []
    present: list[float] = []
    chances = 0
    for row in ordered:
        places = sorted({seat.place for seat in row.seats})
        for place in places:
            tied = [index[seat.bot] for seat in row.seats if seat.place == place]
            later = [index[seat.bot] for seat in row.seats if seat.place > place]
            # The last of a match is there alone: it wins no place.
            stages = len(tied) if later else len(tied) - 1
            for bot in tied:
                won[bot] += stages / len(tied)
            for stage in range(stages):
                chance += [chances] * (len(tied) + len(later))
                who += tied + later
                present += [1 - stage / len(tied)] * len(tied) + [1.0] * len(later)
                chances += 1
    w = _fit(won, np.array(chance, np.int64), np.array(who, np.int64), np.array(present), chances)
    log_w = [math.log(float(strength)) for strength in w]
    ranked = sorted({seat.bot for row in ordered for seat in row.seats if seat.ranked}) or bots
    centre = math.fsum(log_w[index[bot]] for bot in ranked) / len(ranked)
    return {bot: CENTRE + SCALE * (log_w[index[bot]] - centre) for bot in bots}


def _fit(won: Floats, chance: NDArray[np.int64], who: NDArray[np.int64], present: Floats, chances: int) -> Floats:
    """The w of each bot, in units of the ghost's. Sums go through bincount, which adds in the order of the arrays."""
    w = np.ones(len(won))
    ghost = 1.0
    for _ in range(STEPS):
        against = np.bincount(chance, present * w[who], chances)
        each = np.bincount(who, present / against[chance], len(won)) + 1 / (w + ghost)
        new = won / each
        # The ghost is fitted too, and then is the unit: else the scale of all w would drift to its place slowly.
        ghost = len(won) / 2 / float(np.bincount(np.zeros(len(won), np.int64), 1 / (w + ghost))[0])
        new /= ghost
        ghost = 1.0
        settled = float(np.max(np.abs(new / w - 1))) < PRECISION
        w = new
        if settled:
            break
    return w
