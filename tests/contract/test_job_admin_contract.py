"""What an operator, an export and a forget do with jobs, whatever queue holds them (W5, O2)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from support.engine_postgres import PostgresEngine
from support.engine_postgres import postgres_engine as postgres_engine
from taishi.backends.file_queue.queue import FileQueue
from taishi.backends.postgres.database import ALL, Database
from taishi.backends.postgres.queue import PostgresQueue
from taishi.errors import InputError, QueueError
from taishi.ports import JobQueue
from taishi.types import Job

NOW = 1_700_000_000.0


@dataclass
class Served:
    """A queue that gives up at the first failure, and a way to store bytes that are no job."""

    queue: JobQueue
    damage: Callable[[bytes], None]


def in_files(request: pytest.FixtureRequest, name: str) -> Served:
    folder: Path = request.getfixturevalue("tmp_path") / name
    queue = FileQueue(folder, max_retries=0, clock=lambda: NOW)
    count = 0

    def damage(data: bytes) -> None:
        nonlocal count
        count += 1
        (folder / "pending" / f"{count:020d}-{count:012x}.0.0.json").write_bytes(data)

    return Served(queue, damage)


def in_postgres(request: pytest.FixtureRequest, name: str) -> Served:
    engine: PostgresEngine = request.getfixturevalue("postgres_engine")
    stack = ExitStack()
    request.addfinalizer(stack.close)
    database = Database(stack.enter_context(engine.database()))
    stack.callback(database.close)
    queue = PostgresQueue(database, max_retries=0, clock=lambda: NOW)
    count = 0

    def damage(data: bytes) -> None:
        nonlocal count
        count += 1
        with database.reading(ALL) as connection:
            connection.execute(
                "INSERT INTO jobs (id, workspace, lane, state, data) "
                "VALUES (%s, 'default', '', 'pending', %s)",
                (f"{count:020d}-{count:012x}", data),
            )

    return Served(queue, damage)


BACKENDS: dict[str, Callable[[pytest.FixtureRequest, str], Served]] = {
    "files": in_files,
    "postgres": in_postgres,
}


@pytest.fixture(params=BACKENDS)
def served(request: pytest.FixtureRequest) -> Served:
    return BACKENDS[request.param](request, "one")


@pytest.fixture
def queue(served: Served) -> JobQueue:
    return served.queue


def job(request_id: str, new_info: str = "Ann moved to Oslo") -> Job:
    return Job(
        request_id=request_id,
        end_seq=1,
        action_summary="arranged a meeting 安排了周会",
        new_info=(new_info,),
        timestamp_utc="2026-02-20T06:30:00+00:00",
        timestamp_local="2026-02-20T06:30:00+00:00",
        timezone="UTC",
        epoch=1_771_569_000.0,
        workspace="default",
        request_type="private",
        user_id="ann",
    )


def fail(queue: JobQueue, reason: str) -> None:
    lease = queue.claim()
    assert lease is not None
    assert not queue.retry(lease, reason)


def ids(queue: JobQueue) -> list[tuple[str, str]]:
    opened = [(state, one.request_id) for state, _, _, one in queue.open_jobs()]
    return opened + [("failed", f.job.request_id) for f in queue.failed_jobs() if f.job]


def test_W5_jobs_are_listed_by_state_the_oldest_first(queue: JobQueue) -> None:
    assert ids(queue) == []
    for name in ("a", "b", "c", "d"):
        queue.put(job(name))
    fail(queue, "the model said no")
    assert queue.claim() is not None
    assert ids(queue) == [("processing", "b"), ("pending", "c"), ("pending", "d"), ("failed", "a")]
    assert [tries for _, _, tries, _ in queue.open_jobs()] == [1, 0, 0]


def test_W5_a_failed_job_says_why_and_when(queue: JobQueue) -> None:
    queue.put(job("a"))
    fail(queue, "模型没有回答: no answer\nfrom the model")
    (failed,) = queue.failed_jobs()
    assert "模型没有回答: no answer\nfrom the model" in failed.reason
    assert (failed.attempts, failed.failed_at, failed.job) == (1, NOW, job("a"))


def test_W5_a_failed_job_is_put_back_with_all_its_tries(queue: JobQueue) -> None:
    queue.put(job("a"))
    queue.put(job("b"))
    fail(queue, "no")
    queue.retry_failed(queue.failed_jobs()[0].name)
    assert queue.failed_jobs() == []
    lease = queue.claim()
    assert lease is not None
    assert (lease.job.request_id, lease.attempt) == ("a", 1), "before b, which came later"


@pytest.mark.parametrize("name", ["", "x", "../pending/a", "a\0b", "/etc/passwd", "0" * 5000])
def test_W5_a_name_that_no_failed_job_has_is_refused(queue: JobQueue, name: str) -> None:
    queue.put(job("a"))
    fail(queue, "no")
    with pytest.raises(InputError):
        queue.retry_failed(name)
    assert ids(queue) == [("failed", "a")]


def test_W5_an_open_job_is_not_retried_by_name(queue: JobQueue) -> None:
    queue.put(job("a"))
    ((_, name, _, _),) = queue.open_jobs()
    with pytest.raises(InputError):
        queue.retry_failed(name)
    assert ids(queue) == [("pending", "a")]


def test_O2_jobs_come_out_open_ones_first_and_go_in_once(
    queue: JobQueue, request: pytest.FixtureRequest
) -> None:
    queue.put(job("a"))
    queue.put(job("b"))
    fail(queue, "no")
    moved, unreadable = queue.transfer.jobs()
    assert [(one.job.request_id, one.failed) for one in moved] == [("b", False), ("a", True)]
    assert unreadable == []
    backend = BACKENDS[request.node.callspec.params["served"]]
    other = backend(request, "other").queue
    assert [other.transfer.take_in(one, dry=True) for one in moved] == ["added", "added"]
    assert ids(other) == []
    assert [other.transfer.take_in(one) for one in moved] == ["added", "added"]
    assert [other.transfer.take_in(one) for one in moved] == ["same", "same"]
    assert ids(other) == ids(queue)
    assert "no" in other.failed_jobs()[0].reason


def test_O2_a_rewritten_job_keeps_its_place_and_its_worker_loses_it(queue: JobQueue) -> None:
    queue.put(job("a", "secret"))
    queue.put(job("b"))
    lease = queue.claim()
    assert lease is not None
    made = queue.transfer.rewrite(
        lambda one: replace(one, new_info=("gone",)) if "secret" in one.new_info else None
    )
    assert [(one.request_id, one.new_info) for one in made] == [("a", ("gone",))]
    with pytest.raises(QueueError):
        queue.extend(lease)
    assert [(one.request_id, one.new_info[0]) for _, _, _, one in queue.open_jobs()] == [
        ("a", "gone"),
        ("b", "Ann moved to Oslo"),
    ]


def test_O2_the_reason_of_a_rewritten_job_is_kept_only_as_reworded(queue: JobQueue) -> None:
    for name in ("a", "b"):
        queue.put(job(name))
        fail(queue, "cannot read: secret")
    a = queue.transfer.rewrite(lambda one: one if one.request_id == "a" else None)
    b = queue.transfer.rewrite(
        lambda one: one if one.request_id == "b" else None, lambda text: text.replace("secret", "*")
    )
    assert (len(a), len(b)) == (1, 1)
    reasons = {f.job.request_id: f.reason for f in queue.failed_jobs() if f.job}
    assert "secret" not in reasons["a"]
    assert "cannot read: *" in reasons["b"]


def test_O2_bytes_that_hold_no_job_are_removed_by_what_they_hold(served: Served) -> None:
    queue = served.queue
    queue.put(job("a", "the secret word"))
    for data in (b'{"half of the secret', b"\xff\xfe secret", b"something else", b""):
        served.damage(data)
    assert len(queue.transfer.jobs()[1]) == 4
    assert queue.transfer.forget_unreadable(lambda data: b"secret" in data) == 2
    assert len(queue.transfer.jobs()[1]) == 2
    assert queue.transfer.forget_unreadable(lambda data: b"secret" in data) == 0
    assert ids(queue) == [("pending", "a")], "a job that can be read is never taken for damage"


def test_W6_what_must_be_durable_first_is_called_before_a_job_is_gone(queue: JobQueue) -> None:
    seen: list[tuple[str, int]] = []
    queue.before_ack = lambda done: seen.append((done.request_id, queue.counts()["processing"]))
    queue.put(job("a"))
    lease = queue.claim()
    assert lease is not None
    queue.ack(lease)
    queue.ack(lease)
    assert seen == [("a", 1)], "once, while the job was still there"
    assert queue.counts()["processing"] == 0
