"""What went to and came from a seat, to the byte: noted while it plays, and cut off at the end of each deal.

Bytes that are there anyway are referred to and nothing is copied, so that a question mostly costs one entry in a list.
What is worth keeping is decided when the deal is over, and put together in the writer's thread.
"""

import json
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Protocol, TypeAlias

from arena.v1 import arena_pb2 as pb

ENTRIES: Final = 400  # of a seat in a deal, which has a few dozen questions at most
HEARD: Final = 64 * 1024  # bytes of what came from a bot, the same
LARGE: Final = 2048  # bytes of a BotFrame above which an answer is kept without the frame around it
CARDS: Final = 20  # of such an answer
MOST: Final = 500  # deals of each bot that a run keeps for a fault in them


class Kept(Enum):
    """Whose transcripts are kept."""

    OFF = "off"
    FAULTS = "faults"  # of seats with a fault in the deal
    ALL = "all"


class Way(Enum):
    """Which way a frame went."""

    SENT = "sent"  # by the arena: an ArenaFrame
    RECEIVED = "received"  # from the bot: a BotFrame
    NOTE = "note"  # no frame: something happened to the connection


@dataclass(frozen=True, slots=True)
class Entry:
    """One frame, or a note. Times in seconds since the deal's first entry."""

    at_s: float  # put in the queue, or read
    way: Way
    frame: bytes  # of this seat's messages alone
    handed_s: float | None = None  # of a question: when the transport took it
    note: str = ""


_SENT: Final = Way.SENT
_Noted: TypeAlias = tuple[float, Way, bytes, int, float | None, str, float, bytes]
"""When, which way, bytes, the decision that is asked, answered or closed, when the transport had taken the question
that is closed (if it had), a note. Of a question that was answered once and no more, which are nearly all, it is one
for everything, with when the answer was read and the frame with it. Nothing of a question but its bytes is kept, so
that all else of it is soon free again.
"""


class Tape:
    """One seat's. What is noted does not wait and is bounded."""

    __slots__ = ("_asked_at", "_decision", "_heard", "_left_out", "_noted", "_now", "_question")

    def __init__(self, now: Callable[[], float]) -> None:
        """Nothing yet; ``now`` is the arena's clock."""
        self._now: Final = now
        self._noted: list[_Noted] = []
        self._left_out = 0
        self._heard = 0  # bytes
        # a question that is not noted yet
        self._question = b""
        self._decision = 0
        self._asked_at = 0.0

    def said(self, frame: bytes) -> None:
        """A frame for the bot is handed to its connection."""
        self._note(self._now(), Way.SENT, frame)

    def asked(self, frame: bytes, decision: int, at: float) -> None:
        """The same with a question; when the transport has taken it is known when it is closed."""
        if self._question:
            self._note_question()
        self._question = frame
        self._decision = decision
        self._asked_at = at

    def heard(self, frame: bytes, decision: int, now: float) -> None:
        """A frame of the bot's has, among other things perhaps, an answer to this decision."""
        note = ""
        if len(frame) > LARGE:
            frame, note = _answer(frame, decision)
        self._heard += len(frame)
        if self._heard <= HEARD:
            self._note(now, Way.RECEIVED, frame, decision, note=note)
        else:
            self._left_out += 1

    def accepted(self, frame: bytes, decision: int, now: float, sent_at: float | None) -> None:
        """As `heard`, and the bot is told that its answer counts, which is known at once."""
        question, noted, size = self._question, self._noted, len(frame)
        if (
            question
            and decision == self._decision
            and size <= LARGE
            and self._heard + size <= HEARD
            and len(noted) < ENTRIES
        ):
            self._heard += size
            self._question = b""
            noted.append((self._asked_at, _SENT, question, decision, sent_at, "", now, frame))
            return
        self.heard(frame, decision, now)
        self._note(now, Way.SENT, b"", decision, sent_at)

    def refused(self, frame: bytes, decision: int, sent_at: float | None) -> None:
        """It is told that the question is closed without an answer of its own."""
        self._note(self._now(), Way.SENT, frame, decision, sent_at)

    def remark(self, text: str) -> None:
        """Something happened to the connection."""
        self._note(self._now(), Way.NOTE, b"", note=text)

    def _note(
        self, at: float, way: Way, frame: bytes, decision: int = 0, sent_at: float | None = None, note: str = ""
    ) -> None:
        if self._question:
            self._note_question()
        if len(self._noted) < ENTRIES:
            self._noted.append((at, way, frame, decision, sent_at, note, 0.0, b""))
        else:
            self._left_out += 1

    def _note_question(self) -> None:
        """By itself: something has come between it and an answer that counts."""
        question, self._question = self._question, b""
        self._note(self._asked_at, Way.SENT, question, self._decision)

    def cut(self) -> "Part":
        """What has been noted since the last cut."""
        if self._question:
            self._note_question()
        if self._left_out:
            left_out, self._left_out = self._left_out, 0
            text = f"{left_out} more entries are left out"
            self._noted.append((self._now(), Way.NOTE, b"", 0, None, text, 0.0, b""))
        noted, self._noted = self._noted, []
        self._heard = 0
        return Part(noted)


