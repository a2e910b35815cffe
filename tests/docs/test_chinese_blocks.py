"""A page of explanation or reference has the same blocks and headings in both languages.

Its Python is run on the English page alone, as the Chinese one has the same.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.chinese_pages import same_pages

FENCE = re.compile(r"^[ \t]*```.*?^[ \t]*```[ \t]*$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^(#+)[ \t]", re.MULTILINE)


def blocks(text: str) -> list[str]:
    return FENCE.findall(text)


def heading_levels(text: str) -> list[int]:
    return [len(marks) for marks in HEADING.findall(FENCE.sub("", text))]


def texts(pages: tuple[Path, Path]) -> tuple[str, str]:
    english, chinese = pages
    return english.read_text("utf-8"), chinese.read_text("utf-8")


both = pytest.mark.parametrize("pages", same_pages(), ids=lambda pages: pages[1].name)


@both
def test_the_blocks_are_the_same_in_both_languages(pages: tuple[Path, Path]) -> None:
    english, chinese = texts(pages)
    assert blocks(chinese) == blocks(english)


@both
def test_the_headings_are_as_many_and_of_the_same_levels(pages: tuple[Path, Path]) -> None:
    english, chinese = texts(pages)
    assert heading_levels(chinese) == heading_levels(english)


@both
def test_each_language_links_to_the_other(pages: tuple[Path, Path]) -> None:
    english, chinese = texts(pages)
    assert f"]({pages[1].name})" in english
    assert f"]({pages[0].name})" in chinese


def test_the_pages_of_explanation_are_compared() -> None:
    assert {"architecture.zh-CN.md", "security.zh-CN.md"} <= {page.name for _, page in same_pages()}


def test_a_block_that_differs_is_noticed() -> None:
    assert blocks("```python\na = 1\n```\n字\n```output\n1\n```\n") == [
        "```python\na = 1\n```",
        "```output\n1\n```",
    ]
    assert blocks("```python\na = 1\n```\n") != blocks("```python\na = 2\n```\n")


def test_a_comment_in_a_block_is_no_heading() -> None:
    assert heading_levels("# 一\n\n```sh\n# 注释\n```\n\n## 二\n### 三\n#四\n") == [1, 2, 3]
