"""The last minutes of a process: bounded, and true to a tenth."""

from __future__ import annotations

import random

import pytest

from taishi.observe.metrics import Metrics
from taishi.observe.minutes import MINUTES, MinuteLatencies, MinutePeaks


class Clock:
    def __init__(self) -> None:
        self.now = 1_790_000_000.0

    def __call__(self) -> float:
        return self.now


def test_O1_quantiles_are_true_to_a_tenth():
    clock, rng = Clock(), random.Random(7)
    kept = MinuteLatencies(clock)
    taken = [rng.lognormvariate(-5, 1) for _ in range(5000)]
    for one in taken:
        kept.observe(one)
    (minute,) = kept.read()
    taken.sort()
    assert minute.count == 5000
    assert minute.start % 60 == 0 and clock.now - 60 < minute.start <= clock.now
    for said, share in ((minute.p50_ms, 0.5), (minute.p95_ms, 0.95)):
        true = taken[int(share * 5000) - 1] * 1000
        assert true * 0.999 <= said <= true * 1.101


@pytest.mark.parametrize("seconds", [0.0, -1.0, 1e-9, 1e9])
def test_O1_no_duration_breaks_it(seconds):
    kept = MinuteLatencies(Clock())
    kept.observe(seconds)
    assert kept.read()[0].count == 1


def test_O1_old_minutes_go_and_quiet_ones_are_not_there():
    clock = Clock()
    kept, peaks = MinuteLatencies(clock), MinutePeaks(clock)
    for _ in range(MINUTES + 50):
        kept.observe(0.01)
        peaks.note(3.0)
        clock.now += 120
    assert len(kept._rows) <= MINUTES and len(peaks._peaks) <= MINUTES
    assert len(kept.read()) == len(peaks.read()) == MINUTES // 2 - 1
    clock.now += MINUTES * 60
    assert kept.read() == () and peaks.read() == ()


def test_O1_a_minute_has_its_peak_and_looking_is_not_due_at_once():
    clock = Clock()
    peaks = MinutePeaks(clock)
    assert peaks.is_due
    for value in (2.0, 9.0, 1.0):
        peaks.note(value)
    assert not peaks.is_due
    assert [one.most for one in peaks.read()] == [9.0]
    clock.now += 15
    assert peaks.is_due


def test_O1_recalls_and_turns_are_in_the_activity():
    metrics = Metrics(Clock())
    metrics.recall.observe(0.004, "hybrid")
    metrics.recall.observe(0.006, "keyword")
    metrics.end_turn.observe(0.001)
    activity = metrics.activity()
    assert [one.count for one in activity.recall] == [2]
    assert [one.count for one in activity.end_turn] == [1]
    assert activity.queue_age == ()
