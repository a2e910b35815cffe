"""What worker processes share, piece by piece: limits, connection counts, metrics."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry, Counter, Gauge

from taishi.server.acceptor import Acceptor
from taishi.server.fleet_metrics import FleetMetrics, merged, snapshot
from taishi.server.key_attempts import KeyAttempts
from taishi.server.listener import listen
from taishi.server.problems import Problem
from taishi.server.rate_limit import RateLimiter
from taishi.server.worker_board import (
    NOT_ACCEPTING,
    SETS,
    WAYS,
    ConnectionCounts,
    SharedBuckets,
    WorkerPlace,
)


def test_a_limit_holds_for_all_processes_together(tmp_path: Path) -> None:
    now = [100.0]
    here, there = (
        RateLimiter(6, buckets=SharedBuckets(tmp_path / "rates", 6, lambda: now[0])) for _ in "ab"
    )
    for limiter in (here, there, here, there, here, there):
        limiter.take("k1")
    for limiter in (here, there):
        with pytest.raises(Problem) as refused:
            limiter.take("k1")
        assert refused.value.status == 429
        limiter.take("k2")  # another key has its own
    now[0] += 10.0
    there.take("k1")
    with pytest.raises(Problem):
        here.take("k1")


def test_wrong_keys_are_counted_together(tmp_path: Path) -> None:
    here, there = (
        KeyAttempts(2, failures=SharedBuckets(tmp_path / "keys", 2, lambda: 1.0)) for _ in "ab"
    )
    here.failed("10.0.0.1", "a")
    there.failed("10.0.0.1", "b")
    for attempts in (here, there):
        with pytest.raises(Problem, match="wrong keys"):
            attempts.check("10.0.0.1", "c")
        attempts.check("10.0.0.2", "c")


def test_the_table_of_buckets_is_bounded_and_keeps_the_newest(tmp_path: Path) -> None:
    now = [0.0]
    buckets = SharedBuckets(tmp_path / "rates", 1, lambda: now[0])
    for number in range(SETS * WAYS * 2):
        now[0] += 1e-6
        buckets.take(f"caller {number}")
    assert (tmp_path / "rates").stat().st_size == SETS * WAYS * 24
    assert buckets.wait(f"caller {number}") == 60


def test_no_count_is_lost_between_processes(tmp_path: Path) -> None:
    def take(buckets: SharedBuckets) -> None:
        for _ in range(200):
            buckets.take("k")

    sides = [SharedBuckets(tmp_path / "rates", 1000, lambda: 5.0) for _ in range(2)]
    take(sides[0])
    take(sides[1])
    for _ in range(600):
        assert sides[0].wait("k") == 0
        sides[0].take("k")
    assert sides[1].wait("k") > 0


def test_shares_of_a_limit() -> None:
    place = WorkerPlace(0, 3, Path())
    assert [place.share(n) for n in (500, 3, 1)] == [167, 1, 1]


def test_the_process_with_the_fewest_connections_takes_the_next(tmp_path: Path) -> None:
    async def play() -> None:
        opened: list[list[Any]] = [[], []]
        with ExitStack() as opened_sockets, listen("127.0.0.1", 0) as listener:
            counts = ConnectionCounts(tmp_path, 2)

            def acceptor(number: int) -> Acceptor:
                shared = opened_sockets.enter_context(listener.dup())
                mine = opened[number]

                class Counted(asyncio.Protocol):
                    def connection_made(self, transport: asyncio.BaseTransport) -> None:
                        mine.append(transport)

                return Acceptor(shared, Counted, lambda: len(mine), counts, number)

            both = [acceptor(0), acceptor(1)]
            address = listener.getsockname()
            clients = [socket.create_connection(address) for _ in range(10)]
            while sum(map(len, opened)) < 10:
                await asyncio.sleep(0.005)
            assert abs(len(opened[0]) - len(opened[1])) <= 1
            both[1].close()  # it ends: the other takes all, without waiting for it
            assert counts.lowest_but(0) == NOT_ACCEPTING
            clients += [socket.create_connection(address) for _ in range(4)]
            while sum(map(len, opened)) < 14:
                await asyncio.sleep(0.005)
            both[0].close()
            await both[0].wait_closed()
            for transport in (*opened[0], *opened[1]):
                transport.close()
            for client in clients:
                client.close()
            await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(play(), 20))


def counted(requests: int, resident: int, idle: float, records: int) -> CollectorRegistry:
    registry = CollectorRegistry()
    Counter("taishi_http_requests", "r", ["route"], registry=registry).labels("/v1").inc(requests)
    Counter("taishi_model_calls", "of the store", registry=registry).inc(7)
    for name, value in (("process_resident_memory_bytes", resident), ("taishi_records", records),
                        ("taishi_worker_idle_seconds", idle)):  # fmt: skip
        Gauge(name, "g", registry=registry).set(value)
    return registry


def values_of(families: dict[str, Any]) -> dict[str, float]:
    return {name: next(s.value for s in family.samples if not s.name.endswith("_created"))
            for name, family in families.items()}  # fmt: skip


def test_metrics_are_added_up_by_what_they_mean() -> None:
    living = [{"pid": n, "families": snapshot(counted(n, 100, n / 2, 9))} for n in (1, 2)]
    dead = [{"pid": 3, "families": snapshot(counted(10, 100, 50, 9))}]
    assert values_of(merged(living, dead)) == {
        "taishi_http_requests": 13,  # those of the dead process stay counted
        "taishi_model_calls": 7,  # read from the store, by each of them
        "process_resident_memory_bytes": 200,
        "taishi_records": 9,
        "taishi_worker_idle_seconds": 1.0,
    }


def test_a_process_that_does_not_answer_counts_with_what_it_said_last(tmp_path: Path) -> None:
    async def total(fleet: FleetMetrics) -> float:
        registry = await fleet.registry()
        found = registry.get_sample_value("taishi_http_requests_total", {"route": "/v1"})
        assert found is not None
        return found

    async def fresh() -> None: ...

    async def play() -> tuple[float, float]:
        here = FleetMetrics(WorkerPlace(0, 2, tmp_path), lambda: counted(1, 1, 1, 1), fresh)
        there = FleetMetrics(WorkerPlace(1, 2, tmp_path), lambda: counted(5, 1, 1, 1), fresh)
        there._own_message = lambda: {  # type: ignore[method-assign]  # another process
            "pid": 4242, "families": snapshot(counted(5, 1, 1, 1))}  # fmt: skip
        async with here.answering():
            async with there.answering():
                both = await total(here)
            return both, await total(here)

    assert asyncio.run(play()) == (6, 6)
    assert json.loads((tmp_path / "metrics-4242.json").read_text())["pid"] == 4242
