"""`taishi serve --workers N`: the parent process that starts the workers and watches over them."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..server.listener import address_of, listen
from ..server.supervisor import Supervisor
from ..server.worker_board import NOT_ACCEPTING, ConnectionCounts, WorkerPlace
from .context import CliContext
from .last_good_settings import LastGoodSettings

# -P: a module in the working directory must not stand in for ours.
WORKER = [sys.executable, "-P", "-c", "from taishi.cli.serve_worker import main; main()"]


@dataclass(frozen=True)
class Plan:
    """What to serve: `historians` of the `workers` processes run the historian."""

    app: CliContext
    host: str
    port: int | None
    workers: int
    historians: int
    log_form: str


def run_workers(plan: Plan, ready: Callable[[str, Mapping[str, Any]], None]) -> int:
    """Serve until a signal; the exit code. `ready` is told the address once all accept requests."""
    if sys.platform == "win32":
        raise InputError(plan.app.message("serve_posix"))
    settings = plan.app.settings.server
    with (
        _shared_folder() as folder,
        listen(plan.host, settings.port if plan.port is None else plan.port) as listener,
    ):
        slots = WorkerPlace(0, plan.workers, folder).slots
        counts = ConnectionCounts(folder, slots)
        for slot in range(slots):
            counts.set(slot, NOT_ACCEPTING)

        good = LastGoodSettings(plan.app, folder)

        def spawn(number: int, slot: int, control: socket.socket) -> subprocess.Popen[bytes]:
            copy = good.copy_if_needed(number)
            command = [*WORKER, _worker_plan(plan, number, slot, folder, listener, control, copy)]
            return subprocess.Popen(
                command,
                pass_fds=(listener.fileno(), control.fileno()),
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C reaches the parent alone, which forwards it
            )

        def say_ready(message: Mapping[str, Any]) -> None:
            ready(address_of(listener), {**message, "workers": plan.workers})

        try:
            supervisor = Supervisor(
                spawn,
                plan.workers,
                counts,
                settings.shutdown_seconds,
                check=good.check,
                look=good.look,
            )
            return supervisor.run(say_ready)
        finally:
            counts.close()


def _worker_plan(
    plan: Plan,
    number: int,
    slot: int,
    folder: Path,
    listener: socket.socket,
    control: socket.socket,
    copy: str | None,
) -> str:
    app = plan.app
    return json.dumps(
        {
            "context": {
                "data": app.data,
                "config": app.config,
                "lang": app.language,
                "settings_copy": copy,
            },
            "host": plan.host,
            "number": number,
            "slot": slot,
            "workers": plan.workers,
            "historian": number < plan.historians,
            "log": plan.log_form,
            "folder": str(folder),
            "listener": listener.fileno(),
            "control": control.fileno(),
        }
    )


@contextmanager
def _shared_folder() -> Iterator[Path]:
    """Readable by its owner only; gone with the parent."""
    folder = Path(tempfile.mkdtemp(prefix="taishi-serve-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
