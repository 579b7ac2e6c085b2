"""The book of bots: invitations, names, tokens, and how a bot stands."""

import json
import threading
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.league.config import ConfigError
from arena.league.tokens import read_tokens
from arena.store.names import alike, drawn, folded
from arena.store.submission import (
    ATTEMPTS,
    Bot,
    NotEntered,
    Registry,
    Standing,
    SubmissionError,
    Wrong,
    digest,
)


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    """An empty book."""
    return Registry(tmp_path / "bots.json")


def test_a_bot_is_entered_once_with_an_invitation(registry: Registry) -> None:
    code = registry.invite()
    token = registry.enter(Bot("Deep Duck", ""), code)
    assert registry.authenticate(token) == "Deep Duck"
    with pytest.raises(NotEntered, match="used for 'Deep Duck', and is good for that bot only") as error:
        registry.enter(Bot("Other", ""), code)
    assert error.value.wrong is Wrong.INVITE
    with pytest.raises(NotEntered, match="not known here"):
        registry.enter(Bot("Other", ""), "guess")


def test_neither_tokens_nor_invitations_are_kept(registry: Registry) -> None:
    code, unused = registry.invite(), registry.invite()
    token = registry.enter(Bot("Duck", ""), code)
    text = registry.path.read_text()
    assert not any(secret in text for secret in (code, unused, token))
    assert digest(token) in text
    assert registry.path.stat().st_mode & 0o777 == 0o600


def test_tokens_and_invitations_are_all_different_and_long(registry: Registry) -> None:
    secrets = {registry.invite() for _ in range(20)} | {registry.enter(Bot(f"b{n}", ""), None) for n in range(20)}
    assert len(secrets) == 40
    assert all(len(secret) >= 24 for secret in secrets)


@pytest.mark.parametrize(
    "name",
    [
        "", " a", "a ", "a\n", "a\x1b[31m", "a\u202eb", "a\u200bb", "\u2066a", "x" * 65, "\u0301a", "\ud800", "---",
        "house", "HOUSE 3", "hоuse", "House l0",
    ],
)  # fmt: skip
def test_a_name_that_could_mislead_is_refused_and_the_invitation_stays_good(registry: Registry, name: str) -> None:
    code = registry.invite()
    with pytest.raises(NotEntered) as error:
        registry.enter(Bot(name, ""), code)
    assert error.value.wrong is Wrong.NAME
    assert str(error.value).isascii()
    assert str(error.value).isprintable()
    registry.enter(Bot("good", ""), code)


@pytest.mark.parametrize(
    ("there", "like"),
    [
        ("Duck", "duck"), ("Duck", "ＤＵＣＫ"), ("straße", "STRASSE"), ("a b", "a  b"), ("fish", "ﬁsh"), ("№1", "no1"),
        ("é1", "e\u03011"), ("Ace", "Асе"), ("Ace", "Aсe"), ("НОС", "HOC"), ("НОС", "нос"), ("ΝΟΑ", "noa"),
        ("ёж", "ëж"), ("Bill", "BiII"), ("b10", "blO"), ("Πα 1", "Πа 1"),
    ],
)  # fmt: skip
def test_a_name_that_looks_like_another_is_taken(registry: Registry, there: str, like: str) -> None:
    registry.enter(Bot(there, ""), None)
    with pytest.raises(NotEntered) as error:
        registry.enter(Bot(like, ""), None)
    assert error.value.wrong is Wrong.TAKEN


@pytest.mark.parametrize("name", ["Ferdinand", "Ünïcode", "三國", "a" * 64, "bot <b>&", "o'1", "Москва 2", "housecat"])
def test_other_names_are_welcome(registry: Registry, name: str) -> None:
    assert registry.authenticate(registry.enter(Bot(name, ""), None)) == name


@given(st.text(max_size=20), st.text(max_size=20))
def test_looking_alike_is_mutual_and_everything_looks_like_itself(one: str, other: str) -> None:
    assert alike(one, one)
    assert alike(one, other) == alike(other, one)
    assert drawn(drawn(one)) == drawn(one)
    assert folded(folded(one)) == folded(one)


def test_numbered_names_are_different() -> None:
    assert not any(alike(one, other) for one, other in combinations([f"bot {number}" for number in range(130)], 2))


