"""The steps of the beginning, of asking, and of messages that a bot must bear."""

import asyncio
import hmac
from collections.abc import Sequence
from typing import Final

from google.protobuf.message import DecodeError

from arena.gateway import wire
from arena.gateway.addresses import AddressError
from arena.gateway.check import Step
from arena.gateway.check_exam import Exam, Failed, Seat, Skipped, games, illegal
from arena.gateway.encoder import frame, rejection
from arena.rules.catalogue import VARIANTS
from arena.rules.deal import Ask
from arena.seat import Reason, Rejection
from arena.v1 import arena_pb2 as pb

UNKNOWN: Final = b"\xa0\x38\x01\xaa\x38\x06future"  # two fields, 900 a number and 901 a text
LARGE: Final = 1024 * 1024  # bytes of a frame that any bot must take
MANY: Final = 32  # tables at once, at the most


# --- the beginning


async def dns(exam: Exam) -> str | None:
    """Of a bot with an address: its name is known."""
    if not exam.target.dialled:
        raise Skipped("it dials in")
    try:
        async with asyncio.timeout(exam.patience.connect_s):
            return await exam.target.find()
    except TimeoutError:
        raise Failed(f"nobody says within {exam.patience.connect_s:g} s what its name stands for") from None
    except AddressError as error:
        raise Failed(str(error)) from None


async def tcp(exam: Exam) -> str | None:
    """Of a bot with an address: somebody listens there."""
    if not exam.target.dialled:
        raise Skipped("it dials in")
    try:
        async with asyncio.timeout(exam.patience.connect_s):
            await exam.target.reach()
    except TimeoutError:
        raise Failed(f"no connection within {exam.patience.connect_s:g} s") from None
    except OSError as error:
        raise Failed(str(error)) from None
    return None


async def tls(exam: Exam) -> str | None:
    """Of a bot with an address: its certificate is good."""
    if not exam.target.dialled:
        raise Skipped("it dials in")
    try:
        async with asyncio.timeout(exam.patience.connect_s):
            version = await exam.target.secure()
    except TimeoutError:
        raise Failed(f"no handshake within {exam.patience.connect_s:g} s") from None
    except OSError as error:
        raise Failed(str(error)) from None
    if not version:
        raise Skipped("it is dialled without TLS")
    return version


async def connect(exam: Exam) -> str | None:
    """The first stream."""
    await exam.dial()
    return None


async def token(exam: Exam) -> str | None:
    """Of a bot that dials in, in the metadata."""
    line = exam.line
    assert line is not None
    if exam.target.dialled:
        raise Skipped("a bot that is dialled sends no token; its proof is in Hello")
    if line.token is None:
        raise Failed('no token: the metadata needs "authorization: Bearer TOKEN"')
    if not hmac.compare_digest(wire.key_of(line.token), exam.key):
        raise Failed("another token than the one that it was given")
    return None


async def hello(exam: Exam) -> str | None:
    """The first frame."""
    assert exam.line is not None
    exam.first = await exam.read_hello(exam.line)
    try:
        messages = pb.BotFrame.FromString(exam.first).messages
    except DecodeError:
        raise Failed(f"not a BotFrame: {exam.first[:20]!r}") from None
    kinds = [message.WhichOneof("kind") or "a message of an unknown kind" for message in messages]
    if kinds != ["hello"]:
        raise Failed(f"the first frame must be Hello alone, not {', '.join(kinds) or 'empty'}")
    exam.hello = messages[0].hello
    return None


async def version(exam: Exam) -> str | None:
    """A version in common."""
    ours, theirs = wire.VERSIONS, (exam.hello.oldest_version, exam.hello.newest_version)
    if theirs[0] > theirs[1] or theirs[1] < ours[0] or theirs[0] > ours[1]:
        raise Failed(f"it speaks versions {theirs[0]} to {theirs[1]} of the protocol, the arena {ours[0]} to {ours[1]}")
    return f"{theirs[0]} to {theirs[1]}"


async def tables(exam: Exam) -> str | None:
    """A number that can be."""
    if not 1 <= exam.hello.tables <= wire.TABLES_LIMIT:
        raise Failed(f"Hello.tables must be 1 to {wire.TABLES_LIMIT}, not {exam.hello.tables}")
    return f"{exam.hello.tables}"


async def software(exam: Exam) -> str | None:
    """Short."""
    if len(exam.hello.software) > wire.SOFTWARE_LIMIT:
        raise Failed(f"Hello.software has {len(exam.hello.software)} characters; {wire.SOFTWARE_LIMIT} is the limit")
    return repr(exam.hello.software) if exam.hello.software else "it gives none"


async def variants(exam: Exam) -> str | None:
    """Known ones."""
    unknown = [name for name in exam.hello.variants if name not in VARIANTS]
    if unknown:
        raise Failed(f"Hello.variants names {unknown[0]!r}; there is {', '.join(VARIANTS)}")
    return " ".join(exam.hello.variants) or "all"


