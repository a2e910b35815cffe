"""The file queue's own promises: names, durability, quarantine, sweeping, forgetting."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from taishi.backends.file_queue.queue import (
    MAX_LOST,
    FileQueue,
    decode,
    default_backoff,
    encode,
)
from taishi.disk import durable_io, process_identity
from taishi.errors import ClosedError, InputError, QueueError, StorageError
from taishi.types import Job

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")


@dataclass
class Clock:
    now: float = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


def make_job(request_id: str = "r1", **changes: Any) -> Job:
    values: dict[str, Any] = {
        "request_id": request_id,
        "end_seq": 0,
        "action_summary": "did it",
        "new_info": ("new",),
        "timestamp_utc": "2026-02-20T06:30:00+00:00",
        "timestamp_local": "2026-02-20T14:30:00+08:00",
        "timezone": "Asia/Shanghai",
        "epoch": 1_771_569_000.0,
        "workspace": "default",
        "request_type": "private",
        "user_id": "u7",
    }
    return Job(**{**values, **changes})


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "queues"


@pytest.fixture
def queue(folder: Path, clock: Clock) -> FileQueue:
    return FileQueue(folder, clock=clock)


def names(folder: Path, room: str) -> list[str]:
    return sorted(path.name for path in (folder / room).iterdir())


def drop_in(folder: Path, number: int, data: bytes) -> Path:
    path = folder / "pending" / f"{number:020d}-{number:012x}.0.0.json"
    path.write_bytes(data)
    return path


def fail_one(queue: FileQueue, request_id: str, reason: str = "broken") -> None:
    """Put a job and give it up at its first try."""
    queue.put(make_job(request_id))
    lease = queue.claim()
    assert lease is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(queue, "max_retries", 0)
        assert queue.retry(lease, reason) is False


# --- JSON ---


def test_W2_json_keeps_every_field() -> None:
    job = make_job(
        group_id="g", message_ids=("1", "2"), recent_messages=({"text": "x", "n": 1},), force=True,
        metadata={"project": "apollo"},
    )  # fmt: skip
    assert decode(encode(job)) == job
    assert set(json.loads(encode(job))) == {field.name for field in fields(Job)}
    plain = json.loads(encode(replace(job, metadata={})))
    assert "metadata" not in plain, "a worker of the version before reads it"


@given(st.text(st.characters(exclude_categories=[]), max_size=40), st.lists(st.text(), max_size=3))
def test_W4_any_text_survives_the_round_trip(text: str, news: list[str]) -> None:
    # Two lone surrogates that form a pair are one character in JSON, and come back as that one.
    assume(not re.search("[\ud800-\udbff][\udc00-\udfff]", text))
    job = make_job(action_summary=text, new_info=tuple(news), source_message=text)
    raw = encode(job)
    assert raw.isascii()
    assert decode(raw) == job


def with_change(**changes: object) -> bytes:
    values = json.loads(encode(make_job()))
    values.update(changes)
    return json.dumps(values).encode()


def without(name: str) -> bytes:
    values = json.loads(encode(make_job()))
    del values[name]
    return json.dumps(values).encode()


BAD_FILES = {
    "empty": b"",
    "truncated": encode(make_job())[:-10],
    "nul": b"\x00" * 100,
    "not utf-8": b"\xff\xfe\xfa",
    "a list": b"[]",
    "null": b"null",
    "deep": b"[" * 100_000,
    "huge number": b'{"epoch":' + b"9" * 10_000 + b"}",
    "missing field": without("request_id"),
    "unknown field": with_change(surprise=1),
    "other schema": with_change(schema_version="final_v2"),
    "seq is text": with_change(end_seq="1"),
    "seq is bool": with_change(end_seq=True),
    "epoch is NaN": with_change(epoch=float("nan")),
    "epoch is too big": with_change(epoch=10**400),
    "new_info is text": with_change(new_info="hello"),
    "new_info has a number": with_change(new_info=[1]),
    "messages are text": with_change(recent_messages=["hi"]),
    "force is a number": with_change(force=1),
    "user is a number": with_change(user_id=5),
}


@pytest.mark.parametrize("data", BAD_FILES.values(), ids=BAD_FILES.keys())
def test_W4_what_does_not_parse_is_quarantined_whole_with_the_reason(
    queue: FileQueue, folder: Path, data: bytes
) -> None:
    with pytest.raises(QueueError):
        decode(data)
    drop_in(folder, 1, data)
    queue.put(make_job("good"))
    lease = queue.claim()
    assert lease is not None
    assert lease.job.request_id == "good"
    [bad] = queue.failed_jobs()
    assert bad.job is None
    assert len(bad.reason) > 5
    assert (folder / "failed" / bad.name).read_bytes() == data
    assert queue.counts() == {"pending": 0, "processing": 1, "failed": 1}


@given(st.binary(max_size=200))
def test_W4_decode_never_raises_anything_else(data: bytes) -> None:
    with pytest.raises(QueueError):
        decode(data)


def test_W4_a_job_of_wrong_types_is_refused_at_the_door(queue: FileQueue, folder: Path) -> None:
    for bad in (
        make_job(request_id=5),
        make_job(new_info="text"),
        make_job(epoch=float("inf")),
        make_job(recent_messages=({"x": float("nan")},)),
    ):
        with pytest.raises(QueueError):
            queue.put(bad)
    assert names(folder, "pending") == []


# --- put ---


def test_W4_names_are_legal_sorted_and_hold_no_ids(queue: FileQueue, folder: Path) -> None:
    for _ in range(50):
        queue.put(make_job("secret-request", user_id="secret-user"))
    found = names(folder, "pending")
    assert len(found) == 50
    for name in found:
        assert re.fullmatch(r"[0-9a-z.-]{1,120}", name)
        assert "secret" not in name


def test_W4_two_queues_with_one_frozen_clock_never_share_a_name(folder: Path, clock: Clock) -> None:
    pair = (FileQueue(folder, clock=clock), FileQueue(folder, clock=clock))
    for _ in range(50):
        for queue in pair:
            queue.put(make_job())
    assert len(names(folder, "pending")) == 100


def test_W4_order_holds_when_the_clock_steps_back(queue: FileQueue, clock: Clock) -> None:
    queue.put(make_job("first"))
    clock.now -= 3600
    queue.put(make_job("second"))
    assert [job.request_id for job in queue.pending_jobs()] == ["first", "second"]


@POSIX
def test_W4_put_is_write_sync_rename_sync_and_nothing_more(
    queue: FileQueue, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def spy(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            if name != "fsync":
                calls.append(name)
            else:
                kind = "dir" if os.path.isdir(f"/proc/self/fd/{args[0]}") else "file"  # noqa: PTH112
                calls.append(f"fsync {kind}")
            return real(*args, **kwargs)

        return called

    for name in ("open", "write", "fsync", "listdir", "scandir", "stat", "rename", "replace"):
        monkeypatch.setattr(os, name, spy(name, getattr(os, name)))
    queue.put(make_job())
    monkeypatch.undo()
    if not Path("/proc/self/fd").exists():
        calls = [call.split()[0] for call in calls]
        assert calls == ["open", "write", "fsync", "replace", "fsync"]
    else:
        assert [call for call in calls if call != "stat"] == [
            "open", "write", "fsync file", "replace", "fsync dir",
        ]  # fmt: skip


@pytest.mark.parametrize("step", ["write", "fsync", "replace", "open"])
def test_W4_disk_full_means_an_error_and_no_trace(
    queue: FileQueue, folder: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(QueueError, match="No space left"):
        queue.put(make_job())
    monkeypatch.undo()
    assert names(folder, "pending") == []
    assert queue.claim() is None
    queue.put(make_job("after"))
    assert queue.claim() is not None


@POSIX
def test_W4_a_folder_that_cannot_be_synced_accepts_nothing(
    queue: FileQueue, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(queue._pending, "sync", broken)
    with pytest.raises(QueueError, match="Input/output"):
        queue.put(make_job())
    assert names(folder, "pending") == []


def test_W4_a_write_in_small_pieces_is_whole(
    queue: FileQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, bytes(data[:7])))
    queue.put(make_job("pieces"))
    monkeypatch.undo()
    assert [job.request_id for job in queue.pending_jobs()] == ["pieces"]


def test_W4_a_removed_folder_is_an_error_not_a_silence(queue: FileQueue, folder: Path) -> None:
    queue.put(make_job())
    (folder / "processing").rmdir()
    with pytest.raises((QueueError, StorageError), match="restore"):
        queue.claim()


def test_W4_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "queues").write_text("x")
    with pytest.raises(StorageError, match="cannot open"):
        FileQueue(tmp_path / "queues")


def test_a_closed_queue_says_so(queue: FileQueue, folder: Path) -> None:
    queue.close()
    queue.close()
    with pytest.raises(ClosedError):
        queue.put(make_job())
    with pytest.raises(ClosedError):
        queue.claim()
    assert names(folder, "pending") == []


# --- order ---


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(["put a", "put b", "claim a", "claim b", "tick"]), max_size=40))
def test_W4_first_in_first_out_for_any_interleaving(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    clock = Clock()
    folder = tmp_path_factory.mktemp("fifo")
    queues = {"a": FileQueue(folder, clock=clock), "b": FileQueue(folder, clock=clock)}
    put: list[str] = []
    claimed: list[str] = []
    for number, step in enumerate(steps):
        verb, _, who = step.partition(" ")
        if verb == "put":
            clock.now += 0.001  # two processes cannot put at the same nanosecond
            queues[who].put(make_job(f"r{number}"))
            put.append(f"r{number}")
        elif verb == "claim":
            lease = queues[who].claim()
            assert (lease is None) == (len(claimed) == len(put))
            if lease:
                claimed.append(lease.job.request_id)
        else:
            clock.now += 0.5
    assert claimed == put[: len(claimed)]
    for queue in queues.values():
        queue.close()


def test_W4_claims_do_not_list_a_large_folder_each_time(
    queue: FileQueue, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(2000):
        drop_in(folder, number, encode(make_job(f"r{number}")))
    listings = 0
    real = durable_io.Folder.names

    def counted(self: durable_io.Folder) -> list[str]:
        nonlocal listings
        listings += self.path.name == "pending"
        return real(self)

    monkeypatch.setattr(durable_io.Folder, "names", counted)
    started = time.monotonic()
    for number in range(1000):
        lease = queue.claim()
        assert lease is not None
        assert lease.job.request_id == f"r{number}"
        queue.ack(lease)
    assert listings <= 2 + (time.monotonic() - started)


def test_W4_a_job_given_back_by_another_process_does_not_starve(
    folder: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = FileQueue(folder, clock=clock), FileQueue(folder, clock=clock)
    for number in range(10):
        ours.put(make_job(f"r{number}"))
    first = theirs.claim()
    assert first is not None
    second = ours.claim()
    assert second is not None
    theirs.retry(first, "again")
    clock.now += 2
    monkeypatch.setattr(time, "monotonic", lambda real=time.monotonic: real() + 1.5)
    again = ours.claim()
    assert again is not None
    assert again.job.request_id == "r0"


def test_W4_a_producer_that_never_claims_uses_bounded_memory(folder: Path, clock: Clock) -> None:
    line = FileQueue(folder, clock=clock)._line
    for number in range(20_000):
        line.add(f"{number}", 0)
    assert len(line._added) == 10_000


# --- leases and crashes ---


def test_W4_claim_lost_to_another_worker_is_simply_the_next_file(
    queue: FileQueue, folder: Path
) -> None:
    for number in range(3):
        queue.put(make_job(f"r{number}"))
    first = queue.claim()
    assert first is not None
    (folder / "pending" / names(folder, "pending")[0]).unlink()
    lease = queue.claim()
    assert lease is not None
    assert lease.job.request_id == "r2"


def test_W4_claim_gives_back_leases_that_ran_out_by_itself(queue: FileQueue, clock: Clock) -> None:
    queue.put(make_job())
    assert queue.claim() is not None
    assert queue.claim() is None
    clock.now += 301
    lease = queue.claim()
    assert lease is not None
    assert lease.attempt == 1


CLAIM_AND_DIE = """
import os, sys
from pathlib import Path
from taishi.backends.file_queue.queue import FileQueue
assert FileQueue(Path(sys.argv[1])).claim() is not None
os._exit(9)
"""


@POSIX
def test_W5_a_dead_process_gives_its_lease_back_at_once(folder: Path) -> None:
    queue = FileQueue(folder)
    queue.put(make_job())
    child = subprocess.run([sys.executable, "-c", CLAIM_AND_DIE, str(folder)], check=False)
    assert child.returncode == 9
    assert queue.counts()["processing"] == 1
    assert queue.recover() == 1
    lease = queue.claim()
    assert lease is not None
    assert lease.attempt == 1, "nothing was wrong with the job"
    queue.ack(lease)
    assert queue.counts() == {"pending": 0, "processing": 0, "failed": 0}


@POSIX
def test_W5_a_job_that_kills_every_process_is_given_up_and_says_so(folder: Path) -> None:
    queue = FileQueue(folder, backoff=lambda _: 0.0)
    queue.put(make_job("poison"))
    for _ in range(MAX_LOST):
        pid = os.fork()
        if pid == 0:
            os._exit(0 if FileQueue(folder).claim() is None else 9)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9, "it could be claimed"
        assert queue.recover() == 1
    assert queue.claim() is None
    [failed] = queue.failed_jobs()
    assert failed.reason.startswith(f"given up: {MAX_LOST} workers died or fell silent")
    assert "its worker process ended" in failed.reason
    assert failed.job == make_job("poison")
    queue.retry_failed(failed.name)
    lease = queue.claim()
    assert lease is not None
    assert lease.token.count("-") == 4, "the deaths are counted anew"


def test_W5_a_live_process_keeps_its_lease(folder: Path) -> None:
    queue = FileQueue(folder)
    queue.put(make_job())
    assert queue.claim() is not None
    assert FileQueue(folder).recover() == 0


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_W5_a_reused_pid_is_told_from_its_old_owner() -> None:
    host, pid, start = process_identity.process_mark().split("-")
    assert int(pid) == os.getpid()
    assert not process_identity.certainly_dead(f"{host}-{pid}-{start}")
    assert process_identity.certainly_dead(f"{host}-{pid}-{int(start) + 1}")
    assert not process_identity.certainly_dead(f"{host}-{pid}-0")
    assert not process_identity.certainly_dead(f"{'0' * 12}-{pid}-{int(start) + 1}")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_W5_a_process_that_nobody_reaped_is_dead(folder: Path) -> None:
    queue = FileQueue(folder)
    queue.put(make_job())
    child = subprocess.Popen([sys.executable, "-c", CLAIM_AND_DIE, str(folder)])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert queue.recover() == 1
    assert child.wait() == 9


def test_W4_times_written_by_a_wrong_clock_do_not_hold_a_job_for_years(
    folder: Path, clock: Clock
) -> None:
    queue = FileQueue(folder, clock=clock)
    queue.put(make_job("retried"))
    queue.put(make_job("claimed"))
    clock.now += 4 * 365 * 86_400
    lease = queue.claim()
    assert lease is not None
    queue.retry(lease, "later")
    assert queue.claim() is not None
    clock.now -= 4 * 365 * 86_400
    fresh = FileQueue(folder, clock=clock)
    assert fresh.recover() == 1
    assert {lease.job.request_id for lease in iter(fresh.claim, None)} == {"retried", "claimed"}


def test_a_foreign_lease_is_refused(queue: FileQueue) -> None:
    queue.put(make_job())
    lease = queue.claim()
    assert lease is not None
    for token in ("", "../../etc/passwd", lease.token + "/x", "x" * 1_000_000):
        hostile = type(lease)(lease.job, token, 1, 0.0)
        with pytest.raises(InputError):
            queue.ack(hostile)


WRITE_AND_DIE = """
import os, sys
from pathlib import Path
from taishi.disk import durable_io
os.fsync = lambda handle: os._exit(9)
durable_io.write_durably(Path(sys.argv[1]), b"half")
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_W4_recover_sweeps_the_temps_of_the_dead_at_once_and_never_those_of_the_living(
    queue: FileQueue, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pending = folder / "pending"
    died = subprocess.run(
        [sys.executable, "-c", WRITE_AND_DIE, str(pending / "a.json")], check=False
    )
    assert died.returncode == 9
    [dead] = names(folder, "pending")
    assert dead.startswith("a.json.")
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    monkeypatch.setattr(Path, "unlink", lambda *_, **__: None)
    with pytest.raises(KeyboardInterrupt):
        durable_io.write_durably(pending / "b.json", b"half")
    monkeypatch.undo()
    [living] = set(names(folder, "pending")) - {dead}
    os.utime(pending / living, (time.time() - 3600, time.time() - 3600))
    queue.recover()
    assert names(folder, "pending") == [living], "its writer may only be slow"


def test_W4_recover_sweeps_temps_of_killed_writers_only(queue: FileQueue, folder: Path) -> None:
    old, young = folder / "pending" / "a.json.1.tmp", folder / "pending" / "b.json.2.tmp"
    old.write_bytes(b"half")
    young.write_bytes(b"half")
    os.utime(old, (time.time() - 3600, time.time() - 3600))
    queue.recover()
    assert names(folder, "pending") == ["b.json.2.tmp"]


def test_W4_a_foreign_json_file_is_quarantined_and_others_are_left(
    queue: FileQueue, folder: Path
) -> None:
    (folder / "pending" / "hello 你好.json").write_bytes(encode(make_job()))
    (folder / "pending" / ".DS_Store").write_bytes(b"x")
    assert queue.claim() is None
    queue.recover()
    assert names(folder, "pending") == [".DS_Store"]
    [failed] = queue.failed_jobs()
    assert "foreign name" in failed.reason
    queue.retry_failed(failed.name)
    assert queue.claim() is not None


def test_W4_a_file_that_cannot_be_read_now_is_tried_again(
    queue: FileQueue, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue.put(make_job())

    def broken(self: Path) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(Path, "read_bytes", broken)
    with pytest.raises(QueueError, match="tried again"):
        queue.claim()
    monkeypatch.undo()
    clock.now += 2
    lease = queue.claim()
    assert lease is not None
    assert lease.attempt == 2


# --- failed ---


def test_W4_failed_jobs_carry_reason_and_can_be_put_back(queue: FileQueue, folder: Path) -> None:
    fail_one(queue, "r1", "the model said \ud800\x00 no " + "x" * 1_000_000)
    [failed] = queue.failed_jobs()
    assert failed.job == make_job("r1")
    assert "the model said" in failed.reason
    assert len(failed.reason) < 5000
    assert failed.attempts == 1
    queue.retry_failed(failed.name)
    assert names(folder, "failed") == []
    lease = queue.claim()
    assert lease is not None
    assert lease.attempt == 1


@pytest.mark.parametrize(
    "name",
    ["", "..", "../pending/x.json", "/etc/passwd", "a\x00b", "\ud800", "x" * 1_000_000,
     f"{1:020d}-{1:012x}.0.0.json/../x", f"{1:020d}-{1:012x}.0.0.json\n"],
)  # fmt: skip
def test_W4_retry_failed_refuses_hostile_names(queue: FileQueue, name: str) -> None:
    with pytest.raises(InputError):
        queue.retry_failed(name)


def test_W4_retry_failed_of_a_name_that_is_gone(queue: FileQueue) -> None:
    with pytest.raises(InputError, match="taishi jobs list"):
        queue.retry_failed(f"{1:020d}-{1:012x}.4.1.json")


def test_W4_a_disk_too_full_for_the_reason_still_moves_the_job(
    queue: FileQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    queue.put(make_job())
    lease = queue.claim()
    assert lease is not None
    queue.max_retries = 0
    monkeypatch.setattr(os, "write", full)
    assert queue.retry(lease, "why") is False
    monkeypatch.undo()
    assert "no reason could be recorded" in queue.failed_jobs()[0].reason


def test_W4_failed_is_swept_by_age(folder: Path, clock: Clock) -> None:
    queue = FileQueue(folder, clock=clock)
    fail_one(queue, "old")
    clock.now += 20 * 86_400
    fail_one(queue, "young")
    clock.now += 11 * 86_400
    assert queue.sweep_failed() == 1
    assert [f.job and f.job.request_id for f in queue.failed_jobs()] == ["young"]
    assert len(names(folder, "failed")) == 2  # the job and its reason


def test_W4_failed_is_swept_by_count_oldest_first(folder: Path, clock: Clock) -> None:
    queue = FileQueue(folder, clock=clock, failed_max_files=2)
    for number in range(5):
        fail_one(queue, f"r{number}")
        clock.now += 1
    queue.recover()
    assert [f.job and f.job.request_id for f in queue.failed_jobs()] == ["r3", "r4"]


def test_W4_zero_switches_both_sweeps_off(folder: Path, clock: Clock) -> None:
    queue = FileQueue(folder, clock=clock, failed_max_files=0, failed_max_age_days=0)
    for number in range(3):
        fail_one(queue, f"r{number}")
    clock.now += 10_000 * 86_400
    assert queue.sweep_failed() == 0
    assert queue.counts()["failed"] == 3


def test_W4_the_sweep_runs_by_itself_every_so_many_jobs(folder: Path, clock: Clock) -> None:
    queue = FileQueue(folder, clock=clock, failed_max_files=1, cleanup_interval=4)
    for number in range(3):
        fail_one(queue, f"r{number}")
        clock.now += 1
    assert queue.counts()["failed"] == 3
    queue.put(make_job("fourth"))
    lease = queue.claim()
    assert lease is not None
    queue.ack(lease)
    assert queue.counts()["failed"] == 1


def test_W4_an_orphan_reason_is_swept_after_a_day(queue: FileQueue, folder: Path) -> None:
    orphan = folder / "failed" / f"{1:020d}-{1:012x}.reason.txt"
    orphan.write_text("why")
    queue.sweep_failed()
    assert orphan.exists()
    os.utime(orphan, (time.time() - 90_000, time.time() - 90_000))
    queue.sweep_failed()
    assert not orphan.exists()


def test_W4_backoff_grows_and_is_capped() -> None:
    assert [default_backoff(n) for n in (1, 2, 3)] == [1.0, 4.0, 16.0]
    assert default_backoff(1_000_000) == 300.0


# --- looking and forgetting ---


def test_O2_forget_removes_a_person_from_every_folder(queue: FileQueue, folder: Path) -> None:
    fail_one(queue, "failed-ann", "Ann said no")
    for request_id, user in (("claimed", "ann"), ("waiting", "ann"), ("other", "bob")):
        queue.put(make_job(request_id, user_id=user))
    assert queue.claim() is not None
    gone = queue.forget(lambda job: job.user_id == "ann" or job.request_id == "failed-ann")
    assert gone == 3
    assert queue.counts() == {"pending": 1, "processing": 0, "failed": 0}
    assert names(folder, "failed") == []
    assert [job.request_id for job in queue.pending_jobs()] == ["other"]
    assert queue.forget(lambda job: job.user_id == "ann") == 0


def test_O2_forget_finds_a_job_that_moves_while_it_looks(queue: FileQueue) -> None:
    queue.put(make_job("ann"))

    def claims_meanwhile(job: Job) -> bool:
        queue.claim()
        return True

    assert queue.forget(claims_meanwhile) == 1
    assert queue.counts() == {"pending": 0, "processing": 0, "failed": 0}


def test_W4_pending_jobs_follows_a_job_that_is_claimed_meanwhile(queue: FileQueue) -> None:
    for number in range(3):
        queue.put(make_job(f"r{number}"))
    seen = []
    for job in queue.pending_jobs():
        seen.append(job.request_id)
        while queue.claim():
            pass
    assert seen == ["r0", "r1", "r2"]


def test_O1_oldest_age_is_that_of_the_oldest_job_not_done(queue: FileQueue, clock: Clock) -> None:
    assert queue.oldest_age() == 0.0
    queue.put(make_job())
    clock.now += 30
    queue.put(make_job("r2"))
    clock.now += 12
    assert queue.oldest_age() == pytest.approx(42, abs=0.01)
    lease = queue.claim()
    assert lease and queue.oldest_age() == pytest.approx(42, abs=0.01)
    queue.ack(lease)
    assert queue.oldest_age() == pytest.approx(12, abs=0.01)
    clock.now -= 3600
    assert queue.oldest_age() == 0.0


# --- shared helpers ---


def test_closed_while_a_job_is_put_is_closed_and_the_job_is_not_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = FileQueue(folder)
    real = durable_io.write_durably

    def write(path: Path, data: bytes, *rest: Any) -> None:
        real(path, data)
        queue.close()
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    monkeypatch.setattr("taishi.backends.file_queue.queue.write_durably", write)
    with pytest.raises(ClosedError):
        queue.put(make_job())
    assert FileQueue(folder).counts()["pending"] == 0


def test_write_durably_replaces_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "page.md"
    durable_io.write_durably(path, b"old")
    durable_io.write_durably(path, b"new")
    assert path.read_bytes() == b"new"

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        durable_io.write_durably(path, b"lost")
    monkeypatch.undo()
    assert path.read_bytes() == b"new"
    assert [p.name for p in tmp_path.iterdir()] == ["page.md"]


@pytest.mark.parametrize("state", ["pending", "processing", "failed"])
def test_W4_a_job_that_is_rewritten_is_still_one_that_killed_its_workers(
    queue: FileQueue, folder: Path, state: str
) -> None:
    """Counted anew after each rewrite, it could kill workers for ever."""
    queue.put(make_job())
    [name] = names(folder, "pending")
    owner = f".{process_identity.process_mark()}-0badc0de" if state == "processing" else ""
    id, _, when, _ = name.split(".")
    (folder / "pending" / name).rename(folder / state / f"{id}.1-3.{when}{owner}.json")
    [made] = queue.transfer.rewrite(
        lambda job: None if job.sender_id == "b" else replace(job, sender_id="b")
    )
    assert made.sender_id == "b"
    now = "failed" if state == "failed" else "pending"
    [name] = [one for one in names(folder, now) if one.endswith(".json")]
    assert name.split(".")[1] == "1-3"
    assert name.count(".") == 3, "nobody holds it"
