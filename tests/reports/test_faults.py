"""How a page tells of a fault."""

import pytest

from arena.store.read import FaultRow
from reports.render import _environment


@pytest.mark.parametrize(
    ("kind", "sent_ms", "lag_ms", "said"),
    [
        ("timeout", 0.25, 0.0, "sent after 0.25 ms"),
        ("timeout", 12.0, 1500.0, "sent after 12 ms, the arena was late by 1.5 s"),
        ("unreachable", None, 0.0, "not sent"),
        ("timeout", None, None, None),  # of before it was kept
        ("illegal", 0.25, 0.0, None),
    ],
)
def test_a_fault_of_time_says_who_was_late(
    kind: str, sent_ms: float | None, lag_ms: float | None, said: str | None
) -> None:
    fault = FaultRow(0, 0, 0, 0, kind, "play", "", "why", "fallback", "", 5000.0, 5000.0, sent_ms, None, lag_ms)
    macros = _environment("en").get_template("macros.html").module
    shown = str(macros.late(fault)).replace("\N{NO-BREAK SPACE}", " ")  # type: ignore[attr-defined]
    assert shown == ("" if said is None else f'<span class="sub"><!--run-->{said}<!--/run--></span>')
