"""Media that cannot be written: a folder there opens for reading, and writes say why not."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest
from click.testing import CliRunner, Result

from taishi import Memory, QueueError, Scope, StorageError
from taishi.backends.sqlite.read_only import ReadOnlySource
from taishi.cli import taishi
from taishi.errors import DiskError, ReadOnlyError
from taishi.server.health import not_ready_reasons

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs permissions as on POSIX")
ANN = Scope(user="ann")
USER = ("--user", "ann")


@pytest.fixture
def filled(open_memory: Callable[..., Memory], tmp_path: Path) -> Path:
    """A data folder with something in it, closed."""
    memory = open_memory()
    memory.remember_many(ANN, [{"text": f"Ann moved to Oslo, note {n}"} for n in range(20)])
    memory.profiles.set(ANN, "- likes tea", name="Ann")
    memory.drain()
    memory.end_turn(ANN, "Ann waits in the queue")
    memory.close()
    return tmp_path / "data"


@pytest.fixture(autouse=True)
def imported(tmp_path: Path, make_settings: Callable[..., Any]) -> None:
    """Whoever has no rights may not be able to read Python's own modules: have them first."""
    with Memory.open(tmp_path / "warm", make_settings()) as memory:
        memory.remember(ANN, "Ann moved to Oslo")
        memory.profiles.set(ANN, "- likes tea", name="Ann")
        memory.context(ANN, "Oslo", deadline=5.0)
        list(memory.transfer.export())
        memory.forget(ANN)
    for command in (["doctor"], ["status"], ["recall", "Oslo", *USER], ["remember", "x", *USER]):
        cli(tmp_path / "warm", *command)


def cli(folder: Path, *arguments: str) -> Result:
    env = {"TAISHI_DATA": str(folder), "TAISHI__MODELS__EMBEDDING__KIND": "none", "LANG": "en_US"}
    return CliRunner().invoke(taishi, list(arguments), env=env)