def test_a_bot_that_was_submitted_is_on_trial_and_one_of_the_operator_s_is_not(registry: Registry) -> None:
    registry.enter(Bot("Duck", ""), registry.invite())
    registry.enter(Bot("Goose", "", standing=Standing.REFUSED), None)
    assert [(bot.standing, bot.plays) for bot in registry.book().bots] == [
        (Standing.ON_TRIAL, False),
        (Standing.ADMITTED, True),
    ]


def test_a_verdict_is_kept_and_belongs_to_what_was_examined(registry: Registry) -> None:
    registry.enter(Bot("Duck", ""), registry.invite())
    examined = registry.book().find("Duck")
    assert registry.judge(examined, Standing.REFUSED, "tcp: refused", "arena check")
    refused = Registry(registry.path).book().find("Duck")
    assert (refused.standing, refused.reason, refused.repeat) == (Standing.REFUSED, "tcp: refused", "arena check")
    assert not registry.judge(examined, Standing.ADMITTED), "it is no longer what was examined"
    assert registry.book().find("Duck") == refused
    registry.examine("Duck")
    assert registry.book().find("Duck") == examined
    registry.admit("Duck")
    assert registry.book().find("Duck").plays


def test_a_refused_bot_is_submitted_again_a_few_times_under_its_name_only(registry: Registry) -> None:
    code = registry.invite()
    old = registry.enter(Bot("Duck", "", "h.example:1"), code)
    with pytest.raises(NotEntered, match="used for 'Duck'"):
        registry.enter(Bot("Goose", ""), code)
    for attempt in range(2, ATTEMPTS + 1):
        registry.judge(registry.book().find("Duck"), Standing.REFUSED, "tcp: refused")
        new = registry.enter(Bot("Duck", "", f"h.example:{attempt}"), code)
        bot = registry.book().find("Duck")
        assert (bot.standing, bot.reason, bot.address) == (Standing.ON_TRIAL, "", f"h.example:{attempt}")
        assert (registry.authenticate(old), registry.authenticate(new)) == (None, "Duck")
        old = new
    with pytest.raises(NotEntered, match=f"was used {ATTEMPTS} times"):
        registry.enter(Bot("Duck", ""), code)
    assert len(registry.book().bots) == 1


def test_who_is_admitted_or_suspended_is_not_submitted_again(registry: Registry) -> None:
    code = registry.invite()
    registry.enter(Bot("Duck", ""), code)
    registry.suspend("Duck")
    with pytest.raises(NotEntered, match="suspended"):
        registry.enter(Bot("Duck", ""), code)
    registry.suspend("Duck", suspended=False)
    registry.admit("Duck")
    with pytest.raises(NotEntered, match="admitted") as error:
        registry.enter(Bot("Duck", ""), code)
    assert error.value.wrong is Wrong.INVITE


def test_one_arena_at_a_time_dials_a_bot(registry: Registry) -> None:
    other = Registry(registry.path)
    give_up = registry.claim("Duck")
    assert give_up is not None
    assert other.claim("Duck") is None
    goose = other.claim("Goose")
    assert goose is not None, "another bot is another matter"
    give_up()
    duck = other.claim("Duck")
    assert duck is not None
    duck()
    goose()


def test_a_book_of_before_the_trials_is_read_and_its_bots_play(registry: Registry) -> None:
    old = {
        "name": "Duck",
        "token": digest("x"),
        "address": "",
        "tables": 0,
        "variants": [],
        "software": "",
        "suspended": False,
    }
    registry.path.write_text(json.dumps({"format": "hearts-arena/bots@1", "invites": [], "bots": [old]}))
    assert registry.book().find("Duck").plays
    assert registry.authenticate("x") == "Duck"


def test_a_suspended_bot_does_not_play_and_resumes_with_its_token(registry: Registry) -> None:
    token = registry.enter(Bot("Duck", ""), None)
    registry.suspend("Duck")
    assert not registry.book().find("Duck").plays
    registry.suspend("Duck", suspended=False)
    assert registry.book().find("Duck").plays
    assert registry.authenticate(token) == "Duck"


def test_after_a_rotation_only_the_new_token_is_good(registry: Registry) -> None:
    old = registry.enter(Bot("Duck", ""), None)
    new = registry.rotate("Duck")
    assert registry.authenticate(old) is None
    assert registry.authenticate(new) == "Duck"


def test_changes_of_another_process_are_seen_at_once(registry: Registry) -> None:
    token = registry.enter(Bot("Duck", ""), None)
    assert registry.authenticate(token) == "Duck"
    Registry(registry.path).rotate("Duck")
    assert registry.authenticate(token) is None


