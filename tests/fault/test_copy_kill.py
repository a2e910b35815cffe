"""A copy that is killed at any of its first steps leaves nothing that looks like a whole memory:
there is none yet, or opening it says that a copy is not complete (O2)."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from fault.kill_lives import Death
from support.engine_postgres import PostgresEngine
from support.engine_postgres import postgres_engine as postgres_engine
from taishi import Memory, Scope, load
from taishi.assembly import has_memory
from taishi.cli import taishi
from taishi.errors import StorageError

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="kills as on POSIX"),
    pytest.mark.timeout(300),
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),  # it forks
]
ANN = Scope(user="ann")
PLAIN = {"models.embedding.kind": "none"}
MOST_STEPS = 400
PART_OF_STEPS = 11  # on PostgreSQL, where a new database for each takes its time


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    monkeypatch.setenv("TAISHI__STORAGE__FOLDER", str(tmp_path / "local"))
    with Memory.open(tmp_path / "one", load(environ={}, overrides=PLAIN)) as memory:
        memory.remember(ANN, "Ann keeps bees")
    copy(tmp_path / "one", tmp_path / "warm")  # whoever is killed has the imports behind it
    return tmp_path / "one"


def copy(source: Path, target: Path | str) -> None:
    done = CliRunner().invoke(taishi, ["copy", str(source), str(target)])
    assert done.exit_code == 0, done.output


def is_killed(source: Path, target: Path | str, arm: Callable[[], None]) -> bool:
    """False: the copy ended before."""
    pid = os.fork()
    if pid == 0:
        try:
            arm()
            copy(source, target)
        except BaseException:
            os._exit(2)
        os._exit(0)
    status = os.waitpid(pid, 0)[1]
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def check_killed(target: Path | str) -> bool:
    """False: there is no memory yet."""
    if not has_memory(str(target)):
        return False
    with pytest.raises(StorageError, match="not complete"):
        Memory.open(target, load(environ=dict(os.environ), overrides=PLAIN))
    return True


def check_whole(target: Path | str) -> None:
    with Memory.open(target, load(environ=dict(os.environ), overrides=PLAIN)) as memory:
        assert [one.text for one in memory.records.list(ANN).records] == ["Ann keeps bees"]


def test_O2_a_folder_that_is_copied_into_is_marked_from_the_first_step(
    source: Path, tmp_path: Path
) -> None:
    marked = 0
    for step in range(1, MOST_STEPS, 3):
        target = tmp_path / f"to-{step}"
        assert is_killed(source, target, lambda step=step: Death().arm(step))  # type: ignore[misc]
        if check_killed(target):
            marked += 1
            is_early = '"source": ""' in (target / "copying.json").read_text()
            if marked % 10 == 1 or not is_early:
                copy(source, target)
                check_whole(target)
            if not is_early:
                break  # from here on the mark is the one of a copy that has begun
    assert marked > 3


def killed_at_query(step: int) -> None:
    left = [step]
    real = psycopg.Connection.execute

    def execute(connection: psycopg.Connection, *args: object, **options: object) -> object:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(connection, *args, **options)  # type: ignore[arg-type]

    psycopg.Connection.execute = execute  # type: ignore[assignment,method-assign]


@contextmanager
def empty(engine: PostgresEngine) -> Iterator[str]:
    with engine.database("template1") as address:
        engine.run("CREATE EXTENSION IF NOT EXISTS vector", address.rpartition("/")[2])
        yield address


def test_O2_a_database_that_is_copied_into_gets_its_tables_with_the_mark(
    source: Path, postgres_engine: PostgresEngine
) -> None:
    seen = {False: 0, True: 0}
    for step in range(1, MOST_STEPS, PART_OF_STEPS):
        with empty(postgres_engine) as target:
            assert is_killed(source, target, lambda step=step: killed_at_query(step))  # type: ignore[misc]
            is_there = check_killed(target)
            seen[is_there] += 1
            if seen[True] == 2:
                copy(source, target)
                check_whole(target)
                break
    assert all(seen.values())


def test_O2_a_copy_that_is_refused_leaves_no_mark_in_a_new_target(
    source: Path, tmp_path: Path, postgres_engine: PostgresEngine
) -> None:
    with Memory.open(source, load(environ={}, overrides=PLAIN)) as memory:
        memory.knowledge.add(ANN, b"# Bees\n\nThey make honey.\n", name="bees.md")
        memory._services.runtime.parts.originals.clear()
    with empty(postgres_engine) as database:
        for target in (str(tmp_path / "two"), database):
            refused = CliRunner().invoke(taishi, ["copy", str(source), target])
            assert refused.exit_code == 2 and "have no original" in refused.stderr, refused.output
            with Memory.open(target, load(environ=dict(os.environ), overrides=PLAIN)) as memory:
                assert not memory.records.list(ANN).records
