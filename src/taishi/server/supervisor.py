"""The parent of `taishi serve --workers N`: starts the worker processes, replaces those that die,
forwards signals. It opens no memory itself and answers no request.
"""

from __future__ import annotations

import json
import logging
import selectors
import signal
import socket
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..errors import TaishiError
from .worker_board import NOT_ACCEPTING, ConnectionCounts

log = logging.getLogger("taishi.server")
FIRST_DELAY_SECONDS = 0.1
LONGEST_DELAY_SECONDS = 30.0
STEADY_SECONDS = 30.0  # a worker that lived this long starts again without a delay
CLOSING_SECONDS = 30.0  # to close the memory, beyond `server.shutdown_seconds` for requests
LOOK_SECONDS = 0.2
SUCCESSOR_SECONDS = 300.0  # that a worker may take to start, while the one it replaces goes on


class Spawn(Protocol):
    def __call__(self, number: int, slot: int, control: socket.socket) -> subprocess.Popen[bytes]:
        """Start worker `number`, whose place on the board is `slot`; its end of the socket to the
        parent is `control`."""


@dataclass
class _Worker:
    number: int
    slot: int
    process: subprocess.Popen[bytes] | None = None
    control: socket.socket | None = None
    received: bytes = b""
    is_ready: bool = False
    started: float = 0.0
    told_to_end: float = 0.0  # when; another one has taken its place
    due: float = 0.0
    deaths: int = 0  # in quick succession
    message: dict[str, Any] = field(default_factory=dict)

    def delay(self) -> float:
        """How long to wait before the next start, after what just happened."""
        if not self.deaths:
            return 0.0
        return float(min(LONGEST_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2 ** (self.deaths - 1)))


