"""The log of a run: what happens to bots and matches, a line each, and never a card.

Several tables may have the same cards, so what was played at one of them, or tried to be, is still secret at another.
So a fault is logged without the answer that it was about, whose cards are in the database and in the transcript.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TextIO

import structlog
import trio
from structlog.typing import FilteringBoundLogger, Processor

from arena.cli.watch import Watched
from arena.cli.words import count
from arena.fault import Fault, Kind
from arena.gateway.server import STRANGERS, Event, News
from arena.league.happenings import Began, DealOver, Failed, Finished, Happening, Parked, Sitting

LOOK_S: Final = 1.0  # between looks at what nobody tells
TEXT: Final = 200  # characters of one value
LISTED: Final = 12  # values of a list
TALLY_S: Final = 60.0  # in which so many lines …
NEWS: Final = 60  # … are written of one bot, and of all strangers together: who comes and goes all night fills no disk
WARNINGS: Final = (*STRANGERS, Event.DISCONNECTED, Event.UNREACHABLE, Event.UNGUARDED)
BY_THE_CLOCK: Final = (Kind.TIMEOUT, Kind.UNREACHABLE)  # faults whose reason is about time, and names no card


class Log:
    """Writes to structlog, and watches a run."""

    def __init__(self, logger: FilteringBoundLogger) -> None:
        """See `open_log`."""
        self._log: Final = logger
        self._told: Final[Counter[str]] = Counter()  # news since the last tally, by bot; of strangers all under ""

    def news(self, news: News) -> None:
        """Of a bot, or of a stranger, who has an address instead of a name, or of our own port."""
        whose = "peer" if news.event in STRANGERS else "server" if news.event is Event.UNGUARDED else "bot"
        known = "" if whose == "peer" else news.name
        self._told[known] += 1
        if self._told[known] > NEWS:
            return
        fields: dict[str, Any] = {whose: news.name}
        fields |= {"step": news.step} if news.step else {}
        fields |= {"reason": news.reason} if news.reason else {}
        fields |= {"repeat": news.repeat} if news.repeat else {}
        write = self._log.warning if news.event in WARNINGS else self._log.info
        write(news.event.value, **fields)

    def tally(self) -> None:
        """Say how much news was left out, and begin to count anew."""
        for known, times in self._told.items():
            if times > NEWS:
                self._log.warning("news left out", **({"bot": known} if known else {}), times=times - NEWS)
        self._told.clear()

    def happened(self, what: Happening) -> None:
        """To a match."""
        at = what.at
        match what:
            case Began(deals=deals):
                self._at(at).info("match begins" if not deals else "match goes on", bots=at.names, deals=deals)
            case DealOver(deal=deal):
                for fault in deal.faults:
                    self._fault(at, fault)
            case Finished(result=result, seconds=seconds):
                self._at(at).info(
                    "match is over",
                    bots=at.names,
                    deals=result.match.deals,
                    points=tuple(result.match.totals),
                    places=result.places,
                    forfeited=[at.names[seat] for seat, lost in enumerate(result.forfeited) if lost],
                    seconds=round(seconds, 3),
                )
            case Failed(failures=failures, reason=reason):
                self._at(at).error("attempt failed", failures=failures, reason=reason)
            case Parked(deals=deals):
                self._at(at).info("match is put aside", deals=deals)

    def _fault(self, at: Sitting, fault: Fault) -> None:
        cards = len(fault.answer.split())
        self._at(at).warning(
            "fault",
            seat=fault.seat,
            bot=at.names[fault.seat],
            deal=fault.deal,
            trick=fault.trick,
            decision=fault.decision,
            kind=fault.kind.value,
            ask=fault.ask,
            clause=fault.clause,
            consequence=fault.consequence.value,
            limit_ms=round(fault.limit_s * 1e3, 3),
            measured_ms=round(fault.measured_s * 1e3, 3),
            sent_ms=None if fault.sent_s is None else round(fault.sent_s * 1e3, 3),
            came_ms=None if fault.came_s is None else round(fault.came_s * 1e3, 3),
            lag_ms=round(fault.lag_s * 1e3, 3),
            thought_ms=None if fault.thought_s is None else round(fault.thought_s * 1e3, 3),
            answer=count(cards, "card") if cards else "none",
            **({"reason": fault.reason} if fault.kind in BY_THE_CLOCK else {}),
        )

    def _at(self, at: Sitting) -> FilteringBoundLogger:
        return self._log.bind(match=at.match, table=at.table)

    async def watch(self, watched: Watched) -> None:
        """What nobody tells: that the arena itself was late."""
        leagues = [runner.league.name for runner in watched.runners]
        matches = sum(runner.total - runner.finished for runner in watched.runners)
        self._log.info("run begins", leagues=leagues, matches=matches, port=watched.gateway.port)
        told = [0] * len(leagues)
        tally_at = trio.current_time() + TALLY_S
        try:
            while True:
                await trio.sleep(LOOK_S)
                if trio.current_time() >= tally_at:
                    tally_at += TALLY_S
                    self.tally()
                for place, runner in enumerate(watched.runners):
                    if runner.lag.events > told[place]:
                        times, told[place] = runner.lag.events - told[place], runner.lag.events
                        total_s = runner.lag.total_s(trio.current_time())
                        self._log.warning("the arena was late", league=leagues[place], times=times, total_s=total_s)
        finally:
            self.tally()
            finished = sum(runner.finished for runner in watched.runners)
            self._log.info("run ends", leagues=leagues, finished=finished)


class Sink:
    """A file that the run does not depend on: where it cannot be written, that is said once."""

    def __init__(self, file: TextIO, where: str, say: Callable[[str], None]) -> None:
        """``where`` names it."""
        self._file: Final = file
        self._where: Final = where
        self._say: Final = say
        self._broken = False

    def write(self, text: str) -> None:
        """A line."""
        if self._broken:
            return
        try:
            self._file.write(text)
            self._file.flush()
        except OSError as error:
            self._broken = True
            self._say(f"{self._where}: the log ends here: {error.strerror or error}")

    def flush(self) -> None:
        """It is."""


@contextmanager
def open_log(where: str, say: Callable[[str], None]) -> Iterator[Log]:
    """A log at the end of that file, in JSON; ``-``: on standard error, to be read.

    ``say`` is told where it cannot be written any more. OSError where it cannot be opened.
    """
    if where == "-":
        yield Log(_logger(Sink(sys.stderr, "standard error", say), readable=True))
        return
    with Path(where).open("a", encoding="utf-8", errors="backslashreplace") as file:
        yield Log(_logger(Sink(file, where, say), readable=False))


def _logger(sink: Sink, *, readable: bool) -> FilteringBoundLogger:
    stamp = structlog.processors.TimeStamper(fmt="iso", utc=True)
    last: Processor = (
        structlog.dev.ConsoleRenderer(colors=False, pad_event_to=20)
        if readable
        else structlog.processors.JSONRenderer(ensure_ascii=False)
    )
    logger: FilteringBoundLogger = structlog.wrap_logger(
        structlog.WriteLogger(sink),  # type: ignore[arg-type] # of a file it uses these two methods
        processors=[structlog.processors.add_log_level, stamp, bounded, last],
        wrapper_class=structlog.make_filtering_bound_logger("info"),
        context_class=dict,
    )
    return logger


def bounded(_logger: object, _method: str, fields: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The same with values of a bounded length that can be printed on one line."""
    return {name: _bounded(value) for name, value in fields.items()}


def _bounded(value: object) -> object:
    if isinstance(value, str):
        text = "".join([char if char.isprintable() else "�" for char in value[:TEXT]])
        return text if len(value) <= TEXT else f"{text}…"
    if isinstance(value, list | tuple):
        return [_bounded(one) for one in value[:LISTED]] + (["…"] if len(value) > LISTED else [])
    return value
