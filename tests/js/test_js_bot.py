"""The bot in JavaScript: what it says to an arena that follows a script, and whole leagues through the real one.

It is run as its users run it, as a process. `make js` installs its packages; where that cannot be, nothing here runs.
"""

import itertools
import random
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import grpc
import pytest
import trio
from sqlalchemy import text
from sqlmodel import Session

from arena.cli.play import Lobby, playing
from arena.clock import Clock, TimeControl
from arena.gateway import wire
from arena.gateway.bridge import Bridge, run
from arena.gateway.dialer import Dial, Terms
from arena.gateway.server import Event, Gateway, open_gateway
from arena.gateway.tls import ClientTls, ServerTls
from arena.league.config import LeagueFile
from arena.league.create import open_league
from arena.league.runner import Runner
from arena.referee import Referee
from arena.rules import cards as c
from arena.rules.catalogue import rules
from arena.rules.deck import dealt
from arena.rules.match import Match, dealer_of
from arena.rules.variant import Rules, fallback
from arena.rules.view import view
from arena.seat import Request, Seat
from arena.store.database import open_database
from arena.table import PlayedDeal, Table
from arena.v1 import arena_pb2 as pb
from tests.fakes import FakeSeat, Says
from tests.gateway.peers import until
from tests.js.bot import PATIENCE_S, Call, bot, ended, frame, missing, scripted, serving, welcome
from tests.strategies import TABLES, fresh

SEED = bytes(range(32))
CALM = TimeControl(move_s=60, bank_s=600)  # a busy machine is no fault of the bot's

pytestmark = pytest.mark.skipif(missing() != "", reason=missing())


# --- An arena that follows a script -----------------------------------------------------------------------------


def question(decision: int, game: Rules | None = None, number: int = 3) -> pb.ArenaMessage:
    """The first open question of a deal; of classic's fourth, where nothing is passed, the first lead."""
    deal = fresh(game or rules("classic", 4), 7, number)
    asked = deal.pending()[0]
    request = Request(decision, asked, view(deal, asked.seat), Match(deal.rules), Clock.full(TimeControl()))
    return pb.ArenaMessage(question=wire.question_message(1, "m", request, 5.0))


def ping(nonce: int) -> pb.ArenaMessage:
    return pb.ArenaMessage(ping=pb.Ping(nonce=nonce))


def kinds(said: pb.BotFrame) -> list[str | None]:
    return [message.WhichOneof("kind") for message in said.messages]


def refuse(call: Call) -> None:
    """Send the bot away for good, so that its process ends."""
    call.end(grpc.StatusCode.UNAUTHENTICATED, "the test is over")


def test_all_questions_of_a_frame_are_answered_in_one_and_pings_before_them() -> None:
    large = (2**64 - 1, 2**63 + 5, 2**53 + 1)  # no JavaScript number is any of them

    def script(call: Call) -> Iterator[pb.ArenaFrame]:
        call.read()
        yield frame(welcome())
        unknown = question(77)
        unknown.question.ask = pb.Ask.ValueType(99)
        news = pb.ArenaMessage()
        news.MergeFromString(b"\xfa\x3e\x01x")  # field 1007, of a future arena
        passing = question(large[2], number=0)
        yield frame(question(large[1]), unknown, news, ping(large[0]), passing)
        call.read()
        call.read()
        refuse(call)

    with scripted(script) as arena, bot("--arena", f"127.0.0.1:{arena.port}", "--tables", "5") as process:
        status, _ = ended(process)
        assert status == 1
        hello, pong, answers = arena.heard[0]
    assert kinds(hello) == ["hello"]
    said = hello.messages[0].hello
    assert (said.oldest_version, said.newest_version, said.tables) == (1, 1, 5)
    assert said.software.startswith("javascript")
    assert [message.pong.nonce for message in pong.messages] == [large[0]]
    assert kinds(answers) == ["answer", "answer"], "to what it does not know it says nothing"
    assert [message.answer.decision for message in answers.messages] == [large[1], large[2]]
    assert [len(message.answer.cards) for message in answers.messages] == [1, 3]


