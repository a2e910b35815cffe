"""Ordinary sentences recorded by rule, held against a second reader's verdicts."""

from __future__ import annotations

from typing import Any

import pytest
from benchmarks.sentences import RIGHT_PERCENT, WRONG_PERCENT, Shares, shares, tables, verdicts


def _language(name: str) -> list[dict[str, Any]]:
    return [row for table, rows in tables().items() if table.startswith(name) for row in rows]


@pytest.fixture(scope="module", params=["en", "zh"])
def measured(request: pytest.FixtureRequest) -> Shares:
    return shares(_language(request.param), verdicts())


def test_H4_every_output_was_read_by_a_second_reader(measured: Shares) -> None:
    assert measured.sentences >= 300
    assert measured.unjudged == 0, "python -m benchmarks.sentences --unjudged FILE lists them"


def test_H4_ordinary_sentences_are_recorded_rightly(measured: Shares) -> None:
    assert measured.percent(measured.wrong) <= WRONG_PERCENT
    assert measured.percent(measured.right) >= RIGHT_PERCENT


def test_H4_what_is_marked_absolute_is(measured: Shares) -> None:
    assert measured.marked_absolute > 0
    assert measured.bad_absolute_percent <= WRONG_PERCENT
