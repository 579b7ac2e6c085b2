"""Numbers as they are printed: the only place that rounds them."""

from datetime import UTC, datetime
from fractions import Fraction
from functools import lru_cache
from typing import Final

NONE: Final = "–"
_MINUS: Final = "−"
_THIN: Final = "\u202f"  # a narrow blank that does not break
_RUSSIAN: Final = {"µs": "мкс", "ms": "мс", "s": "с", "min": "мин", "h": "ч"}


class Numbers:
    """The customs of one language: decimal point or comma, and the units of time."""

    def __init__(self, lang: str) -> None:
        """``lang`` is ``"en"`` or ``"ru"``."""
        self._comma = lang == "ru"
        self._units = _RUSSIAN if self._comma else {unit: unit for unit in _RUSSIAN}

    def fixed(self, value: float | None, digits: int = 2) -> str:
        """So many digits after the point; a dash for None; no minus before a zero."""
        if value is None:
            return NONE
        text = _fixed(value, digits)
        return text.replace(".", ",") if self._comma else text

    def signed(self, value: float | None, digits: int = 2) -> str:
        """As fixed, with a plus before what is more than zero."""
        if value is None:
            return NONE
        text = _signed(value, digits)
        return text.replace(".", ",") if self._comma else text

    def percent(self, value: float | None, digits: int = 0) -> str:
        """A share, 0 to 1, in per cent."""
        return NONE if value is None else self.fixed(100 * value, digits) + "\u00a0%"

    def chance(self, value: float | None) -> str:
        """A probability in per cent; as none comes from more than some thousands of draws, it is never certain."""
        if value is None:
            return NONE
        if value < 0.01:
            return "<\u00a01\u00a0%"
        if value > 0.99:
            return ">\u00a099\u00a0%"
        return self.percent(value)

    def whole(self, value: int | None) -> str:
        """A whole number, thousands set apart."""
        if value is None:
            return NONE
        return f"{value:,}".replace(",", _THIN).replace("-", _MINUS)

    def points(self, value: int) -> str:
        """Points on a score sheet."""
        return str(value) if value >= 0 else _MINUS + str(-value)

    def chips(self, text: str) -> str:
        """An exact fraction (``"-13/2"``), with the part that is less than one as a decimal where it is one."""
        value = Fraction(text)
        if value.denominator == 1:
            return self.whole(int(value))
        return self.fixed(float(value), 1 if value.denominator == 2 else 2)

    def time(self, ms: float | None) -> str:
        """A duration in milliseconds with the unit that suits its size."""
        if ms is None:
            return NONE
        if ms < 0.995:
            return self._measured(self.fixed(ms, 2), "ms")
        if ms < 9.95:
            return self._measured(self.fixed(ms, 1), "ms")
        if ms < 999.5:
            return self._measured(self.fixed(ms, 0), "ms")
        return self.duration(ms / 1000)

    def duration(self, seconds: float) -> str:
        """Seconds as ``"3.4 s"``, ``"2:05 min"`` or ``"1:02:05 h"``."""
        if seconds < 59.95:
            return self._measured(self.fixed(seconds, 1), "s")
        minutes, rest = divmod(round(seconds), 60)
        if minutes < 60:
            return self._measured(f"{minutes}:{rest:02}", "min")
        return self._measured(f"{minutes // 60}:{minutes % 60:02}:{rest:02}", "h")

    def label(self, text: str) -> str:
        """The label of a column, ``"12 ms"`` or ``"0…3"``, in this language."""
        if not self._comma:
            return text
        figure, _, unit = text.replace(".", ",").rpartition(" ")
        return f"{figure} {self._units[unit]}" if figure else unit

    def _measured(self, figure: str, unit: str) -> str:
        return f"{figure}\u00a0{self._units[unit]}"

    def date(self, text: str) -> str:
        """``"2026-03-14 09:00 UTC"``, in Russian ``"14.03.2026 09:00 UTC"``, from ISO 8601; another text as it is."""
        try:
            when = datetime.fromisoformat(text)
        except ValueError:
            return text
        if when.tzinfo is not None:
            when = when.astimezone(UTC)
        day = f"{when:%d.%m.%Y}" if self._comma else f"{when:%Y-%m-%d}"
        return f"{day}\u00a0{when:%H:%M}\u00a0UTC"


# Both languages have the same numbers, one page after the other.
@lru_cache(maxsize=1 << 14)
def _fixed(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    if text[0] == "-":
        return _MINUS + text[1:] if text.strip("-0.") else text[1:]
    return text


@lru_cache(maxsize=1 << 14)
def _signed(value: float, digits: int) -> str:
    text = _fixed(value, digits)
    return text if value < 0 or not text.strip("0.") else "+" + text
