"""The log and the metrics of a run: what is in them, what never is, and that they cost a run nothing."""

import io
import json
import re
import sys
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import trio

from arena.cli.log import NEWS, TEXT, Log, Sink, _logger, open_log
from arena.cli.metrics import BOUNDS_S, Metrics, served_metrics
from arena.cli.watch import Watched
from arena.fault import Consequence, Fault, Kind
from arena.gateway.server import Event, News
from arena.league.happenings import Began, DealOver, Failed, Parked, Sitting
from arena.rules import cards as c
from arena.table import PlayedDeal
from tests.chaos.league import league_file, play, rows
from tests.commands import Arena, one_line

BOTS = {"honest one": "honest", "slow": "slow", "hanging": "hang", "revoking": "revoke", "dropping": "drop"}
CARD = re.compile(r"(?<![0-9A-Za-z])[2-9TJQKA][CDSH](?![0-9A-Za-z])|CARD_")
AT = Sitting("league/7", 3, ("ann", "bob", "cem", "dee"))


def page_at(url: str) -> str:
    return str(urllib.request.urlopen(url, timeout=20).read().decode())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]], str, str]:
    """A league with faults of all kinds: its database, the lines of its log, their text, and its metrics."""
    directory = tmp_path_factory.mktemp("logged")
    said: list[str] = []
    pages: list[str] = []

    class Reader:
        """Reads the metrics as Prometheus would, when the last match is over."""

        def __init__(self, metrics: Metrics, url: str) -> None:
            self.url = url

        def news(self, news: News) -> None:
            pass

        def happened(self, what: object) -> None:
            pass

        async def watch(self, watched: Watched) -> None:
            try:
                await trio.sleep_forever()
            finally:
                pages.append(page_at(self.url))

    with open_log(str(directory / "run.jsonl"), said.append) as log, served_metrics(0, said.append) as metrics:
        reader = Reader(metrics, said[0].removeprefix("metrics at "))
        database, _, _ = play(directory, league_file("log", BOTS), BOTS, 3, watchers=[reader, metrics, log])
    text = (directory / "run.jsonl").read_text(encoding="utf-8")
    return database, [json.loads(line) for line in text.splitlines()], text, pages[0]


def test_every_match_has_its_beginning_and_its_end(run: tuple[Path, list[dict[str, Any]], str, str]) -> None:
    database, lines, _, _ = run
    matches = [f"log/{number}" for (number,) in rows(database, "select number from fixture order by number")]
    for event in ("match begins", "match is over"):
        assert sorted(one["match"] for one in lines if one["event"] == event) == sorted(matches)
    results = {f"log/{fixture}": deals for fixture, deals in rows(database, "select fixture, deals from result")}
    assert {one["match"]: one["deals"] for one in lines if one["event"] == "match is over"} == results
    events = [one["event"] for one in lines]
    assert events[0] == "run begins"
    assert set(events[events.index("run ends") + 1 :]) <= {"disconnected"}
    assert all(one["timestamp"] for one in lines)


def test_every_fault_is_there_with_what_its_author_will_ask(run: tuple[Path, list[dict[str, Any]], str, str]) -> None:
    database, lines, _, _ = run
    names = [name for (name,) in rows(database, "select name from entrant order by number")]
    seats = {
        number: [names[int(one)] for one in str(seats).split()]
        for number, seats in rows(database, "select number, seats from fixture")
    }
    times = ("limit_ms", "measured_ms", "sent_ms", "came_ms", "lag_ms", "thought_ms")
    kept = rows(database, f"select fixture, seat, deal, kind, ask, consequence, {', '.join(times)} from fault")
    logged = [one for one in lines if one["event"] == "fault"]
    keys = ("match", "seat", "deal", "kind", "ask", "consequence", *times)
    assert Counter(tuple(one[key] for key in keys) for one in logged) == Counter(
        (f"log/{row[0]}", *row[1:]) for row in kept
    )
    for one in logged:
        assert one["bot"] == seats[int(one["match"].removeprefix("log/"))][one["seat"]]
        assert {"table", "decision", "clause", "answer", "level"} <= set(one)
        assert bool(one.get("reason")) == (one["kind"] in ("timeout", "unreachable"))
    assert {one["kind"] for one in logged} >= {"illegal", "timeout"}


def test_connections_are_there(run: tuple[Path, list[dict[str, Any]], str, str]) -> None:
    _, lines, _, _ = run
    assert {one["bot"] for one in lines if one["event"] == "connected"} == set(BOTS)
    lost = [one for one in lines if one["event"] == "disconnected"]
    assert {one["bot"] for one in lost} >= {"dropping"}
    assert all(one["reason"] for one in lost)


