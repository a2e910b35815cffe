"""Background threads: work until nothing is left, then wait to be woken."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from ..errors import ClosedError, ReadOnlyError, TaishiError, UnreachableError
from ..observe.repeated_trouble import RepeatedTrouble

log = logging.getLogger("taishi.threads")
MAX_PAUSE = 30.0
AWAY_PAUSE = 3.0  # a server that is known to be away costs nothing to ask for
MAX_SETTLING = 5


class WorkerThread:
    """Calls `work` again and again; False means nothing is left for now.

    A pause that may change is given as a function; `wake` makes a change felt at once. With
    `settle`, work begins when nobody has woken the loop for that many seconds, or after a few
    times as many: whoever brings work piece by piece is not disturbed at each.
    ClosedError ends the loop: there is nothing left to work on. Any other error is logged, the same
    trouble once a minute, and the next try comes later and later.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[], bool],
        interval: float | Callable[[], float],
        settle: float = 0.0,
    ) -> None:
        self._work = work
        self._settle = settle
        self._interval = interval if callable(interval) else lambda: interval
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"taishi-{name}", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        self._wake.set()

    def stop(self, timeout: float = 10.0) -> None:
        """Finish the current piece of work, then end."""
        self._stop.set()
        self._wake.set()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout)

    def _run(self) -> None:
        pause = self._interval()
        trouble = RepeatedTrouble(log)
        woken = True
        while not self._stop.is_set():
            if woken and self._settle:
                self._wait_for_quiet()
            self._wake.clear()
            try:
                more = self._work()
                pause = self._interval()
                trouble.over("%s works again", self._thread.name)
            except ClosedError:
                return
            except Exception as error:
                self._report(error, trouble)
                more = False
                is_away = isinstance(error, UnreachableError)
                pause = min(pause * 2, AWAY_PAUSE if is_away else MAX_PAUSE)
            # Whoever stopped it meanwhile may have woken it before the clearing above.
            woken = not more and not self._stop.is_set() and self._wake.wait(pause)

    def _report(self, error: Exception, trouble: RepeatedTrouble) -> None:
        """An error of ours says what is wrong; a mistake needs its traceback. That a database
        server is away, or can only be read, is said once for the whole process, by whoever noticed
        it."""
        if isinstance(error, (UnreachableError, ReadOnlyError)):
            log.debug("%s waits: %s", self._thread.name, error)
        elif isinstance(error, TaishiError):
            trouble.met("%s failed and tries again: %s", self._thread.name, error)
        else:
            log.error("%s failed and tries again", self._thread.name, exc_info=error)

    def _wait_for_quiet(self) -> None:
        """Debounce: wait for a quiet moment, so that this work does not compete with a burst of
        writes."""
        for _ in range(MAX_SETTLING):
            self._wake.clear()
            if self._stop.wait(self._settle) or not self._wake.is_set():
                return
