"""The standings for spreadsheets and programs. What varies from run to run comes last, under names of its own."""

import csv
import io
import json
from typing import Any, Final

from arena.stats.intervals import Estimate
from reports.facts import Facts
from reports.names import cell
from reports.table import Entry, Table

FORMAT: Final = "hearts-arena/standings@1"
TIMES: Final = ("thinking_mean_ms", "thinking_p50_ms", "thinking_p99_ms", "thinking_max_ms")


def as_json(facts: Facts, table: Table) -> str:
    """One object; names are exact, escaped as JSON escapes them, and nothing in it could end a script."""
    league = facts.league
    said = {
        "format": FORMAT,
        "league": league.name,
        "variant": league.variant,
        "options": dict(league.options),
        "seats": league.seats,
        "target": league.target,
        "max_deals": league.max_deals,
        "ranking": league.ranking,
        "matches": len(facts.results),
        "matches_planned": len(facts.fixtures),
        "matches_counted": table.counted,
        "streams": table.streams,
        "standings": [{"bot": entry.name, **_numbers(entry)} for entry in table.entries],
        "times": {
            "finished_at": league.finished_at,
            "thinking": [{"bot": entry.name, **_times(entry)} for entry in table.entries],
        },
    }
    return escaped(said, indent=1) + "\n"


def as_csv(table: Table) -> str:
    """A line a bot; a name that a spreadsheet would take for a formula has an apostrophe before it.

    Texts are quoted: where semicolons part the cells, a name does not become several. Chips are a decimal fraction,
    which nothing takes for a date.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n", quoting=csv.QUOTE_NONNUMERIC)
    for row, entry in enumerate(table.entries):
        chips = _rounded(float(entry.standing.chips))
        line = {"bot": cell(entry.name), **_numbers(entry), "chips": chips, **_times(entry)}
        if row == 0:
            writer.writerow(line)
        writer.writerow("" if value is None else value for value in line.values())
    return out.getvalue()


def escaped(value: object, indent: int | None = None) -> str:
    """JSON in ASCII without ``<``, ``>`` and ``&``: the same wherever it is put."""
    separators = None if indent else (",", ":")
    text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=True, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _numbers(entry: Entry) -> dict[str, Any]:
    one = entry.standing
    counts = one.matches > 0
    return {
        "rank": one.rank,
        "rank_low": one.ranks and one.ranks.low,
        "rank_high": one.ranks and one.ranks.high,
        "first_chance": one.ranks and _rounded(one.ranks.first),
        "tier": one.tier,
        **_estimate("placement", one.placement, counts),
        **_estimate("points_per_deal", one.points_per_deal, counts),
        **_estimate("wins", one.wins, counts),
        "strength": _rounded(one.strength),
        "matches": one.matches,
        "matches_played": entry.played,
        "matches_planned": entry.planned,
        "deals": one.deals,
        "moons": one.moons,
        "moons_suffered": one.moons_suffered,
        "chips": str(one.chips),
        "faults": one.faults,
        "forfeits": one.forfeits,
    }


def _times(entry: Entry) -> dict[str, float | None]:
    thinking = entry.standing.thinking
    values = (
        thinking.mean_s,
        thinking.quantile(0.5),
        thinking.quantile(0.99),
        thinking.max_s if thinking.count else None,
    )
    return {name: None if value is None else _rounded(1000 * value) for name, value in zip(TIMES, values, strict=True)}


def _estimate(name: str, estimate: Estimate, counts: bool) -> dict[str, float | None]:
    interval = estimate.interval
    return {
        name: _rounded(estimate.value) if counts else None,
        f"{name}_low": None if interval is None else _rounded(interval.low),
        f"{name}_high": None if interval is None else _rounded(interval.high),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6) + 0.0
