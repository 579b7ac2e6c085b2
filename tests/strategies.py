"""Every strategy of the tests, and the games, deals and positions that they draw from.

Hypothesis draws small numbers (which game, which seed, how many steps); the cards follow from the seed, so that an
example costs a deal and not a hundred draws. Positions of a few cards are drawn card by card and shrink well.
"""

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from arena.rules import cards as c
from arena.rules import deck
from arena.rules.cards import Card, Cards
from arena.rules.catalogue import VARIANTS
from arena.rules.catalogue import rules as rules_of
from arena.rules.deal import Ask, Deal, Question
from arena.rules.match import dealer_of
from arena.rules.variant import OptionValue, Rest, Rules

PROFILE: Final = settings(
    derandomize=True,
    print_blob=True,
    database=None,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
"""The same examples in every run. A test that wants more of them says ``settings(PROFILE, max_examples=…)``."""


def _games() -> Iterator[Rules]:
    for variant in VARIANTS.values():
        names = [option.name for option in variant.options]
        choices = [option.choices or (None, 1, 3) for option in variant.options]
        for players in variant.players:
            for values in itertools.product(*choices):
                odd_ones = [option.even_players_only for option in variant.options]
                if players % 2 and any(value in odd for value, odd in zip(values, odd_ones, strict=True)):
                    continue
                yield rules_of(variant.name, players, dict(zip(names, values, strict=True)))


GAMES: Final[tuple[Rules, ...]] = tuple(_games())
"""Every variant with every number of players and every combination of options."""

TABLES: Final[tuple[Rules, ...]] = tuple(
    rules_of(variant.name, players) for variant in VARIANTS.values() for players in variant.players
)
"""Every variant with every number of players, all options at their defaults."""


def label(rules: Rules) -> str:
    """How a game is called in the ids of tests: what differs from its defaults is named."""
    defaults = {option.name: option.default for option in rules.variant.options}
    said = [f"{key}={value}" for key, value in rules.options.items() if value != defaults[key]]
    return " ".join([f"{rules.name}-{rules.players}", *said])


# --- Deals ------------------------------------------------------------------------------------------------------


def fresh(rules: Rules, seed: int, number: int = 0) -> Deal:
    """Deal ``number`` of a match, its cards from the seed."""
    cards = deck.dealt(seed.to_bytes(32, "big"), rules, dealer_of(number, rules.players))
    return Deal(rules, number, cards.dealer, cards.hands, cards.rest)


MANNERS: Final = ("random", "low", "high", "one takes all", "dear first")
"""How the seats play: at random; low or high cards; seat 0 takes what it can while the others duck; points first."""


def choice(manner: str, rng: random.Random, rules: Rules, question: Question) -> tuple[Card, ...]:
    """Faces that answer the question in that manner."""
    legal = list(c.cards_of(question.legal))
    rng.shuffle(legal)
    high = manner == "high" or (manner == "one takes all") == (question.seat == 0)
    if manner == "dear first":
        legal.sort(key=lambda card: -rules.points[card])
    elif manner != "random":
        legal.sort(key=lambda card: card % 13, reverse=high != (question.ask is not Ask.PLAY))
    return tuple(card % c.FACES for card in legal[: question.number])


def walk(deal: Deal, manner: str, seed: int) -> Iterator[Question]:
    """Play the deal to its end; before each answer the question that will be answered, in some order of seats."""
    rng = random.Random(seed)
    while not deal.complete:
        question = rng.choice(deal.pending())
        yield question
        deal.answer(question.seat, choice(manner, rng, deal.rules, question))


def walked(deal: Deal, manner: str, seed: int, steps: int | None = None) -> Deal:
    """The deal after so many answers, or at its end."""
    for _ in itertools.islice(walk(deal, manner, seed), None if steps is None else steps + 1):
        pass
    return deal


@dataclass(frozen=True)
class Run:
    """A deal, how it is played and where to stop: what a property is claimed about."""

    deal: Deal = field(repr=False)  # before anything was answered
    game: str
    hands: tuple[str, ...]
    rest: str
    number: int
    dealer: int
    manner: str
    seed: int
    constructed: bool
    steps: int

    @property
    def rules(self) -> Rules:
        """The rules that are played."""
        return self.deal.rules

    def at_the_start(self) -> Deal:
        """A deal of its own, nothing answered."""
        return self.deal.copy()

    def stopped(self) -> Deal:
        """The deal after `steps` answers, or at its end if that comes first."""
        return walked(self.at_the_start(), self.manner, self.seed, self.steps)

    def finished(self) -> Deal:
        """The deal at its end."""
        return walked(self.at_the_start(), self.manner, self.seed)


def _run(deal: Deal, manner: str, seed: int, steps: int, *, constructed: bool) -> Run:
    hands = tuple(c.text(c.faces_of(hand)) for hand in deal.first_hands)
    rest = c.text(deal.first_rest)
    return Run(
        deal, label(deal.rules), hands, rest, deal.number, deal.dealer, manner, seed, constructed=constructed,
        steps=steps,
    )  # fmt: skip


# --- Strategies -------------------------------------------------------------------------------------------------

games = st.sampled_from(list(VARIANTS)).flatmap(
    lambda name: st.sampled_from([one for one in GAMES if one.name == name])
)
seeds = st.integers(0, 2**64 - 1)
manners = st.sampled_from(MANNERS)


@st.composite
def runs(draw: st.DrawFn, of: st.SearchStrategy[Rules] = games) -> Run:
    """Whole deals of any game, stopped anywhere."""
    rules, seed, number = draw(of), draw(seeds), draw(st.integers(0, 5))
    steps = draw(st.integers(0, len(rules.pack) + 2 * rules.players))
    return _run(fresh(rules, seed, number), draw(manners), seed, steps, constructed=False)


def _masks(faces: Sequence[Card]) -> tuple[Card, ...]:
    """The cards of these faces, the second of a face from the second pack."""
    seen: set[Card] = set()
    found = []
    for face in faces:
        found.append(face + c.FACES if face in seen else face)
        seen.add(face)
    return tuple(found)


@st.composite
def positions(draw: st.DrawFn, of: st.SearchStrategy[Rules] = games) -> Run:
    """Constructed deals of a few cards a seat, rich in twins, voids, hearts and queens."""
    rules = draw(of)
    variant, players = rules.variant, rules.players
    number, dealer = draw(st.integers(0, 5)), draw(st.integers(0, players - 1))
    passing = rules.passing.count and rules.passing.direction(number).receiver(0, players)
    least = rules.passing.count if passing else 1
    size = draw(st.integers(least, max(least, min(4, 52 // players))))
    sizes = [size] * players
    if variant.rest is Rest.STOCK:
        sizes = draw(st.lists(st.integers(1, 4), min_size=players, max_size=players))
    rest = draw(st.integers(0, 5)) if variant.rest is not Rest.NONE else 0
    need = sum(sizes) + rest
    packs = 2 if rules.pack[-1] >= c.FACES else 1
    # Few suits make voids and twins likely; all cards of some suits, and then as many as are needed.
    suits = draw(st.permutations(range(4)))
    pool = [13 * suit + rank for suit in suits for rank in range(13) for _ in range(packs)]
    pool = pool[: max(need, draw(st.integers(need, len(pool))))]
    order = list(pool)
    random.Random(draw(seeds)).shuffle(order)
    cards = _masks(order[:need])
    hands: list[Cards] = []
    for one in sizes:
        hands.append(c.mask(cards[:one]))
        cards = cards[one:]
    deal = Deal(rules, number, dealer, hands, cards)
    return _run(deal, draw(manners), draw(seeds), draw(st.integers(0, need + players)), constructed=True)


def options_of(variant: str) -> st.SearchStrategy[dict[str, OptionValue]]:
    """Some of a variant's options, each with one of its values."""
    choices = {option.name: st.sampled_from(option.choices or (None, 1, 2, 13)) for option in VARIANTS[variant].options}
    return st.fixed_dictionaries({}, optional=choices)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 60) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
"""Any small JSON value."""
