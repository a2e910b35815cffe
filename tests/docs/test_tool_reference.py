"""The page about the tools has every tool with its arguments, in both languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from taishi import tools

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| `(\w+)` \| (.*?) \| (.*)$", re.MULTILINE)
NAME = re.compile(r"`(\w+)`(?:\]\(\S+?\))?(\?)?")  # a link may be around it
DEFAULTS = re.compile(r"^`tools\.AGENT_TOOLS`.*?(?=[:：]|，`tool_schemas)", re.MULTILINE)


def text_of(page: str) -> str:
    return (ROOT / "docs" / "reference" / page).read_text(encoding="utf-8")


both_languages = pytest.mark.parametrize("page", ["tools.md", "tools.zh-CN.md"])


@both_languages
@pytest.mark.parametrize("name", tools.ALL_TOOLS)
def test_every_tool_has_a_row_with_its_arguments(name: str, page: str) -> None:
    rows = {row[1]: dict(NAME.findall(row[2])) for row in ROW.finditer(text_of(page))}
    assert name in rows, f"docs/reference/{page} has no row for {name}"
    for argument in tools.CATALOGUE[name].arguments:
        assert argument.name in rows[name], f"{name}: `{argument.name}` is missing"
        assert (rows[name][argument.name] == "?") == (not argument.required), argument.name


@both_languages
def test_no_row_is_about_a_tool_that_is_not_there(page: str) -> None:
    assert {row[1] for row in ROW.finditer(text_of(page))} - set(tools.CATALOGUE) == set()


@both_languages
def test_the_tools_that_are_offered_by_default_are_named(page: str) -> None:
    sentence = DEFAULTS.search(text_of(page))
    assert sentence is not None
    assert tuple(re.findall(r"`(\w+)`", sentence[0])) == tools.AGENT_TOOLS
