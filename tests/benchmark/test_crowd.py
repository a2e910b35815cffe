"""Q2, S3 under load: right without exception, and in time as far as a busy machine allows."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.corpus import FakeEmbedder
from benchmarks.crowd import READING, Crowd, Tally, prepared

SECONDS = 4.0
RECORDS = 2_000
LENIENT_SHARE = 0.9


@pytest.fixture(scope="module")
def tally(tmp_path_factory: pytest.TempPathFactory) -> Tally:
    folder: Path = tmp_path_factory.mktemp("crowd")
    with prepared(folder, RECORDS, FakeEmbedder()) as memory:
        return Crowd(memory).run(SECONDS)


def test_a_crowd_meets_no_error(tally: Tally) -> None:
    assert tally.errors == []
    assert len(tally.writes) > 10
    assert len(tally.seconds) > 100


def test_Q6_what_was_acknowledged_is_found(tally: Tally) -> None:
    assert tally.marked > 20
    assert tally.stale == []


def test_S3_nothing_of_another_scope_is_shown(tally: Tally) -> None:
    assert tally.foreign == []


def test_Q2_most_answers_come_in_time_and_from_the_store(tally: Tally) -> None:
    assert tally.in_time > LENIENT_SHARE
    read = sum(tally.levels[level] for level in READING)
    assert read > len(tally.seconds) / 2
