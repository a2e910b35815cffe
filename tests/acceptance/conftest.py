"""The command line, run in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner, Result

from taishi.cli import taishi


@pytest.fixture
def run() -> Callable[..., Result]:
    def call(*arguments: object, input: str | None = None) -> Result:
        return CliRunner().invoke(taishi, [str(a) for a in arguments], input=input)

    return call


@pytest.fixture
def ask(run: Callable[..., Result]) -> Callable[..., Any]:
    """Run with --json; stdout must be one document and nothing else."""

    def call(*arguments: object, code: int = 0) -> Any:
        result = run(*arguments, "--json")
        assert result.exit_code == code, result.output
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return json.loads(result.stdout)

    return call