@dataclass(frozen=True, slots=True)
class Part:
    """A deal's part of a tape."""

    noted: Sequence[_Noted]

    def entries(self) -> Sequence[Entry]:
        """The part with each frame cut down to this seat's messages."""
        single: list[tuple[float, Way, bytes, int, float | None, str]] = []
        for at, way, frame, decision, sent_at, note, heard_at, answer in self.noted:
            if answer:
                single.append((at, Way.SENT, frame, decision, None, ""))
                single.append((heard_at, Way.RECEIVED, answer, decision, None, ""))
                single.append((heard_at, Way.SENT, b"", decision, sent_at, ""))
            else:
                single.append((at, way, frame, decision, sent_at, note))
        started = min((one[0] for one in single), default=0.0)
        taken = {decision: sent_at for _, _, _, decision, sent_at, _ in single if sent_at is not None}
        handed_over = {}  # which entry of a question the transport was the first to take: the last one until then
        for place, (at, way, _, decision, sent_at, _) in enumerate(single):
            if way is Way.SENT and sent_at is None and decision in taken and at <= taken[decision]:
                handed_over[decision] = place
        entries = []
        for place, (at, way, frame, decision, _, note) in enumerate(single):
            handed = None
            if way is Way.SENT and handed_over.get(decision) == place:
                handed = taken[decision] - started
            if way is Way.RECEIVED and not note:
                frame, note = _answer(frame, decision)
            elif way is Way.SENT and not frame:
                frame = pb.ArenaFrame(accepted=[decision]).SerializeToString()
            entries.append(Entry(at - started, way, frame, handed, note))
        return entries

    def packed(self) -> bytes:
        """As it is stored."""
        return packed(self.entries())


def _answer(data: bytes, decision: int) -> tuple[bytes, str]:
    """Of a frame what answers this decision, and what is to be said of the rest."""
    frame = pb.BotFrame.FromString(data)
    own = [message for message in frame.messages if message.answer.decision == decision]
    rest = len(frame.messages) - len(own)
    if not rest and len(data) <= LARGE:
        return data, ""
    said = pb.BotFrame(messages=own)
    if said.ByteSize() > LARGE:
        answers = [
            pb.Answer(decision=decision, cards=message.answer.cards[:CARDS], thought_us=message.answer.thought_us)
            for message in own[:1]
        ]
        said = pb.BotFrame(messages=[pb.BotMessage(answer=one) for one in answers])
        return said.SerializeToString(), f"the beginning of a frame of {len(data)} bytes"
    return said.SerializeToString(), f"from a frame with {rest} other messages"


def packed(entries: Iterable[Entry]) -> bytes:
    """Entries in little space. A deal's questions repeat each other, so a deal takes a few kilobytes."""
    rows = [
        [
            round(one.at_s * 1e6),
            one.way.value,
            one.frame.hex(),
            None if one.handed_s is None else round(one.handed_s * 1e6),
            one.note,
        ]
        for one in entries
    ]
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode())


def unpacked(data: bytes) -> tuple[Entry, ...]:
    """The inverse of `packed`, times in whole microseconds. ValueError for any other bytes."""
    try:
        rows: Any = json.loads(zlib.decompress(data))
        return tuple(
            Entry(at / 1e6, Way(way), bytes.fromhex(frame), None if handed is None else handed / 1e6, str(note))
            for at, way, frame, handed, note in rows
        )
    except (zlib.error, TypeError, ValueError) as error:
        raise ValueError(f"not a transcript: {error}") from None


class Seated(Protocol):
    """A seat with a tape."""

    @property
    def tape(self) -> Tape | None:
        """Where its traffic is noted."""
        ...

    @property
    def name(self) -> str:
        """The bot's."""
        ...

    @property
    def number(self) -> int:
        """Its seat at the table."""
        ...


class Recorder:
    """Decides which parts are kept."""

    def __init__(self, kept: Kept) -> None:
        """Nothing is kept yet."""
        self._kept: Final = kept
        self._faulted: Final[Counter[str]] = Counter()  # parts kept, by bot

    def tape(self, now: Callable[[], float]) -> Tape | None:
        """For a new seat; None where nothing is kept."""
        return None if self._kept is Kept.OFF else Tape(now)

    def cut(self, seats: Iterable[Seated], faulted: Collection[int]) -> Sequence[tuple[int, Part]]:
        """At the end of a deal, in which these seats had a fault: what is kept of it, by seat."""
        found = []
        for seat in seats:
            if seat.tape is None:
                continue
            part = seat.tape.cut()
            if self._kept is Kept.ALL:
                found.append((seat.number, part))
            elif seat.number in faulted and self._faulted[seat.name] < MOST:
                self._faulted[seat.name] += 1
                found.append((seat.number, part))
        return found
