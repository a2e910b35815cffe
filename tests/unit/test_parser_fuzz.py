"""A short run of the fuzz: nothing that reads text from outside crashes or hangs."""

from __future__ import annotations

import pytest
from benchmarks import fuzz as fuzzing
from benchmarks.fuzz_inputs import made
from benchmarks.fuzz_parsers import PARSERS


def test_no_reader_crashes_or_hangs() -> None:
    report = fuzzing.fuzz(4_000)
    assert (report.crashes, report.slow) == ([], [])
    assert report.inputs == 4_000
    assert 0 < report.refused < report.inputs


def test_the_same_number_is_the_same_input() -> None:
    assert [made(7, number) for number in range(50)] == [made(7, number) for number in range(50)]
    assert len({made(7, number) for number in range(50)}) > 40


def test_a_crash_and_a_hang_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def falls(text: str) -> object:
        raise RuntimeError(text)

    def hangs(text: str) -> object:
        while True:
            pass

    monkeypatch.setattr(fuzzing, "WATCH_SECONDS", 0.05)
    monkeypatch.setattr(fuzzing, "READERS", {})
    monkeypatch.setattr(fuzzing, "PARSERS", {"falls": falls, "hangs": hangs})
    report = fuzzing.fuzz(4)
    assert (len(report.crashes), len(report.slow)) == (2, 2)


def test_every_kind_of_outside_text_has_a_reader() -> None:
    wanted = {"whole turn", "times", "gate", "drift", "redact", "page", "import line", "settings"}
    wanted |= {"legacy list", "job file", "model's JSON", "tool arguments", "question", "file name"}
    assert wanted <= PARSERS.keys()
