"""Cells that a long league has a million of. A template takes ten times as long to put them together."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from markupsafe import Markup, escape

from reports.bot_page import Opponent, Played
from reports.charts import Bar, Race
from reports.cross_page import Cell
from reports.match_page import Line
from reports.names import LONG, short, shown
from reports.numbers import NONE, Numbers
from reports.stream_page import Row
from reports.table import Entry
from reports.words import Words, bdi

IN_CHART: Final = 12  # characters of a name at the end of a line
FOLDED: Final = 12  # more links than these are shown on demand


class Rows:
    """The cells in one language."""

    def __init__(self, lang: str) -> None:
        """``lang`` is ``"en"`` or ``"ru"``."""
        self._numbers = Numbers(lang)
        self._words = words = Words(lang)
        self._moons = words.say("Moons")
        self._shot = f'<span class="moon" title="{words.say("shot the moon")}">☾</span> '
        self._revoke = f'<span class="moon" title="{words.say("stopped the deal by a revoke")}">✕</span> '
        self._moon = f' <span class="moon" title="{words.say("Moon")}">☾</span>'

    def race(self, chart: Race, names: Sequence[str]) -> Markup:
        """What is inside the drawing of a race: marks, the target, and a line a seat with its total and name."""
        points = self._numbers.points
        across = f'x1="{chart.left}" x2="{chart.right}"'
        made = [
            f'<line class="grid" {across} y1="{tick.at}" y2="{tick.at}"/>'
            f'<text x="{chart.left - 6}" y="{tick.at + 4}" text-anchor="end">{points(int(tick.value))}</text>'
            for tick in chart.across
        ]
        low = chart.bottom + 18
        made += [f'<text x="{tick.at}" y="{low}" text-anchor="middle">{int(tick.value)}</text>' for tick in chart.along]
        made.append(f'<line class="target" {across} y1="{chart.target}" y2="{chart.target}"/>')
        for line in chart.lines:
            colour = line.seat % 10
            label = (
                f'{points(line.total)}<tspan class="hide-narrow"> {escape(short(names[line.seat], IN_CHART))}</tspan>'
            )
            made.append(
                f'<polyline class="k{colour} d{line.seat % 5}" points="{line.path}"/>'
                f'<path class="dots k{colour}" d="{line.dots}"/>'
                f'<text class="name f{colour}" x="{chart.right + 10}" y="{line.label_y + 4}">{label}</text>'
            )
        return Markup("\n".join(made))  # noqa: S704  numbers, and names that are escaped

    def legend(self, chart: Race, names: Sequence[str]) -> Markup:
        """The seats of a race with their whole names; a wide screen needs it only where the drawing cuts one."""
        points = self._numbers.points
        made = [
            '<li><svg class="key" viewBox="0 0 10 10" aria-hidden="true">'
            f'<circle class="f{line.seat % 10}" cx="5" cy="5" r="5"/></svg>'
            f"<strong>{points(line.total)}</strong> {bdi(names[line.seat])}</li>"
            for line in chart.lines
        ]
        whole = all(len(shown(name)) <= IN_CHART for name in names)
        kind = "legend only-narrow" if whole else "legend"
        return Markup(f'<ul class="{kind}">{"".join(made)}</ul>')  # noqa: S704  numbers, and names that are escaped

    def bars(self, bars: Sequence[Bar]) -> Markup:
        """The columns of a histogram."""
        whole, label = self._numbers.whole, self._numbers.label
        made = [
            f'<rect x="{bar.x}" y="{bar.y}" width="{bar.width}" height="{bar.height}">'
            f"<title>{escape(label(bar.label))}: {whole(bar.count)}</title></rect>"
            for bar in bars
        ]
        return Markup("".join(made))  # noqa: S704  numbers, and labels that are escaped

    def labels(self, bars: Sequence[Bar], every: int) -> Markup:
        """What stands under them: under the first, and so many further on."""
        label = self._numbers.label
        made = [f"<span>{'' if at % every else escape(label(bar.label))}</span>" for at, bar in enumerate(bars)]
        return Markup("".join(made))  # noqa: S704  labels that are escaped

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

    def cross(self, row: Sequence[Cell], entries: Sequence[Entry], page: str) -> Markup:
        """A bot against all others; ``page`` is the address of its own, where the matches behind a cell are."""
        signed = self._numbers.signed
        made = []
        for cell, other in zip(row, entries, strict=True):
            duel = cell.duel
            if cell.itself:
                made.append('<td class="self"></td>')
            elif duel is None:
                made.append(f'<td><span class="soft">{NONE}</span></td>')
            else:
                shade = f' class="{cell.shade}"' if cell.shade else ""
                made.append(
                    f'<td{shade}><a href="{page}#vs-{other.entrant}">{signed(duel.difference.value, 2)}'
                    f'<span class="sub">{duel.matches}</span></a></td>'
                )
        return Markup("\n".join(made))  # noqa: S704  numbers and addresses of our own

    def opponents(self, opponents: Sequence[Opponent], bot: str, match: str) -> Markup:
        """A row an opponent; ``bot`` and ``match`` are the addresses of the first one's page."""
        signed, whole, count = self._numbers.signed, self._numbers.whole, self._words.count
        bots, matches = bot.removesuffix("0.html"), match.removesuffix("0.html")
        made = []
        for one in opponents:
            duel = one.duel
            value, interval = duel.difference.value, duel.difference.interval
            bounds = NONE if interval is None else f"{signed(interval.low, 2)} … {signed(interval.high, 2)}"
            links = _links(matches, one.matches)
            if len(one.matches) > FOLDED:
                links = f"<details><summary>{count(len(one.matches), 'match')}</summary>{links}</details>"
            made.append(
                f'<tr id="vs-{one.entrant}"><th scope="row" class="wide"><a href="{bots}{one.entrant}.html">'
                f"{bdi(one.name)}</a></th>\n"
                f'<td data-v="{value}">{signed(value, 3)}</td><td>{bounds}</td>'
                f'<td data-v="{duel.matches}">{whole(duel.matches)}</td>\n'
                f'<td class="left wide numbers">{links}</td></tr>'
            )
        return Markup("\n".join(made))  # noqa: S704  numbers and addresses of our own, and names that are escaped

    def played(self, rows: Sequence[Played], match: str) -> Markup:
        """A row a match of a bot; ``match`` is the address of the first match's page."""
        points, matches = self._numbers.points, match.removesuffix("0.html")
        made = []
        for one in rows:
            moons = f' <span class="moon" title="{self._moons}">{"☾" * one.moons}</span>' if one.moons else ""
            made.append(
                f'<tr><th scope="row"><a href="{matches}{one.match}.html">{one.match + 1}</a></th><td>{one.place}</td>'
                f"<td>{points(one.points)}{moons}</td><td>{one.seat + 1}</td><td>{one.deals}</td>"
                f'<td class="left wide">{_placed(one.others)}</td></tr>'
            )
        return Markup("\n".join(made))  # noqa: S704  numbers, and names and words that are escaped

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


# Both languages have these, one page after the other.
@lru_cache(maxsize=1 << 12)
def _links(address: str, matches: tuple[int, ...]) -> str:
    return " ".join([f'<a href="{address}{number}.html">{number + 1}</a>' for number in matches])


@lru_cache(maxsize=1 << 12)
def _placed(others: tuple[tuple[int, str, int], ...]) -> str:
    return " · ".join(
        [f'<span class="soft">{place}.</span>&nbsp;{bdi(short(name, LONG))}' for _, name, place in others]
    )
