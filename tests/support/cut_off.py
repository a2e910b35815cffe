"""Engines of a test's own that can hang, die and come back, each on the port it had."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.engine_postgres import PostgresEngine
from support.engines import stop
from taishi import Memory


@dataclass
class Server:
    """A process that `start(folder, port)` makes."""

    start: Callable[..., dict[str, Any]]
    folder: Path

    def __post_init__(self) -> None:
        self.folder.mkdir()
        self.known = self.start(self.folder)
        self.port = self.known.get("port") or int(self.known["address"].rpartition(":")[2])

    def hang(self) -> None:
        os.kill(self.known["pid"], signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self.known["pid"], signal.SIGCONT)

    def kill(self) -> None:
        os.kill(self.known["pid"], signal.SIGKILL)
        stop(self.known["pid"])

    def come_back(self) -> None:
        self.known = self.start(self.folder, self.port)

    def close(self) -> None:
        with suppress(ProcessLookupError):
            self.go_on()
        stop(self.known["pid"], 0.5)


@dataclass
class PostgresServer:
    """The same face for PostgreSQL."""

    engine: PostgresEngine

    def hang(self) -> None:
        self.engine.hang()

    def go_on(self) -> None:
        self.engine.go_on()

    def kill(self) -> None:
        self.engine.stop("immediate")

    def come_back(self) -> None:
        self.engine.start()


def engine_states(memory: Memory) -> dict[str, str]:
    """`ok` or `degraded`, of everything outside this process."""
    status = memory.status(records=False)
    states = {name: one["state"] for name, one in status["engines"].items()}
    if status["vectors"]["engine"]:
        states["vectors"] = "degraded" if status["vectors"]["failure"] else "ok"
    return states
