"""The rulebook read slowly: a second implementation to compare the engine with.

It is written game by game from the clauses, with lists of card names and no masks, no axes and no speed, so that it
shares no idea, and hopefully no mistake, with `arena.rules`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

RANKS = "23456789TJQKA"
HEART_VALUES = {rank: value for value, rank in enumerate(RANKS, 2)}


def is_penalty(card: str) -> bool:
    """C4's cards."""
    return card[1] == "H" or card == "QS"


@dataclass
class Plain:
    """A deal under way. Seats act in any order while passing, else `turn` says who."""

    game: str
    options: Mapping[str, object]
    number: int
    dealer: int
    hands: list[list[str]]
    rest: list[str]
    asked: str = "play"  # "pass", "play", "discard" or "" at the end
    turn: int = -1
    passed: dict[int, list[str]] = field(default_factory=dict)
    trick: list[tuple[int, str]] = field(default_factory=list)
    tricks: list[tuple[list[tuple[int, str]], int | None]] = field(default_factory=list)  # cards, winner
    order: list[int] = field(default_factory=list)
    drawn: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    taken: list[list[str]] = field(default_factory=list)
    discards: list[str] = field(default_factory=list)
    discarder: int | None = None
    picked: int = 0

    def __post_init__(self) -> None:
        self.players = len(self.hands)
        self.taken = [[] for _ in self.hands]
        self.dealt = [card for hand in self.hands for card in hand] + self.rest
        if self.pass_offset():
            self.asked = "pass"
        else:
            self.start()

    # --- passing

    def pass_count(self) -> int:
        return 2 if self.game == "black-lady" and self.players >= 6 else 3

    def pass_offset(self) -> int:
        """How many seats to the left cards go; 0: they do not."""
        left, right, across = 1, self.players - 1, self.players // 2
        if self.game in ("greek", "omnibus"):
            return right
        if self.game == "classic":
            cycle = {2: [1, 0], 3: [left, right, 0], 4: [left, right, across, 0]}[self.players]
            return cycle[self.number % len(cycle)]
        if self.game == "black-lady":
            if self.options["pass"] == "right-across":
                return across if self.number % 2 else right
            return left if self.options["pass"] == "left" else right
        return 0

    def give(self, seat: int, cards: list[str]) -> None:
        self.passed[seat] = cards
        if len(self.passed) == self.players:
            for giver, gift in self.passed.items():
                for card in gift:
                    self.hands[giver].remove(card)
            for giver, gift in self.passed.items():
                self.hands[(giver + self.pass_offset()) % self.players] += gift
            self.start()

    # --- who plays what

    def lowest_club(self) -> str | None:
        clubs = [card for card in self.dealt if card[1] == "C"]
        if self.game != "classic" or not clubs:
            return None
        return min(clubs, key=lambda card: RANKS.index(card[0]))

    def start(self) -> None:
        leader = (self.dealer + 1) % self.players
        club = self.lowest_club()
        if club:
            leader = next(seat for seat in range(self.players) if club in self.hands[seat])
        self.lead(leader)

    def lead(self, leader: int) -> None:
        self.asked = "play"
        clockwise = [(leader + step) % self.players for step in range(self.players)]
        self.order = [seat for seat in clockwise if self.hands[seat]]
        self.turn = self.order[0]
        self.trick = []
        self.drawn = []

    def hearts_closed(self) -> bool:
        if self.game == "classic":
            queen_too = self.options["queen_breaks_hearts"]
            played = [card for cards, _ in [*self.tricks, (self.trick, None)] for _, card in cards]
            return not any(card[1] == "H" or (queen_too and card == "QS") for card in played)
        if self.game in ("black-lady", "no-queen"):
            first = self.options["hearts_from_trick"]
            return isinstance(first, int) and len(self.tricks) + 1 < first
        return False

    def barred(self) -> bool:
        """Whether C4 is in force."""
        return self.game == "classic" and not self.tricks and self.options["first_trick_penalties"] == "forbidden"

    def legal(self) -> list[str]:
        hand = self.hands[self.turn]
        if not self.trick:
            club = self.lowest_club()
            if club and not self.tricks:
                return [club]
            allowed = [card for card in hand if not (card[1] == "H" and self.hearts_closed())] or hand
        else:
            suit = self.trick[0][1][1]
            allowed = [card for card in hand if card[1] == suit]
            if not allowed and self.game == "black-lady" and self.options["must_discard_queen"] and "QS" in hand:
                return ["QS"]
            allowed = allowed or hand
        if self.barred():
            allowed = [card for card in allowed if not is_penalty(card)] or allowed
        return allowed

    def clause(self, card: str) -> str:
        """The clause that names why a card in hand may not be played."""
        hand = self.hands[self.turn]
        if not self.trick:
            if not self.tricks and self.lowest_club():
                return "C3"
            if card[1] == "H" and self.hearts_closed() and any(other[1] != "H" for other in hand):
                return "C5" if self.game == "classic" else "B5"
            return "C4"
        suit = self.trick[0][1][1]
        if card[1] != suit and any(other[1] == suit for other in hand):
            return "D2" if self.drawn else "G4"
        return "B4" if self.game == "black-lady" and not any(other[1] == suit for other in hand) else "C4"

    def play(self, card: str) -> None:
        self.hands[self.turn].remove(card)
        self.trick.append((self.turn, card))
        self.drawn = []
        if len(self.trick) == len(self.order):
            self.end_trick()
            return
        self.turn = self.order[len(self.trick)]
        if self.game == "domino":
            suit = self.trick[0][1][1]
            while self.rest and not any(own[1] == suit for own in self.hands[self.turn]):
                self.drawn.append(self.rest.pop(0))
                self.hands[self.turn].append(self.drawn[-1])

    # --- who takes what

    def winner(self) -> int | None:
        cards = [card for _, card in self.trick]
        led = [card for card in cards if card[1] == cards[0][1]]
        if self.game == "cancellation":
            led = [card for card in led if cards.count(card) == 1]
        if not led:
            return None
        best = max(led, key=lambda card: RANKS.index(card[0]))
        return next(seat for seat, card in self.trick if card == best)

    def end_trick(self) -> None:
        winner = self.winner()
        over = not any(self.hands)
        if winner is None and over:
            winner = self.order[0]
        self.tricks.append((self.trick, winner))
        self.waiting += [card for _, card in self.trick]
        self.trick = []
        if winner is not None:
            self.taken[winner] += self.waiting
            self.waiting = []
            if self.game in ("black-lady", "no-queen", "cancellation"):  # the kitty
                self.taken[winner] += self.rest
                self.rest = []
        if self.game == "domino":
            self.end_domino_trick(winner)
        elif self.game == "widow" and self.rest and winner is not None:
            self.hands[winner] += self.rest
            self.picked, self.rest = len(self.rest), []
            self.asked, self.turn, self.discarder = "discard", winner, winner
        elif over:
            self.asked, self.turn = "", -1
        else:
            self.lead(self.order[0] if winner is None else winner)

    def end_domino_trick(self, winner: int | None) -> None:
        assert winner is not None
        active = [seat for seat in range(self.players) if self.hands[seat]]
        if len(active) >= 2:
            self.lead(winner)
            return
        last = active[0] if active else winner
        self.taken[last] += self.hands[last] + self.rest
        self.hands[last], self.rest = [], []
        self.asked, self.turn = "", -1

    def lay_away(self, cards: list[str]) -> None:
        seat = self.turn
        for card in cards:
            self.hands[seat].remove(card)
        self.discards = cards
        if any(self.hands):
            self.lead(seat)
        else:
            self.asked, self.turn = "", -1

    # --- what it costs

    def value(self, card: str) -> int:
        if card[1] == "H":
            return HEART_VALUES[card[0]] if self.game == "spot" else 1
        if card == "QS":
            return 0 if self.game in ("spot", "domino", "no-queen") else 13
        if card == "TD" and self.game == "omnibus":
            return -10
        if card == "JD" and self.options.get("jack_of_diamonds"):
            return -11
        return 0

    def raw(self) -> list[int]:
        """The card points, before moons."""
        points = [sum(map(self.value, cards)) for cards in self.taken]
        if self.options.get("discards_count") == "taker" and self.discarder is not None:
            points[self.discarder] += sum(map(self.value, self.discards))
        return points

    def shooter(self) -> int | None:
        wanted = {card for card in self.dealt if is_penalty(card)}
        if not wanted or self.game not in ("greek", "omnibus", "classic"):
            return None
        if self.game == "omnibus":
            wanted.add("TD")
        return next((seat for seat, cards in enumerate(self.taken) if wanted <= set(cards)), None)

    def points(self) -> list[int]:
        points, shooter = self.raw(), self.shooter()
        if shooter is None:
            return points
        others = self.players - 1
        own, each = {"greek": (-26 * others, 26), "omnibus": (-26, 0), "classic": (0, 26)}[self.game]
        jack = [-11 if self.options.get("jack_of_diamonds") and "JD" in cards else 0 for cards in self.taken]
        return [(own if seat == shooter else each) + jack[seat] for seat in range(self.players)]

    def chips(self, points: list[int], pot: int) -> tuple[list[Fraction], int]:
        """What each seat receives, and the pot afterwards."""
        players, total = self.players, sum(points)
        how = self.options.get("settlement")
        if how == "average":
            return [Fraction(total, players) - own for own in points], pot
        if how == "howell":
            return [Fraction(-own * (players - 1) + (total - own)) for own in points], pot
        chips = [Fraction(0)] * players
        if how in ("pot", "sweepstake"):
            chips = [Fraction(-own) for own in points]
            pot += total
            best = min(points) if how == "pot" else 0
            winners = [seat for seat, own in enumerate(points) if own == best]
            for seat in winners:
                chips[seat] += pot // len(winners)
            if winners:
                pot %= len(winners)
        return chips, pot