def snapshot(folder: Path) -> dict[str, bytes]:
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may write anywhere; take its powers away for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def sealed(folder: Path) -> Iterator[Path]:
    """A copy where everybody may go and nobody may write."""
    base = Path("/tmp") / f"taishi-read-only-{os.getpid()}-{threading.get_ident()}"
    shutil.copytree(folder, base / "data")
    paths = [base, *base.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        yield base / "data"
    finally:
        for path in paths:
            path.chmod(0o755 if path.is_dir() else 0o644)
        shutil.rmtree(base)


def reads_and_refuses(memory: Memory) -> None:
    assert memory.status()["read_only"] is True
    for _ in range(2):  # the second is answered from memory
        assert memory.recall(ANN, "Oslo", deadline=5.0).hits
    assert "likes tea" in memory.context(ANN, "Oslo", deadline=5.0)
    page = memory.get_profile(ANN, "user", "ann")
    assert page is not None
    assert memory.maintenance.check() == "ok"
    lines = list(memory.transfer.export())
    assert sum(json.loads(line).get("type") == "record" for line in lines) >= 20
    assert sum(json.loads(line).get("type") == "job" for line in lines) == 1
    with pytest.raises(QueueError, match="can only be read"):
        memory.end_turn(ANN, "Ann baked bread")
    with pytest.raises(ReadOnlyError, match="can only be read"):
        memory.remember(ANN, "Ann baked bread")
    with pytest.raises(StorageError):
        memory.profiles.set(ANN, "- likes coffee")
    with pytest.raises(StorageError):
        memory.forget(ANN)
    assert list(not_ready_reasons(memory)) == ["disk"], "every turn would be refused here"
    assert memory.start_worker() is memory
    assert memory.drain(0.3) is False, "a job waits, and cannot be worked"


def test_C4_a_folder_without_the_right_to_write_opens_for_reading(
    filled: Path, make_settings: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    settings = make_settings()
    with sealed(filled) as folder:
        before = snapshot(folder)
        with as_nobody(), Memory.open(folder, settings) as memory:
            reads_and_refuses(memory)
        assert snapshot(folder) == before
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 2, "once for the folder, once for a page that came with the copy"
    assert all("can only be read" in line for line in told)


MOUNTED = """
mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" || exit 77
exec "$2" -c "
import sys; sys.path[:0] = sys.argv[2:]
from pathlib import Path
from taishi import Memory, load
from fault.test_read_only import reads_and_refuses
settings = load(environ={}, overrides={'models.embedding.kind': 'none'})
with Memory.open(sys.argv[1], settings) as memory:
    reads_and_refuses(memory)
print('read')
" "$1" "$3" "$4"
"""


def test_C4_a_read_only_mount_opens_for_reading(filled: Path) -> None:
    """A real mount, which not even root may write; where mounts are allowed at all."""
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("needs unshare")
    tests = Path(__file__).parents[1]
    before = snapshot(filled)
    run = subprocess.run(
        [unshare, "--mount", "sh", "-c", MOUNTED, "sh", filled, sys.executable, tests,
         tests.parent / "src"],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    if run.returncode == 77 or "unshare" in run.stderr:
        pytest.skip(f"no mounts here: {run.stderr[:80]}")
    assert run.stdout.split() == ["read"], run.stderr
    assert snapshot(filled) == before


def left_by_kill(folder: Path) -> None:
    """A process writes and dies: what it wrote is in the write-ahead log alone."""
    pid = os.fork()
    if pid == 0:
        connection = apsw.Connection(str(folder / "taishi.db"))
        connection.pragma("wal_autocheckpoint", 0)
        connection.execute("UPDATE records SET text = 'Ann moved to Bergen, note 7' WHERE id = "
                           "(SELECT id FROM records WHERE text LIKE '%note 7')")  # fmt: skip
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)
    assert (folder / "taishi.db-wal").stat().st_size


def test_C4_what_is_only_in_the_write_ahead_log_is_read_too(
    filled: Path, make_settings: Callable[..., Any]
) -> None:
    settings = make_settings()
    left_by_kill(filled)
    with sealed(filled) as folder, as_nobody(), Memory.open(folder, settings) as memory:
        texts = [record.text for record in memory.records.list(ANN).records]
        assert "Ann moved to Bergen, note 7" in texts
    (filled / "taishi.db-shm").unlink()
    with sealed(filled) as folder, as_nobody():
        try:
            with Memory.open(folder, settings) as memory:
                texts = [record.text for record in memory.records.list(ANN).records]
                assert "Ann moved to Bergen, note 7" in texts
        except DiskError as error:
            assert "Copy the folder" in str(error)


def test_C4_an_older_schema_is_not_migrated_but_named(
    filled: Path, make_settings: Callable[..., Any]
) -> None:
    settings = make_settings()
    connection = apsw.Connection(str(filled / "taishi.db"))
    connection.pragma("user_version", 5)
    connection.close()
    with (
        sealed(filled) as folder,
        as_nobody(),
        pytest.raises(StorageError, match=r"older Taishi .schema 5.*Copy the folder"),
    ):
        Memory.open(folder, settings)


def test_O3_doctor_and_status_say_that_it_can_only_be_read(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/tmp")  # where nobody may look for settings
    with sealed(filled) as folder, as_nobody():
        told = cli(folder, "doctor")
        assert "can only be read: recall works" in told.output
        assert told.exit_code == 0, told.output
        assert json.loads(cli(folder, "status", "--json").output)["read_only"] is True
        assert "Ann moved to Oslo" in cli(folder, "recall", "Oslo", *USER).output
        refused = cli(folder, "remember", "Tea", *USER)
        assert refused.exit_code != 0
        assert "can only be read" in refused.output


def test_C4_beside_a_living_writer_the_file_is_not_taken_for_settled(filled: Path) -> None:
    """Its log is empty right after a checkpoint, and may be written the next moment."""
    path = filled / "taishi.db"
    writer = apsw.Connection(str(path))
    writer.pragma("journal_mode", "wal")
    writer.execute("UPDATE records SET text = 'Ann moved to Bergen'")
    writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    assert not (filled / "taishi.db-wal").stat().st_size
    reader = ReadOnlySource(path).connect()
    count = "SELECT count(*) FROM records WHERE text = 'Ann moved to Turku'"
    assert reader.execute(count).get == 0
    writer.execute("UPDATE records SET text = 'Ann moved to Turku'")
    assert reader.execute(count).get > 0
    reader.close()
    writer.close()


@pytest.mark.parametrize("left", [("-wal", "-shm"), ("-wal",), ("-shm",)], ids="+".join)
def test_C4_an_empty_log_left_behind_stops_no_reader(
    filled: Path, make_settings: Callable[..., Any], left: tuple[str, ...]
) -> None:
    settings = make_settings()
    left_by_kill(filled)
    connection = apsw.Connection(str(filled / "taishi.db"))
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    kept = {name: (filled / f"taishi.db{name}").read_bytes() for name in left}
    connection.close()
    for name, data in kept.items():
        (filled / f"taishi.db{name}").write_bytes(data)
    with sealed(filled) as folder, as_nobody(), Memory.open(folder, settings) as memory:
        texts = [record.text for record in memory.records.list(ANN).records]
        assert "Ann moved to Bergen, note 7" in texts
