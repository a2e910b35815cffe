"""Whoever reads a page in Chinese knows before a click that the next one is in English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.chinese_pages import chinese_of

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.zh-CN.md"), *(ROOT / "docs").rglob("*.zh-CN.md")])
FENCE = re.compile(r"^```.*?^```[ \t]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)(（英文）)?")
# The page that says everything in both languages.
IN_BOTH = {ROOT / "docs" / "index.md"}


def links_to_english(page: Path, text: str) -> Iterator[tuple[str, Path, bool]]:
    """(target, page, is marked) of links to pages that are not the Chinese one of two."""
    for link in LINK.finditer(FENCE.sub("", text)):
        file = link[1].partition("#")[0]
        if file.endswith(".md") and not file.endswith(".zh-CN.md") and "://" not in file:
            there = (page.parent / file).resolve()
            if chinese_of(there) != page:  # its own English page, at the top
                yield link[1], there, link[2] is not None


def complaints(page: Path, text: str) -> list[str]:
    found = []
    for target, there, is_marked in links_to_english(page, text):
        if chinese_of(there).exists():
            found.append(f"{target} has a Chinese page: link to that")
        elif is_marked == (there in IN_BOTH):
            found.append(
                f"{target}: {'is in Chinese, too' if is_marked else '（英文） is missing'}"
            )
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_link_to_a_page_in_english_only_says_so(page: Path) -> None:
    assert complaints(page, page.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("link", "is_right"),
    [
        ("[测量](benchmarks.md)（英文）", True),
        ("[测量](benchmarks.md#robustness)", False),
        ("[首页](index.md)", True),
        ("[首页](index.md)（英文）", False),
        ("[安装](how-to/install.zh-CN.md)", True),
        ("[安装](how-to/install.md)（英文）", False),
        ("[English](tutorial.md)", True),
        ("[别处](https://example.org/a.md)", True),
        ("```md\n[测量](benchmarks.md)\n```", True),
    ],
)
def test_what_the_test_takes_for_right(link: str, is_right: bool) -> None:
    page = ROOT / "docs" / "tutorial.zh-CN.md"
    assert (complaints(page, f"见{link}。\n" if "\n" not in link else link) == []) == is_right
