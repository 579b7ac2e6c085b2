"""Names as they may be shown. A bot's name is whatever its author sent: markup, quotes, marks that turn the text."""

import unicodedata

SHORT = 18  # characters of a name in a chart
LONG = 40  # … in a sentence or a list

# Cc: controls; Cf: invisible, among them the marks that turn the direction of text; Zl, Zp: line ends that are no \n;
# Cs, Co, Cn: nothing that a font could show; Zs but the space itself: blanks that look like none or like another.
_HIDDEN = {"Cc", "Cf", "Zl", "Zp", "Zs", "Cs", "Co", "Cn"}
# The wide ones are the same to some programs.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def shown(text: str) -> str:
    """The text with everything invisible made visible, ``"a<U+202E>b"`` in angle quotes; "" becomes ``"(no name)"``."""
    if text.isascii() and text.isprintable():
        return (text.strip() and text) or "(no name)"
    seen = "".join(
        f"‹U+{ord(sign):04X}›" if sign != " " and unicodedata.category(sign) in _HIDDEN else sign for sign in text
    )
    return _few_marks(seen) if seen.strip() else "(no name)"


def _few_marks(text: str) -> str:
    """At most two combining marks on a letter: towers of them cover the lines above."""
    kept: list[str] = []
    marks = 0
    for sign in text:
        marks = marks + 1 if unicodedata.category(sign) in {"Mn", "Me"} else 0
        if marks <= 2:
            kept.append(sign)
    return "".join(kept)


def short(text: str, size: int = SHORT) -> str:
    """The shown name, cut to ``size`` characters with an ellipsis."""
    whole = shown(text)
    return whole if len(whole) <= size else whole[: size - 1].rstrip() + "…"


def cell(text: str) -> str:
    """The shown name as a cell of a spreadsheet, where a leading ``=`` or the like would be a formula."""
    whole = shown(text)
    return "'" + whole if whole.lstrip().startswith(_FORMULA) else whole
