"""What every test stands on: no network, nobody's settings, and an embedder that needs no model."""

from __future__ import annotations

import os
import re
import socket
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from taishi import Memory, Settings, load
from taishi.language.segment import has_cjk
from taishi.ports import Vector

LOOPBACK = re.compile(r"127\.|::1$|::ffff:127\.|localhost$|$")
WIDTHS = (32, 32)


class HashEmbedder:
    """Texts with the same words and characters are near one another; English leaves block 2 zero.

    The model's stand-in wherever its quality does not matter: fast, deterministic, two blocks.
    """

    def __init__(self, name: str = "hash-1", blocks: tuple[int, int] = WIDTHS) -> None:
        self._name = name
        self._blocks = blocks

    @property
    def name(self) -> str:
        return self._name

    @property
    def blocks(self) -> tuple[int, ...]:
        return self._blocks

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> Vector:
        rows = [self._row(text[:2000]) for text in texts]
        return np.asarray(rows, np.float32).reshape(len(texts), sum(self._blocks))

    def close(self) -> None:
        pass

    def _row(self, text: str) -> Vector:
        words, characters = self._blocks
        row = np.zeros(words + characters, np.float32)
        row[0] = 0.1  # never all zero, whatever the text
        for word in re.findall(r"\w+", text.lower()):
            row[_number(word) % words] += 1
        if has_cjk(text):
            for character in text:
                row[words + _number(character) % characters] += 1
        return row / np.linalg.norm(row)


def _number(piece: str) -> int:
    return zlib.crc32(piece.encode("utf-8", "surrogatepass"))


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


@pytest.fixture(autouse=True)
def nobodys_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the developer's variables nor a taishi.toml in the current folder are seen."""
    for name in list(os.environ):
        if name.startswith("TAISHI_") and name != "TAISHI_MODELS":
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
def open_memory(
    tmp_path: Path, make_settings: Callable[..., Settings]
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
        memory = Memory.open(
            folder or tmp_path / "data", make_settings(changes), embedder=chosen, clock=clock
        )
        opened.append(memory)
        return memory

    yield open_one
    for memory in reversed(opened):
        memory.close()


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    """An open, empty memory with the HashEmbedder; its deadline leaves a busy machine time."""
    return open_memory({"query.recall_timeout": 5.0})
