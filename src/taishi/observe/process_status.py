"""How the work goes, in this process and in all that have the folder open (O1)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

SOON_SECONDS = 0.5
HEARTBEAT_SECONDS = 5.0
COUNTED = (
    "done",
    "retried",
    "failed",
    "postponed",
    "not_worth_keeping",
    "first_pass",
    "after_revision",
    "degraded",
)
NO_WORK: Mapping[str, Any] = {
    "jobs": dict.fromkeys(COUNTED, 0),
    "observations": {"waiting": 0, "dropped": 0},
    "workers": {"running": 0, "idle_seconds": 0.0},
}


class ProcessBoard(Protocol):
    """Where processes tell one another how it goes."""

    def write(self, told: dict[str, Any]) -> None: ...
    def others(self) -> list[dict[str, Any]]: ...
    def close(self) -> None: ...


class ProcessStatus:
    """Tells the others when something changed, not more often than is of use, and every few
    seconds that we are still there."""

    def __init__(
        self,
        board: ProcessBoard,
        own: Callable[[], dict[str, Any]],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._board = board
        self._own = own
        self._clock = clock
        self._last: dict[str, Any] = {}
        self._told_at = 0.0
        self._lock = threading.Lock()

    def tell(self, at_once: bool = False) -> None:
        quiet = time.monotonic() - self._told_at
        if quiet < SOON_SECONDS and not at_once:
            return
        with self._lock:
            own = self._own()
            if at_once or quiet >= HEARTBEAT_SECONDS or _lasting(own) != _lasting(self._last):
                self._board.write({"at": self._clock(), **own})
                self._last, self._told_at = own, time.monotonic()

    def everybody(self, own: Mapping[str, Any], pid: int) -> list[dict[str, Any]]:
        """A row for each process, this one first."""
        now = self._clock()
        rows = [_row(told, now) for told in self._board.others()]
        return [{"pid": pid, "own": True, **own}, *(row for row in rows if row is not None)]

    def close(self) -> None:
        self._board.close()


def summed(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """All processes as one. Of the workers the one that has been quiet the longest counts."""
    jobs = {name: sum(row["jobs"][name] for row in rows) for name in COUNTED}
    seen = {name: sum(row["observations"][name] for row in rows) for name in ("waiting", "dropped")}
    idle = max((row["workers"]["idle_seconds"] for row in rows), default=0.0)
    running = sum(row["workers"]["running"] for row in rows)
    return {
        "jobs": jobs,
        "observations": seen,
        "workers": {"running": running, "idle_seconds": idle},
    }


def _lasting(told: Mapping[str, Any]) -> tuple[Any, ...]:
    return told.get("jobs"), told.get("observations"), told.get("workers", {}).get("running")


def _row(told: Mapping[str, Any], now: float) -> dict[str, Any] | None:
    """What another process told, read with care: another version may have written it."""
    try:
        workers = told["workers"]
        quiet = max(0.0, now - float(told["at"]))
        idle = float(workers["idle_seconds"]) + quiet if workers["running"] else 0.0
        return {
            "pid": int(told["pid"]),
            "own": False,
            "jobs": {name: int(told["jobs"].get(name, 0)) for name in COUNTED},
            "observations": {n: int(told["observations"][n]) for n in ("waiting", "dropped")},
            "workers": {"running": int(workers["running"]), "idle_seconds": round(idle, 3)},
        }
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
