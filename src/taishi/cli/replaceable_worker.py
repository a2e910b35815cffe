"""The historian of `taishi work`, replaced by one with new settings while it works (SIGHUP)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import TaishiError
from .context import CliContext

if TYPE_CHECKING:
    from ..memory import Memory

log = logging.getLogger("taishi.work")
CLOSING_SECONDS = 10.0  # that the end of the process waits for one that was replaced


class ReplaceableWorker:
    """`memory` is the one whose historian takes jobs. A new one takes them before the old one
    stops, and the old one finishes what it has begun."""

    def __init__(
        self, app: CliContext, opened: Callable[[CliContext], AbstractContextManager[Memory]]
    ) -> None:
        """`opened` raises if nobody could work with the settings."""
        self._app = app
        self._opened = opened
        self._leaving: list[threading.Thread] = []
        self.memory, self._close = self._entered(app)

    def _entered(self, app: CliContext) -> tuple[Memory, Callable[[], None]]:
        with ExitStack() as stack:
            memory = stack.enter_context(self._opened(app))
            return memory, stack.pop_all().close

    def start(self) -> None:
        self.memory.start_worker()

    def replace(self) -> None:
        try:
            # A copy of the context has read no settings yet; what to warn of was said.
            memory, close = self._entered(replace(self._app, warns=False))
        except (OSError, TaishiError) as error:
            log.error("the worker goes on with the settings that it has: %s", error)
            return
        old, close_old = self.memory, self._close
        self.memory, self._close = memory, close
        self.start()
        log.info("a new worker with the settings as they are now has taken over")
        thread = threading.Thread(target=_leave, args=(old, close_old), name="taishi-leave")
        thread.daemon = True
        thread.start()
        self._leaving = [one for one in (*self._leaving, thread) if one.is_alive()]

    def close(self) -> None:
        self.memory.stop_worker()
        self._close()
        for thread in self._leaving:
            thread.join(CLOSING_SECONDS)


def _leave(memory: Memory, close: Callable[[], None]) -> None:
    """As long as the claim of a job lasts, it can be finished here."""
    try:
        memory.stop_worker(memory.settings.historian.stale_job_timeout_seconds)
        close()
    except Exception:
        log.exception("the worker that was replaced did not end as it should")
