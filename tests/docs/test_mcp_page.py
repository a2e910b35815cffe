"""What the page on MCP says the program prints, and what its steps need."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.install_lines import ROOT
from taishi.cli.messages import message
from taishi.types import Scope

PAGES = [("en", "docs/how-to/mcp.md"), ("zh", "docs/how-to/mcp.zh-CN.md")]


@pytest.mark.parametrize(("language", "page"), PAGES)
def test_the_line_that_means_it_works_is_the_one_that_is_printed(language: str, page: str) -> None:
    printed = message(language, "mcp_ready", place=Scope(user="me").home)
    quoted = re.findall('["“]([^"”]*stdio[^"”]*)["”]', _text(page))
    assert any(
        printed.startswith(words) and str(Scope(user="me").home) in words for words in quoted
    )


@pytest.mark.parametrize(("language", "page"), PAGES)
def test_the_first_step_installs_what_the_last_needs(language: str, page: str) -> None:
    first, last = _text(page).split("**2. ")[0], _text(page).split("**5. ")[1]
    assert "[local,server]" in first and "taishi --data ~/.taishi ui" in last.splitlines()[0]


def _text(page: str) -> str:
    return Path(ROOT / page).read_text("utf-8")
