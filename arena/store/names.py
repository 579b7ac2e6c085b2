"""Names of bots: which can be, and which look alike.

Two names look alike when they are the same without case, width and repeated blanks, or when they are drawn alike: a
Cyrillic "а" is no Latin "a", and no reader of a table can tell. Names of any script are welcome, also mixed.
"""

import re
import unicodedata
from typing import Final

NAME_LENGTH: Final = 64  # characters

# What is drawn like a Latin letter, of Greek, Cyrillic and Armenian; upper and lower case by themselves, as a "Н" is
# drawn like an H, and its small "н" is not drawn like an h.
_LATIN: Final = {
    "A": "ΑА", "B": "ΒВ", "C": "СϹ", "E": "ΕЕ", "G": "Ԍ", "H": "ΗН", "I": "ΙІӀ", "J": "ЈͿ", "K": "ΚКҚ", "M": "ΜМϺ",
    "N": "Ν", "O": "ΟОՕ", "P": "ΡР", "Q": "Ԛ", "S": "ЅՏ", "T": "ΤТ", "V": "Ѵ", "W": "Ԝ", "X": "ΧХ", "Y": "ΥУҮ",
    "Z": "Ζ",
    "a": "αа", "b": "Ьь", "c": "сϲ", "d": "ԁ", "e": "еҽ", "g": "ց", "h": "һհ", "i": "іι", "j": "јϳ", "k": "κк",
    "n": "ո", "o": "οоօσ", "p": "ρр", "q": "ԛզ", "r": "г", "s": "ѕ", "u": "υս", "v": "νѵ", "w": "ԝω", "x": "хχ",
    "y": "уγү",
}  # fmt: skip
_DRAWN: Final = str.maketrans({other: latin for latin, others in _LATIN.items() for other in others})
_STROKES: Final = str.maketrans({"0": "o", "1": "l", "i": "l", "ı": "l", "|": "l"})  # of what is left, in lower case
_RESERVED: Final = re.compile(r"house( ?[ol2-9]+)?")  # bots that fill up tables, as they are drawn


def folded(name: str) -> str:
    """The name without case, compatible forms, and repeated blanks."""
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(text.split())


def drawn(name: str) -> str:
    """What the name looks like, in small Latin letters as far as they go; no name by itself."""
    apart = unicodedata.normalize("NFKD", name).translate(_DRAWN)
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", folded(apart)).translate(_STROKES))


def alike(one: str, other: str) -> bool:
    """Whether who reads one of these names may take it for the other."""
    return folded(one) == folded(other) or drawn(one) == drawn(other)


def line_problem(name: str) -> str:
    """What keeps a name from being printed on one line, "" for nothing."""
    if not 1 <= len(name) <= NAME_LENGTH or name != name.strip():
        return f"a name has 1 to {NAME_LENGTH} characters and no blanks around it"
    if not name.isprintable():  # control and direction characters, and what is no character
        return "a name has printable characters only"
    return ""


def name_problem(name: str) -> str:
    """What is wrong with a name by itself, "" for nothing."""
    if problem := line_problem(name):
        return problem
    if unicodedata.category(name[0]).startswith("M") or not any(char.isalnum() for char in name):
        return "a name has a letter or a digit, and does not begin with an accent alone"
    if _RESERVED.fullmatch(drawn(name)):
        return "this name is kept for the bots of the house"
    return ""
