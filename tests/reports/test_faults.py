"""How a page tells of a fault."""

import pytest

from arena.store.read import FaultRow
from reports.render import _environment


@pytest.mark.parametrize(
    ("kind", "times", "lang", "said"),
    [
        ("timeout", (0.25, None, 0.0, None), "en", "sent after 0.25 ms"),
        ("timeout", (12.0, None, 1500.0, None), "en", "sent after 12 ms, the arena was late by 1.5 s"),
        (
            "timeout", (0.25, 6100.0, 0.0, 25.0), "en",
            "sent after 0.25 ms, the answer came after 6.1 s, the bot says it thought for 25 ms",
        ),
        (
            "timeout", (0.25, 6100.0, 0.0, 25.0), "ru",
            "отправлено через 0,25 мс, ответ пришёл через 6,1 с, бот сообщает, что думал 25 мс",
        ),
        ("timeout", (0.25, 6100.0, 0.0, None), "en", "sent after 0.25 ms, the answer came after 6.1 s"),
        ("unreachable", (None, None, 0.0, None), "en", "not sent"),
        ("timeout", (None, None, None, None), "en", None),  # of before it was kept
        ("illegal", (0.25, 31.0, 0.0, None), "en", None),
        ("illegal", (0.25, 31.0, 0.0, 25.0), "en", "the bot says it thought for 25 ms"),
        ("malformed", (0.25, 31.0, 0.0, 86_400_000.0), "en", "the bot says it thought for 24:00:00 h"),
    ],
)  # fmt: skip
def test_a_fault_says_who_was_late_and_what_the_bot_says(
    kind: str, times: tuple[float | None, float | None, float | None, float | None], lang: str, said: str | None
) -> None:
    fault = FaultRow(0, 0, 0, 0, kind, "play", "", "why", "fallback", "", 5000.0, 5000.0, *times)
    macros = _environment(lang).get_template("macros.html").module
    shown = str(macros.late(fault)).replace("\N{NO-BREAK SPACE}", " ")  # type: ignore[attr-defined]
    assert shown == ("" if said is None else f'<span class="sub"><!--run-->{said}<!--/run--></span>')
