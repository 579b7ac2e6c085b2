"""Rules to protobuf and back, and proofs: the pieces that the arena and the kit share. `encoder` has the hot path.

A card on the wire is its face plus one. What comes from a bot is data: nothing here raises for its content.
"""

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from arena.clock import Clock
from arena.rules import catalogue
from arena.rules.cards import FACES, PACK, Card, Cards, faces_of
from arena.rules.deal import Ask
from arena.rules.match import Match
from arena.rules.settle import Settlement
from arena.rules.tricks import Trick
from arena.rules.variant import Rules
from arena.rules.view import View
from arena.seat import Reason, Rejection, Request
from arena.v1 import arena_pb2 as pb

VERSIONS: Final = (1, 1)
"""The oldest and the newest version of the protocol that this side speaks."""

SERVICE: Final = "arena.v1.ArenaService"
METHOD: Final = f"/{SERVICE}/Play"
SUBMIT_METHOD: Final = f"/{SERVICE}/Submit"
STATUS_METHOD: Final = f"/{SERVICE}/Status"
BOT_SERVICE: Final = "arena.v1.BotService"
BOT_METHOD: Final = f"/{BOT_SERVICE}/Play"
NONCE_KEY: Final = "arena-nonce"  # in the metadata of a call that the arena makes: hexadecimal
INSTANCE_KEY: Final = "arena-instance"  # the same, of any text: which arena it is, for as long as it runs
NONCE_BYTES: Final = range(16, 65)  # how long a nonce may be
HELLO_PROOF: Final = b"hearts-arena/hello"
WELCOME_PROOF: Final = b"hearts-arena/welcome"
FRAME_LIMIT: Final = 64 * 1024  # bytes of a BotFrame
MESSAGES_LIMIT: Final = 1024  # messages of a BotFrame
THOUGHT_LIMIT_US: Final = 24 * 60 * 60 * 10**6  # of Answer.thought_us; above, it says nothing
TABLES_LIMIT: Final = 1024
SOFTWARE_LIMIT: Final = 64  # characters

ASKS: Final[Mapping[Ask, pb.Ask.ValueType]] = {
    Ask.PASS: pb.ASK_PASS,
    Ask.PLAY: pb.ASK_PLAY,
    Ask.DISCARD: pb.ASK_DISCARD,
}
ASK_OF: Final[Mapping[int, Ask]] = {value: ask for ask, value in ASKS.items()}
_REASONS: Final = {
    Reason.ILLEGAL: pb.REASON_ILLEGAL,
    Reason.MALFORMED: pb.REASON_MALFORMED,
    Reason.LATE: pb.REASON_LATE,
    Reason.STALE: pb.REASON_STALE,
}
VALUES: Final[tuple[pb.Card.ValueType, ...]] = tuple(pb.Card.ValueType(card % FACES + 1) for card in range(2 * FACES))
"""By card: its value on the wire."""


def key_of(token: str) -> bytes:
    """What the arena keeps of a token, and the key of both sides' proofs."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


def proof(key: bytes, purpose: bytes, nonce: bytes) -> bytes:
    """That one has the key, for who sent the nonce; ``purpose`` keeps one side's proof from being the other's."""
    return hmac.digest(key, purpose + nonce, "sha256")


def proved(given: bytes, key: bytes, purpose: bytes, nonce: bytes) -> bool:
    """Whether the proof is right; takes as long for every wrong one."""
    return hmac.compare_digest(given, proof(key, purpose, nonce))


def _suit_bytes(suit: int) -> tuple[bytes, ...]:
    """For each set of ranks, those cards on the wire."""
    table = [b""]
    for ranks in range(1, 1 << 13):
        high = ranks.bit_length() - 1
        table.append(table[ranks ^ 1 << high] + bytes((VALUES[13 * suit + high],)))
    return tuple(table)


_CLUBS, _DIAMONDS, _SPADES, _HEARTS = (_suit_bytes(suit) for suit in range(4))


def packed(cards: Cards) -> bytes:
    """A set as the bytes of a packed field: one a card, C D S H and 2 to A; a face that is there twice comes twice."""
    if cards > PACK:
        return bytes([VALUES[face] for face in faces_of(cards)])
    return _CLUBS[cards & 8191] + _DIAMONDS[cards >> 13 & 8191] + _SPADES[cards >> 26 & 8191] + _HEARTS[cards >> 39]


def values(cards: Cards) -> list[pb.Card.ValueType]:
    """The wire's values of a set, in the order of `packed`."""
    return [VALUES[value - 1] for value in packed(cards)]