def test_a_refused_answer_is_followed_by_the_lowest_legal_cards() -> None:
    asked = question(8, number=0)
    legal = asked.question.legal
    refusal = pb.Rejection(decision=8, reason=pb.REASON_ILLEGAL, clause="G7", message="no", legal=legal, tries=1)
    stale = pb.Rejection(decision=9, reason=pb.REASON_STALE, message="not open")

    def script(call: Call) -> Iterator[pb.ArenaFrame]:
        call.read()
        yield frame(welcome(), asked)
        call.read()
        yield frame(pb.ArenaMessage(rejection=stale), pb.ArenaMessage(rejection=refusal))
        call.read()
        final = pb.Rejection(decision=8, reason=pb.REASON_ILLEGAL, clause="G7", message="no")
        yield frame(pb.ArenaMessage(rejection=final))
        yield frame(ping(1))
        call.read()
        refuse(call)

    with scripted(script) as arena, bot("--arena", f"127.0.0.1:{arena.port}") as process:
        _, lines = ended(process)
        _, first, second, third = arena.heard[0]
    assert kinds(first) == kinds(second) == ["answer"]
    lowest = fallback(wire.read_question(asked.question)[0].legal, 3)
    assert wire.faces(second.messages[0].answer.cards) == lowest
    assert kinds(third) == ["pong"], "after the last try there is nothing to say"
    assert sum(line.startswith("refused: G7 no") for line in lines) == 2


def test_it_dials_again_after_lost_connections_until_it_is_refused() -> None:
    def lost(call: Call) -> Iterator[pb.ArenaFrame]:
        call.read()
        yield frame(welcome(), question(1))
        call.read()
        call.end(grpc.StatusCode.UNAVAILABLE, "the arena is closing")

    def unheard(call: Call) -> Iterator[pb.ArenaFrame]:
        call.end(grpc.StatusCode.DEADLINE_EXCEEDED, "no Hello in time")
        yield frame()

    def again(call: Call) -> Iterator[pb.ArenaFrame]:
        call.read()
        yield frame(welcome(), question(1))
        call.read()
        refuse(call)

    with scripted(lost, unheard, again) as arena, bot(ARENA_ADDRESS=f"127.0.0.1:{arena.port}") as process:
        status, lines = ended(process)
    assert arena.tokens == ["Bearer ann"] * 3
    assert [kinds(said) for said in arena.heard[2]] == [["hello"], ["answer"]]
    assert arena.heard[0][1] == arena.heard[2][1], "the same question, the same answer"
    assert status == 1
    assert lines[-1] == f"bot.js: the arena at 127.0.0.1:{arena.port} refused: the test is over"


@pytest.mark.parametrize(
    "code",
    [
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.ABORTED,
    ],
)
def test_what_is_final_ends_it_with_one_line(code: grpc.StatusCode) -> None:
    def script(call: Call) -> Iterator[pb.ArenaFrame]:
        call.end(code, "for a reason\nin two lines")
        yield frame()

    with scripted(script) as arena, bot("--arena", f"127.0.0.1:{arena.port}") as process:
        said = f"bot.js: the arena at 127.0.0.1:{arena.port} refused: for a reason in two lines"
        assert ended(process) == (1, [said])
    assert len(arena.tokens) == 1


def test_an_arena_that_is_not_there_is_told_after_the_patience(tmp_path: Path) -> None:
    token = tmp_path / "token.txt"
    token.write_text("secret\nmore\n")
    with bot("--arena", "127.0.0.1:9", "--patience", "0", "--token-file", str(token)) as process:
        status, lines = ended(process)
    assert (status, len(lines)) == (1, 1)
    assert "out of reach" in lines[0]


@pytest.mark.parametrize(
    ("arguments", "token", "said"),
    [
        ((), "ann", "no arena"),
        (("--arena", "127.0.0.1:9"), "", "no token"),
        (("--arena", "127.0.0.1:9", "--token-file", "not-there.txt"), "ann", "cannot read the token"),
        (("--arena", "127.0.0.1:9", "--tables", "0"), "ann", "--tables is a whole number from 1"),
        (("--arena", "127.0.0.1:9", "--tables", "many"), "ann", "--tables is a whole number from 1"),
        (("--areena", "127.0.0.1:9"), "ann", "--areena"),
        (("--arena", "127.0.0.1:9", "--serve", "127.0.0.1:0"), "ann", "either"),
    ],
)
def test_a_wrong_command_line_is_told_in_one_line(arguments: Sequence[str], token: str, said: str) -> None:
    with bot(*arguments, token=token) as process:
        status, lines = ended(process)
    assert (status, len(lines)) == (2, 1), lines
    assert said in lines[0]


# --- The real arena ---------------------------------------------------------------------------------------------


