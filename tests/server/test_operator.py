"""What an operator meets: volumes that go away, folders that can only be read, logs, probes."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from server.conftest import Served
from taishi import Memory, Scope
from taishi.api_keys import Keys
from taishi.backends.process_files import ProcessFiles
from taishi.cli.worker_heartbeat import beating
from taishi.errors import (
    InputError,
    QueueError,
    ReadOnlyError,
    StorageError,
    TaishiError,
    UnreachableError,
)
from taishi.ingest.worker_threads import WorkerThread
from taishi.observe.log_lines import TextLines, logging_as
from taishi.observe.repeated_trouble import RepeatedTrouble
from taishi.server import health
from taishi.server.problem_messages import detail_of, title_of
from taishi.server.problems import problem_of

ANN = Scope(user="ann")


# -- a volume that is unmounted under a running server -----------------------------------------


def test_P5_valid_keys_are_not_unknown_while_the_folder_is_gone(
    serve: Callable[..., Served],
) -> None:
    served = serve(hosts=["127.0.0.1", "testserver"])
    _, shown = served.key()
    assert served.client.get("/v1/whoami", headers=shown).status_code == 200
    folder = served.keys.path.parent
    away = folder.with_name("away")
    folder.rename(away)
    assert served.client.get("/v1/whoami", headers=shown).status_code == 503
    assert served.client.get("/v1/whoami").status_code == 503
    folder.mkdir()  # the mount point that stays behind
    answer = served.client.get("/v1/whoami", headers=shown)
    assert answer.status_code == 503 and answer.json()["type"].endswith(":keys")
    folder.rmdir()
    away.rename(folder)
    assert served.client.get("/v1/whoami", headers=shown).status_code == 200
    served.keys.path.unlink()  # deleted, in a folder that is there: the door is locked
    assert served.client.get("/v1/whoami", headers=shown).status_code == 401


def test_keys_that_never_were_are_none(tmp_path: Path) -> None:
    assert Keys(tmp_path / "nowhere").set_up is False


def test_the_status_file_makes_no_new_data_folder(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    folder = Path(memory.status()["folder"])
    folder.rename(folder.with_name("away"))
    try:
        memory._services.threads.process_status.tell(at_once=True)
        assert not folder.exists()
    finally:
        folder.with_name("away").rename(folder)


@pytest.mark.parametrize(
    ("error", "level", "has_traceback"),
    [
        (StorageError("cannot list /data/queues; restore the folder"), "WARNING", False),
        (QueueError("no room"), "WARNING", False),
        (UnreachableError("PostgreSQL does not answer"), "DEBUG", False),
        (ZeroDivisionError("a mistake of ours"), "ERROR", True),
    ],
)
def test_a_thread_that_fails_says_why_without_a_traceback(
    error: Exception, level: str, has_traceback: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "taishi.threads")
    tried = threading.Semaphore(0)

    def work() -> bool:
        tried.release()
        raise error

    thread = WorkerThread("x", work, 0.001)
    for _ in range(4):
        assert tried.acquire(timeout=5)
        thread.wake()
    thread.stop()
    told = [record for record in caplog.records if record.name == "taishi.threads"]
    assert {record.levelname for record in told} == {level}
    assert all(bool(record.exc_info) == has_traceback for record in told)
    if level == "WARNING":
        assert len(told) == 1, "the same trouble is told once a minute"


def test_trouble_is_told_when_it_begins_once_a_minute_and_when_it_is_over() -> None:
    lines: list[str] = []
    now = [0.0]
    log: Any = SimpleNamespace(warning=lambda message, *values: lines.append(message % values))
    trouble = RepeatedTrouble(log, lambda: now[0])
    trouble.over("well again")
    for second in (0, 1, 30, 59, 61, 62):
        now[0] = second
        trouble.met("away at %d", second)
    trouble.over("well again")
    trouble.met("away at %d", 63)
    assert lines == ["away at 0", "away at 61", "well again", "away at 63"]


def test_a_status_file_that_cannot_be_written_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = ProcessFiles(tmp_path / "processes")

    def no_space(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    board.write({})
    with monkeypatch.context() as full:
        full.setattr(Path, "write_text", no_space)
        for _ in range(3):
            board.write({})
    assert [one.getMessage() for one in caplog.records] == [
        f"`taishi status` elsewhere does not show this process, whose file in "
        f"{tmp_path / 'processes'} cannot be written: [Errno 28] No space left on device"
    ]
    caplog.clear()
    for _ in range(2):
        board.write({})
    (over,) = caplog.records
    assert "shows this process again" in over.getMessage()


# -- a folder that can only be read ------------------------------------------------------------


def refused_turn() -> QueueError:
    error = QueueError("the job was not accepted: /data can only be read; make it writable")
    error.__cause__ = ReadOnlyError("/data can only be read")
    return error


@pytest.mark.parametrize(
    ("error", "code", "is_read_only"),
    [
        (refused_turn(), "queue", True),
        (ReadOnlyError("/data can only be read"), "storage", True),
        (QueueError("no space left"), "queue", False),
        (StorageError("the database is locked"), "storage", False),
    ],
)
def test_the_title_says_whether_sending_again_helps(
    error: TaishiError, code: str, is_read_only: bool
) -> None:
    problem = problem_of(error)
    assert (problem.status, problem.code) == (503, code)
    assert ("made writable" in problem.title) == is_read_only
    assert problem.headers["Retry-After"] == ("60" if is_read_only else "1")
    title = title_of(problem.words, problem.title, "zh")
    assert ("只能读取" in title) == is_read_only
    detail = detail_of(problem.words, str(problem), problem.headers, "zh")
    assert ("重发没有用" in detail) == is_read_only


def test_the_title_of_an_outage_is_not_about_a_folder() -> None:
    problem = problem_of(UnreachableError("PostgreSQL at h/db does not answer"))
    assert "folder" not in problem.title
    assert "目录" not in title_of(problem.words, problem.title, "zh")


# -- readiness while the database is away ------------------------------------------------------


def test_Q3_a_server_is_ready_but_degraded_while_recall_answers_from_memory(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> health.Reasons:
        raise UnreachableError("PostgreSQL at 10.0.0.7:5432/memory does not answer")

    now = [1000.0]
    monkeypatch.setattr(health.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(health, "not_ready_reasons", away)
    readiness, keys = health.Readiness(), Keys(tmp_path)

    def check(seconds: float) -> health.Ready:
        now[0] = 1000 + seconds
        return asyncio.run(readiness.check(memory, keys))

    assert check(0) == health.Ready(degraded={"database": check(0).degraded["database"]})
    assert check(200).degraded and not check(200).reasons
    assert list(check(310).reasons) == ["database"]
    monkeypatch.setattr(health, "not_ready_reasons", lambda *_: {})
    assert check(320) == health.Ready()
    monkeypatch.setattr(health, "not_ready_reasons", away)
    assert not check(330).reasons, "the five minutes begin again"


# -- the worker's heartbeat ----------------------------------------------------------------------


def touched(file: Path, seconds: float) -> bool:
    os.utime(file, (1, 1))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if file.stat().st_mtime > 1:
            return True
        time.sleep(0.01)
    return False


def test_O1_the_heartbeat_stops_for_a_stuck_worker_alone(
    open_memory: Callable[..., Memory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory({"historian.poll_interval_seconds": 0.01})
    memory.start_worker()
    file = tmp_path / "beat"
    with beating(lambda: memory, file, 0.02):
        assert file.exists() and touched(file, 5)
        queue = memory._services.runtime.parts.queue

        def away() -> None:
            raise UnreachableError("PostgreSQL does not answer")

        monkeypatch.setattr(queue, "claim", away)
        assert touched(file, 5), "a database that is away is no fault of the worker's"
        monkeypatch.setattr(memory._services.jobs, "idle_seconds", lambda: 10_000.0)
        time.sleep(0.1)
        assert not touched(file, 0.3)
    assert not file.exists()


def test_a_heartbeat_that_cannot_be_written_is_named(memory: Memory, tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match="--heartbeat"),
        beating(lambda: memory, tmp_path / "no" / "x"),
    ):
        pass


# -- logs --------------------------------------------------------------------------------------


def test_a_line_for_people_has_the_day_and_is_one_line() -> None:
    record = logging.LogRecord("taishi", 30, "", 0, "away:\n\tis it running?", (), None)
    record.created = 1_700_000_000
    line = TextLines().format(record)
    assert line.startswith("2023-11-1") and "\n" not in line


def test_logging_is_as_before_after_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr("sys.stderr", out)
    root = logging.getLogger()
    before = root.handlers[:], root.level
    with logging_as("json"):
        logging.getLogger("taishi.server").info("serving on %s", "http://x")
        logging.getLogger("psycopg.pool").warning("error connecting in 'pool-1'")
    assert (root.handlers, root.level) == before
    (line,) = out.getvalue().splitlines()
    assert json.loads(line)["message"] == "serving on http://x"
