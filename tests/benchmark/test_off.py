"""Switched off is switched off: a call costs microseconds (C3)."""

from __future__ import annotations

import statistics

import pytest
from benchmarks import off

ATTEMPTS = 3


@pytest.mark.parametrize("verb", ["end_turn", "observe", "recall", "context"])
def test_C3_a_call_costs_only_microseconds(verb: str) -> None:
    tries = [off.measure(500)[verb].p50 * 1000 for _ in range(ATTEMPTS)]
    assert statistics.median(tries) < off.BAR_US


def test_C3_the_cost_does_not_grow_with_what_is_said() -> None:
    """Nothing of the turn is read: a megabyte costs what a word costs."""
    small = off.measure(500)["end_turn"].p50
    text = "the ferry leaves at six " * 50_000
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(off, "MESSAGES", [{"speaker": "Ann", "text": text}] * 12)
        large = off.measure(500)["end_turn"].p50
    assert large < max(4 * small, off.BAR_US / 1000)
