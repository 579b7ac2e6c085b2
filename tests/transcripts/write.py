"""Golden transcripts: for each variant what goes over the wire to and from one seat in a match of one deal.

Table, referee, seat and encoder are the arena's own; the stream is played here, on a clock that the script turns. After
a change of the protocol that is meant, write them anew and read the difference:

    python -m tests.transcripts.write
"""

import itertools
from dataclasses import dataclass, field
from pathlib import Path

import trio
from trio.testing import MockClock

from arena.clock import TimeControl
from arena.gateway import wire
from arena.gateway.encoder import TableEncoder
from arena.gateway.player import Player, PlayerSeat
from arena.gateway.script import Said, written
from arena.house import HouseSeat
from arena.referee import Referee
from arena.rules import cards as c
from arena.rules import deck
from arena.rules.cards import Card
from arena.rules.catalogue import VARIANTS
from arena.rules.catalogue import rules as rules_of
from arena.rules.deal import Question
from arena.rules.match import dealer_of
from arena.rules.variant import Rules, fallback
from arena.seat import OpenRequest
from arena.table import PlayedDeal, Table
from arena.v1 import arena_pb2 as pb

DOCS = Path(__file__).parents[2] / "docs" / "transcripts"
# Powers of two, so that sums of them are exact and microseconds come out the same everywhere.
THINKS_S = 2**-9  # that the bot takes for each answer
ROUND_TRIP_S = 2**-12  # that a ping has taken
CONTROL = TimeControl(move_s=5.0, bank_s=60.0, increment_s=2**-10, grace_s=30.0, credit_s=0.05)
SEED = bytes(range(32))
LABEL = "transcripts-335"  # an event with a trick that waits, in cancellation
EVENT = deck.event_key(SEED, LABEL, b"")

HEAD = """\
{title} · {title_ru}, {players} players: a match of one deal as the bot in seat {seat} hears and plays it.

Protobuf text format: every paragraph is one gRPC message, an arena.v1.ArenaFrame or an arena.v1.BotFrame. The call is
{method} with the metadata "authorization: Bearer TOKEN".

The cards are those of HEARTS-DEAL-1 for the seed 00 01 02 … 1f, the event "{label}", no public value, the
stream "{stream}". Everybody gives the lowest legal cards by rank, clubs, diamonds, spades, hearts among equals,
which is the fallback of docs/rules.md; the bot takes {thinks_us} microseconds for each answer. So a bot of yours that
does the same and is sent the arena's frames has to send the bot's.{mistake}

Written by: python -m tests.transcripts.write"""
MISTAKE = " (But for one mistake that it makes on purpose, to be told.)"


@dataclass(frozen=True)
class Case:
    """What is shown of a variant."""

    variant: str
    players: int
    seat: int
    mistake: bool = False

    @property
    def rules(self) -> Rules:
        """The rules of the table."""
        return rules_of(self.variant, self.players)

    @property
    def stream(self) -> str:
        """Names the cards."""
        return f"{self.variant}-{self.players}"

    def dealt(self, number: int) -> deck.Dealt:
        """The cards of a deal."""
        return deck.dealt(deck.deal_key(EVENT, self.stream, number), self.rules, dealer_of(number, self.players))


CASES = (
    Case("hearts", 4, 0),
    Case("domino", 3, 0),
    Case("greek", 4, 1),
    Case("widow", 4, 3),
    Case("omnibus", 4, 2),
    Case("spot", 4, 3),
    Case("classic", 4, 0, mistake=True),
    Case("black-lady", 5, 0),
    Case("cancellation", 7, 0),
    Case("no-queen", 5, 0),
)


def lowest(question: Question) -> tuple[Card, ...]:
    """The faces that everybody answers with."""
    return tuple(card % c.FACES for card in fallback(question.legal, question.number))


class Lowest(HouseSeat):
    """The others at the table."""

    def ask(self, request: OpenRequest) -> None:
        """The lowest, at once."""
        request.hear(lowest(request.question), trio.current_time())


