"""The commands as a stranger runs them: what they print, and that every mistake gets one line."""

import contextlib
import json
import re
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from arena.cli import demo
from arena.league.tokens import read_tokens
from tests.commands import Arena, one_line

LEAGUE = """
name = "small"
[game]
target = 20
[server]
address = "127.0.0.1:0"
[[bots]]
name = "random"
"""


@pytest.fixture
def league(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(LEAGUE)
    return path


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


def test_help_lists_the_commands(arena: Arena) -> None:
    done = arena()
    assert done.returncode == 0
    for command in ("run", "status", "report", "replay", "deal", "variants", "bench", "demo", "tokens"):
        assert f"\n  {command}" in done.stdout


@pytest.mark.parametrize(
    ("words", "needle"),
    [
        (("ruin",), "No such command 'ruin'"),
        (("variants", "--jsn"), "--jsn"),
        (("replay",), "Missing argument"),
        (
            ("play", "--deals", ""),
            "'--deals': Input should be a valid integer, unable to parse string as an integer, not ''",
        ),
        (("play", "--deals=x"), "as an integer, not 'x'"),
        (("play", "--deals", "0"), "greater than or equal to 1, not '0'"),
        (("replay", "nowhere.jsonl"), "nowhere.jsonl: No such file"),
        (("deal", "--seed", "12", "--event-id", "x", "--stream", "s"), "seed: 1 bytes, not 32"),
        (
            ("deal", "--seed", "00" * 32, "--event-id", "x", "--stream", "s", "--variant", "heart"),
            "did you mean 'hearts'",
        ),
        (("deal", "--seed", "00" * 32, "--event-id", "x", "--stream", "s", "--players", "9"), "the nearest is 4"),
        (("deal", "--seed", "00" * 32, "--event-id", "x", "--stream", "s", "--index", str(2**64)), str(2**64)),
        (("deal", "--seed", "00" * 32, "--event-id", "x", "--stream", "s", "--index", "-1"), "-1"),
        (("deal", "--seed", "00" * 32, "--event-id", "\udcff", "--stream", "s"), "event-id: '\\udcff' is not UTF-8"),
        (("deal", "--seed", "00" * 32, "--event-id", "x", "--stream", "s\udc80"), "stream: 's\\udc80' is not UTF-8"),
        (("deal", "--seed", "00" * 32, "--event-id", "x", "--stream", "s", "--public", "00" * 31), "public: 31 bytes"),
        (("bench", "--tables", "3"), "'--tables': Input should be greater than or equal to 4, not '3'"),
        (("bench", "--tables", "9999"), "less than or equal to 1024"),
        (("bots", "receive", "--tls-key", "x"), "--tls-certificate and --tls-key go together"),
        (("deal", "--seed", "0" * 63 + "g", "--event-id", "x", "--stream", "s"), "is not hex"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(arena: Arena, words: tuple[str, ...], needle: str) -> None:
    one_line(arena(*words), needle, status=2)


@pytest.mark.parametrize(
    ("words", "needle"),
    [
        (("bots", "receive", "--bots-ca", "nowhere.pem"), "nowhere.pem: No such file or directory"),
        (("play", "h.example:1", "--token-file", "token", "--ca", "token"), "token: no certificates in PEM"),
        (("check", "h.example:1", "--token-file", "token", "--ca", "."), ".: Is a directory"),
        (("run", "ca.toml"), "nowhere.pem: No such file or directory"),
        (("invite", "--book", ""), ".: Is a directory"),
        (("invite", "--book", "list.json"), "list.json: not a book of bots: it is no object"),
        (("demo", "--league", "ca.toml"), "'ada' is no reference bot; there is cautious, counting"),
        (("demo", "--dir", "latin"), "latin/tokens.txt: not UTF-8"),
    ],
)
def test_a_file_that_is_wrong_is_one_line_before_anything_is_done(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], needle: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("token").write_text("a-token-of-the-tests\n")
    Path("tokens.txt").write_text("a-token-of-the-tests ada\n")
    Path("list.json").write_text("[]")
    Path("latin").mkdir()
    Path("latin/tokens.txt").write_bytes(b"a-token \xe9\n")
    Path("ca.toml").write_text('name = "ca"\n[server]\nbots_ca = "nowhere.pem"\n[[bots]]\nname = "ada"\n')
    one_line(arena(*words), needle)


def test_what_a_bot_of_the_demo_says_is_in_a_log_whatever_its_name_is(tmp_path: Path) -> None:
    trio.run(demo._bot, "random a/b", "a-token", "nowhere", tmp_path)
    assert "not HOST:PORT: 'nowhere'" in (tmp_path / "random a_b.log").read_text()


@pytest.mark.parametrize(
    ("text", "needle"),
    [
        ("x = " + 5000 * "[", "not TOML: maximum recursion depth exceeded"),
        ("x = " + 5000 * "9", "not TOML: Exceeds the limit"),
        (f"[game]\nseats = 0x{5000 * 'f'}", "game.seats: input should be less than or equal to 10, not so large"),
        (f"{5000 * 'x'} = 1", "unknown key 'xxx"),
        (f"[server]\naddress = '{5000 * 'x'}'", "server.address: an address is HOST:PORT"),
        ("[server]\naddress = '127.0.0.1:65536'", "HOST:PORT, as in \"127.0.0.1:7070\" ('127.0.0.1:65536')"),
        ("[server]\naddress = '127.0.0.1:²'", "server.address: an address is HOST:PORT"),
        ("[server]\nsubmissions = true", "server.submissions: bots are submitted to a book"),
        ("[[game]]", "game: input should be a table, not [{}]"),
        ("games = 1", "games: input should be a list, not 1"),
        ("[game.options]\nx = [1]", "game.options.x: an option is true or false, a whole number or a text, not [1]"),
        ("[[games]]\noptions = {x = nan}", "games.0.options.x: an option is true or false"),
    ],
)
def test_whatever_is_wrong_in_a_league_file_is_one_short_line(
    arena: Arena, tmp_path: Path, text: str, needle: str
) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(f'name = "x"\n{text}\n[[bots]]\nname = "a"\n', encoding="utf-8")
    done = arena("schedule", path)
    one_line(done, f"{path}: ", needle)
    assert len(done.stderr) < len(str(path)) + 250
    path.write_text('name = "x"\nbots = []\n')
    one_line(arena("schedule", path), "bots: there must be at least 1")


@pytest.mark.parametrize("name", ["x\ny.toml", "\x1b[31m.toml", "\u202e.toml", "\udcff.toml"])
def test_the_name_of_a_file_does_not_break_the_line(arena: Arena, tmp_path: Path, name: str) -> None:
    for command in ("run", "schedule", "import", "replay"):
        done = arena(command, tmp_path / name, *(["--db", tmp_path / "x.db"] if command == "import" else []))
        one_line(done, f"{tmp_path}/{name!r}".replace("'", ""), status=2 if command == "replay" else 1)


def test_files_may_begin_with_a_byte_order_mark(arena: Arena, league: Path) -> None:
    league.write_text(LEAGUE, encoding="utf-8-sig")
    assert arena("schedule", league).returncode == 0
    (league.parent / "tokens.txt").write_text("the-token ada\n", encoding="utf-8-sig")
    assert read_tokens(league.parent / "tokens.txt").authenticate("the-token") == "ada"


def test_bots_alone_lists_its_commands(arena: Arena) -> None:
    done = arena("bots")
    assert done.returncode == 0
    assert "\n  suspend" in done.stdout
    one_line(arena("bots", "suspnd"), "No such command 'suspnd'", status=2)


def test_replay_tells_good_from_bad_and_goes_on(arena: Arena) -> None:
    good = json.dumps(
        {
            "format": "hearts-arena/deal@1",
            "variant": "hearts",
            "players": 3,
            "hands": ["2C", "3C", "4C"],
            "constructed": True,
        }
    )
    done = arena("replay", "-", "--json", given=f"{good}\nnonsense\n\n{good}\n")
    assert done.returncode == 1
    assert [json.loads(line)["ok"] for line in done.stdout.splitlines()] == [True, False, True]
    assert arena("replay", "-", given=good).returncode == 0


def test_replay_in_words_names_clause_and_legal_cards(arena: Arena) -> None:
    record = {
        "format": "hearts-arena/deal@1", "variant": "hearts", "players": 3, "constructed": True,
        "hands": ["2C 5D", "3C 7H", "4C 9S"], "plays": ["2C 7H"],
    }  # fmt: skip
    done = arena("replay", "-", given=json.dumps(record))
    assert done.returncode == 1
    assert "illegal: trick 0, seat 1, G4" in done.stdout
    assert "Legal: 3C" in done.stdout


def test_a_number_as_long_as_python_reads_does_not_stop_the_next_record(arena: Arena) -> None:
    record = {
        "format": "hearts-arena/deal@1", "variant": "no-queen", "players": 3, "constructed": True,
        "options": {"settlement": "sweepstake"}, "hands": ["2C", "3C", "4H"], "plays": ["2C 3C 4H"],
    }  # fmt: skip
    good = json.dumps({**record, "pot": int("9" * 1000)})
    lines = "".join(f"{json.dumps({**record, 'pot': int('9' * digits)})}\n" for digits in (1001, 4300))
    done = arena("replay", "-", "--json", given=f"{lines}{good}\n")
    assert done.returncode == 1
    assert [json.loads(line)["ok"] for line in done.stdout.splitlines()] == [False, False, True]
    assert arena("replay", "-", given=lines).returncode == 1


def test_replay_in_words_says_all_that_the_json_says(arena: Arena) -> None:
    """Every value of the JSON, but whether it is all right, is in the words: of a deal played out, one stopped, one
    that goes on, one with draws, one with a trick that waits, and matches over and not.
    """
    game = {"format": "hearts-arena/deal@1", "constructed": True}
    over: dict[str, object] = {
        "hands": ["2C 5D", "3C 7H", "4C 9S"],
        "plays": ["2C 3C 4C", "9S 5D 7H"],
        "constructed": True,
    }
    moon = {"hands": ["AH AS 2C", "2H QS 3C", "3H 2S 4C"], "passes": ["AH AS 2C", "2H QS 3C", "3H 2S 4C"], "dealer": 1,
            "plays": ["AH 2H 3H", "AS QS 2S", "2C 3C 4C"]}  # fmt: skip
    twins = ["9C 2D", "9C 3D", "AH 4D", "AH 5D", "QS 6D", "QS 7D", "KH 8D"]
    match = {"format": "hearts-arena/match@1", "variant": "no-queen", "players": 3, "deals": [over]}
    records: list[dict[str, object]] = [
        {**game, "variant": "black-lady", "players": 3, "hands": ["2C 5D 3S", "3C 7H 4S", "4C 9S 5S"]},
        {**game, **over, "variant": "no-queen", "players": 3, "pot": 17, "options": {"settlement": "average"}},
        {**game, **over, "variant": "no-queen", "players": 3, "plays": ["2C"], "stopped": {"seat": 1}},
        {**game, "variant": "domino", "players": 2, "hands": ["2C 3D", "4D 5D"], "rest": "6D 8C", "plays": ["2C 8C"]},
        {**game, "variant": "cancellation", "players": 7, "hands": twins, "plays": ["9C 9C AH AH QS QS KH", "2D"]},
        {**game, "variant": "classic", "players": 2, "deal": 1, "hands": ["6C", "7C"], "plays": ["6C 7C"]},
        {**game, "variant": "greek", "players": 3, **moon},
        match,
        {**match, "target": 1},
        {**match, "deals": [over, {**over, "plays": ["3C 4C 2C"]}]},
    ]  # fmt: skip
    given = "".join(f"{json.dumps(record)}\n" for record in records)
    results = [json.loads(line) for line in arena("replay", "-", "--json", given=given).stdout.splitlines()]
    words = re.split(r"^-, record \d+: ", arena("replay", "-", given=given).stdout, flags=re.MULTILINE)[1:]
    assert len(results) == len(words) == len(records)
    for result, said in zip(results, words, strict=True):
        assert result["ok"]
        for deal in result.get("deals", [result]):
            for number, trick in enumerate(deal["tricks"]):
                (line,) = re.findall(rf"^ +trick {number}: .*{trick['cards']}.*", said, re.MULTILINE)
                assert f"led by seat {trick['leader']}" in line
                assert (f"won by seat {trick['winner']}" in line) is (trick["winner"] is not None)
                assert ("drawn" in line) is ("drawn" in trick)
                assert " ".join(map(str, trick.get("drawn", []))) in line
            for ask in deal["to_act"] or []:
                assert f"seat {ask['seat']} is to {ask['ask']} {ask['count']} of {ask['legal']}" in said
            if deal["complete"]:
                points, chips = " ".join(map(str, deal["points"])), " ".join(deal["chips"])
                shot = "" if deal["moon"] is None else f", moon of seat {deal['moon']}"
                assert f"points {points}{shot}, chips {chips}, pot {deal['pot']}" in said
        if "deals" in result:
            assert f"totals {' '.join(map(str, result['totals']))}, chips {' '.join(result['chips'])}" in said
            ended = result["complete"] and f"ended by {result['end']}, places {' '.join(map(str, result['places']))}"
            assert (ended or "not ended") in said


def test_deal_prints_a_record_that_replays(arena: Arena) -> None:
    seed = bytes(range(32)).hex()
    words = f"deal --seed {seed} --event-id league-1 --stream orbit0/rep0 --index 4 --variant cancellation --players 7"
    dealt = arena(*words.split())
    assert json.loads(dealt.stdout)["rest"] == "4D 6D 5C KH KH 2S"
    assert arena("replay", "-", given=dealt.stdout).returncode == 0


def test_variants_lists_ten_with_names_in_both_languages(arena: Arena) -> None:
    listed = json.loads(arena("variants", "--json").stdout)
    assert len(listed) == 10
    assert listed["widow"]["title"] == {"en": "Hearts with a widow", "ru": "Черви с прикупом"}
    assert listed["classic"]["options"]["jack_of_diamonds"]["default"] is False
    assert "C4" in arena("variants").stdout


@pytest.mark.parametrize(
    ("change", "needles"),
    [
        (("target", "tarqet"), ("'game.tarqet'", "did you mean 'target'")),
        (("target = 20", "target = '20'"), ("game.target", "'20'")),
        (("target = 20", "seats = 9"), ("classic", "not 9")),
        (('name = "random"', 'name = "a\\u202eb"'), ("bots.0.name", "printable")),
        (("[game]", "[game"), ("not TOML",)),
        (('[[bots]]\nname = "random"', ""), ("missing key 'bots'",)),
    ],
)
def test_a_mistake_in_a_league_file_names_file_and_key(
    arena: Arena, league: Path, change: tuple[str, str], needles: tuple[str, ...]
) -> None:
    league.write_text(LEAGUE.replace(*change))
    one_line(arena("run", str(league)), str(league), *needles)


def test_tokens_are_for_the_owner_only_and_never_overwritten(arena: Arena, league: Path) -> None:
    assert arena("tokens", str(league)).returncode == 0
    path = league.parent / "tokens.txt"
    assert path.stat().st_mode & 0o777 == 0o600
    before = path.read_bytes()
    one_line(arena("tokens", str(league)), str(path), "is there already", "remove it")
    assert path.read_bytes() == before


def test_a_book_of_bots_is_not_made_a_file_of_tokens(arena: Arena, league: Path) -> None:
    league.write_text(LEAGUE.replace("[game]", 'tokens = "bots.json"\n[game]'))
    one_line(arena("tokens", str(league)), "bots.json", "arena bots add")
    assert not (league.parent / "bots.json").exists()


def test_a_league_without_tokens_says_how_to_make_them(arena: Arena, league: Path) -> None:
    one_line(arena("run", str(league)), "tokens.txt", "arena tokens")


def test_a_port_in_use_is_one_line(arena: Arena, league: Path, taken_port: int) -> None:
    league.write_text(LEAGUE.replace("127.0.0.1:0", f"127.0.0.1:{taken_port}"))
    arena("tokens", str(league))
    one_line(arena("run", str(league)), f"127.0.0.1:{taken_port}", "in use")


def test_an_unwritable_site_directory_is_one_line(arena: Arena, league: Path, tmp_path: Path) -> None:
    arena("tokens", str(league))
    (tmp_path / "file").write_text("")
    one_line(arena("run", str(league), "--site", str(tmp_path / "file" / "site")), "file")


def test_a_database_of_another_version_is_one_line(arena: Arena, league: Path, tmp_path: Path) -> None:
    arena("tokens", str(league))
    database = str(tmp_path / "future.db")
    with contextlib.closing(sqlite3.connect(database)) as made, made:
        made.execute("create table alembic_version (version_num varchar(32))")
        made.execute("insert into alembic_version values ('9999')")
    for words in (("run", str(league), "--db", database), ("status", "--db", database)):
        one_line(arena(*words), database, "another version", "9999")


@pytest.mark.parametrize("command", ["status", "report"])
def test_a_database_that_is_not_there_is_one_line(arena: Arena, command: str, tmp_path: Path) -> None:
    one_line(arena(command, "--db", str(tmp_path / "none.db")), "none.db", "no such database")


def test_a_file_that_is_no_database_is_one_line(arena: Arena, league: Path, tmp_path: Path) -> None:
    arena("tokens", str(league))
    (tmp_path / "bad.db").write_text("this is not a database" * 100)
    one_line(arena("run", str(league), "--db", str(tmp_path / "bad.db")), "bad.db", "not a database")


def test_the_console_script_and_the_module_are_the_same_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "arena.cli", "ruin"], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr.strip()) == (2, "arena: No such command 'ruin'. Did you mean 'run'?")


@pytest.mark.parametrize(
    ("words", "option", "value"),
    [
        (("--hours", "-1"), "--hours", "-1"),
        (("--hours=abc",), "--hours", "abc"),
        (("--hours", "nan"), "--hours", "nan"),
        (("--metrics", "99999"), "--metrics", "99999"),
        (("--lang", "xx"), "--lang", "xx"),
        (("--until", "25:00"), "until", "25:00"),
    ],
)
def test_a_wrong_value_of_an_option_is_named_with_the_option(
    arena: Arena, league: Path, words: tuple[str, ...], option: str, value: str
) -> None:
    done = arena("run", str(league), *words)
    one_line(done, option, f"'{value}'", status=2)
    assert done.stderr.count(value) == 1


def test_a_time_to_end_that_is_past_is_said_before_anything_is_played(arena: Arena, league: Path) -> None:
    said = arena("run", str(league), "--dry-run", "--until", "2020-01-01 00:00").stdout
    assert "the run ends at 2020-01-01 00:00, which is past: nothing new is played" in said
    assert "past" not in arena("run", str(league), "--dry-run", "--until", "07:00").stdout
