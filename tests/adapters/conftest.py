"""Frameworks' own suites have async tests without a mark: pytest-asyncio takes them as they are.

What a framework leaves open (its own SQLite files, sockets) is collected in some later test, and is
none of its business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from support.running_app import RunningApp
from taishi import Memory
from taishi.api_keys import Keys
from taishi.server.app import create_app

LEFT_OPEN = (
    "ignore::ResourceWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
)


def pytest_configure(config: pytest.Config) -> None:
    config.option.asyncio_mode = "auto"
    for line in LEFT_OPEN:
        config.addinivalue_line("filterwarnings", line)


@pytest.fixture(params=["folder", "server"])
def either_memory(
    request: pytest.FixtureRequest, open_memory: Callable[..., Memory]
) -> Iterator[Memory]:
    """A memory in a folder, and one behind HTTP, whose historian runs there."""
    kept = open_memory({"query.recall_timeout": 10.0})
    if request.param == "folder":
        yield kept
        return
    app = create_app(kept.start_worker(), keys=Keys(kept.status()["folder"]))
    with RunningApp(app, kept.settings.server) as server, Memory.open(server.url) as memory:
        yield memory
