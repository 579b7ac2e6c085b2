"""Golden deals: one text per variant, for people to read and for `tests/rules/test_golden.py` to compare.

After a change of the rules that is meant, write them anew and read the difference:

    .venv/bin/python -m tests.golden.write
"""

import hashlib
import itertools
from collections.abc import Iterator
from pathlib import Path

from arena.rules import cards as c
from arena.rules import deck
from arena.rules.catalogue import VARIANTS
from arena.rules.catalogue import rules as rules_of
from arena.rules.deal import Ask, Deal, Question
from arena.rules.match import Match, dealer_of, places
from arena.rules.variant import Rules, Variant

HERE = Path(__file__).parent
SEED = bytes(range(32))
EVENT = deck.event_key(SEED, "golden-236", b"")  # an event with moons and with a trick that waits

HEAD = """\
# {title} · {title_ru}
#
# Deals by HEARTS-DEAL-1 (seed 00 01 02 … 1f, event `golden-236`, no public value, stream `<variant>-<players>`), and
# played by rules that anybody can repeat. Deal 0: of n answers that are legal, in the order C D S H and 2 to A, number
# SHA256("<stream> <deal> <answer>") mod n is given, answers counted from 0. Deal 1: eldest plays the highest legal card
# by rank (of equal ones the last of C D S H), the others their lowest; what is passed or laid away is the other way.
#
# Passes go from a seat to a seat. A trick shows who leads, the cards in playing order and who takes it ("waits": nobody
# yet); behind the slash the cards drawn before each card. Written by: .venv/bin/python -m tests.golden.write
"""


def games(variant: Variant) -> Iterator[Rules]:
    """Every number of players at the defaults, then every other value of each option."""
    for players in variant.players:
        yield rules_of(variant.name, players)
    for option in variant.options:
        for value in option.choices or (3,):
            if value != option.default:
                players = next(one for one in variant.players if one % 2 == 0)
                yield rules_of(variant.name, players, {option.name: value})


def chosen(rules: Rules, deal: Deal, question: Question, step: int) -> tuple[int, ...]:
    """The answer that the rules in the head of the file give."""
    if deal.number:
        ranked = sorted(c.faces_of(question.legal), key=c.rank_order)
        high = (question.seat == deal.eldest) == (question.ask is Ask.PLAY)
        return tuple(ranked[-question.number :] if high else ranked[: question.number])
    ways = list(itertools.combinations(c.faces_of(question.legal), question.number))
    said = f"{rules.name}-{rules.players} {deal.number} {step}"
    return ways[int.from_bytes(hashlib.sha256(said.encode()).digest(), "big") % len(ways)]


def told(rules: Rules, number: int, match: Match) -> Iterator[str]:
    """One deal of a match, line by line."""
    key = deck.deal_key(EVENT, f"{rules.name}-{rules.players}", number)
    dealt = deck.dealt(key, rules, dealer_of(number, rules.players))
    deal = Deal(rules, number, dealt.dealer, dealt.hands, dealt.rest)
    yield f"deal {number}, dealer {deal.dealer}"
    for seat, hand in enumerate(deal.hands):
        yield f"  hand {seat}   {c.text(c.faces_of(hand))}"
    if deal.rest:
        yield f"  rest     {c.text(deal.rest)}"
    shown = 0
    for step in itertools.count():
        if deal.complete:
            break
        question = deal.pending()[0]
        answer = chosen(rules, deal, question, step)
        deal.answer(question.seat, answer)
        if question.ask is Ask.PASS:
            receiver = rules.passing.direction(number).receiver(question.seat, rules.players)
            yield f"  pass     {question.seat} > {receiver}  {c.text(answer)}"
        if question.ask is Ask.DISCARD:
            yield f"  discard  {question.seat}  {c.text(answer)}"
        for trick in deal.tricks[shown:]:
            shown += 1
            to = "waits" if trick.winner is None else f"to {trick.winner}"
            drawn = f"  / {' '.join(map(str, trick.drawn))}" if any(trick.drawn) else ""
            yield f"  trick {shown:<2} {trick.leader}: {c.text(trick.cards)}  {to}{drawn}"
    points, moon = deal.scores()
    chips = match.enter(points)
    yield f"  points   {' '.join(map(str, points))}" + ("" if moon is None else f"  (moon of {moon})")
    if any(chips) or match.pot:
        yield f"  chips    {' '.join(map(str, chips))}  pot {match.pot}"


def text_of(variant: Variant) -> str:
    """The whole file of a variant."""
    lines = [HEAD.format(title=variant.title, title_ru=variant.title_ru)]
    for rules in games(variant):
        defaults = {option.name: option.default for option in variant.options}
        options = [f"{key} = {value}" for key, value in rules.options.items() if value != defaults[key]]
        lines.append(f"== {', '.join([variant.name, f'{rules.players} players', *options])}")
        match = Match(rules, max_deals=2)
        while not match.end:
            lines += told(rules, match.deals, match)
        lines.append(f"totals {' '.join(map(str, match.totals))}, places {' '.join(map(str, places(match.totals)))}")
        if any(match.chips):
            lines.append(f"chips with the pot's sharing {' '.join(map(str, match.chips))}")
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Write every file anew."""
    for variant in VARIANTS.values():
        (HERE / f"{variant.name}.txt").write_text(text_of(variant), encoding="utf-8")


if __name__ == "__main__":
    main()
