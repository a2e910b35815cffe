"""Ending a turn, and noting a tool run. Neither waits for a model, an index or another process."""

from __future__ import annotations

import logging
import time
from dataclasses import replace

from ..domain import arguments, authority
from ..domain.observations import Observation, ObservationBuffer
from ..domain.recall_echo import RecallEchoes
from ..errors import ScopeError
from ..legacy.end_summaries import EndSummaries
from ..runtime import Runtime
from ..types import Job, Scope, clean_id
from .background import BackgroundTasks
from .historian_threads import HistorianThreads
from .job_builder import JobBuilder, new_id
from .request_numbers import RequestNumbers
from .turn import Turn

log = logging.getLogger("taishi.ingest")


class TurnService:
    def __init__(
        self,
        runtime: Runtime,
        builder: JobBuilder,
        background: BackgroundTasks,
        threads: HistorianThreads,
        numbers: RequestNumbers,
        echoes: RecallEchoes,
        observations: ObservationBuffer,
        legacy: EndSummaries,
    ) -> None:
        self._runtime = runtime
        self._store, self._queue = runtime.parts.store, runtime.parts.queue
        self._builder = builder
        self._background = background
        self._threads = threads
        self._numbers = numbers
        self._echoes = echoes
        self._observations = observations
        self._legacy = legacy

    def end_turn(self, turn: Turn, wait: float, actor: str, door: str) -> str | None:
        scope = turn.scope
        self._runtime.check_scope(scope)
        turn = replace(turn, actor=authority.checked(actor))
        seconds = arguments.number(wait, "wait")
        is_on = self._runtime.is_on(scope)
        if not is_on and not self._runtime.settings.memory.legacy_end_summaries:
            return None
        with self._runtime.recording_refusals(scope, turn.actor, door):
            if is_on:
                with self._threads.turn_ending():
                    return self._enqueue(turn, seconds)
            self._add_to_legacy(turn)
            return None

    def consider(self, turn: Turn, actor: str, door: str) -> str | None:
        if not self._runtime.is_on(turn.scope):
            return None
        turn = replace(turn, actor=authority.checked(actor), task="consider")
        with self._runtime.recording_refusals(turn.scope, turn.actor, door):
            return self._enqueue(turn)

    def observe(self, scope: Scope, tool: str, arguments: object, result: object) -> None:
        if self._runtime.is_on(scope):
            observation = Observation(scope, tool, arguments, result, self._runtime.clock())
            self._observations.add(observation)
            self._background.wake_storing()

    def set_link(self, scope: Scope, on: bool) -> None:
        self._runtime.check_scope(scope)
        if scope.user is None:
            raise ScopeError("a link belongs to a user: pass Scope(user=…)")
        arguments.flag(on, "on")
        self._store.set_link(scope.workspace, scope.user, on)

    def _enqueue(self, turn: Turn, wait: float = 0.0) -> str | None:
        begun = time.perf_counter()
        job = self._job(turn)
        if job is None:
            return None
        if (given_id := clean_id(turn.request_id, "request_id")) is not None:
            job = replace(job, end_seq=self._numbers.next(turn.scope.home, given_id))
        newest_deletion = self._store.deletions.newest()
        if newest_deletion is not None:
            forgotten = self._runtime.forgotten()
            left = forgotten.turn(job, newest_deletion)
            if left is None:  # it was forgotten, and being told again does not bring it back
                _log_forgotten(forgotten.is_before(job))
                return None
            job = left
        self._queue.put(job)
        if given_id is not None:
            self._numbers.count(job)
        self._runtime.metrics.end_turn.observe(time.perf_counter() - begun)
        self._background.land(job)
        if job.task == "turn" and self._runtime.settings.memory.legacy_end_summaries:
            self._legacy.add_later(job)
            self._background.submit(self._legacy.flush)
        self._threads.wake()
        if wait:
            self._background.wait_stored(job, wait)
        return job.event_id

    def _job(self, turn: Turn) -> Job | None:
        id = clean_id(turn.request_id, "request_id") or new_id()
        turn = replace(turn, recalled=self._echoes.told(turn.scope.home))
        return self._builder.job(turn, 1, id, self._runtime.clock())

    def _add_to_legacy(self, turn: Turn) -> None:
        """Memory is off: the list is all there is, so it is written before this returns (C3)."""
        job = self._job(turn)
        if job is not None:
            self._legacy.add_later(job)
            self._legacy.flush()


def _log_forgotten(is_before: bool) -> None:
    """Without the id: who was forgotten is not to stand in a log."""
    if is_before:
        log.warning("a turn is not kept: it is from before its person or place was forgotten")
    else:
        log.warning("a turn is not kept: what it says was forgotten")