class Supervisor:
    """Runs `count` workers until a signal. `clock` is monotonic. `check` raises a TaishiError if a
    new worker could not read its settings: those that run are kept then. `look` is called now and
    then while they run."""

    def __init__(
        self,
        spawn: Spawn,
        count: int,
        counts: ConnectionCounts,
        shutdown_seconds: float,
        clock: Callable[[], float] = time.monotonic,
        check: Callable[[], object] = lambda: None,
        look: Callable[[], object] = lambda: None,
    ) -> None:
        self._spawn = spawn
        self._counts = counts
        self._patience = shutdown_seconds + CLOSING_SECONDS
        self._clock = clock
        self._check = check
        self._look = look
        self._workers = [_Worker(number, slot=number) for number in range(count)]
        self._successor: _Worker | None = None  # is starting; the one it replaces goes on
        self._leaving: _Worker | None = None  # was replaced, and finishes what it has begun
        self._free_slot = count
        self._selector = selectors.DefaultSelector()
        self._rolling: deque[int] = deque()  # numbers of those that are still to be replaced
        self._is_told_to_stop = False
        self._is_told_to_restart = False

    def run(self, ready: Callable[[Mapping[str, Any]], None]) -> int:
        """The exit code. `ready` is called once, with what the first worker said, when all accept
        requests. If one of them cannot start, it says why itself, and nothing is served."""
        with self._signals():
            try:
                code = self._start_all()
                if code is None and not self._is_told_to_stop:
                    ready(self._workers[0].message)
                    while not self._is_told_to_stop:
                        self._step()
                stopped = self._stop_all()
                return stopped if code is None else code
            finally:
                self._kill_all()
                self._selector.close()

    def _start_all(self) -> int | None:
        """None: all are ready, or a signal came. The first goes ahead: what is wrong with the
        folder or the settings is said once, and a database is upgraded by one process."""
        for group in (self._workers[:1], self._workers[1:]):
            for worker in group:
                self._start(worker)
            while not all(worker.is_ready for worker in group):
                if self._is_told_to_stop:
                    return None
                self._wait(LOOK_SECONDS)
                for worker in group:
                    if (code := self._exit_code(worker)) is not None:
                        return code if code > 0 else 1
        return None

    def _step(self) -> None:
        self._wait(self._seconds_until_due())
        self._look()
        now = self._clock()
        for worker in self._workers:
            if self._exit_code(worker) is not None:
                self._bury(worker, now)
            if worker.process is None and worker.due <= now:
                self._start(worker)
        self._follow_leaving(now)
        self._follow_successor(now)
        self._roll()

    def _bury(self, worker: _Worker, now: float) -> None:
        assert worker.process is not None
        code, pid = worker.process.returncode, worker.process.pid
        lived = now - worker.started
        worker.deaths = 1 if lived > STEADY_SECONDS else worker.deaths + 1
        message = "worker %d (pid %d) ended %s; it is replaced in %.1f s"
        log.error(message, worker.number, pid, _how(code), worker.delay())
        self._forget(worker)
        worker.due = now + worker.delay()

    def _roll(self) -> None:
        """SIGHUP: replace one worker after another. Each goes on until its successor is ready, so
        that neither answers nor the historian's work stand still."""
        if self._is_told_to_restart:
            self._is_told_to_restart = False
            self._rolling = deque(worker.number for worker in self._workers)
            log.info("the workers are being replaced, one after another")
        is_busy = self._successor is not None or self._leaving is not None
        if not self._rolling or is_busy or not all(worker.is_ready for worker in self._workers):
            return
        try:
            self._check()
        except TaishiError as error:
            self._keep_all(str(error))
            return
        self._successor = _Worker(self._rolling.popleft(), self._free_slot)
        self._start(self._successor)

    def _follow_successor(self, now: float) -> None:
        new = self._successor
        if new is None:
            return
        code, is_late = self._exit_code(new), now - new.started > SUCCESSOR_SECONDS
        if code is not None or is_late:
            self._kill(new)
            self._successor = None
            self._rolling.appendleft(new.number)
            how = "is not ready in time" if code is None else f"ended {_how(code)}"
            self._keep_all(f"its successor {how}")
        elif new.is_ready:
            self._successor = None
            old, self._workers[new.number] = self._workers[new.number], new
            old.told_to_end = now
            self._leaving = old
            self._send(old, signal.SIGTERM)

    def _follow_leaving(self, now: float) -> None:
        old = self._leaving
        if old is None:
            return
        if self._exit_code(old) is None and old.process is not None:
            if now - old.told_to_end <= self._patience:
                return
            log.error("worker %d does not end; it is killed", old.number)
        self._kill(old)
        self._leaving, self._free_slot = None, old.slot
        if not self._rolling:
            log.info("all workers are replaced")

    def _keep_all(self, why: str) -> None:
        """Those that are not replaced yet."""
        kept = ", ".join(map(str, dict.fromkeys(self._rolling)))
        self._rolling.clear()
        log.error("worker %s kept, the settings stay as they are: %s", kept, why)

    def _start(self, worker: _Worker) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            worker.process = self._spawn(worker.number, worker.slot, theirs)
        ours.setblocking(False)
        worker.control, worker.received, worker.started = ours, b"", self._clock()
        worker.is_ready = False
        self._selector.register(ours, selectors.EVENT_READ, worker)

    def _wait(self, seconds: float) -> None:
        """Until a worker says something, ends, or a signal comes."""
        for key, _ in self._selector.select(seconds):
            if key.data is None:
                key.fileobj.recv(4096)  # type: ignore[union-attr]  # the byte of a signal
            else:
                self._hear(key.data)

    def _hear(self, worker: _Worker) -> None:
        assert worker.control is not None
        try:
            heard = worker.control.recv(65536)
        except OSError:
            heard = b""
        worker.received += heard
        if not heard:  # it ended, or is about to: its exit code follows
            self._hang_up(worker)
        elif b"\n" in worker.received:
            worker.message = json.loads(worker.received.partition(b"\n")[0])
            worker.is_ready = True

    def _exit_code(self, worker: _Worker) -> int | None:
        return None if worker.process is None else worker.process.poll()

    def _forget(self, worker: _Worker) -> None:
        self._counts.set(worker.slot, NOT_ACCEPTING)
        self._hang_up(worker)
        worker.process, worker.is_ready = None, False

    def _hang_up(self, worker: _Worker) -> None:
        if worker.control is not None:
            self._selector.unregister(worker.control)
            worker.control.close()
            worker.control = None

    def _stop_all(self) -> int:
        """0 if every worker ended well; those that take too long are killed."""
        running = [w for w in self._all() if w.process is not None and w.process.poll() is None]
        for worker in running:
            self._send(worker, signal.SIGTERM)
        end = self._clock() + self._patience
        is_clean = True
        for worker in running:
            assert worker.process is not None
            try:
                code = worker.process.wait(max(0.0, end - self._clock()))
            except subprocess.TimeoutExpired:
                log.error("worker %d does not end; it is killed", worker.number)
                code = -signal.SIGKILL
            # One that was still starting has no handler for the signal yet.
            is_well = code == 0 or (code == -signal.SIGTERM and not worker.is_ready)
            if not is_well:
                log.error("worker %d ended with code %d", worker.number, code)
            is_clean = is_clean and is_well
        return 0 if is_clean else 1

    def _kill_all(self) -> None:
        for worker in self._all():
            self._kill(worker)

    def _kill(self, worker: _Worker) -> None:
        if worker.process is not None:
            self._send(worker, signal.SIGKILL)
            worker.process.wait()
        self._forget(worker)

    def _all(self) -> list[_Worker]:
        others = (self._successor, self._leaving)
        return [*self._workers, *(worker for worker in others if worker is not None)]

    def _send(self, worker: _Worker, number: signal.Signals) -> None:
        if worker.process is not None and worker.process.poll() is None:
            worker.process.send_signal(number)

    def _seconds_until_due(self) -> float:
        waiting = [worker.due for worker in self._workers if worker.process is None]
        soonest = min(waiting, default=self._clock() + LOOK_SECONDS) - self._clock()
        return min(LOOK_SECONDS, max(0.0, soonest))

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Signals set a flag and wake the loop."""
        woken, waker = socket.socketpair()
        woken.setblocking(False)
        waker.setblocking(False)
        self._selector.register(woken, selectors.EVENT_READ, None)

        def stop(*_: object) -> None:
            self._is_told_to_stop = True

        def restart(*_: object) -> None:
            self._is_told_to_restart = True

        handlers = {signal.SIGINT: stop, signal.SIGTERM: stop, signal.SIGHUP: restart}
        previous = {number: signal.signal(number, handler) for number, handler in handlers.items()}
        before = signal.set_wakeup_fd(waker.fileno())
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            for number, handler in previous.items():
                signal.signal(number, handler)
            woken.close()
            waker.close()


def _how(code: int) -> str:
    return f"by signal {-code}" if code < 0 else f"with code {code}"
