"""Stores on every engine, for the suites of the ports that a store serves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.engine_postgres import own_postgres, postgres, postgres_engine
from support.stores import STORES, OpenStore, opened_stores

__all__ = ["own_postgres", "postgres", "postgres_engine"]


@pytest.fixture(params=STORES)
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    with opened_stores(request, tmp_path) as open_one:
        yield open_one


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test may be thorough on one engine only: `@pytest.mark.thorough_on("postgres")`."""
    for item in items:
        engines = {name for mark in item.iter_markers("thorough_on") for name in mark.args}
        given = getattr(item, "callspec", None)
        if given is not None and given.params.get("open_store") in engines:
            item.add_marker(pytest.mark.thorough)
