"""An app on a memory of its own, asked over ASGI; and keys of every kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from taishi import Memory, load
from taishi.api_keys import Key, Keys
from taishi.server.app import create_app


@dataclass(frozen=True)
class Served:
    """An app, its memory, its keys, and a client that shows no key."""

    app: FastAPI
    memory: Memory
    keys: Keys
    client: TestClient

    def key(self, **binding: Any) -> tuple[Key, dict[str, str]]:
        """A new key and the header that shows it."""
        key, secret = self.keys.create("test", **binding)
        return key, {"Authorization": f"Bearer {secret}"}


@pytest.fixture
def serve(tmp_path: Path, open_memory: Callable[..., Memory]) -> Iterator[Callable[..., Served]]:
    """Makes apps: `serve({"server.rate_per_minute": 2})`."""
    clients: list[TestClient] = []

    def make(changes: dict[str, Any] | None = None, **options: Any) -> Served:
        memory = open_memory({"query.recall_timeout": 5.0, **(changes or {})})
        keys = Keys(memory.status()["folder"])
        app = create_app(memory, keys=keys, **options)
        client = TestClient(app)
        client.__enter__()
        clients.append(client)
        return Served(app, memory, keys, client)

    yield make
    for client in reversed(clients):
        client.__exit__(None, None, None)


@pytest.fixture
def served(serve: Callable[..., Served]) -> Served:
    return serve()


@pytest.fixture(scope="module")
def steady(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One app for all the tests of a module that leave it as it is; without keys."""
    folder = tmp_path_factory.mktemp("steady")
    settings = load(environ={}, overrides={"models.embedding.kind": "none"})
    with Memory.open(folder, settings) as memory:
        keys = Keys(folder)
        app = create_app(memory, keys=keys)
        with TestClient(app) as client:
            yield Served(app, memory, keys, client)


def route_names(app: FastAPI) -> set[str]:
    """Every route of /v1 as "METHOD path", from the app's own description."""
    return {
        f"{method.upper()} {path}"
        for path, methods in app.openapi()["paths"].items()
        if path.startswith("/v1/")
        for method in methods
    }