async def welcome(exam: Exam) -> str | None:
    """It is let in as the arena would let it in, and stays."""
    assert exam.line is not None
    assert exam.first is not None
    await exam.welcome(exam.line, exam.first)
    await exam.ping()
    return None


# --- asking


async def _play(exam: Exam) -> tuple[Seat, pb.Question]:
    """Some play in a game of the bot's."""
    seat, deal, asked = await exam.position(exam.rng.choice(games(exam.hello)), Ask.PLAY)
    return seat, exam.question(seat, deal, asked)


async def goes_on(exam: Exam) -> None:
    """It answers a question at a new table."""
    seat, question = await _play(exam)
    await exam.ask([question], [seat.start])


async def question(exam: Exam) -> str | None:
    """The simplest thing."""
    await goes_on(exam)
    return None


async def two_tables(exam: Exam) -> str | None:
    """Two questions in a frame."""
    if exam.hello.tables < 2:
        raise Skipped("it plays at one table at a time")
    await _at_tables(exam, 2)
    return None


async def all_tables(exam: Exam) -> str | None:
    """As many as it said."""
    number = min(exam.hello.tables, MANY)
    await _at_tables(exam, number)
    return f"{number} of {exam.hello.tables}"


async def _at_tables(exam: Exam, number: int) -> None:
    made = [await _play(exam) for _ in range(number)]
    for _, one in made:
        one.clock.left_us *= number  # they are thought about one after the other
    await exam.ask([one for _, one in made], [seat.start for seat, _ in made])


async def pong_while_asked(exam: Exam) -> str | None:
    """A ping right behind a question."""
    seat, asked = await _play(exam)
    await exam.ping([seat.start, frame(pb.ArenaMessage(question=asked))])
    before = not exam.has_answered(asked)
    await exam.answered([asked])
    return "before its answer" if before else "after its answer"


async def sent_twice(exam: Exam) -> str | None:
    """The same question again."""
    seat, asked = await _play(exam)
    await exam.ask([asked], [seat.start])
    first = exam.faces(asked)
    await exam.ask([asked])
    await goes_on(exam)
    return None if exam.faces(asked) == first else "it answered otherwise the second time"


async def stale(exam: Exam) -> str | None:
    """Of a decision that was never asked."""
    said = Rejection(2**60, Reason.STALE, "", "not open: answered already, or never asked", 0, 0)
    await exam.send(rejection(said))
    await goes_on(exam)
    return None


async def late(exam: Exam) -> str | None:
    """A question with no time, and that its time is over."""
    seat, asked = await _play(exam)
    asked.clock.left_us = 1
    said = Rejection(asked.decision, Reason.LATE, "", "no answer within 0.000 s", 0, 0)
    await exam.send(seat.start, frame(pb.ArenaMessage(question=asked)), rejection(said))
    await goes_on(exam)
    return None


async def refused(exam: Exam) -> str | None:
    """A legal answer is refused with a try left."""
    seat, asked = await _play(exam)
    await exam.ask([asked], [seat.start])
    exam.forget(asked)
    legal = pb.Rejection(
        decision=asked.decision, reason=pb.REASON_ILLEGAL, clause="G4", message="refused by the check", tries=1
    )
    legal.legal.extend(asked.legal)
    await exam.ping([frame(pb.ArenaMessage(rejection=legal))])
    try:
        await exam.answered([asked], slack_s=0)  # the rejection has been read
    except Failed:
        if exam.has_answered(asked) or exam.line is None or exam.line.over.is_set():
            raise
        await goes_on(exam)
        return "it does not answer again: an illegal answer of its would cost the deal"
    await goes_on(exam)
    return None


async def last_try(exam: Exam) -> str | None:
    """No try is left."""
    seat, asked = await _play(exam)
    await exam.ask([asked], [seat.start])
    said = Rejection(asked.decision, Reason.MALFORMED, "", "refused by the check", 0, 0)
    await exam.send(rejection(said))
    await goes_on(exam)
    return None


# --- a future arena


async def empty(exam: Exam) -> str | None:
    """Frames without messages, and acknowledgements of everything."""
    await exam.send(b"")
    await exam.send(pb.ArenaFrame(accepted=[1, 2, 2**63]).SerializeToString())
    await goes_on(exam)
    return None


async def unknown_fields(exam: Exam) -> str | None:
    """In everything that there is of a question."""
    seat, asked = await _play(exam)
    for part in (asked, asked.view, asked.view.trick, asked.clock, asked.rules, asked.score):
        part.MergeFromString(UNKNOWN)
    message = pb.ArenaMessage(question=asked)
    message.MergeFromString(UNKNOWN)
    await exam.send(seat.start, frame(message), UNKNOWN)
    await exam.answered([asked])
    return None


async def unknown_message(exam: Exam) -> str | None:
    """A message of a kind that there is not yet."""
    await exam.send(frame(pb.ArenaMessage.FromString(UNKNOWN)))
    await goes_on(exam)
    return None


