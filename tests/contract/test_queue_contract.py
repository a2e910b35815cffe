"""What every queue must do, whatever it is made of. A new backend is one more line in QUEUES."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from support.engine_postgres import postgres as postgres
from support.engine_postgres import postgres_engine as postgres_engine
from taishi.backends.file_queue.queue import FileQueue
from taishi.backends.postgres.database import Database
from taishi.backends.postgres.queue import PostgresQueue
from taishi.errors import QueueError
from taishi.ports import Queue
from taishi.types import Job

LEASE = 60.0


@dataclass
class Clock:
    now: float = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


def make_job(number: int = 0, **changes: object) -> Job:
    values: dict[str, object] = {
        "request_id": f"r{number}",
        "end_seq": 1,
        "action_summary": "安排了周会 arranged a meeting",
        "new_info": ("Ann moved to Oslo",),
        "timestamp_utc": "2026-02-20T06:30:00+00:00",
        "timestamp_local": "2026-02-20T14:30:00+08:00",
        "timezone": "Asia/Shanghai",
        "epoch": 1_771_569_000.0,
        "workspace": "default",
        "request_type": "group",
        "user_id": "u7",
        "group_id": "g42",
        "message_ids": ("m1", "m2"),
        "recent_messages": ({"speaker": "Ann", "text": "你好", "time": "2026-02-20T06:29:00Z"},),
    }
    return Job(**{**values, **changes})  # type: ignore[arg-type]


def alone(number: int) -> Job:
    """Of a group and a person with no other jobs: a queue may keep those in order."""
    return make_job(number, group_id=f"g{number}", user_id=f"u{number}")


def in_files(request: pytest.FixtureRequest, clock: Clock) -> Callable[[], Queue]:
    folder = request.getfixturevalue("tmp_path") / "queues"
    return lambda: FileQueue(folder, lease_seconds=LEASE, clock=clock)


def in_postgres(request: pytest.FixtureRequest, clock: Clock) -> Callable[[], Queue]:
    database = Database(request.getfixturevalue("postgres"))
    request.addfinalizer(database.close)
    return lambda: PostgresQueue(database, lease_seconds=LEASE, clock=clock)


QUEUES = {"files": in_files, "postgres": in_postgres}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=sorted(QUEUES))
def open_queue(request: pytest.FixtureRequest, clock: Clock) -> Callable[[], Queue]:
    """Opens the same queue each time it is called, as another process would."""
    return QUEUES[request.param](request, clock)


@pytest.fixture
def queue(open_queue: Callable[[], Queue]) -> Iterator[Queue]:
    yield open_queue()


def counts(queue: Queue) -> tuple[int, int, int]:
    found = queue.counts()
    return found["pending"], found["processing"], found["failed"]


def test_W4_an_empty_queue_gives_nothing(queue: Queue) -> None:
    assert queue.claim() is None
    assert queue.recover() == 0
    assert list(queue.pending_jobs()) == []
    assert counts(queue) == (0, 0, 0)


def test_W4_a_job_comes_back_as_it_was(queue: Queue) -> None:
    job = make_job(action_summary="a\x00b \ud83d \u202e 太史", location=None, force=True)
    assert queue.put(job)
    lease = queue.claim()
    assert lease is not None
    assert lease.job == job
    assert lease.attempt == 1


def test_W4_first_in_first_out(queue: Queue) -> None:
    for number in range(20):
        queue.put(make_job(number))
    order = [lease.job.request_id for lease in iter(queue.claim, None)]
    assert order == [f"r{number}" for number in range(20)]


def test_W4_put_in_one_process_is_seen_by_another(
    queue: Queue, open_queue: Callable[[], Queue]
) -> None:
    other = open_queue()
    for number in range(3):
        assert other.claim() is None
        queue.put(make_job(number))
        lease = other.claim()
        assert lease is not None
        assert lease.job.request_id == f"r{number}"
        other.ack(lease)


def test_W4_a_claimed_job_is_not_given_twice(queue: Queue, open_queue: Callable[[], Queue]) -> None:
    queue.put(make_job())
    assert queue.claim() is not None
    assert queue.claim() is None
    assert open_queue().claim() is None
    assert counts(queue) == (0, 1, 0)


def test_W4_ack_removes_and_may_be_called_twice(queue: Queue) -> None:
    queue.put(make_job())
    lease = queue.claim()
    assert lease is not None
    queue.ack(lease)
    queue.ack(lease)
    assert counts(queue) == (0, 0, 0)


def test_W4_a_job_survives_reopening(queue: Queue, open_queue: Callable[[], Queue]) -> None:
    queue.put(make_job(5))
    lease = open_queue().claim()
    assert lease is not None
    assert lease.job == make_job(5)


def test_W4_retry_waits_longer_each_time_then_fails(queue: Queue, clock: Clock) -> None:
    queue.put(make_job())
    for attempt, wait in enumerate((1.0, 4.0, 16.0), start=1):
        lease = queue.claim()
        assert lease is not None
        assert lease.attempt == attempt
        assert queue.retry(lease, "model is down") is True
        clock.now += wait - 0.1
        assert queue.claim() is None
        clock.now += 0.2
    last = queue.claim()
    assert last is not None
    assert last.attempt == 4
    assert queue.retry(last, "model is down") is False
    assert counts(queue) == (0, 0, 1)


def test_W4_a_retried_job_keeps_its_place_but_does_not_block(queue: Queue, clock: Clock) -> None:
    for number in range(4):
        queue.put(alone(number))
    first = queue.claim()
    assert first is not None
    queue.retry(first, "again")
    second = queue.claim()
    assert second is not None
    assert second.job.request_id == "r1"
    clock.now += 2
    again = queue.claim()
    assert again is not None
    assert again.job.request_id == "r0"


def test_W4_a_lease_that_ran_out_is_given_back(
    queue: Queue, open_queue: Callable[[], Queue], clock: Clock
) -> None:
    queue.put(make_job())
    late = queue.claim()
    assert late is not None
    assert late.until == pytest.approx(clock.now + LEASE, abs=0.01)
    clock.now += LEASE - 1
    other = open_queue()
    assert other.recover() == 0
    clock.now += 2
    assert other.recover() == 1
    lease = other.claim()
    assert lease is not None
    assert lease.attempt == 1, "nothing was wrong with the job"


def test_W4_a_late_worker_cannot_touch_the_new_claim(
    queue: Queue, open_queue: Callable[[], Queue], clock: Clock
) -> None:
    queue.put(make_job())
    late = queue.claim()
    assert late is not None
    clock.now += LEASE + 1
    other = open_queue()
    other.recover()
    current = other.claim()
    assert current is not None
    queue.ack(late)
    assert queue.retry(late, "too late") is True
    with pytest.raises(QueueError, match="another worker"):
        queue.extend(late)
    assert counts(queue) == (0, 1, 0)
    other.ack(current)
    assert counts(queue) == (0, 0, 0)


def test_W4_extend_renews_and_the_old_lease_value_still_acks(queue: Queue, clock: Clock) -> None:
    queue.put(make_job())
    lease = queue.claim()
    assert lease is not None
    clock.now += LEASE - 1
    longer = queue.extend(lease)
    assert longer.until > lease.until
    clock.now += LEASE - 1
    assert queue.recover() == 0
    queue.extend(longer)
    queue.ack(lease)
    assert counts(queue) == (0, 0, 0)


def lose_claim(queue: Queue, clock: Clock) -> None:
    clock.now += 20  # past any back-off
    assert queue.claim() is not None
    clock.now += LEASE + 1
    assert queue.recover() == 1


def test_W5_claims_by_workers_that_died_are_no_tries_of_the_job(queue: Queue, clock: Clock) -> None:
    queue.put(make_job())
    for _ in range(6):
        lose_claim(queue, clock)
    for attempt in range(1, 5):
        clock.now += 400
        lease = queue.claim()
        assert lease is not None
        assert lease.attempt == attempt, "all tries are left, and each error is one"
        assert queue.retry(lease, "model is down") is (attempt < 4)
    assert counts(queue) == (0, 0, 1)


def test_W5_a_job_that_kills_its_worker_each_time_ends_in_failed(
    queue: Queue, clock: Clock
) -> None:
    queue.put(make_job())
    for _ in range(9):
        lose_claim(queue, clock)
        assert counts(queue) == (1, 0, 0)
    lose_claim(queue, clock)
    assert queue.claim() is None
    assert counts(queue) == (0, 0, 1)


def test_W5_a_job_that_killed_three_workers_lets_the_others_go_first(
    queue: Queue, clock: Clock
) -> None:
    queue.put(alone(1))
    for _ in range(3):
        lose_claim(queue, clock)
    queue.put(alone(2))
    assert [lease.job.request_id for lease in iter(queue.claim, None)] == ["r2"]
    clock.now += 2
    assert [lease.job.request_id for lease in iter(queue.claim, None)] == ["r1"]


def test_O1_a_claimed_job_counts_with_its_age(queue: Queue, clock: Clock) -> None:
    assert (queue.oldest_age(), queue.longest_silence()) == (0.0, 0.0)
    queue.put(make_job())
    clock.now += 20
    assert queue.longest_silence() == 0.0
    lease = queue.claim()
    assert lease is not None
    clock.now += 30
    assert queue.oldest_age() == pytest.approx(50, abs=0.1)
    assert queue.longest_silence() == pytest.approx(30, abs=0.1)
    queue.extend(lease)
    clock.now += 5
    assert queue.longest_silence() == pytest.approx(5, abs=0.1)
    queue.ack(lease)
    assert (queue.oldest_age(), queue.longest_silence()) == (0.0, 0.0)


def test_W4_pending_jobs_shows_waiting_and_claimed_in_order(queue: Queue) -> None:
    for number in range(5):
        queue.put(make_job(number))
    queue.claim()
    assert [job.request_id for job in queue.pending_jobs()] == ["r0", "r1", "r2", "r3", "r4"]
    assert counts(queue) == (4, 1, 0)


def test_W2_the_turns_that_wait_are_known_by_partition_and_request(
    queue: Queue, open_queue: Callable[[], Queue]
) -> None:
    other, home = open_queue(), make_job().scope.home
    assert queue.turn_ids(home, "r") == []
    odd = 'r"\\%_太\ud83d'
    for request, changes in (("r1", {}), ("r1", {"end_seq": 2}), ("r1.x", {}), (odd, {})):
        queue.put(make_job(**{"request_id": request, **changes}))
    queue.put(make_job(1, group_id="elsewhere"))
    queue.put(make_job(1, workspace="elsewhere"))
    for asked in (queue, other):
        assert asked.turn_ids(home, "r1") == ["r1:1", "r1:2", "r1.x:1"]
        assert asked.turn_ids(home, odd) == [f"{odd}:1"]
        assert asked.turn_ids(home, "1") == asked.turn_ids(home, "Oslo") == []
    lease = other.claim()
    assert lease is not None and queue.turn_ids(home, "r1")[0] == "r1:1", "at hand"
    other.ack(lease)
    assert queue.turn_ids(home, "r1") == other.turn_ids(home, "r1") == ["r1:2", "r1.x:1"]
    queue.forget(lambda job: job.request_id == "r1")
    assert queue.turn_ids(home, "r1") == other.turn_ids(home, "r1") == ["r1.x:1"]


def test_W4_a_job_that_is_not_json_is_refused_and_nothing_is_kept(queue: Queue) -> None:
    bad = make_job(recent_messages=({"time": object()},))
    with pytest.raises(QueueError):
        queue.put(bad)
    assert counts(queue) == (0, 0, 0)


def test_W4_many_threads_each_job_exactly_once(
    queue: Queue, open_queue: Callable[[], Queue]
) -> None:
    done: list[str] = []
    putting = threading.Event()

    def produce(lane: int) -> None:
        for number in range(25):
            queue.put(make_job(lane * 100 + number))

    def consume(own: Queue) -> None:
        while True:
            finished = putting.is_set()
            lease = own.claim()
            if lease is not None:
                done.append(lease.job.request_id)
                own.ack(lease)
            elif finished:
                return

    producers = [threading.Thread(target=produce, args=(lane,)) for lane in range(4)]
    consumers = [threading.Thread(target=consume, args=(q,)) for q in (queue, queue, open_queue())]
    for thread in producers + consumers:
        thread.start()
    for thread in producers:
        thread.join()
    putting.set()
    for thread in consumers:
        thread.join()
    assert sorted(done) == sorted(f"r{lane * 100 + n}" for lane in range(4) for n in range(25))
    assert counts(queue) == (0, 0, 0)