def test_no_card_and_no_token_is_in_it(run: tuple[Path, list[dict[str, Any]], str, str]) -> None:
    database, lines, text, page = run
    secret = (database.parent / "tokens.txt").read_text(encoding="utf-8")
    tokens = [line.partition(" ")[0] for line in secret.splitlines() if line and not line.startswith("#")]
    assert len(tokens) == len(BOTS)
    (seed,) = rows(database, "select seed from league")[0]
    for said in (text, page):
        assert not [token for token in (*tokens, str(seed)) if token in said]
        assert not CARD.search(said)
    # that is, though there are cards in what is written down of these faults
    assert [answer for (answer,) in rows(database, "select answer from fault") if CARD.search(str(answer))]
    # nor as numbers, in a mask or one by one
    masks = {str(mask) for (record,) in rows(database, "select record from deal") for mask in _masks(str(record))}
    assert len(masks) > 10
    assert not masks & set(re.findall(r"\d+", text))
    assert not [one for line in lines for one in line.values() if isinstance(one, list) and len(one) > 5]


def _masks(record: str) -> list[int]:
    """The hands of a deal's record, as the rules keep them."""
    return [
        c.mask(map(c.card, hand.split())) if isinstance(hand, str) else c.mask(map(c.card, hand))
        for hand in json.loads(record)["hands"]
    ]


def test_lines_are_bounded_whatever_comes(tmp_path: Path) -> None:
    long, evil = "x" * 100_000, "a\x1b[2J\nb\u202e\r\x00"
    with open_log(str(tmp_path / "log"), print) as log:
        for event in Event:
            log.news(News(event, evil, long, long, evil))
        log.happened(Began(Sitting(long, 1, (evil, long) * 50), 0))
        log.happened(Failed(AT, 1, long))
        log.happened(Parked(AT, 2))
    text = (tmp_path / "log").read_text(encoding="utf-8")
    assert len(text.splitlines()) == len(Event) + 3
    for line in text.splitlines():
        assert len(line) < 20 * TEXT
        assert line.isprintable()
        json.loads(line)


def test_what_is_to_be_read_is_one_line_each_too(capsys: pytest.CaptureFixture[str]) -> None:
    with open_log("-", print) as log:
        log.news(News(Event.REFUSED, "ipv4:127.0.0.1:5", "a\x1b[2J\nb", step="auth"))
        log.happened(Parked(AT, 2))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)
    assert "refused" in lines[0]
    assert "step=auth" in lines[0]
    assert "match=league/7" in lines[1]


@pytest.mark.parametrize(
    ("event", "field"), [(Event.CROWDED, "peer"), (Event.UNGUARDED, "server"), (Event.CONNECTED, "bot")]
)
def test_who_has_no_name_is_not_logged_as_a_bot(event: Event, field: str) -> None:
    out = io.StringIO()
    Log(_logger(Sink(out, "x", print), readable=False)).news(News(event, "whose", "why"))
    line = json.loads(out.getvalue())
    assert (line["event"], line[field], line["reason"]) == (event.value, "whose", "why")


def test_who_comes_and_goes_all_night_fills_no_disk() -> None:
    out = io.StringIO()
    log = Log(_logger(Sink(out, "x", print), readable=False))

    def written() -> Counter[tuple[str, str, int]]:
        lines = [json.loads(line) for line in out.getvalue().splitlines()]
        out.seek(0)
        out.truncate()
        return Counter((one["event"], one.get("bot", "a stranger"), one.get("times", 1)) for one in lines)

    for _ in range(2):
        for number in range(1000):
            log.news(News(Event.REFUSED, f"ipv4:192.0.2.{number % 250}:{number}", "this token is not known here"))
            log.news(News(Event.CONNECTED, "ann", ""))
        log.news(News(Event.CONNECTED, "bob", ""))
        assert written() == {
            ("refused", "a stranger", 1): NEWS, ("connected", "ann", 1): NEWS, ("connected", "bob", 1): 1,
        }  # fmt: skip
        log.tally()
        left_out = 1000 - NEWS
        assert written() == {("news left out", "a stranger", left_out): 1, ("news left out", "ann", left_out): 1}
    log.tally()
    assert not written()