def at_random(request: Request, _attempt: int) -> Says:
    """A legal answer drawn from the question alone."""
    asked = request.question
    rng = random.Random(f"{request.view.hand} {request.view.trick} {asked.number} {asked.seat}")
    return Says(rng.sample(c.faces_of(asked.legal), asked.number))


async def deals(gateway: Gateway, table: int, game: Rules, number: int, points: dict[str, list[int]]) -> None:
    """A match of some deals between the bot and players at random; whoever it is gets the points noted."""
    place = table % game.players
    seats: list[Seat] = [FakeSeat(at_random, name=f"random {seat}") for seat in range(game.players - 1)]
    seats[place:place] = gateway.seats(table, ["ann"])

    async def keep(deal: PlayedDeal) -> None:
        for seat, count in enumerate(deal.points):
            points["ann" if seat == place else "random"].append(count)

    match = Table(
        match_id=f"m{table}",
        rules=game,
        target=10_000,
        max_deals=number,
        seats=seats,
        referee=Referee(CALM, itertools.count(1000 * table)),
        dealt=lambda deal: dealt(bytes([table, deal]) * 16, game, dealer_of(deal, game.players)),
        keep=keep,
    )
    await match.play()
    gateway.forget(table)
    assert not any(player.faults or player.strikes for player in match.players), f"{game.name}-{game.players}"


async def arrived(gateway: Gateway, *names: str) -> None:
    """Wait for bots to be in."""
    while not all(gateway.player(name).connected for name in names):
        await gateway.wait_change()


def test_it_plays_every_game_at_once_legally_and_better_than_chance() -> None:
    points: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))

    async def main(bridge: Bridge) -> None:
        with trio.fail_after(PATIENCE_S):
            async with open_gateway(
                bridge, address="127.0.0.1:0", authenticate=lambda token: token, league="all"
            ) as gateway:
                with bot("--arena", f"127.0.0.1:{gateway.port}", "--tables", "100"):
                    await arrived(gateway, "ann")
                    assert gateway.player("ann").tables == 100
                    async with trio.open_nursery() as nursery:
                        for table, game in enumerate(TABLES, 1):
                            nursery.start_soon(deals, gateway, table, game, 6, points[game.name])

    run(main)
    assert len(points) == 10
    for name, found in points.items():
        own, others = (sum(found[who]) / len(found[who]) for who in ("ann", "random"))
        assert own < 0.75 * others, f"{name}: {own:.2f} a deal, and {others:.2f} at random"


SERVE = ("--serve", "127.0.0.1:0")
LEAGUE = {
    "name": "two of them",
    "schedule": {"orbits": 1},
    "time": {"move_s": 60.0, "bank_s": 600.0},
    "bots": ({"name": "ann"}, {"name": "bob"}),  # and two of the house
}


@pytest.mark.parametrize("direction", ["dial-in", "dial-out"])
@pytest.mark.parametrize("variant", ["classic", "domino"])
def test_a_league_is_played_through_both_directions(variant: str, direction: str, tmp_path: Path) -> None:
    """Two processes of the bot; one of them always dials in."""
    file = LeagueFile.model_validate(LEAGUE | {"game": {"variant": variant, "target": 25}})

    async def main(bridge: Bridge) -> None:
        with trio.fail_after(PATIENCE_S):
            async with open_gateway(
                bridge,
                address="127.0.0.1:0",
                authenticate=lambda token: token,
                league=file.name,
                terms=Terms(allow_private=True),
            ) as gateway:
                arena = f"127.0.0.1:{gateway.port}"
                out = direction == "dial-out"
                with bot("--arena", arena, token="bob"), bot(*(SERVE if out else ("--arena", arena))) as ann:
                    if out:
                        gateway.dial(Dial("ann", serving(ann), wire.key_of("ann")))
                    await play(file, gateway, tmp_path / "league.db")

    run(main)


def test_the_arena_dials_again_and_the_match_goes_on() -> None:
    """Every connection is cut in mid-deal; the service is dialled anew and answers the open question."""
    points: dict[str, list[int]] = defaultdict(list)
    news: list[Event] = []
    game = rules("classic", 4)

    async def main(bridge: Bridge) -> None:
        with trio.fail_after(PATIENCE_S), bot(*SERVE) as ann:
            async with open_gateway(
                bridge,
                address="127.0.0.1:0",
                authenticate=lambda token: token,
                league="again",
                dial=[Dial("ann", serving(ann), wire.key_of("ann"))],
                terms=Terms(allow_private=True),
                notify=lambda one: news.append(one.event),
            ) as gateway:
                await arrived(gateway, "ann")
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(deals, gateway, 1, game, 30, points)
                    await until(lambda: len(points["ann"]) >= 3)
                    gateway.close()  # every connection, while the gateway stays
                    await until(lambda: Event.DISCONNECTED in news)
                    assert len(points["ann"]) < 30

    run(main)
    assert news[:3] == [Event.CONNECTED, Event.DISCONNECTED, Event.CONNECTED]
    assert len(points["ann"]) == 30


