"""A service runs as a user of its own, and somebody uses the command line as root beside it."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fault.test_read_only import as_nobody
from taishi.cli import taishi

NOBODY = 65534
pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root can become another user"
)
USER = ("--user", "ann")
TURN = ("end-turn", *USER, "--new-info")


def run(folder: Path, *words: str, user: int = NOBODY) -> Result:
    env = {"TAISHI_DATA": str(folder), "TAISHI__MODELS__EMBEDDING__KIND": "none", "LANG": "en_US"}
    with nullcontext() if user == 0 else as_nobody():
        return CliRunner().invoke(taishi, list(words), env=env)


def doctor(folder: Path, user: int = NOBODY) -> dict[str, list[dict[str, str]]]:
    """What it finds as that user, by check."""
    found: dict[str, list[dict[str, str]]] = {}
    for row in json.loads(run(folder, "doctor", "--json", user=user).stdout)["findings"]:
        found.setdefault(row["check"], []).append(row)
    return found


@contextmanager
def folder_of_nobody() -> Iterator[Path]:
    """An empty data folder, below a folder of root's that all may enter."""
    base = Path(tempfile.mkdtemp(prefix="taishi-nobody-"))
    base.chmod(0o755)
    try:
        (base / "data").mkdir(0o700)
        os.chown(base / "data", NOBODY, NOBODY)
        yield base / "data"
    finally:
        shutil.rmtree(base)


@pytest.fixture(autouse=True)
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has no rights may not be able to read Python's own modules: have them first."""
    for words in (
        ("keys", "create", "warm"),
        ("keys", "list"),
        (*TURN, "Ann moved to Oslo"),
        ("work", "--once"),
        ("jobs", "list"),
        ("doctor",),
        ("forget", *USER, "--yes"),
    ):
        run(tmp_path / "warm", *words, user=0)
    monkeypatch.chdir("/")


@pytest.fixture
def folder() -> Iterator[Path]:
    """Of a service: it has a key, and a record."""
    with folder_of_nobody() as folder:
        for words in (("keys", "create", "a1"), ("remember", "Ann lives in Oslo", *USER)):
            assert run(folder, *words).exit_code == 0
        yield folder


def of_root(folder: Path) -> list[str]:
    return [str(path) for path in folder.rglob("*") if path.lstat().st_uid != NOBODY]


def test_O2_what_root_writes_in_a_folder_of_the_service_stays_the_services(folder: Path) -> None:
    page = folder.parent / "page.md"
    page.write_text("- likes tea")
    for words in (
        ("keys", "create", "a2", "--rights", "write"),
        (*TURN, "Ann bought a boat"),
        ("profile", "edit", "--file", str(page), *USER),
        ("notes", "write", "tea.md", "Ann likes tea", *USER),
        ("work", "--once"),
    ):
        told = run(folder, *words, user=0)
        assert told.exit_code == 0, told.stderr
        assert of_root(folder) == [], words
    told = run(folder, *TURN, "Ann sold the boat", user=0)
    assert told.exit_code == 0 and of_root(folder) == []
    done = run(folder, "work", "--once", "--json")
    assert json.loads(done.stdout)["failed"] == 0 and done.exit_code == 0
    keys = json.loads(run(folder, "keys", "list", "--json").stdout)
    assert [key["name"] for key in keys["keys"]] == ["a1", "a2"]
    found = [row for rows in doctor(folder).values() for row in rows]
    assert "problem" not in {row["level"] for row in found}


def test_O2_root_makes_a_data_folder_for_the_owner_of_the_place() -> None:
    with folder_of_nobody() as home:
        data = home / "data"
        assert run(data, "keys", "create", "a1", user=0).exit_code == 0
        assert of_root(home) == [] and data.stat().st_mode & 0o077 == 0
        assert run(data, "remember", "Ann lives in Oslo", *USER).exit_code == 0


@pytest.mark.parametrize("user", [0, NOBODY])
def test_O2_doctor_finds_files_of_another_user(folder: Path, user: int) -> None:
    os.chown(folder / "keys.json", 0, 0)
    rows = doctor(folder, user)
    (found,) = [row for row in rows["permissions"] if row["level"] == "problem"]
    assert "keys.json (root)" in found["message"] and "1 of its files" in found["message"]
    owner = (folder / "taishi.db").owner()
    assert found["advice"] == f"as root: chown -R {owner} {folder}"
    if user == NOBODY:
        (keys,) = rows["keys"]
        assert "belongs to root" in keys["message"] and "chown" in keys["message"]
    assert run(folder, "doctor", user=user).exit_code == 1


def test_O2_the_owner_is_the_databases_as_a_volume_may_be_roots(folder: Path) -> None:
    os.chown(folder, 0, 0)
    folder.chmod(0o770)
    assert run(folder, "keys", "create", "a2", user=0).exit_code == 0
    assert of_root(folder) == []
    assert "problem" not in [row["level"] for row in doctor(folder)["permissions"]]


def test_O2_jobs_are_listed_beside_one_that_may_not_be_read(folder: Path) -> None:
    for text in ("Ann bought a boat", "Ann sold the boat"):
        assert run(folder, *TURN, text).exit_code == 0
    waiting = sorted((folder / "queues" / "pending").glob("*.json"))
    assert len(waiting) == 2
    os.chown(waiting[0], 0, 0)
    listed = json.loads(run(folder, "jobs", "list", "--json").stdout)["jobs"]
    assert [job["state"] for job in listed] == ["pending"]
    failed = folder / "queues" / "failed" / waiting[0].name
    waiting[0].rename(failed)
    listed = json.loads(run(folder, "jobs", "list", "--json").stdout)["jobs"]
    assert sorted(job["state"] for job in listed) == ["failed", "pending"]
    told = run(folder, "forget", "--user", "ann", "--yes")
    assert told.exit_code == 1 and "Permission denied" in told.stderr  # not half forgotten


def test_O2_doctor_finds_a_folder_that_cannot_be_written(folder: Path) -> None:
    pending = folder / "queues" / "pending"
    pending.chmod(0o500)
    (found,) = [row for row in doctor(folder)["disk"] if row["level"] == "problem"]
    assert str(pending) in found["message"] and "chown" in found["advice"]
    pending.chmod(0o700)
    assert [row["level"] for row in doctor(folder)["disk"]] == ["ok"]
