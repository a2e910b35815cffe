"""What the first questions need is read when the server starts: models, rules, large indexes."""

from __future__ import annotations

import logging
import threading

from ..errors import TaishiError
from ..memory import Memory

log = logging.getLogger("taishi.server")
MOST_SECONDS = 120.0  # then it answers as it can


class Warming:
    """Runs once, on a daemon thread: a server that is told to stop does not wait for it."""

    def __init__(self) -> None:
        self._ended = threading.Event()
        self._ended.set()

    @property
    def is_under_way(self) -> bool:
        return not self._ended.is_set()

    def start(self, memory: Memory) -> None:
        self._ended.clear()
        threading.Thread(target=self._run, args=(memory,), name="taishi-warm", daemon=True).start()

    def wait(self, seconds: float) -> None:
        self._ended.wait(seconds)

    def _run(self, memory: Memory) -> None:
        try:
            if not memory.warm_up(seconds=MOST_SECONDS):
                log.warning("not everything could be read ahead: first questions may be late")
        except TaishiError as error:
            log.warning("the first question may be answered in part: %s", error)
        finally:
            self._ended.set()