def micros(seconds: float) -> int:
    """Whole microseconds, never negative."""
    return int(seconds * 1e6) if seconds > 0 else 0


def faces(cards: Iterable[int]) -> tuple[Card, ...]:
    """The faces of values from the wire, in order, without those that are no cards to us."""
    return tuple([value - 1 for value in cards if 0 < value <= FACES])


def answer_faces(cards: Sequence[int]) -> tuple[tuple[Card, ...], str]:
    """The faces of an answer and why it is malformed, one of them empty."""
    if len(cards) == 1 and 0 < (value := cards[0]) <= FACES:  # a play, nearly always
        return (value - 1,), ""
    if len(cards) > FACES:
        return (), f"{len(cards)} cards"
    result = tuple([value - 1 for value in cards])
    if all(0 <= face < FACES for face in result):
        return result, "" if result else "no cards"
    return (), f"{next(value for value in cards if not 0 < value <= FACES)} is not a card"


@lru_cache(maxsize=1)
def thoughts(frame: bytes) -> Mapping[int, float | None]:
    """By decision: the seconds that the first answer to it in a BotFrame says the bot thought; None: it does not say.

    Answers are read without it. A frame with an answer at fault is taken apart again, once for all of its answers.
    """
    answers = [message.answer for message in pb.BotFrame.FromString(frame).messages if message.HasField("answer")]
    return {
        said.decision: said.thought_us / 1e6 if 0 < said.thought_us <= THOUGHT_LIMIT_US else None
        for said in reversed(answers)
    }


@lru_cache(maxsize=64)
def rules_message(rules: Rules) -> pb.Rules:
    """The rules of a table; one message for each Rules object, not to be changed."""
    options = json.dumps(dict(sorted(rules.options.items())), separators=(",", ":")) if rules.options else ""
    return pb.Rules(
        variant=rules.name, options=options, players=rules.players, points=rules.points[:FACES], hash=rules.hash
    )


def score_message(match: Match) -> pb.Score:
    """The ledger as it is now."""
    settled = match.rules.variant.settlement is not Settlement.NONE
    chips = [str(chips) for chips in match.chips] if settled else []
    return pb.Score(totals=match.totals, target=match.target, chips=chips, pot=match.pot, max_deals=match.max_deals)


def trick_message(trick: Trick) -> pb.Trick:
    """A finished trick, or with ``winner`` None one that waits or is not complete."""
    return pb.Trick(
        leader=trick.leader,
        cards=[VALUES[card] for card in trick.cards],
        winner_plus_one=0 if trick.winner is None else trick.winner + 1,
        drawn=trick.drawn,
    )


def rejection_message(rejection: Rejection) -> pb.Rejection:
    """Why an answer did not count."""
    return pb.Rejection(
        decision=rejection.decision,
        reason=_REASONS[rejection.reason],
        clause=rejection.clause,
        message=rejection.message,
        legal=values(rejection.legal),
        tries=rejection.tries,
    )


def clock_message(clock: Clock, left_s: float) -> pb.Clock:
    """A seat's time, of which ``left_s`` for the answer."""
    return pb.Clock(
        left_us=micros(left_s),
        bank_us=micros(clock.bank_s),
        last_charged_us=micros(clock.last_charged_s),
        last_credit_us=micros(clock.last_credit_s),
        increment_us=micros(clock.control.increment_s),
    )


