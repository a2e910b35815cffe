"""How far a long piece of work has come, told to whoever watches."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]  # how many are done, of how many


def unwatched(done: int, total: int) -> None:
    """For callers who do not watch."""


# Which stage it is ("copying" or "checking"), how many are done, of how many.
CopyProgress = Callable[[str, int, int], None]


def quiet(stage: str, done: int, total: int) -> None:
    """For callers who do not watch."""
