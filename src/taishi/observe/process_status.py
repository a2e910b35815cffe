"""Status of this process and of all others that have the data folder open (O1)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from socket import gethostname
from typing import Any, Protocol

from ..settings import HistorianSettings

MIN_INTERVAL_SECONDS = 0.5
HEARTBEAT_SECONDS = 5.0
MISSED_POLLS = 3
JOB_COUNTERS = (
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
    "jobs": dict.fromkeys(JOB_COUNTERS, 0),
    "observations": {"waiting": 0, "dropped": 0},
    "workers": {"running": 0, "idle_seconds": 0.0},
}


def worker_patience(historian: HistorianSettings) -> float:
    """Seconds without a look at the queue after which a worker counts as stuck: no job may take
    longer than its lease."""
    polls = MISSED_POLLS * historian.poll_interval_seconds
    return max(historian.stale_job_timeout_seconds, polls)


class ProcessBoard(Protocol):
    """Shared storage where each process publishes its status."""

    def write(self, status: dict[str, Any]) -> None: ...
    def others(self) -> list[dict[str, Any]]: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """Which process it is: what opened the memory (`serve`, `work`, `cli`, or `library` for a
    program of its own), where, since when, and which version."""

    role: str = "library"
    host: str = ""
    since: float = 0.0
    version: str = ""


class ProcessStatus:
    """Publishes this process's status: on changes, rate-limited, and as a heartbeat every few
    seconds."""

    def __init__(
        self,
        board: ProcessBoard,
        own: Callable[[], dict[str, Any]],
        clock: Callable[[], float] = time.time,
        role: str = "library",
        version: str = "",
    ) -> None:
        self._board = board
        self._own = own
        self._clock = clock
        self._identity = asdict(ProcessIdentity(role, gethostname(), clock(), version))
        self._stop = threading.Event()
        self._heartbeat: threading.Thread | None = None
        self._last: dict[str, Any] = {}
        self._published_at = 0.0
        self._lock = threading.Lock()

    def tell(self, at_once: bool = False) -> None:
        elapsed = time.monotonic() - self._published_at
        if elapsed < MIN_INTERVAL_SECONDS and not at_once:
            return
        with self._lock:
            own = self._own()
            if (
                at_once
                or elapsed >= HEARTBEAT_SECONDS
                or _comparable(own) != _comparable(self._last)
            ):
                self._board.write({"at": self._clock(), **self._identity, **own})
                self._last, self._published_at = own, time.monotonic()

    def everybody(self, own: Mapping[str, Any], pid: int) -> list[dict[str, Any]]:
        """One row per process, this one first."""
        now = self._clock()
        rows = [_row(status, now) for status in self._board.others()]
        return [self.own_row(own, pid), *(row for row in rows if row is not None)]

    def own_row(self, own: Mapping[str, Any], pid: int) -> dict[str, Any]:
        return {"pid": pid, "own": True, **self._identity, **own}

    def start_heartbeat(self) -> None:
        """For a process that stays: others see that it lives, also while it has nothing to do."""
        self._heartbeat = threading.Thread(target=self._beat, name="taishi-status", daemon=True)
        self._heartbeat.start()

    def _beat(self) -> None:
        while not self._stop.wait(HEARTBEAT_SECONDS):
            self.tell()

    def close(self) -> None:
        self._stop.set()
        if self._heartbeat is not None:
            self._heartbeat.join()
        self._board.close()


def summed(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The sum over all processes; `idle_seconds` is the maximum."""
    jobs = {name: sum(row["jobs"][name] for row in rows) for name in JOB_COUNTERS}
    observations = {
        name: sum(row["observations"][name] for row in rows) for name in ("waiting", "dropped")
    }
    max_idle = max((row["workers"]["idle_seconds"] for row in rows), default=0.0)
    running = sum(row["workers"]["running"] for row in rows)
    return {
        "jobs": jobs,
        "observations": observations,
        "workers": {"running": running, "idle_seconds": max_idle},
    }


def _identity_of(status: Mapping[str, Any]) -> dict[str, Any]:
    """A version before this one did not say."""
    return {
        "role": str(status.get("role", "library"))[:40],
        "host": str(status.get("host", ""))[:255],
        "since": float(status.get("since", 0.0)),
        "version": str(status.get("version", ""))[:40],
    }


def _comparable(status: Mapping[str, Any]) -> tuple[Any, ...]:
    return status.get("jobs"), status.get("observations"), status.get("workers", {}).get("running")


def _row(status: Mapping[str, Any], now: float) -> dict[str, Any] | None:
    """Another process's status, parsed defensively: another version may have written it."""
    try:
        workers = status["workers"]
        age = max(0.0, now - float(status["at"]))
        idle = float(workers["idle_seconds"]) + age if workers["running"] else 0.0
        return {
            "pid": int(status["pid"]),
            "own": False,
            **_identity_of(status),
            "jobs": {name: int(status["jobs"].get(name, 0)) for name in JOB_COUNTERS},
            "observations": {n: int(status["observations"][n]) for n in ("waiting", "dropped")},
            "workers": {"running": int(workers["running"]), "idle_seconds": round(idle, 3)},
        }
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
