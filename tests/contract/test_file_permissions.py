"""What is remembered is for its owner only, whatever the umask."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from taishi import Memory, Scope
from taishi.disk.file_permissions import close_to_others, open_to_others
from taishi.doctor.folder_checks import permissions

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")


@pytest.fixture(params=[0o000, 0o022, 0o077])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def _modes(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): oct(stat.S_IMODE(path.lstat().st_mode))
        for path in (folder, *folder.rglob("*"))
    }


def _use(memory: Memory) -> None:
    scope = Scope(user="u1")
    memory.end_turn(scope, new_info="I live in Cork.", sender_name="Ann")
    memory.end_turn(scope, new_info="I like tea.", sender_name="Ann")
    memory.drain()
    memory.recall(scope, "tea")


def test_S1_every_file_is_its_owners_only(
    umask: int, tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    _use(open_memory(folder=tmp_path / "kept"))
    modes = _modes(tmp_path / "kept")
    assert {"taishi.db", "taishi.db-wal", "taishi.db-pulse", "profiles"} <= set(modes)
    assert set(modes.values()) == {"0o700", "0o600"}


def test_S1_an_old_folder_is_closed_when_it_is_opened(
    tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    folder = tmp_path / "kept"
    first = open_memory(folder=folder)
    _use(first)
    first.close()
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    open_memory(folder=folder)
    assert set(_modes(folder).values()) == {"0o700", "0o600"}


def test_S1_other_peoples_files_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    for name in ("taishi.db", "main.py"):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(0o644)
    assert open_to_others(tmp_path, {"taishi.db"}) == [tmp_path / "taishi.db"]
    assert close_to_others(tmp_path, {"taishi.db"}) == 1
    assert _modes(tmp_path) == {".": "0o755", "taishi.db": "0o600", "main.py": "0o644"}


def test_S1_a_link_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.touch(mode=0o644)
    folder = tmp_path / "kept"
    folder.mkdir(mode=0o755)
    (folder / "profiles").symlink_to(outside)
    close_to_others(folder, {"profiles"})
    assert stat.S_IMODE(outside.stat().st_mode) == 0o644


def test_O2_doctor_names_what_was_open(tmp_path: Path) -> None:
    assert permissions([]).level == "ok"
    found = permissions([tmp_path / "taishi.db"])
    assert found.level == "warning"
    assert "taishi.db" in found.text("en") and "taishi.db" in found.text("zh")
