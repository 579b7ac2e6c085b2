"""The geometry of the drawings: numbers become places, the templates draw them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Tick(NamedTuple):
    """A mark on an axis."""

    at: float
    value: float


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale from ``low`` to ``high`` with round marks."""

    low: float
    high: float
    ticks: tuple[float, ...]
    digits: int  # after the point, to tell the marks apart

    def share(self, value: float) -> float:
        """Where the value lies, 0 to 1."""
        return (value - self.low) / (self.high - self.low)


def axis(values: Sequence[float], marks: int = 4) -> Axis:
    """A scale that holds all values and begins and ends at round marks, of which there are about so many."""
    low, high = min(values), max(values)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    raw = (high - low) / marks
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    digits = max(0, -math.floor(math.log10(step) + 1e-9)) + (step / power == 2.5)
    return Axis(first * step, last * step, tuple(mark * step for mark in range(first, last + 1)), digits)


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its interval, in per cent of the width of its column."""

    low: float
    middle: float
    high: float


def interval(scale: Axis, low: float | None, middle: float, high: float | None) -> Interval:
    """Where to draw it; without bounds it is a dot."""
    at = 100 * scale.share(middle)
    return Interval(
        _round(at if low is None else 100 * max(0.0, scale.share(low))),
        _round(at),
        _round(at if high is None else 100 * min(1.0, scale.share(high))),
    )


@dataclass(frozen=True, slots=True)
class Line:
    """One seat's totals."""

    seat: int
    path: str  # of a polyline
    dots: str  # of a path whose round ends are the dots
    label_y: float
    total: int


@dataclass(frozen=True, slots=True)
class Race:
    """Totals after each deal, as a chart."""

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    lines: tuple[Line, ...]
    across: tuple[Tick, ...]  # totals
    along: tuple[Tick, ...]  # deals
    target: float


def race(totals: Sequence[Sequence[int]], target: int) -> Race:
    """``totals`` deal by deal and by seat, without the zero at the start."""
    width, height, left, right, top, bottom = 720.0, 340.0, 52.0, 530.0, 12.0, 306.0
    deals, seats = len(totals), len(totals[0])
    scale = axis([0, target, *(total for row in totals for total in row)], 5)

    def at_y(total: float) -> float:
        return _round(bottom - (bottom - top) * scale.share(total))

    def at_x(deal: float) -> float:
        return _round(left + (right - left) * deal / deals)

    ends = _apart([at_y(totals[-1][seat]) for seat in range(seats)], 25.0, top + 6, bottom)
    lines = []
    for seat in range(seats):
        places = [(at_x(deal + 1), at_y(row[seat])) for deal, row in enumerate(totals)]
        path = " ".join(f"{x:g},{y:g}" for x, y in [(at_x(0), at_y(0)), *places])
        dots = "".join(f"M{x:g} {y:g}h0" for x, y in places)
        lines.append(Line(seat, path, dots, ends[seat], totals[-1][seat]))
    every = max(1, math.ceil(deals / 15))
    return Race(
        width,
        height,
        left,
        right,
        top,
        bottom,
        tuple(lines),
        tuple(Tick(at_y(mark), mark) for mark in scale.ticks),
        tuple(Tick(at_x(deal), deal) for deal in range(every, deals + 1, every)),
        at_y(target),
    )


def _apart(wished: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places as near as possible to the wished ones, at least ``gap`` apart where there is room."""
    gap = min(gap, (high - low) / max(1, len(wished) - 1))
    order = sorted(range(len(wished)), key=lambda index: (wished[index], index))
    placed: list[float] = []
    for index in order:
        placed.append(max(wished[index], placed[-1] + gap if placed else low))
    ceiling = high
    for index in reversed(range(len(placed))):
        placed[index] = min(placed[index], ceiling)
        ceiling = placed[index] - gap
    found = [0.0] * len(wished)
    for place, index in zip(placed, order, strict=True):
        found[index] = _round(place)
    return found


@dataclass(frozen=True, slots=True)
class Bar:
    """A column of a histogram, on a canvas 100 wide and 100 high."""

    x: float
    width: float
    y: float
    height: float
    label: str
    count: int


def bars(counts: Sequence[tuple[str, int]], gap: float = 0.18) -> tuple[Bar, ...]:
    """Columns side by side, the highest as high as the canvas; ``gap`` is the share of a column left free."""
    top = max((count for _, count in counts), default=0) or 1
    each = 100 / max(1, len(counts))
    return tuple(
        Bar(
            _round(each * (index + gap / 2)),
            _round(each * (1 - gap)),
            _round(100 - 100 * count / top),
            _round(100 * count / top),
            label,
            count,
        )
        for index, (label, count) in enumerate(counts)
    )


def _round(value: float) -> float:
    """Two digits are finer than any screen, and keep the bytes the same on every machine."""
    return round(value, 2) + 0.0
