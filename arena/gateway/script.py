"""A conversation as text: protobuf text format, frame after frame; a comment in front of each says whose it is."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf import json_format, text_format
from google.protobuf.message import Message

from arena.gateway.tape import Entry, Way
from arena.rules import cards as c
from arena.v1 import arena_pb2 as pb

FROM_ARENA: Final = "# arena → bot"
FROM_BOT: Final = "# bot → arena"
WIDTH: Final = 110

Frame = pb.ArenaFrame | pb.BotFrame


@dataclass(frozen=True, slots=True)
class Said:
    """One frame, and a remark on it; or a remark alone."""

    frame: Frame | None
    remark: str = ""


def written(head: str, conversation: Iterable[Said]) -> str:
    """The text of a whole conversation; ``head`` and the remarks become comments."""
    paragraphs = ["\n".join(f"# {line}".rstrip() for line in head.splitlines())]
    for said in conversation:
        remark = [f"# ({_plain(said.remark)})"] if said.remark else []
        if said.frame is None:
            paragraphs.append("\n".join(remark))
            continue
        mark = FROM_ARENA if isinstance(said.frame, pb.ArenaFrame) else FROM_BOT
        paragraphs.append("\n".join([mark, *remark, *_lines(said.frame, "")]))
    return "\n\n".join(paragraphs) + "\n"


def read(text: str) -> Sequence[Frame]:
    """The frames of a conversation, in order. ValueError in one line where one cannot be read."""
    frames: list[Frame] = []
    for number, paragraph in enumerate(text.split("\n\n"), start=1):
        mark = paragraph.lstrip("\n").partition("\n")[0]
        try:
            if mark == FROM_ARENA:
                frames.append(text_format.Parse(paragraph, pb.ArenaFrame()))
            elif mark == FROM_BOT:
                frames.append(text_format.Parse(paragraph, pb.BotFrame()))
        except text_format.ParseError as error:
            raise ValueError(f"paragraph {number}: {error}") from None
    return frames


def frame_of(entry: Entry) -> Frame | None:
    """The frame of an entry; None of a note."""
    match entry.way:
        case Way.SENT:
            return pb.ArenaFrame.FromString(entry.frame)
        case Way.RECEIVED:
            return pb.BotFrame.FromString(entry.frame)
        case Way.NOTE:
            return None


def as_json(frame: Frame) -> dict[str, Any]:
    """A frame as JSON, fields by the names that they have in the proto file."""
    return json_format.MessageToDict(frame, preserving_proto_field_name=True)


def told(frame: Frame) -> list[str]:
    """What a frame says, in a few words for each message, cards as the rules write them."""
    if isinstance(frame, pb.BotFrame):
        return [_bots_words(message) for message in frame.messages]
    said = [_arenas_words(message) for message in frame.messages]
    return said + [f"decision {decision} counts" for decision in frame.accepted]


def _bots_words(message: pb.BotMessage) -> str:
    kind = message.WhichOneof("kind")
    if kind == "answer":
        return f"decision {message.answer.decision}: {card_words(message.answer.cards)}"
    return kind or "a message of an unknown kind"


def _arenas_words(message: pb.ArenaMessage) -> str:
    match kind := message.WhichOneof("kind"):
        case "question":
            asked = message.question
            what = {pb.ASK_PASS: "pass", pb.ASK_PLAY: "play", pb.ASK_DISCARD: "lay away"}.get(asked.ask, "unknown ask")
            return f"decision {asked.decision}: {what} {asked.count} of {card_words(asked.legal)}"
        case "rejection":
            refused = message.rejection
            why = pb.Reason.Name(refused.reason) if refused.reason in pb.Reason.values() else str(refused.reason)
            tries = f"{refused.tries} {'try' if refused.tries == 1 else 'tries'} left"
            return f"decision {refused.decision}: {why.removeprefix('REASON_').lower()}, {tries}"
        case "match_start":
            return f"seat {message.match_start.seat} of match {message.match_start.match}"
        case "deal_end":
            return f"points of the deal {' '.join(map(str, message.deal_end.points))}"
        case "match_end":
            return f"points of the match {' '.join(map(str, message.match_end.totals))}"
    return kind or "a message of an unknown kind"


def card_words(values: Sequence[int]) -> str:
    """Cards of the wire as the rules write them; what is none, as the number that it is."""
    return " ".join([c.name(value - 1) if 0 < value <= c.FACES else str(value) for value in values]) or "nothing"


def _plain(text: str) -> str:
    """On one line."""
    return "".join([char if char.isprintable() else "�" for char in text])


def _one_line(message: Message) -> str:
    return text_format.MessageToString(message, as_one_line=True, use_short_repeated_primitives=True)


def _lines(message: Message, indent: str) -> Iterator[str]:
    """A field a line; a message within it on one line where that is short enough."""
    for field, value in message.ListFields():
        if field.message_type is None:
            alone = type(message)()
            if isinstance(value, str | bytes | int | float):
                setattr(alone, field.name, value)
            else:
                getattr(alone, field.name).extend(value)
            yield indent + _one_line(alone)
            continue
        for inner in [value] if isinstance(value, Message) else value:
            line = f"{indent}{field.name} {{ {_one_line(inner)} }}".replace("{  }", "{ }")
            if len(line) <= WIDTH:
                yield line
            else:
                yield f"{indent}{field.name} {{"
                yield from _lines(inner, indent + "  ")
                yield f"{indent}}}"
