"""A file that is touched while the worker of this process makes progress, for a liveness probe.

A probe that asked the database would restart every worker whenever that is away, and would not see
a worker that hangs. This asks nobody: the worker looks at its queue again and again, also while the
database does not answer, and only one that is stuck stops doing so.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError
from ..observe.process_status import worker_patience
from ..observe.repeated_trouble import RepeatedTrouble

if TYPE_CHECKING:
    from ..memory import Memory

log = logging.getLogger("taishi.work")
BEAT_SECONDS = 5.0


@contextmanager
def beating(
    current: Callable[[], Memory], file: Path | None, seconds: float = BEAT_SECONDS
) -> Iterator[None]:
    """Touch the file until the end of the block, then remove it. `current` is the memory whose
    worker takes jobs."""
    if file is None:
        yield
        return
    try:
        file.touch()
    except OSError as error:
        raise InputError(f"{file} cannot be written ({error}); name another --heartbeat") from error
    stop = threading.Event()
    thread = threading.Thread(
        target=_beat, args=(current, file, seconds, stop), name="taishi-beat", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        with suppress(OSError):
            file.unlink(missing_ok=True)


def _beat(current: Callable[[], Memory], file: Path, seconds: float, stop: threading.Event) -> None:
    trouble = RepeatedTrouble(log)
    while not stop.wait(seconds):
        memory = current()
        idle, patience = memory.jobs.idle_seconds(), worker_patience(memory.settings.historian)
        if idle > patience:
            trouble.met("no progress for %.0f s; %s is not touched any more", idle, file)
            continue
        trouble.over("the worker makes progress again")
        with suppress(OSError):  # then the probe fails, as it should
            file.touch()
