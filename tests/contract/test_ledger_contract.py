"""The ledger of model calls: every call is counted, and nothing in an answer can break it (H5)."""

from __future__ import annotations

import threading

import pytest

from support.stores import OpenStore
from taishi.ports import Call, CallLedger, Store

DAY = 86_400.0
NOON = 1_772_366_400.0  # 2026-03-01 12:00 UTC


class Clock:
    now = NOON

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(open_store: OpenStore, clock: Clock) -> Store:
    return open_store(clock)


@pytest.fixture
def ledger(store: Store) -> CallLedger:
    return store.ledger


def call(task: str = "rewrite", ok: bool = True, error: str = "") -> Call:
    return Call(task, "gpt", ok, 1.5, 100, 20, "tool", 0.25, error)


def test_H5_calls_add_up_by_day_task_model_and_mode(ledger: CallLedger, clock: Clock) -> None:
    ledger.add(call())
    ledger.add(call(ok=False, error="429: slow down"))
    ledger.add(call())
    ledger.add(call("merge"))
    clock.now += DAY
    ledger.add(call())
    rows = ledger.totals()
    assert [(r["day"], r["task"], r["calls"]) for r in rows] == [
        ("2026-03-02", "rewrite", 1), ("2026-03-01", "merge", 1), ("2026-03-01", "rewrite", 3),
    ]  # fmt: skip
    assert rows[2] == {
        "day": "2026-03-01", "task": "rewrite", "model": "gpt", "mode": "tool", "calls": 3,
        "failed": 1, "prompt_tokens": 300, "completion_tokens": 60, "seconds": 4.5, "cost": 0.75,
        "last_error": "429: slow down",
    }  # fmt: skip
    assert [r["day"] for r in ledger.totals("2026-03-02")] == ["2026-03-02"]


def test_H5_the_ledger_is_kept(open_store: OpenStore, store: Store) -> None:
    store.ledger.add(call())
    assert open_store().ledger.totals()[0]["calls"] == 1


def test_H5_many_threads_count_every_call(ledger: CallLedger) -> None:
    def work() -> None:
        for _ in range(25):
            ledger.add(call())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.totals()[0]["calls"] == 100


def test_H5_a_models_strange_answer_can_be_recorded(ledger: CallLedger) -> None:
    ledger.add(Call("x", "m\ud800", False, float("nan"), 0, 0, "", float("inf"), "\ud800" * 10**6))
    row = ledger.totals()[0]
    assert (row["seconds"], row["cost"], len(row["last_error"])) == (0.0, 0.0, 500)
