"""The page about the tools has every tool with its arguments."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from taishi import tools

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reference" / "tools.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| `(\w+)` \|(.*)$", PAGE, re.MULTILINE))


@pytest.mark.parametrize("name", tools.ALL_TOOLS)
def test_every_tool_has_a_row_with_its_arguments(name: str) -> None:
    assert name in ROWS, f"docs/reference/tools.md has no row for {name}"
    for argument in tools.CATALOGUE[name].arguments:
        assert f"`{argument.name}`" in ROWS[name], f"{name}: `{argument.name}` is missing"


def test_no_row_is_about_a_tool_that_is_not_there() -> None:
    assert {name for name in ROWS if name not in tools.CATALOGUE} == set()