@dataclass
class Stream:
    """The bot's stream: what is ready goes into one frame, as a connection does it, and the bot answers it."""

    player: Player
    mistake: bool
    conversation: list[Said] = field(default_factory=list)
    _frames: list[bytes] = field(default_factory=list)
    _asked: list[OpenRequest] = field(default_factory=list)
    _accepted: list[int] = field(default_factory=list)
    _news: trio.Event = field(default_factory=trio.Event)
    _open: dict[int, pb.Question] = field(default_factory=dict)

    def send(self, frame: bytes) -> None:
        """Into the next frame."""
        self._frames.append(frame)
        self._news.set()

    def send_question(self, frame: bytes, request: OpenRequest) -> None:
        """Into the next frame, with which its time begins."""
        self._asked.append(request)
        self.send(frame)

    def accepted(self, decision: int) -> None:
        """Told with the next frame."""
        self._accepted.append(decision)

    def latency_s(self) -> float:
        """Always the same."""
        return ROUND_TRIP_S

    async def carry(self) -> None:
        """Until the match is over."""
        over = False
        while not over:
            await self._news.wait()
            self._news = trio.Event()
            if self._accepted:
                self._frames.append(pb.ArenaFrame(accepted=self._accepted).SerializeToString())
            frame = pb.ArenaFrame.FromString(b"".join(self._frames))
            for request in self._asked:
                request.sent_at = trio.current_time()
            for ready in (self._frames, self._accepted, self._asked):
                ready.clear()
            self.conversation.append(Said(frame))
            answers = [answer for message in frame.messages for answer in self._answers(message)]
            if answers:
                await trio.sleep(THINKS_S)
                remark = ""
                if self.mistake and self._blunder(answers[0].answer):
                    self.mistake = False
                    remark = "on purpose, a card that may not be played"
                said = pb.BotFrame(messages=answers)
                self.conversation.append(Said(said, remark))
                for answer in said.messages:
                    self._hear(answer.answer)
            over = any(message.HasField("match_end") for message in frame.messages)

    def _answers(self, message: pb.ArenaMessage) -> list[pb.BotMessage]:
        if message.HasField("question"):
            asked = message.question
            self._open[asked.decision] = asked
            cards = asked.legal
        elif message.HasField("rejection"):
            asked = self._open[message.rejection.decision]
            cards = message.rejection.legal
        else:
            return []
        faces = sorted(wire.faces(cards), key=c.rank_order)[: asked.count]
        answer = pb.Answer(decision=asked.decision, cards=[wire.VALUES[face] for face in faces])
        return [pb.BotMessage(answer=answer)]

    def _blunder(self, answer: pb.Answer) -> bool:
        """Put a card that is held and not legal in the place of the answer's, if there is one and it is a play."""
        asked = self._open[answer.decision]
        wrong = [card for card in asked.view.hand if card not in asked.legal]
        if asked.ask != pb.ASK_PLAY or not wrong:
            return False
        answer.cards[:] = wrong[:1]
        return True

    def _hear(self, answer: pb.Answer) -> None:
        faces, malformed = wire.answer_faces(answer.cards)
        assert self.player.answer(answer.decision, faces, malformed, trio.current_time()) is None


async def _keep(_deal: PlayedDeal) -> None:
    pass


async def _recorded(case: Case) -> list[Said]:
    player = Player("you", trio.current_time)
    stream = Stream(player, case.mistake)
    oldest, newest = wire.VERSIONS
    hello = pb.Hello(oldest_version=oldest, newest_version=newest, tables=1, software="a transcript")
    stream.conversation.append(Said(pb.BotFrame(messages=[pb.BotMessage(hello=hello)])))
    welcome = pb.Welcome(version=newest, name=player.name, league="transcripts", tables=1)
    stream.conversation.append(Said(pb.ArenaFrame(messages=[pb.ArenaMessage(welcome=welcome)])))
    stream.conversation.append(Said(pb.ArenaFrame(messages=[pb.ArenaMessage(ping=pb.Ping(nonce=1))])))
    stream.conversation.append(Said(pb.BotFrame(messages=[pb.BotMessage(pong=pb.Pong(nonce=1))])))
    player.attach(stream, 1, hello.software, ())
    seats = [
        PlayerSeat(player, 1, seat, TableEncoder(1)) if seat == case.seat else Lowest(f"seat {seat}")
        for seat in range(case.players)
    ]
    table = Table(
        match_id="transcripts/0",
        rules=case.rules,
        target=100,
        max_deals=1,
        seats=seats,
        referee=Referee(CONTROL, itertools.count(1)),
        dealt=case.dealt,
        keep=_keep,
    )
    async with trio.open_nursery() as nursery:
        nursery.start_soon(stream.carry)
        await table.play()
    return stream.conversation


def recorded(case: Case) -> list[Said]:
    """The whole conversation; it takes no time, for the clock is a mock."""
    return trio.run(_recorded, case, clock=MockClock(autojump_threshold=0))


def text_of(case: Case) -> str:
    """The whole file of a variant."""
    variant = VARIANTS[case.variant]
    head = HEAD.format(
        title=variant.title,
        title_ru=variant.title_ru,
        players=case.players,
        seat=case.seat,
        method=wire.METHOD,
        label=LABEL,
        stream=case.stream,
        thinks_us=int(THINKS_S * 1e6),
        mistake=MISTAKE if case.mistake else "",
    )
    return written(head, recorded(case))


def path_of(case: Case) -> Path:
    """Where its file is."""
    return DOCS / f"{case.variant}.txt"


def main() -> None:
    """Write every file anew."""
    DOCS.mkdir(exist_ok=True)
    for case in CASES:
        path_of(case).write_text(text_of(case), encoding="utf-8")


if __name__ == "__main__":
    main()
