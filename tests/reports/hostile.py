"""A league in which every name, note and answer tries to be more than text."""

from sqlmodel import Session

from arena.store.models import Fault, League
from tests.reports.made_league import Plan, add_league

NAMES = (
    "<script>alert('mark')</script>",
    '"><img src=mark onerror=alert(1)>',
    "</script><svg onload=mark>",
    "=HYPERLINK(\"mark\")",
    "+1+mark",
    "@SUM(mark)",
    "-2+mark",
    "\t=mark",
    "＝1+mark",
    "a;=1+mark",
    'a";=2+mark',
    "a\u202egnp.exe\u2069\u2066mark",
    "{{ 7*7 }}{% raw %}mark",
    "../../../etc/mark",
    "mark" * 50,
    "x" + "\u0301" * 60 + "mark",
    "<!--run-->mark<!--/run-->",
    "&lt;b&gt;mark&amp;",
    "line\nbreak\r\nmark\u2028here",
    "']}); mark();//",
    " ",
    "{name} {0} %s mark",
)  # fmt: skip


def add_hostile_league(session: Session) -> League:
    """A short league of bots with these names; every one is also the reason, clause and answer of a fault."""
    plan = Plan(
        name='"><script>mark</script>\u202e',
        bots={name: number / 20 for number, name in enumerate(NAMES)},
        orbits=1,
        target=30,
        faults=0.2,
    )
    league = add_league(session, plan)
    assert league.id is not None
    for number, name in enumerate(NAMES):
        session.add(
            Fault(
                league_id=league.id, fixture=number, deal=0, seat=0, trick=0, kind="illegal", ask="play",
                clause=name[:40], reason=name, consequence="retry", answer=name[:200], limit_ms=1.0, measured_ms=1.0,
            )
        )  # fmt: skip
    session.commit()
    return league
