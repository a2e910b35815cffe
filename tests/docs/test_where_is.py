"""The newcomer's table of docs/architecture.md names files that exist, in both languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATH = re.compile(r"`((?:[a-z_0-9]+/)*[a-z_0-9]+(?:\.py|/))`")


def section(name: str, title: str) -> str:
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
    assert found, f"there is no section {title!r}"
    return found[1]


def missing(text: str) -> list[str]:
    places = (ROOT / "src" / "taishi", ROOT)
    return [
        name for name in PATH.findall(text) if not any((place / name).exists() for place in places)
    ]


@pytest.mark.parametrize(
    ("name", "title"),
    [("architecture.md", "Where is …?"), ("architecture.zh-CN.md", "在哪里找？")],
)
def test_every_file_of_the_newcomers_table_exists(name: str, title: str) -> None:
    text = section(name, title)
    assert len(PATH.findall(text)) >= 20
    assert missing(text) == []


@pytest.mark.parametrize(
    ("name", "title"),
    [("architecture.md", "Words of our own"), ("architecture.zh-CN.md", "我们自己的用词")],
)
def test_every_file_of_the_glossary_exists(name: str, title: str) -> None:
    text = section(name, title)
    assert PATH.findall(text)
    assert missing(text) == []


def test_a_file_that_is_gone_is_noticed() -> None:
    assert missing("`recall/bm25.py` and `recall/shelf.py`") == ["recall/shelf.py"]
