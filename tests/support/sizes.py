"""Tests that show the same with few and with many: few in `make test`, both in `make test-all`."""

from __future__ import annotations

from typing import Any

import pytest


def few_and_many(few: int, many: int) -> list[Any]:
    """Values for `parametrize`; the larger one is marked thorough."""
    return [few, pytest.param(many, marks=pytest.mark.thorough)]
