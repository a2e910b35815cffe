"""The newcomer's table of docs/architecture.md names files that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PATH = re.compile(r"`((?:[a-z_0-9]+/)*[a-z_0-9]+(?:\.py|/))`")


def section(title: str) -> str:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
    assert found, f"there is no section {title!r}"
    return found[1]


def missing(text: str) -> list[str]:
    places = (ROOT / "src" / "taishi", ROOT)
    return [
        name for name in PATH.findall(text) if not any((place / name).exists() for place in places)
    ]


def test_every_file_of_the_newcomers_table_exists() -> None:
    text = section("Where is …?")
    assert len(PATH.findall(text)) >= 20
    assert missing(text) == []


def test_every_file_of_the_glossary_exists() -> None:
    text = section("Words of our own")
    assert PATH.findall(text)
    assert missing(text) == []


def test_a_file_that_is_gone_is_noticed() -> None:
    assert missing("`recall/bm25.py` and `recall/shelf.py`") == ["recall/shelf.py"]
