"""What every test stands on: no network, nobody's settings, and an embedder that needs no model."""

from __future__ import annotations

import gc
import os
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from support.engine_postgres import postgres_engine as postgres_engine
from support.hash_embedder import HashEmbedder
from taishi import Memory, Settings, load
from taishi.settings import QuerySettings

# Where `open_memory` keeps its memories: "folder" or "postgres", for a run of any tests on either.
ENGINE = os.environ.get("TAISHI_TEST_ENGINE", "folder")
PATIENT_SECONDS = 5.0
LOOPBACK = re.compile(r"127\.|::1$|::ffff:127\.|localhost$|$")


@pytest.fixture(scope="session", autouse=True)
def no_network() -> Iterator[None]:
    """A connection that would leave this machine fails, and says which test must change."""

    def refuse(address: Any) -> None:
        host = address[0] if isinstance(address, tuple) else None
        if isinstance(host, bytes):
            host = host.decode("ascii", "replace")
        if isinstance(host, str) and not LOOPBACK.match(host):
            raise AssertionError(f"a test tried to reach {host}: tests stay on this machine")

    def guarded(method: Callable[..., Any], position: int) -> Callable[..., Any]:
        def call(self: socket.socket, *arguments: Any) -> Any:
            if arguments:
                refuse(arguments[position])
            return method(self, *arguments)

        return call

    look_up = socket.getaddrinfo

    def local_look_up(host: Any, *arguments: Any, **options: Any) -> Any:
        refuse((host or "",))
        return look_up(host, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        for name, position in (("connect", 0), ("connect_ex", 0), ("sendto", -1)):
            patch.setattr(socket.socket, name, guarded(getattr(socket.socket, name), position))
        patch.setattr(socket, "getaddrinfo", local_look_up)
        yield


USUAL = QuerySettings.__init__.__defaults__


def _with_deadline(seconds: float) -> tuple[Any, ...]:
    """The defaults of [query], with this `recall_timeout`."""
    names = [field.name for field in fields(QuerySettings)]
    defaults = dict(zip(names, USUAL or (), strict=True))
    return tuple({**defaults, "recall_timeout": seconds}.values())


@pytest.fixture(scope="session", autouse=True)
def patient_recall() -> Iterator[None]:
    """Without a deadline of its own, recall waits for 5 s here, not for 150 ms: few tests are about
    time, and a busy machine is no failure."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QuerySettings.__init__, "__defaults__", _with_deadline(PATIENT_SECONDS))
        yield


@pytest.fixture
def usual_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default as it is documented."""
    monkeypatch.setattr(QuerySettings.__init__, "__defaults__", USUAL)


@pytest.fixture
def no_local_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the package with the local embedder's files were not installed."""
    monkeypatch.setattr("taishi.models.local.model_package.entry_points", lambda **_: ())


@pytest.fixture(autouse=True)
def nobodys_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the developer's variables nor a taishi.toml in the current folder are seen."""
    for name in list(os.environ):
        if name.startswith("TAISHI_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def make_settings() -> Callable[..., Settings]:
    """Settings with some keys changed: `make_settings({"query.recall_timeout": 5.0})`.

    No model is looked for, and times without a zone are in Shanghai's.
    """

    def make(changes: dict[str, Any] | None = None) -> Settings:
        base = {"models.embedding.kind": "none", "memory.timezone": "Asia/Shanghai"}
        return load(environ={}, overrides=base | (changes or {}))

    return make


@pytest.fixture
def engine() -> str:
    """What keeps the memories of a test; a module may set it for its own."""
    return ENGINE


@pytest.fixture
def address_of(
    engine: str, request: pytest.FixtureRequest
) -> Iterator[Callable[[Path], str | Path]]:
    """The address of the memory that a test calls by the name of a folder."""
    if engine == "folder":
        yield lambda folder: folder
        return
    server = request.getfixturevalue("postgres_engine")
    known: dict[Path, str] = {}
    with ExitStack() as databases:

        def address(folder: Path) -> str:
            if folder not in known:
                known[folder] = databases.enter_context(server.empty_database())
            return known[folder]

        yield address


@pytest.fixture
def open_memory(
    tmp_path: Path,
    make_settings: Callable[..., Settings],
    address_of: Callable[[Path], str | Path],
) -> Iterator[Callable[..., Memory]]:
    """Opens memories on this test's folder, as often as one likes; all are closed at the end.

    `embedder=None` is keyword only; left out, it is the HashEmbedder.
    """
    opened: list[Memory] = []

    def open_one(
        changes: dict[str, Any] | None = None,
        embedder: Any = HashEmbedder,
        folder: Path | None = None,
        clock: Callable[[], float] = time.time,
    ) -> Memory:
        chosen = embedder() if isinstance(embedder, type) else embedder
        home = folder or tmp_path / "data"
        settings = make_settings({"storage.folder": str(home), **(changes or {})})
        memory = Memory.open(address_of(home), settings, embedder=chosen, clock=clock)
        opened.append(memory)
        return memory

    yield open_one
    for memory in reversed(opened):
        memory.close()


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    """An open, empty memory with the HashEmbedder; its deadline leaves a busy machine time."""
    return open_memory({"query.recall_timeout": 5.0})


def pytest_collection_finish() -> None:
    """Thousands of tests lie in memory for the whole run: the collector need not look at them."""
    gc.collect()
    gc.freeze()
