"""Strength on one scale, from who finished ahead of whom: the Plackett–Luce model."""

import math
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from arena.stats.rows import MatchRow, in_order

CENTRE, SCALE = 1500.0, 400 / math.log(10)
PRECISION = 1e-10  # of ln w
STEPS = 200
DECIMALS = 6

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def strengths(rows: Iterable[MatchRow]) -> dict[str, float]:
    """By bot, house bots too: ``1500 + 400/ln 10 · (ln w − mean)``, the mean being that of the ranked bots.

    A match is a ranking: its first place falls to bot i with probability w_i / Σ w, the next one likewise among
    those left. The strengths are the most likely ones, at which
    ``w_i = W_i / Σ_rankings Σ_{t ≤ min(pos_i, k−1)} 1/Σ_{s ≥ t} w_(s)``, W_i being the places won, all but the
    last (D. R. Hunter, MM algorithms for generalized Bradley–Terry models, Annals of Statistics 32, 2004). Every
    bot also has half a win and half a loss against a ghost, so that each w is finite. Repeating the equation
    finds it, but takes forever for a bot that wins everything; Newton's method does not. The m bots of a tie share
    its m places as by B. Efron (1977): at the j-th of them, each is still there to a share of 1 − j/m.
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
    log_w = _fit(won, np.array(chance, np.int64), np.array(who, np.int64), np.array(present), chances).tolist()
    ranked = sorted({seat.bot for row in ordered for seat in row.seats if seat.ranked}) or bots
    centre = math.fsum(log_w[index[bot]] for bot in ranked) / len(ranked)
    # The exponential function differs in its last digit from machine to machine.
    return {bot: round(CENTRE + SCALE * (log_w[index[bot]] - centre), DECIMALS) for bot in bots}


def _fit(won: Floats, chance: Ints, who: Ints, present: Floats, chances: int) -> Floats:
    """ln w of each bot, that of the ghost being 0: Newton's method from equal strengths.

    The gradient is W_i − Σ q_i, q_i being the probability of i at each place it may win; the curvature is
    Σ (q_i if i = j else 0) − q_i · q_j. All sums go through bincount, which adds in the order of the arrays.
    """
    bots = len(won)
    log_w = np.zeros(bots)
    for _ in range(STEPS):
        shares = present * np.exp(log_w)[who]
        q = shares / np.bincount(chance, shares, chances)[chance]
        beaten = 1 / (1 + np.exp(-log_w))  # against the ghost, once
        expected = np.bincount(who, q, bots) + beaten

        def curved(v: Floats, q: Floats = q, diagonal: Floats = expected - beaten * beaten) -> Floats:
            return diagonal * v - np.bincount(who, q * np.bincount(chance, q * v[who], chances)[chance], bots)

        step = _solved(curved, won - expected, expected)
        # Far from the top, where the curvature is misleading, at most a factor of e at once.
        step /= max(1.0, float(np.abs(step).max()))
        log_w += step
        if float(np.abs(step).max()) < PRECISION:
            break
    return log_w


def _solved(matrix: Callable[[Floats], Floats], right: Floats, scale: Floats) -> Floats:
    """x with matrix(x) = right, for a positive definite matrix of which only products are known.

    Conjugate gradients, preconditioned by ``scale``: no table of bots × bots, and no threads that a library of
    linear algebra would start.
    """
    x = np.zeros(len(right))
    rest = right.copy()
    direction = rest / scale
    size = _dot(rest, direction)
    enough = size * PRECISION**2
    for _ in range(STEPS):
        if size <= enough:
            break
        image = matrix(direction)
        along = size / _dot(direction, image)
        x += along * direction
        rest -= along * image
        better = rest / scale
        before, size = size, _dot(rest, better)
        direction = better + size / before * direction
    return x


def _dot(a: Floats, b: Floats) -> float:
    return math.fsum((a * b).tolist())
