"""An import or a back-up that fails half way: running it again repairs it. Kills: kill_matrix."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from taishi import Memory, Scope, Settings, StorageError, load

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")

ANN = Scope(user="ann")


def settings() -> Settings:
    return load(environ={}, overrides={"models.embedding.kind": "none"})


@pytest.fixture
def source(tmp_path: Path) -> Memory:
    memory = Memory.open(tmp_path / "source", settings())
    for user in range(12):
        scope = Scope(user=f"user-{user}")
        items = [{"text": f"story {n} of user {user} " + "word " * 40} for n in range(120)]
        memory.remember_many(scope, items)
        for body in ("- one", "- two", "- three"):
            memory.profiles.set(scope, f"{body} of {user}")
        memory.end_turn(scope, new_info=f"the news of user {user}")
    return memory


def test_O2_a_backup_to_a_full_disk_says_so_and_leaves_nothing(
    source: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    with pytest.raises(StorageError, match="space"):
        source.transfer.backup(tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
    assert list(tmp_path.glob("*.part")) == []
    source.close()


def test_O2_an_import_on_a_failing_store_can_be_repeated(
    source: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = list(source.transfer.export())
    source.close()
    with Memory.open(tmp_path / "target", settings()) as memory:
        transfer = memory._services.runtime.parts.store.transfer
        taking, calls = transfer.take_in, []

        def failing(*arguments: object, **options: object) -> object:
            calls.append(1)
            if len(calls) == 3:
                raise StorageError("the disk went away")
            return taking(*arguments, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(transfer, "take_in", failing)
        with pytest.raises(StorageError, match="went away"):
            memory.transfer.import_records(lines)
        memory.transfer.import_records(lines)
        assert list(memory.transfer.export())[1:] == lines[1:]
        assert json.loads(lines[-1])["left_out"] == []
