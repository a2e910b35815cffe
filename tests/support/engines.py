"""Real servers for tests, each started once for a whole run, however many workers it has.

The first worker that asks for an engine starts it; the others read its address from a file. The
worker that leaves last stops it.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def missing(reason: str) -> None:
    """An engine that is not installed: a skip at home, a failure where CI says that it must run."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def shared_engine(
    factory: pytest.TempPathFactory, name: str, start: Callable[[Path], dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """What `start(folder)` told of a running engine: at least `pid`, and how to reach it."""
    base = factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    folder = shared / f"engine-{name}"
    folder.mkdir(exist_ok=True)
    state = folder / "running.json"
    lock = FileLock(folder / "lock")
    with lock:
        known = json.loads(state.read_text()) if state.exists() else {"users": 0}
        if not known["users"]:
            known = {"users": 0, "engine": start(folder)}
        known["users"] += 1
        state.write_text(json.dumps(known))
    try:
        yield known["engine"]
    finally:
        with lock:
            known = json.loads(state.read_text())
            known["users"] -= 1
            state.write_text(json.dumps(known))
            if not known["users"]:
                stop(known["engine"]["pid"], known["engine"].get("patience", 10.0))


def stop(pid: int, seconds: float = 10.0) -> None:
    """End a process that may be no child of ours: politely, then for certain."""
    for sign, wait in ((signal.SIGTERM, seconds), (signal.SIGKILL, seconds)):
        try:
            os.kill(pid, sign)
        except ProcessLookupError:
            return
        until = time.monotonic() + wait
        while time.monotonic() < until:
            if not _is_alive(pid):
                return
            time.sleep(0.02)


def _is_alive(pid: int) -> bool:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        pass
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
