"""The tables of later words: what a person's page says after an earlier statement and a later one
about the same matter (P5, H4).

A plan changes nothing yet; a correction or an ending in a few words reaches what it is about; what
is about somebody else, asked, supposed or meant otherwise changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from taishi import Memory, Scope

TABLES = Path(__file__).parent.parent / "tables"
SPEAKERS = {"en": "Ann", "zh": "小雨"}
BEGIN = datetime(2026, 6, 1, 10, 0)
GAPS = {"minutes": timedelta(minutes=2), "days": timedelta(days=3)}


def rows(language: str) -> list[dict[str, Any]]:
    path = TABLES / f"later_words.{language}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("language", SPEAKERS)
def test_P5_the_page_after_later_words(open_memory: Callable[..., Memory], language: str) -> None:
    memory, name = open_memory(), SPEAKERS[language]
    for row in rows(language):
        for number, said in enumerate(row["said"]):
            moment = BEGIN + number * GAPS[row.get("gap", "days")]
            memory.end_turn(
                Scope(user=row["id"]),
                new_info=said,
                messages=[{"speaker": name, "text": said}],
                sender_name=name,
                time=moment.isoformat(sep=" "),
            )
    memory.drain(300)
    faults = []
    for row in rows(language):
        profile = memory.get_profile(Scope(user=row["id"]), "user", row["id"])
        page = "" if profile is None else profile.body
        wrong = [words for words in row["says"] if words not in page]
        wrong += [words for words in row["never"] if words in page]
        faults += [f"{row['id']} {row['said']}: {wrong}; the page: {page!r}"] if wrong else []
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("language", SPEAKERS)
def test_P5_a_good_part_of_the_rows_changes_nothing(language: str) -> None:
    table = rows(language)
    assert len({row["id"] for row in table}) == len(table)
    unchanged = sum(row["kind"] in ("unchanged", "plan") for row in table)
    assert unchanged >= len(table) / 2
