"""HEARTS-DEAL-1: the published vectors, and what a shuffle must be."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.rules import cards as c
from arena.rules import deck
from arena.rules.catalogue import rules as rules_of
from arena.rules.variant import Rules
from tests.strategies import PROFILE, TABLES, games, label

SEED = bytes(range(32))
EVENT = deck.event_key(SEED, "league-1", bytes(32))
STREAM = "orbit0/rep0"


def test_vector_of_the_commitment() -> None:
    assert deck.commitment(SEED).hex() == "4971e8a722aac54b1db9239186fd0049bc9689d549b9d8aaef86c023768c491f"


def test_vector_of_the_event_key() -> None:
    assert EVENT.hex() == "97d49bf845dfb86767aef0267e06231c727054fb74e3f179c4b54fc349f2088d"


def test_vector_of_the_deal_key_and_the_shuffled_pack() -> None:
    key = deck.deal_key(EVENT, STREAM, 0)
    assert key.hex() == "30601c077d5ab49fb0e75ffcccb0d5a6b66d528d3ad851c04e5c62563ebd5b57"
    assert c.text(deck.shuffled(key, range(52))) == (
        "2S AH JD 7C 5D 9C 6D 2C KD QC 9H 4S 5H 9D KS 3S QS 4D AC AS 7H 7D 3D 2H 6S JC 3H TC JH 5C 4H TH KH 8D TD QD "
        "5S 9S 8S 8C 2D 6C 8H 3C 6H JS QH 4C AD TS 7S KC"
    )


@pytest.mark.parametrize(
    ("variant", "players", "index", "dealer", "hand", "rest"),
    [
        ("hearts", 5, 1, 0, "4S AC 8H 4C 9H 9C JS 3S TS 5S", ""),
        ("widow", 4, 3, 2, "QS 9C KC KS 8S 7D TD JD 2C JS JH AD", "7C TH 4S"),
        ("cancellation", 7, 4, 3, "QH TH 2H 6H 5D 7S 8H 5S 2S AS AH 9S JH TC", "4D 6D 5C KH KH 2S"),
    ],
)
def test_vectors_of_packs_that_are_stripped_doubled_or_not_dealt_out(
    variant: str, players: int, index: int, dealer: int, hand: str, rest: str
) -> None:
    game = rules_of(variant, players)
    dealt = deck.dealt(deck.deal_key(EVENT, STREAM, index), game, dealer)
    assert c.faces_of(dealt.hands[0]) == tuple(sorted(c.parse(hand)))
    assert c.text(dealt.rest) == rest
    shuffled = deck.shuffled(deck.deal_key(EVENT, STREAM, index), game.pack)
    first = -(dealer + 1) % players  # the place of seat 0 in each round of the deal
    assert c.text(shuffled[first : game.hand_size * players : players]) == hand


def test_the_public_value_binds_the_names_in_byte_order_and_the_beacon() -> None:
    value = deck.public_value(["zoe", "Ann", "Ёж"])
    assert value == deck.public_value(["Ёж", "zoe", "Ann"])
    assert len(value) == 32
    assert deck.public_value(["zoe", "Ann", "Ёж"], b"beacon") == value + b"beacon"
    assert deck.public_value(["ab", "c"]) != deck.public_value(["a", "bc"])
    joined = deck.lp(b"Ann") + deck.lp(b"zoe") + deck.lp("Ёж".encode())
    assert value == __import__("hashlib").sha256(joined).digest()


def test_lengths_and_numbers_are_big_endian() -> None:
    assert deck.lp(b"abc") == b"\0\0\0\3abc"
    assert deck.u64(258) == b"\0\0\0\0\0\0\1\2"


def test_every_part_of_the_derivation_changes_the_cards() -> None:
    keys = {
        deck.deal_key(deck.event_key(seed, event, public), stream, index)
        for seed in (SEED, bytes(32))
        for event in ("league-1", "league-2")
        for public in (bytes(32), bytes(33))
        for stream in (STREAM, "orbit0/rep1")
        for index in (0, 1)
    }
    assert len(keys) == 32


@PROFILE
@given(st.binary(min_size=32, max_size=32), games, st.integers(0, 9))
def test_hands_and_rest_are_the_pack(key: bytes, rules: Rules, dealer: int) -> None:
    dealt = deck.dealt(key, rules, dealer % rules.players)
    assert [hand.bit_count() for hand in dealt.hands] == [rules.hand_size] * rules.players
    found = [card for hand in dealt.hands for card in c.cards_of(hand)] + list(dealt.rest)
    assert sorted(found) == sorted(rules.pack)


@settings(PROFILE, max_examples=30)
@given(st.binary(min_size=32, max_size=32), games)
def test_another_dealer_turns_the_same_hands_round_the_table(key: bytes, rules: Rules) -> None:
    hands = [deck.dealt(key, rules, dealer).hands for dealer in range(rules.players)]
    for dealer in range(rules.players):
        assert hands[dealer] == hands[0][-dealer:] + hands[0][:-dealer] if dealer else hands[0]


@pytest.mark.parametrize("rules", TABLES, ids=label)
def test_the_pack_is_in_order_before_the_shuffle(rules: Rules) -> None:
    assert list(rules.pack) == sorted(rules.pack)


def test_each_place_of_the_pack_gets_each_card_equally_often() -> None:
    """Chi-squared over small packs: 5 sizes that do not divide 256, every place against every card."""
    for size in (3, 5, 7, 11, 13):
        times = 200 * size
        counts: Counter[tuple[int, int]] = Counter()
        for number in range(times):
            counts.update(enumerate(deck.shuffled(deck.u64(number) * 4, range(size))))
        due = times / size
        chi = sum((counts[place, card] - due) ** 2 / due for place in range(size) for card in range(size))
        freedom = (size - 1) ** 2
        assert abs(chi - freedom) < 4.5 * (2 * freedom) ** 0.5, size


def test_all_orders_of_a_small_pack_are_equally_likely() -> None:
    counts = Counter(deck.shuffled(deck.u64(number) * 4, range(4)) for number in range(4800))
    assert len(counts) == 24
    chi = sum((count - 200) ** 2 / 200 for count in counts.values())
    assert chi < 60  # 23 degrees of freedom: beyond the 99.99th percentile


@pytest.mark.parametrize(("drawn", "shuffled"), [((255, 253, 1), "acb"), ((255, 254, 1), "abc"), ((255, 0, 1), "cba")])
def test_bytes_that_would_bias_a_draw_are_rejected(
    monkeypatch: pytest.MonkeyPatch, drawn: tuple[int, ...], shuffled: str
) -> None:
    """255 is no multiple of 3's last full round: it must be thrown away; 254 is kept."""
    monkeypatch.setattr(deck, "mac", lambda key, message: bytes(drawn))
    # of three: 255 is rejected, then 253 % 3 = 1, 254 % 3 = 2 or 0; of two: 1 % 2 = 1
    assert deck.shuffled(b"", "abc") == tuple(shuffled)  # type: ignore[arg-type, comparison-overlap]


def test_a_stream_goes_on_with_the_next_block(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def one_byte(key: bytes, message: bytes) -> bytes:
        asked.append(message)
        return b"\0"

    monkeypatch.setattr(deck, "mac", one_byte)
    deck.shuffled(b"", range(4))
    assert asked == [deck.u64(block) for block in range(3)]
