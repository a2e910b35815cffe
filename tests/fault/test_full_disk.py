"""A disk without any room: commands read what is there, so that it can be saved to another one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import apsw
import pytest
from click.testing import CliRunner, Result

from taishi import Memory, Scope
from taishi.backends.sqlite.database import Database
from taishi.backends.sqlite.read_only import ReadOnlySource
from taishi.cli import taishi
from taishi.errors import DiskError
from taishi.settings import Settings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="mounts a small disk")
USER = ("--user", "ann")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place)]
    with suppress(FileNotFoundError):
        if subprocess.run(mount, capture_output=True, check=False).returncode == 0:
            try:
                yield place
            finally:
                subprocess.run(["umount", "--lazy", str(place)], check=True)
            return
    pytest.skip("only root may mount a disk")


def fill(disk: Path) -> Path:
    filler = os.open(disk / "filler", os.O_CREAT | os.O_WRONLY)
    with suppress(OSError):
        while True:
            os.write(filler, bytes(4096))
    os.close(filler)
    return disk / "filler"


def cli(folder: Path, *arguments: str, language: str = "en") -> Result:
    env = {"TAISHI__MODELS__EMBEDDING__KIND": "none"}
    given = ["--data", str(folder), "--lang", language, *arguments]
    return CliRunner().invoke(taishi, given, env=env)


@pytest.mark.parametrize("is_in_use", [False, True])
def test_a_memory_is_read_and_saved_from_a_full_disk(
    small_disk: Path,
    tmp_path: Path,
    make_settings: Callable[..., Settings],
    is_in_use: bool,
) -> None:
    folder = small_disk / "data"
    assert cli(folder, "remember", "Ann moved to Oslo", *USER).exit_code == 0
    other = Memory.open(folder, make_settings()) if is_in_use else None
    if other is not None:
        other.remember(Scope(user="ann"), "Ann has a boat")
    filler = fill(small_disk)

    read = cli(folder, "recall", "Oslo", *USER)
    assert read.exit_code == 0 and "Ann moved to Oslo" in read.stdout
    for words in (("export", f"{tmp_path}/all.jsonl"), ("backup", f"{tmp_path}/backup")):
        done = cli(folder, *words)
        assert done.exit_code == 0, done.output
    assert ("Ann has a boat" in (tmp_path / "all.jsonl").read_text()) == is_in_use
    saved = cli(tmp_path / "backup", "recall", "Oslo boat", *USER)
    assert "Ann moved to Oslo" in saved.stdout and ("boat" in saved.stdout) == is_in_use
    assert cli(folder, "status", "--json").exit_code == 0
    rows = {
        row["check"]: row["level"]
        for row in json.loads(cli(folder, "doctor", "--json").stdout)["findings"]
    }
    assert (rows["disk"], rows["database"]) == ("problem", "ok")

    for words in (("remember", "tea", *USER), ("forget", *USER, "--yes")):
        refused = cli(folder, *words)
        assert refused.exit_code == 1 and "is full: nothing new is kept" in refused.stderr
        assert "磁盘已满" in cli(folder, *words, language="zh").stderr
    with pytest.raises(DiskError):  # what stays open would go on without writing
        Memory.open(folder, make_settings())

    filler.unlink()
    assert cli(folder, "remember", "tea", *USER).exit_code == 0
    if other is not None:
        other.remember(Scope(user="ann"), "Ann sold the boat")
        other.close()
    assert "sold" in cli(folder, "recall", "boat", *USER).stdout or not is_in_use


def test_a_disk_that_is_not_full_is_not_to_blame(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "taishi.db").mkdir()
    done = cli(folder, "recall", "Oslo", *USER)
    assert done.exit_code == 1 and "is full" not in done.stderr


WRITER = """
import sys, apsw
db = apsw.Connection(sys.argv[1])
db.execute("UPDATE t SET x = 'new'; INSERT INTO t VALUES ('more')")
try:
    db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
finally:
    db.close()
"""


def test_what_is_read_stays_as_it_was_when_another_process_can_write_again(tmp_path: Path) -> None:
    """With an immutable file, the reader would see pages of two versions."""
    path = tmp_path / "t.db"
    made = apsw.Connection(str(path))
    made.pragma("journal_mode", "wal")
    made.execute("CREATE TABLE t (x); INSERT INTO t VALUES ('old')")
    made.close()
    connection = ReadOnlySource(path, full=True).connect()
    connection.execute("BEGIN")
    assert connection.execute("SELECT * FROM t").fetchall() == [("old",)]
    subprocess.run([sys.executable, "-c", WRITER, str(path)], check=True)
    connection.cache_flush()
    assert connection.execute("SELECT * FROM t").fetchall() == [("old",)]
    connection.execute("ROLLBACK")
    connection.close()
    after = ReadOnlySource(path, full=True).connect()
    assert after.execute("SELECT * FROM t").fetchall() == [("new",), ("more",)]
    after.close()


def test_a_database_on_a_full_disk_refuses_to_be_written(tmp_path: Path) -> None:
    path = tmp_path / "taishi.db"
    Database(path).close()
    database = Database(path, read_only=True, full=True)
    with pytest.raises(DiskError, match="Free some space"), database.writing():
        pass
    database.close()
