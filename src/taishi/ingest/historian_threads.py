"""The threads in which the historian works, and working until nothing waits."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from ..domain.observations import ObservationBuffer
from ..observe.process_status import ProcessStatus
from ..runtime import Runtime
from ..times import Deadline
from .background import BackgroundTasks
from .drain import Drain
from .worker import Worker
from .worker_threads import WorkerThread

STOP_SECONDS = 10.0
WORK_SECONDS = 0.2
BURST_GAP_SECONDS = 0.005
TURN_SECONDS = 0.1  # a turn that began longer ago is held up by something else
YIELD_SECONDS = 0.25


class HistorianThreads:
    def __init__(
        self,
        runtime: Runtime,
        worker: Worker,
        background: BackgroundTasks,
        observations: ObservationBuffer,
    ) -> None:
        self._runtime = runtime
        self._worker = worker
        self._background = background
        self._observations = observations
        self._threads: list[WorkerThread] = []
        self._turn_begun = self._turn_ended = 0.0  # the last end_turn, by the monotonic clock
        machine = runtime.settings.machine
        self.process_status = ProcessStatus(
            runtime.parts.processes, self.own_work, runtime.clock, machine.role, machine.version
        )

    def start(self) -> bool:
        """True if they were started now: they run once, where memory is on and can be written."""
        settings, parts = self._runtime.settings, self._runtime.parts
        if self._threads or not settings.memory.enabled or parts.is_read_only():
            return False
        parts.queue.recover()
        self._threads = [
            WorkerThread(f"historian-{n}", self._work, self._poll_seconds)
            for n in range(settings.historian.workers)
        ]
        parts.queue.listen(self.wake)
        self.process_status.tell(at_once=True)
        return True

    def stop(self, seconds: float = STOP_SECONDS) -> None:
        """Take no more jobs, and wait so long for the current ones."""
        threads, self._threads = self._threads, []
        deadline = Deadline(seconds)
        for thread in threads:
            thread.stop(deadline.left)
        self._worker.finish()
        if threads:
            self.process_status.tell(at_once=True)

    def rest(self) -> None:
        """Memory was switched off: end after the current job, and wait for nobody."""
        threads, self._threads = self._threads, []
        for thread in threads:
            thread.stop(timeout=0)

    def wake(self) -> None:
        for thread in self._threads:
            thread.wake()

    @contextmanager
    def turn_ending(self) -> Iterator[None]:
        """While turns end in quick succession the historian waits: each would have to share the
        interpreter with it."""
        self._turn_begun = time.monotonic()
        try:
            yield
        finally:
            self._turn_ended = time.monotonic()

    def drain(self, timeout: float) -> bool:
        background = self._background
        steps = (
            background.store_turns,
            self._work_some,
            background.run_submitted,
            background.embed_some,
        )
        drain = Drain(steps, self._is_queue_empty, self._is_enabled)
        try:
            done = drain.run(timeout)
        finally:
            self.process_status.tell(at_once=True)
        return done or (not self._is_enabled() and self._is_queue_empty())

    def own_work(self) -> dict[str, Any]:
        """What this process has done, and how long its threads have been idle."""
        idle = self._runtime.metrics.idle_seconds if self._threads else 0.0
        waiting, dropped = self._observations.unwritten, self._observations.dropped
        return {
            "jobs": asdict(self._worker.tally),
            "observations": {"waiting": waiting, "dropped": dropped},
            "workers": {"running": len(self._threads), "idle_seconds": round(idle, 3)},
        }

    def _work(self) -> bool:
        metrics = self._runtime.metrics
        metrics.beat()
        if metrics.queue_age.is_due:
            metrics.queue_age.note(self._runtime.parts.queue.oldest_age())
        self._let_turns_pass()
        worked = self._worker.step()
        self._runtime.metrics.beat()
        self.process_status.tell()
        if worked:
            self._background.wake_embedding()
        return worked

    def _let_turns_pass(self) -> None:
        end = time.monotonic() + YIELD_SECONDS
        while (now := time.monotonic()) < end:
            is_quiet = now - self._turn_ended > BURST_GAP_SECONDS
            if is_quiet and not self._turn_ended < self._turn_begun > now - TURN_SECONDS:
                return
            time.sleep(BURST_GAP_SECONDS)

    def _work_some(self) -> bool:
        """Jobs for a moment: what they leave behind is embedded together. True: there may be
        more."""
        end = time.monotonic() + WORK_SECONDS
        while self._worker.step():
            if time.monotonic() > end:
                return True
        return False

    def _is_queue_empty(self) -> bool:
        counts = self._runtime.parts.queue.counts()
        return not counts["pending"] and not counts["processing"]

    def _is_enabled(self) -> bool:
        return self._runtime.settings.memory.enabled

    def _poll_seconds(self) -> float:
        return self._runtime.settings.historian.poll_interval_seconds
