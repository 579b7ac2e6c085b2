"""How late the arena itself is. Time that our own loop has lost is nobody's thinking time."""

from dataclasses import dataclass

import trio


@dataclass(slots=True)
class LagMeter:
    """Adds up how much longer the loop slept than it was asked to, where that is worth speaking of."""

    period_s: float = 0.05
    threshold_s: float = 0.1
    total_s: float = 0.0  # lost so far
    events: int = 0

    async def watch(self) -> None:
        """Measure for ever; run it beside the tables."""
        while True:
            due = trio.current_time() + self.period_s
            await trio.sleep_until(due)
            late = trio.current_time() - due
            if late > self.threshold_s:
                self.total_s += late
                self.events += 1
