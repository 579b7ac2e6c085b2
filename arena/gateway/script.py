"""A conversation as text: protobuf text format, frame after frame; a comment in front of each says whose it is."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from google.protobuf import text_format
from google.protobuf.message import Message

from arena.v1 import arena_pb2 as pb

FROM_ARENA: Final = "# arena → bot"
FROM_BOT: Final = "# bot → arena"
WIDTH: Final = 110

Frame = pb.ArenaFrame | pb.BotFrame


@dataclass(frozen=True, slots=True)
class Said:
    """One frame, and a remark on it."""

    frame: Frame
    remark: str = ""


def written(head: str, conversation: Iterable[Said]) -> str:
    """The text of a whole conversation; ``head`` and the remarks become comments."""
    paragraphs = ["\n".join(f"# {line}".rstrip() for line in head.splitlines())]
    for said in conversation:
        mark = FROM_ARENA if isinstance(said.frame, pb.ArenaFrame) else FROM_BOT
        remark = [f"# ({said.remark})"] if said.remark else []
        paragraphs.append("\n".join([mark, *remark, *_lines(said.frame, "")]))
    return "\n\n".join(paragraphs) + "\n"


def read(text: str) -> Sequence[Frame]:
    """The frames of a conversation, in order."""
    frames: list[Frame] = []
    for paragraph in text.split("\n\n"):
        mark = paragraph.partition("\n")[0]
        if mark == FROM_ARENA:
            frames.append(text_format.Parse(paragraph, pb.ArenaFrame()))
        elif mark == FROM_BOT:
            frames.append(text_format.Parse(paragraph, pb.BotFrame()))
    return frames


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
