"""HEARTS-DEAL-1: every deal as a pure function of a secret seed, so that anybody can check it afterwards."""

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.rules.cards import Card, Cards
from arena.rules.variant import Rules

NAME = b"HEARTS-DEAL-1/"
SEED_BYTES = 32


def lp(data: bytes) -> bytes:
    """The 4-byte big-endian length of ``data``, then ``data``."""
    return len(data).to_bytes(4, "big") + data


def u64(number: int) -> bytes:
    """8 bytes, big-endian."""
    return number.to_bytes(8, "big")


def mac(key: bytes, message: bytes) -> bytes:
    """HMAC-SHA256."""
    return hmac.digest(key, message, "sha256")


def commitment(seed: bytes) -> bytes:
    """What is published when a league is created; the seed stays secret until its end."""
    return hashlib.sha256(NAME + b"commit" + lp(seed)).digest()


def public_value(entrants: Iterable[str], beacon: bytes = b"") -> bytes:
    """What binds the deals to the entrants, and to an optional value announced after the commitment."""
    names = sorted(name.encode() for name in entrants)
    return hashlib.sha256(b"".join(lp(name) for name in names)).digest() + beacon


def event_key(seed: bytes, event_id: str, public: bytes) -> bytes:
    """The key of a league, 32 bytes."""
    return mac(seed, NAME + b"event" + lp(event_id.encode()) + lp(public))


def deal_key(event: bytes, stream_id: str, deal_index: int) -> bytes:
    """The key of one deal of a stream, 32 bytes."""
    return mac(event, NAME + b"deal" + lp(stream_id.encode()) + u64(deal_index))


def shuffled(key: bytes, pack: Sequence[Card]) -> tuple[Card, ...]:
    """The pack after the shuffle: Fisher–Yates from the end, each draw unbiased by rejection."""
    cards = list(pack)
    stream = b""
    block = at = 0
    for size in range(len(cards), 1, -1):
        bound = 256 - 256 % size
        while True:
            if at == len(stream):
                stream, block, at = mac(key, u64(block)), block + 1, 0
            byte = stream[at]
            at += 1
            if byte < bound:
                break
        last, other = size - 1, byte % size
        cards[last], cards[other] = cards[other], cards[last]
    return tuple(cards)


@dataclass(frozen=True, slots=True)
class Dealt:
    """The cards of a deal before anything happens."""

    dealer: int
    hands: tuple[Cards, ...]
    rest: tuple[Card, ...]  # kitty, widow or stock in order, the stock's top first


def dealt(key: bytes, rules: Rules, dealer: int) -> Dealt:
    """Shuffle and deal one card at a time from the dealer's left (G2)."""
    players = rules.players
    cards = shuffled(key, rules.pack)
    out = rules.hand_size * players
    seats = range(-dealer - 1, players - dealer - 1)  # counted from the dealer's left
    hands = tuple(sum([1 << card for card in cards[seat % players : out : players]]) for seat in seats)
    return Dealt(dealer, hands, cards[out:])
