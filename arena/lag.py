"""How late the arena itself is. Time that our own loop has lost is nobody's thinking time."""

import math
from dataclasses import dataclass

import trio


@dataclass(slots=True)
class LagMeter:
    """Adds up how much longer the loop slept than it was asked to, where that is worth speaking of."""

    period_s: float = 0.05
    threshold_s: float = 0.1
    events: int = 0
    _lost_s: float = 0.0
    _due: float = math.inf  # when the loop is to wake us

    def total_s(self, now: float) -> float:
        """Seconds lost up to this moment on trio's clock: whoever is woken first after a delay knows of it."""
        late = now - self._due
        return self._lost_s + late if late > self.threshold_s else self._lost_s

    async def watch(self) -> None:
        """Measure for ever; run it beside the tables."""
        try:
            while True:
                self._due = trio.current_time() + self.period_s
                await trio.sleep_until(self._due)
                late = trio.current_time() - self._due
                if late > self.threshold_s:
                    self._lost_s += late
                    self.events += 1
        finally:
            self._due = math.inf
