"""Metrics of a run for Prometheus, read from the arena's own counters when somebody asks.

The page is made in a thread of its own from numbers that the loop changes at any time: each is right by itself, and no
two of them need fit together.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Final

import trio

from arena.cli.watch import Watched
from arena.fault import Kind
from arena.gateway.server import News
from arena.league.config import ConfigError
from arena.league.happenings import DealOver, Happening

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

HOST: Final = "127.0.0.1"
MISSING: Final = "--metrics needs prometheus-client, which is not installed; install hearts-arena[metrics]"
BOUNDS_S: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """Counts what nobody else does, and collects the rest."""

    def __init__(self) -> None:
        """Nothing has been charged yet."""
        self._charged: Final = [0] * (len(BOUNDS_S) + 1)  # answers, by the bound that they are within
        self._charged_s = 0.0
        self._watched: Watched | None = None

    def news(self, news: News) -> None:
        """Who is connected is known."""

    def happened(self, what: Happening) -> None:
        """What the answers of a deal were charged."""
        if isinstance(what, DealOver):
            for seat in what.deal.thinking_s:
                for charged_s in seat:
                    self._charged[bisect_left(BOUNDS_S, charged_s)] += 1
                    self._charged_s += charged_s

    async def watch(self, watched: Watched) -> None:
        """From here on there is something to be collected."""
        self._watched = watched
        await trio.sleep_forever()

    def collect(self) -> "Iterator[Metric]":
        """As prometheus_client asks for it, in its thread."""
        from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

        watched = self._watched
        if watched is None:
            return
        runners = watched.runners
        tables = GaugeMetricFamily("arena_tables_in_play", "Matches in play.", labels=["league"])
        matches = GaugeMetricFamily("arena_matches", "Matches of the schedule.", labels=["league"])
        finished = GaugeMetricFamily("arena_matches_finished", "Matches with a result.", labels=["league"])
        for runner in runners:
            league = [runner.league.name]
            tables.add_metric(league, len(runner.playing))
            matches.add_metric(league, runner.total)
            finished.add_metric(league, runner.finished)
        yield from (tables, matches, finished)
        questions = sum(runner.decisions.count for runner in runners)
        yield CounterMetricFamily("arena_questions", "Questions that were put in this run.", value=questions)
        faults = CounterMetricFamily("arena_faults", "Faults of bots in this run.", labels=["kind"])
        for kind in Kind:
            faults.add_metric([kind.value], sum(runner.kinds[kind.value] for runner in runners))
        yield faults
        failures = sum(sum(runner.failures.values()) for runner in runners)
        yield CounterMetricFamily("arena_failed_attempts", "Matches that a fault of the arena ended.", value=failures)
        lost_s = sum(runner.lag.total_s(monotonic()) for runner in runners)
        yield CounterMetricFamily("arena_late_seconds", "By which the arena was late; nobody is charged.", value=lost_s)
        times = sum(runner.lag.events for runner in runners)
        yield CounterMetricFamily("arena_late", "How often that was.", value=times)
        unwritten = sum(runner.unwritten for runner in runners)
        yield GaugeMetricFamily("arena_unwritten", "Writes that wait for the database.", value=unwritten)
        connected = sum(player.connected for player in tuple(watched.gateway.players.values()))
        yield GaugeMetricFamily("arena_bots_connected", "Bots that are connected.", value=connected)
        charged = HistogramMetricFamily("arena_charged_seconds", "What answers were charged.")
        charged.add_metric([], self._buckets(), self._charged_s)
        yield charged

    def _buckets(self) -> list[tuple[str, float]]:
        """For each bound the answers that are within it."""
        within, found = 0, []
        for bound, answers in zip([*map(str, BOUNDS_S), "+Inf"], tuple(self._charged), strict=True):
            within += answers
            found.append((bound, float(within)))
        return found


@contextmanager
def served_metrics(port: int, say: Callable[[str], None]) -> Iterator[Metrics]:
    """Metrics that can be read on this machine as long as the block lasts, where is said; port 0: any that is free.

    ConfigError in one line where prometheus-client is not installed, OSError where the port is taken.
    """
    try:
        from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server
    except ImportError:
        raise ConfigError(MISSING) from None
    metrics = Metrics()
    registry = CollectorRegistry()
    registry.register(metrics)
    ProcessCollector(registry=registry)
    try:
        server, thread = start_http_server(port, addr=HOST, registry=registry)
    except OSError as error:
        raise OSError(f"--metrics: {HOST}:{port}: {error.strerror}") from None
    say(f"metrics at http://{HOST}:{server.server_port}/metrics")
    try:
        yield metrics
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
