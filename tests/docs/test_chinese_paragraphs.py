"""A paragraph of a Chinese page is one line: a line break within it is shown as a space by most
renderers, which Chinese text does not have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    str(path.relative_to(ROOT))
    for path in (*ROOT.glob("*.zh-CN.md"), *sorted((ROOT / "docs").rglob("*.zh-CN.md")))
]
FENCE = re.compile(r"\s*(```|~~~)")
# What begins a block of its own: an item, a heading, a row, a quotation, HTML, a picture.
BEGINS = re.compile(r"\s*([-*+] |\d+[.)] |#|\||>|<|!\[|\[[^\]]+\]: )")
ENDS = re.compile(r"\s*(#|\||<)")


def broken_lines(text: str) -> list[int]:
    """The numbers of lines that go on with the paragraph of the line before."""
    found, before, in_code = [], "", False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            before, in_code = "", not in_code
            continue
        goes_on = before.strip() and line.strip() and not BEGINS.match(line)
        if goes_on and not in_code and not ENDS.match(before):
            found.append(number)
        before = "" if in_code else line
    return found


def test_what_counts_as_broken() -> None:
    text = "# 标题\n一段\n还是这段\n\n- 一项\n  还是这项\n- 另一项\n\n```\n甲\n乙\n```\n"
    assert broken_lines(text) == [3, 6]


@pytest.mark.parametrize("page", PAGES)
def test_no_paragraph_is_broken(page: str) -> None:
    lines = broken_lines((ROOT / page).read_text("utf-8"))
    assert not lines, f"{page}: join these lines with the ones before them: {lines}"