async def unknown_values(exam: Exam) -> str | None:
    """A reason that there is not yet."""
    said = pb.Rejection(decision=2**60, reason=pb.Reason.ValueType(99), message="for a reason of the future")
    await exam.send(frame(pb.ArenaMessage(rejection=said)))
    await goes_on(exam)
    return None


async def unknown_ask(exam: Exam) -> str | None:
    """Something is asked for that there is not yet: no answer is an answer."""
    seat, asked = await _play(exam)
    asked.ask = pb.Ask.ValueType(99)
    await exam.send(seat.start, frame(pb.ArenaMessage(question=asked)))
    await goes_on(exam)
    return None


async def unknown_rules(exam: Exam) -> str | None:
    """A game that there is not yet: a legal answer or none."""
    seat, asked = await _play(exam)
    asked.rules.variant, asked.rules.options, asked.rules.hash = "future", '{"cards":"more"}', "0123456789abcdef"
    await exam.send(seat.start, frame(pb.ArenaMessage(question=asked)))
    await goes_on(exam)
    if not exam.has_answered(asked):
        return "it does not answer"
    wrong = illegal(asked, [face + 1 for face in exam.faces(asked)])
    if wrong:
        raise Failed(f"an illegal answer in a game that it does not know: {wrong}")
    return "it answers"


async def large(exam: Exam) -> str | None:
    """A frame of a megabyte."""
    padding = b"\xaa\x38" + _varint(LARGE) + bytes(LARGE)
    await exam.send(padding)
    await goes_on(exam)
    return None


def _varint(number: int) -> bytes:
    return bytes((number,)) if number < 128 else bytes((number & 127 | 128,)) + _varint(number >> 7)


async def useless(exam: Exam) -> str | None:
    """Messages that nobody had asked for, in all."""
    await exam.ping()
    if exam.stray.total() > 100:
        raise Failed(f"it sends what nobody asks for: {dict(exam.stray)}")
    return ", ".join(f"{number} × {kind}" for kind, number in exam.stray.items()) or None


async def silence(exam: Exam) -> str | None:
    """It says nothing when it is asked nothing."""
    before = exam.stray.total()
    await asyncio.sleep(min(0.5, exam.patience.quiet_s))
    await exam.ping()
    if exam.stray.total() > before:
        raise Failed(f"it speaks without being asked: {dict(exam.stray)}")
    return None


BEGINNING: Final[Sequence[Step]] = (
    Step("dns", "has an address whose name is known", dns, first=True),
    Step("tcp", "listens at its address", tcp, first=True),
    Step("tls", "shows a certificate that is trusted and for its name, and speaks HTTP/2", tls, first=True),
    Step("connect", "calls ArenaService/Play, or answers the arena's call", connect, first=True),
    Step("token", 'sends its token as "authorization: Bearer TOKEN"', token, first=True),
    Step("hello", "its first frame is Hello alone, within 10 s", hello, first=True),
    Step("version", "speaks a version of the protocol that the arena speaks", version, first=True),
    Step("tables", f"plays at 1 to {wire.TABLES_LIMIT} tables at once", tables, first=True),
    Step("software", f"calls itself something of at most {wire.SOFTWARE_LIMIT} characters", software, first=True),
    Step("variants", "names only variants that there are", variants, first=True),
    Step("ready", "takes Welcome, and answers a Ping with a Pong of the same nonce", welcome, first=True),
)
ASKING: Final[Sequence[Step]] = (
    Step("question", "answers a question with a legal card", question),
    Step("two-tables", "answers questions of two tables in one frame", two_tables),
    Step("all-tables", f"answers at as many tables as it said, or {MANY}, at once", all_tables),
    Step("ping-while-asked", "answers a Ping that comes right behind a question", pong_while_asked),
    Step("silence", "says nothing when it is asked nothing", silence),
    Step("sent-twice", "answers a question that comes again", sent_twice),
    Step("stale", "bears a Rejection of a decision that it does not know", stale),
    Step("late", "bears that a question's time was over at once", late),
    Step("refused", "answers again where a Rejection leaves it another try", refused),
    Step("last-try", "bears a Rejection that leaves it none", last_try),
)
FUTURE: Final[Sequence[Step]] = (
    Step("empty-frame", "bears frames without messages, and what is accepted that it never said", empty),
    Step("unknown-fields", "ignores fields that it does not know, in every part of a question", unknown_fields),
    Step("unknown-message", "ignores messages of a kind that it does not know", unknown_message),
    Step("unknown-reason", "bears a reason that it does not know", unknown_values),
    Step("unknown-ask", "bears a question for something that it does not know", unknown_ask),
    Step("unknown-rules", "answers legally or not at all in a game that it does not know", unknown_rules),
    Step("large-frame", "takes a frame of a megabyte", large),
)
USELESS: Final = Step("useless", "has not said what nobody asked for, over 100 times", useless)