async def play(file: LeagueFile, gateway: Gateway, database: Path) -> None:
    """The whole league; every match has its result, and nobody has a fault."""
    engine = open_database(str(database), create=True)
    try:
        with Session(engine) as session, session.begin():
            league = open_league(session=session, file=file, seed=SEED)
        lobby = Lobby(gateway, file.game.variant)
        runner = Runner(engine, league, playing(file), lobby, software=lobby.software, forget=gateway.forget)
        await runner.run()
        assert (runner.finished, runner.total, runner.parked) == (4, 4, 0)
        with engine.connect() as connection:

            def one(query: str) -> object:
                return connection.execute(text(query)).scalar()

            assert one("select count(*) from result") == 4
            assert one("select count(*) from seat_result where faults > 0") == 0
            assert one("select count(*) from fault") == 0
            assert one("select finished_at is not null from league") == 1
            assert str(one("select software from entrant where name = 'ann'")).startswith("javascript")
    finally:
        engine.dispose()


# --- TLS --------------------------------------------------------------------------------------------------------


@pytest.fixture
def certificate(tmp_path: Path) -> Callable[[str], tuple[Path, Path]]:
    """Makes a certificate of this machine that signs itself, and its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl on this machine to make a certificate with")

    def make(name: str) -> tuple[Path, Path]:
        own, key = tmp_path / f"{name}.crt", tmp_path / f"{name}.key"
        made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
        names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(key), "-out", str(own)]
        subprocess.run([openssl, *made.split(), *names], check=True, capture_output=True, timeout=PATIENCE_S)
        return own, key

    return make


@pytest.mark.parametrize("direction", ["dial-in", "dial-out"])
def test_it_speaks_tls_in_both_directions(direction: str, certificate: Callable[[str], tuple[Path, Path]]) -> None:
    points: dict[str, list[int]] = defaultdict(list)
    own, key = certificate("one")

    async def main(bridge: Bridge) -> None:
        with trio.fail_after(PATIENCE_S):
            async with open_gateway(
                bridge,
                address="127.0.0.1:0",
                authenticate=lambda token: token,
                league="tls",
                tls=ServerTls(own, key),
                terms=Terms(allow_private=True, tls=ClientTls(ca=own)),
            ) as gateway:
                out = direction == "dial-out"
                arena = ("--arena", f"localhost:{gateway.port}", "--ca", str(own))
                with bot(*((*SERVE, "--certificate", str(own), "--key", str(key)) if out else arena)) as ann:
                    if out:
                        gateway.dial(Dial("ann", serving(ann), wire.key_of("ann")))
                    await arrived(gateway, "ann")
                    await deals(gateway, 1, rules("classic", 4), 1, points)

    run(main)
    assert len(points["ann"]) == 1


def test_an_arena_with_a_certificate_of_somebody_else_does_not_get_the_token(
    certificate: Callable[[str], tuple[Path, Path]],
) -> None:
    own, key = certificate("one")
    other, _ = certificate("two")
    seen: list[str] = []

    async def main(bridge: Bridge) -> None:
        with trio.fail_after(PATIENCE_S):
            async with open_gateway(
                bridge, address="127.0.0.1:0", authenticate=seen.append, league="tls", tls=ServerTls(own, key)
            ) as gateway:
                arena = ("--arena", f"localhost:{gateway.port}", "--ca", str(other), "--patience", "0")
                with bot(*arena) as process:
                    status, lines = await trio.to_thread.run_sync(ended, process)
                assert (status, len(lines)) == (1, 1), lines
                assert "out of reach" in lines[0]

    run(main)
    assert not seen


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0"])
def test_without_tls_it_does_not_serve_where_others_reach_it(address: str) -> None:
    with bot("--serve", address) as process:
        status, lines = ended(process)
    assert (status, len(lines)) == (2, 1)
    assert "--insecure" in lines[0]