def test_changes_side_by_side_are_all_kept(registry: Registry) -> None:
    def enter(first: int) -> None:
        mine = Registry(registry.path)
        for number in range(10):
            mine.enter(Bot(f"bot {first + number}", ""), None)

    threads = [threading.Thread(target=enter, args=(first,)) for first in range(0, 40, 10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(registry.book().bots) == 40


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "other"}', "\x00", '{"format": "hearts-arena/bots@1"}'])
def test_a_book_that_is_none_is_an_error_in_one_line_and_a_running_arena_plays_on(
    registry: Registry, text: str
) -> None:
    token = registry.enter(Bot("Duck", ""), None)
    assert registry.authenticate(token) == "Duck"
    registry.path.write_text(text)
    with pytest.raises(SubmissionError, match="not a book of bots") as error:
        registry.book()
    assert "\n" not in str(error.value)
    assert registry.authenticate(token) == "Duck"
    with pytest.raises(SubmissionError):
        registry.invite()
    assert registry.path.read_text() == text  # nothing is written over it


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", 7), ("token", "é" * 64), ("token", "00"), ("address", None), ("tables", "4"), ("tables", -1),
        ("tables", True), ("variants", [4]), ("variants", 4), ("suspended", "no"), ("standing", "liked"),
        ("attempts", 1.5), ("invite", "é"), ("invite", "00"),
    ],
)  # fmt: skip
def test_an_entry_that_was_changed_by_hand_into_none_is_told_before_somebody_stumbles_over_it(
    registry: Registry, field: str, value: object
) -> None:
    token = registry.enter(Bot("Duck", ""), None)
    assert registry.authenticate(token) == "Duck"
    data = json.loads(registry.path.read_text())
    data["bots"][0][field] = value
    registry.path.write_text(json.dumps(data))
    with pytest.raises(SubmissionError, match="not a book of bots"):
        registry.book()
    assert registry.authenticate(token) == "Duck"


def test_an_invitation_that_was_changed_by_hand_is_told(registry: Registry) -> None:
    registry.invite()
    data = json.loads(registry.path.read_text())
    data["invites"] = ["é"]
    registry.path.write_text(json.dumps(data))
    with pytest.raises(SubmissionError, match="not a book of bots"):
        registry.book()


@pytest.mark.parametrize(
    "change",
    [
        lambda mistyped: mistyped.suspend("Duck"),
        lambda mistyped: mistyped.suspend("Duck", suspended=False),
        lambda mistyped: mistyped.admit("Duck"),
        lambda mistyped: mistyped.examine("Duck"),
        lambda mistyped: mistyped.rotate("Duck"),
        lambda mistyped: mistyped.enter(Bot("Duck", ""), "no such invitation"),
        lambda mistyped: mistyped.enter(Bot("bad\nname", ""), None),
    ],
    ids=["suspend", "resume", "admit", "examine", "rotate", "submit", "add"],
)
def test_what_fails_where_there_is_no_book_leaves_nothing_there(
    change: Callable[[Registry], object], tmp_path: Path
) -> None:
    with pytest.raises(SubmissionError):
        change(Registry(tmp_path / "mistyped.json"))
    assert not list(tmp_path.iterdir())


def test_a_mistyped_book_is_told_from_a_mistyped_bot(registry: Registry) -> None:
    with pytest.raises(SubmissionError, match="no such file"):
        registry.suspend("Duck")
    registry.enter(Bot("Duck", ""), None)
    with pytest.raises(SubmissionError, match=r"there is no bot 'Dukc'$"):
        registry.suspend("Dukc")


def test_reading_leaves_nothing_where_there_is_no_book(tmp_path: Path) -> None:
    mistyped = Registry(tmp_path / "mistyped.json")
    assert mistyped.book().bots == ()
    assert mistyped.authenticate("token") is None
    assert not list(tmp_path.iterdir())


def test_a_league_takes_the_book_for_its_tokens(registry: Registry) -> None:
    token = registry.enter(Bot("Duck", "", "203.0.113.1:7071"), None)
    tokens = read_tokens(registry.path)
    assert tokens.authenticate(token) == "Duck"
    assert tokens.key("Duck") == bytes.fromhex(digest(token))
    assert tokens.key("Goose") is None
    with pytest.raises(ConfigError, match="no bot is in it"):
        read_tokens(registry.path.with_name("none.json"))