def test_a_fault_of_time_has_its_reason_and_one_of_cards_only_their_number() -> None:
    out = io.StringIO()
    log = Log(_logger(Sink(out, "x", print), readable=False))

    def fault(kind: Kind, answer: str, reason: str) -> Fault:
        times = (5.0, 0.25, 0.001, None, 0.0, 0.025)
        return Fault(2, 0, 3, 41, kind, "play", "C4", reason, Consequence.RETRY, answer, *times)

    faults = (fault(Kind.ILLEGAL, "QS", "C4: QS may not"), fault(Kind.TIMEOUT, "", "no answer within 5.000 s"))
    log.happened(DealOver(AT, PlayedDeal(0, {}, (0,) * 4, None, (), ((), (), (), ()), faults)))
    cards, time = map(json.loads, out.getvalue().splitlines())
    assert "QS" not in json.dumps(cards)
    assert (cards["answer"], cards["decision"], cards["bot"], cards["table"]) == ("1 card", 41, "cem", 3)
    assert cards["thought_ms"] == 25.0
    assert (time["answer"], time["reason"]) == ("none", "no answer within 5.000 s")


def test_a_log_that_cannot_be_written_is_said_once_and_does_not_end_a_run() -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

    said: list[str] = []
    log = Log(_logger(Sink(Full(), "run.jsonl", said.append), readable=False))
    for _ in range(3):
        log.happened(Parked(AT, 2))
    assert said == ["run.jsonl: the log ends here: No space left on device"]


# --- metrics


def numbers(page: str) -> dict[str, float]:
    return {
        name: float(value)
        for name, _, value in (line.rpartition(" ") for line in page.splitlines() if line and line[0] != "#")
    }


def test_metrics_say_what_the_database_says(run: tuple[Path, list[dict[str, Any]], str, str]) -> None:
    database, _, _, page = run
    found = numbers(page)
    matches = len(rows(database, "select 1 from result"))
    assert found['arena_matches_finished{league="log"}'] == found['arena_matches{league="log"}'] == matches
    assert found['arena_tables_in_play{league="log"}'] == 0
    for kind in Kind:
        number = len(rows(database, f"select 1 from fault where kind = '{kind.value}'"))
        assert found[f'arena_faults_total{{kind="{kind.value}"}}'] == number
    times = [
        tenth / 1e4
        for (thinking,) in rows(database, "select thinking from deal")
        for seat in json.loads(str(thinking))
        for tenth in seat
    ]
    assert found["arena_charged_seconds_count"] == len(times) == found['arena_charged_seconds_bucket{le="+Inf"}']
    assert found["arena_charged_seconds_sum"] == pytest.approx(sum(times), abs=1e-4 * len(times))
    assert found['arena_charged_seconds_bucket{le="10.0"}'] >= found['arena_charged_seconds_bucket{le="0.5"}'] > 0
    assert found["arena_questions_total"] >= len(times)
    assert found["arena_unwritten"] == 0
    assert 0 <= found["arena_bots_connected"] <= len(BOTS)
    assert found["process_resident_memory_bytes"] > 0


def test_a_charge_is_in_the_bucket_whose_bound_it_does_not_pass() -> None:
    metrics = Metrics()
    for charged in (0.0, 0.0005, 0.00051, 10.0, 10.1):
        metrics.happened(DealOver(AT, PlayedDeal(0, {}, (0,) * 4, None, (), ((charged,),), ())))
    buckets = dict(metrics._buckets())
    assert (buckets["0.0005"], buckets["0.001"], buckets["10.0"], buckets["+Inf"]) == (2, 3, 4, 5)
    assert list(buckets) == [*map(str, BOUNDS_S), "+Inf"]


def test_nothing_listens_any_more_when_the_run_is_over() -> None:
    said: list[str] = []
    with served_metrics(0, said.append):
        url = said[0].removeprefix("metrics at ")
        assert b"process_" in urllib.request.urlopen(url, timeout=20).read()
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(url, timeout=20)


@pytest.fixture
def league(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text('name = "small"\n[[bots]]\nname = "ada"\n', encoding="utf-8")
    (tmp_path / "tokens.txt").write_text("a-token-that-is-long-enough ada\n", encoding="utf-8")
    return path


def test_without_its_package_the_option_says_which_extra_to_install(
    arena: Arena, league: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    done = arena("run", league, "--metrics", "0")
    missing = "arena: --metrics needs prometheus-client, which is not installed; install hearts-arena[metrics]\n"
    assert (done.returncode, done.stderr) == (1, missing)


def test_a_port_that_is_taken_and_a_log_that_cannot_be_are_one_line(arena: Arena, league: Path) -> None:
    said: list[str] = []
    with served_metrics(0, said.append):
        port = said[0].removesuffix("/metrics").rpartition(":")[2]
        one_line(arena("run", league, "--metrics", port), f"arena: --metrics: 127.0.0.1:{port}: Address already in use")
    one_line(arena("run", league, "--log", league.parent / "no" / "log"), "no/log: No such file or directory")
