"""kill -9 during an import and a back-up: running it again repairs whatever was half done."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from taishi import Memory, Scope, Settings, StorageError, load

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")

KILLS = 12
AT_MOST_SECONDS = 6.0
ANN = Scope(user="ann")


def settings() -> Settings:
    return load(environ={}, overrides={"models.embedding.kind": "none"})


NURSERY = """
import os, sys
from pathlib import Path
from taishi import Memory, load
settings = load(environ={}, overrides={"models.embedding.kind": "none"})
for line in sys.stdin:
    verb, data, path = line.split()
    pid = os.fork()
    if pid == 0:
        os.write(1, f"{os.getpid()}\\n".encode())
        with Memory.open(data, settings) as memory:
            if verb == "import":
                with Path(path).open("rb") as lines:
                    memory.import_records(lines)
            else:
                memory.backup(path)
        os.write(1, b"done\\n")
        os._exit(0)
    os.waitpid(pid, 0)
    os.write(1, b"ended\\n")
"""


class Nursery:
    """Forks a child for each order and kills it after a while."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", NURSERY],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def kill_during(self, verb: str, data: Path, path: Path, seconds: float) -> bool:
        """True if the child was done before it was killed."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(f"{verb} {data} {path}\n")
        self._process.stdin.flush()
        pid = int(self._process.stdout.readline())
        time.sleep(seconds)
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        said = [self._process.stdout.readline()]
        while said[-1] != "ended\n":
            said.append(self._process.stdout.readline())
        return "done\n" in said

    def close(self) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()


@pytest.fixture
def source(tmp_path: Path) -> Memory:
    memory = Memory.open(tmp_path / "source", settings())
    for user in range(12):
        scope = Scope(user=f"user-{user}")
        items = [{"text": f"story {n} of user {user} " + "word " * 40} for n in range(120)]
        memory.remember_many(scope, items)
        for body in ("- one", "- two", "- three"):
            memory.set_profile(scope, f"{body} of {user}")
        memory.end_turn(scope, new_info=f"the news of user {user}")
    return memory


def test_O2_an_import_that_is_killed_is_mended_by_running_it_again(
    source: Memory, tmp_path: Path
) -> None:
    lines = list(source.export())
    source.close()
    file = tmp_path / "all.jsonl"
    file.write_text("".join(lines), encoding="utf-8")
    nursery, dice = Nursery(), random.Random(5)
    target = tmp_path / "target"
    end = time.monotonic() + AT_MOST_SECONDS
    killed = 0
    for _ in range(KILLS):
        if time.monotonic() > end:
            break
        killed += not nursery.kill_during("import", target, file, 0.02 + dice.random() * 0.25)
    nursery.close()
    assert killed >= 2
    with Memory.open(target, settings()) as memory:
        assert memory.check() == "ok"
        memory.import_records(lines)
        assert list(memory.export())[1:] == lines[1:]


def test_O2_a_backup_that_is_killed_leaves_nothing_under_its_name(
    source: Memory, tmp_path: Path
) -> None:
    lines = list(source.export())
    nursery, dice = Nursery(), random.Random(6)
    end = time.monotonic() + AT_MOST_SECONDS
    killed = 0
    for number in range(KILLS):
        if time.monotonic() > end:
            break
        target = tmp_path / f"copy-{number}"
        done = nursery.kill_during("backup", tmp_path / "source", target, dice.random() * 0.3)
        killed += not done
        assert target.exists() or not done
        if target.exists():
            with Memory.open(target, settings()) as copy:
                assert copy.check() == "ok"
                assert list(copy.export())[1:] == lines[1:]
        else:
            source.backup(target)
            assert list(tmp_path.glob(f"{target.name}.*.part")) == []
            with Memory.open(target, settings()) as copy:
                assert list(copy.export())[1:] == lines[1:]
    nursery.close()
    source.close()
    assert killed >= 1


def test_O2_a_backup_to_a_full_disk_says_so_and_leaves_nothing(
    source: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copy2", full)
    with pytest.raises(StorageError, match="space"):
        source.backup(tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
    assert list(tmp_path.glob("*.part")) == []
    source.close()


def test_O2_an_import_on_a_failing_store_can_be_repeated(
    source: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = list(source.export())
    source.close()
    with Memory.open(tmp_path / "target", settings()) as memory:
        transfer = memory._parts.store.transfer
        taking, calls = transfer.take_in, []

        def failing(*arguments: object, **options: object) -> object:
            calls.append(1)
            if len(calls) == 3:
                raise StorageError("the disk went away")
            return taking(*arguments, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(transfer, "take_in", failing)
        with pytest.raises(StorageError, match="went away"):
            memory.import_records(lines)
        memory.import_records(lines)
        assert list(memory.export())[1:] == lines[1:]
        assert json.loads(lines[-1])["left_out"] == []
