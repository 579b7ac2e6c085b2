"""What the replayer's page tells its script beside the deals."""

from typing import Final

from markupsafe import Markup

from reports.exports import escaped
from reports.facts import Facts
from reports.names import short, shown
from reports.paths import SHARD, LeaguePaths, link, shard
from reports.words import Words

SENTENCES: Final = (
    "Match {match}, deal {deal}",
    "The cards as they were dealt. Dealer: {name}.",
    "Everybody has chosen the cards to pass.",
    "The passed cards have arrived.",
    "Trick {trick}: {name} plays {card}.",
    "Trick {trick}: {name} leads {card}.",
    "{name} wins the trick: {points}.",
    "All cards of the suit led cancel each other; the trick waits.",
    "{name} draws {cards} from the stock.",
    "{name} takes the widow.",
    "{name} lays away {cards}.",
    "{name} keeps the last hand and takes the stock.",
    "The deal is over.",
    "The deal was stopped: revoke of {name}.",
    "{name} shot the moon.",
    "open",
    "only {name}",
    "Deal {deal}",
    "match {match}",
    "Stock",
    "Widow",
    "Kitty",
    "Waiting",
    "Laid away",
    "hearts not open yet",
    "hearts are open",
    "dealer",
    "to play",
    "{cards} in hand",
    "{tricks} taken",
    "{points} p.",
    "waits",
    "No deal of this address is published. Choose a match that has finished at all tables of its deals.",
    "The deals could not be loaded: {file} is missing.",
    "clubs",
    "diamonds",
    "spades",
    "hearts",
)
"""What the script says; it fills in the names in braces."""


def replay_page(facts: Facts, paths: LeaguePaths, words: Words) -> Markup:
    """JSON for the page: names, sentences, addresses. Nothing in it can end the script element."""
    path = paths.replay
    rest = facts.rules.variant.rest.name.lower()
    said = {
        "names": [shown(entrant.name) for entrant in facts.entrants],
        "short": [short(entrant.name, 14) for entrant in facts.entrants],
        "shard": SHARD,
        "shards": link(path, shard(facts.league.id, 0)).removesuffix("0.js"),
        "match": link(path, paths.match(0)).removesuffix("0.html"),
        "published": _ranges(sorted(facts.published)),
        "rest": rest,
        "points": [facts.rules.points[face] for face in range(52)],
        "say": {text: str(words.raw(text)) for text in SENTENCES},
    }
    return Markup(escaped(said))  # noqa: S704  escaped in its own way: < > & are written as \u003c …


def _ranges(numbers: list[int]) -> list[list[int]]:
    """Ascending numbers as ``[[first, last], …]``."""
    found: list[list[int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found
