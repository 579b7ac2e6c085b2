"""Cells that a long league has a million of. A template takes ten times as long to put them together."""

from markupsafe import Markup

from reports.match_page import Line
from reports.names import short
from reports.numbers import Numbers
from reports.stream_page import Row
from reports.words import Words, bdi


class Rows:
    """The cells in one language."""

    def __init__(self, lang: str) -> None:
        """``lang`` is ``"en"`` or ``"ru"``."""
        self._numbers = Numbers(lang)
        words = Words(lang)
        self._shot = f'<span class="moon" title="{words.say("shot the moon")}">☾</span> '
        self._revoke = f'<span class="moon" title="{words.say("stopped the deal by a revoke")}">✕</span> '
        self._moon = f' <span class="moon" title="{words.say("Moon")}">☾</span>'

    def score(self, line: Line) -> Markup:
        """A deal of the score sheet: two cells a seat, its points and the total after it."""
        points, fixed = self._numbers.points, self._numbers.fixed
        most = max([cell.points for cell in line.cells])
        best = min([cell.total for cell in line.cells])
        made = []
        for seat, cell in enumerate(line.cells):
            kind = " most" if cell.points == most and most > 0 else " zero" if cell.points <= 0 else ""
            marks = (self._shot if line.moon == seat else "") + (self._revoke if line.stopped == seat else "")
            mean = "" if cell.elsewhere is None else f'<span class="sub hide-narrow">{fixed(cell.elsewhere, 1)}</span>'
            made.append(
                f'<td class="points{kind}">{marks}{points(cell.points)}{mean}</td>'
                f'<td class="total{" best" if cell.total == best else ""}">{points(cell.total)}</td>'
            )
        return Markup("".join(made))  # noqa: S704  numbers, and words that are escaped

    def compared(self, row: Row) -> Markup:
        """A table's deal among those with the same cards: a cell a seat."""
        points, signed = self._numbers.points, self._numbers.signed
        made = []
        for number, seat in enumerate(row.seats):
            moon = self._moon if row.moon == number else ""
            difference = seat.difference
            than = ""
            if difference is not None:
                side = "less" if difference < 0 else "more" if difference > 0 else ""
                than = f' <span class="{side}">{signed(difference, 1)}</span>'
            name = bdi(short(seat.name))
            made.append(f'<td><strong>{points(seat.points)}</strong>{moon}{than}<span class="sub">{name}</span></td>')
        return Markup("".join(made))  # noqa: S704  numbers, and words and names that are escaped
