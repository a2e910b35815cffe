"""Frameworks' own suites have async tests without a mark: pytest-asyncio takes them as they are.

What a framework leaves open (its own SQLite files, sockets) is collected in some later test, and is
none of its business.
"""

from __future__ import annotations

import pytest

LEFT_OPEN = (
    "ignore::ResourceWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
)


def pytest_configure(config: pytest.Config) -> None:
    config.option.asyncio_mode = "auto"
    for line in LEFT_OPEN:
        config.addinivalue_line("filterwarnings", line)