def view_message(view: View) -> pb.View:
    """A deal as a seat sees it."""
    message = pb.View(
        deal=view.number,
        dealer=view.dealer,
        hand=values(view.hand),
        direction=view.rules.passing.direction(view.number).value,
        passed=values(view.passed),
        received=values(view.received),
        picked_up=values(view.picked_up),
        discarded=values(view.discarded),
        drawn=[VALUES[card] for card in view.drawn],
        tricks=[trick_message(trick) for trick in view.tricks],
        hand_sizes=view.hand_sizes,
        rest_size=view.rest_size,
        hearts_open=view.hearts_open,
    )
    if view.leader >= 0:
        message.trick.CopyFrom(trick_message(Trick(view.leader, view.trick, None, view.trick_drawn)))
    return message


def question_message(table: int, match_id: str, request: Request, left_s: float) -> pb.Question:
    """A question with everything in it. The tables' encoders make the same in an eighth of the time."""
    asked = request.question
    return pb.Question(
        decision=request.decision,
        table=table,
        seat=asked.seat,
        ask=ASKS[asked.ask],
        count=asked.number,
        legal=values(asked.legal),
        clock=clock_message(request.clock, left_s),
        rules=rules_message(request.match.rules),
        score=score_message(request.match),
        view=view_message(request.view),
        match=match_id,
    )


@lru_cache(maxsize=64)
def _rules(variant: str, players: int, options: str, name: str) -> Rules:
    rules = catalogue.rules(variant, players, json.loads(options) if options else {})
    if rules.hash != name:
        raise ValueError(f"the arena plays {variant} by rules {name}, and this version knows them as {rules.hash}")
    return rules


def read_rules(message: pb.Rules) -> Rules:
    """The rules that a message names; ValueError in one line where this version does not know them."""
    return _rules(message.variant, message.players, message.options, message.hash)


class _Seen:
    """Gives each card that is met a place of its own: the second of a face gets the second pack's number."""

    def __init__(self) -> None:
        self._cards: Cards = 0

    def card(self, face: Card) -> Card:
        card = face + FACES if self._cards >> face & 1 else face
        self._cards |= 1 << card
        return card

    def cards(self, values: Iterable[int]) -> tuple[Card, ...]:
        return tuple([self.card(face) for face in faces(values)])


def _mask(cards: Iterable[Card]) -> Cards:
    result = 0
    for card in cards:
        result |= 1 << card
    return result


def _among(hand: Cards, values: Iterable[int]) -> tuple[Card, ...]:
    """The cards of the hand that the values stand for."""
    found = []
    for face in faces(values):
        card = face if hand >> face & 1 else face + FACES
        hand &= ~(1 << card)
        found.append(card)
    return tuple(found)


def _trick(message: pb.Trick, seen: _Seen) -> Trick:
    winner = message.winner_plus_one
    return Trick(message.leader, seen.cards(message.cards), winner - 1 if winner else None, tuple(message.drawn))


def read_view(message: pb.Question) -> View:
    """The view in a question; ValueError where its rules are not known.

    Cards are disjoint: of two equal ones, the one that was played first is of the first pack, then come those in hand.
    """
    view, seen = message.view, _Seen()
    tricks = tuple([_trick(trick, seen) for trick in view.tricks])
    current = _trick(view.trick, seen)
    hand = _mask(seen.cards(view.hand))
    return View(
        rules=read_rules(message.rules),
        number=view.deal,
        dealer=view.dealer,
        seat=message.seat,
        hand=hand,
        passed=_mask(_Seen().cards(view.passed)),
        received=_mask(_Seen().cards(view.received)),
        picked_up=_mask(_Seen().cards(view.picked_up)),
        discarded=_mask(_Seen().cards(view.discarded)),
        drawn=_among(hand, view.drawn),
        tricks=tricks,
        leader=current.leader if view.HasField("trick") else -1,
        trick=current.cards,
        trick_drawn=current.drawn,
        hand_sizes=tuple(view.hand_sizes),
        rest_size=view.rest_size,
        hearts_open=view.hearts_open,
    )
