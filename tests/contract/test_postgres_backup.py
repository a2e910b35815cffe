"""docs/how-to/postgres.md: the commands of a backup and a restore, run as the page has them."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.engine_postgres import PostgresEngine, programs
from taishi.backends.postgres import PostgresStore
from taishi.types import Edit, Partition, Record

PAGES = Path(__file__).parents[2] / "docs" / "how-to"
COMMAND = re.compile(r"^(?:pg_dump|createdb|pg_restore) .*$", re.MULTILINE)
ROLE = re.compile(r"^CREATE ROLE taishi_backup .*;$", re.MULTILINE)
ANN = Partition("default", "private", "ann")


def commands(page: str) -> list[str]:
    return COMMAND.findall((PAGES / page).read_text(encoding="utf-8"))


@pytest.fixture
def filled(postgres: str) -> str:
    """The name of a database with two workspaces in it."""
    store = PostgresStore(postgres)
    other = Partition("other", "private", "ben")
    for place in (ANN, other):
        store.apply([Edit("put", Record("1", place, "fact", f"{place.id} lives in Oslo"))])
    store.close()
    return postgres.rpartition("/")[2]


@pytest.fixture
def restored(postgres_engine: PostgresEngine) -> Iterator[str]:
    yield "memory_restored"
    postgres_engine.run("DROP DATABASE IF EXISTS memory_restored WITH (FORCE)")


def run(
    engine: PostgresEngine, command: str, folder: Path, **environ: str
) -> subprocess.CompletedProcess[str]:
    env = {
        **os.environ,
        "PATH": f"{programs()}:{os.environ['PATH']}",
        "PGHOST": "127.0.0.1",
        "PGPORT": str(engine.port),
        **environ,
    }
    return subprocess.run(
        command.split(), env=env, cwd=folder, capture_output=True, text=True, check=False
    )


def test_both_pages_have_the_same_commands() -> None:
    found = commands("postgres.md")
    assert [line.split()[0] for line in found] == ["pg_dump", "createdb", "pg_restore"]
    assert commands("postgres.zh-CN.md") == found


def test_O2_the_documented_backup_has_all_rows_and_is_restored_whole(
    filled: str, restored: str, postgres_engine: PostgresEngine, tmp_path: Path
) -> None:
    for command in commands("postgres.md"):
        done = run(postgres_engine, re.sub(r"\bmemory$", filled, command), tmp_path)
        assert done.returncode == 0, done.stderr
    store = PostgresStore(postgres_engine.address(restored))  # the ordinary role owns it again
    try:
        assert store.counts()["fact"] == 2
        assert store.check() == "ok"
        store.apply([Edit("put", Record("2", ANN, "fact", "Ann has a boat"))])
    finally:
        store.close()


def test_O2_the_documented_role_for_backups_dumps_all_rows(
    filled: str, postgres_engine: PostgresEngine, tmp_path: Path
) -> None:
    pages = [(PAGES / name).read_text("utf-8") for name in ("postgres.md", "postgres.zh-CN.md")]
    sql, again = (ROLE.findall(page) for page in pages)
    assert len(sql) == 1 and sql == again
    postgres_engine.run(sql[0])
    try:
        command = f"pg_dump --username taishi_backup --file all.sql {filled}"
        done = run(postgres_engine, command, tmp_path, PGPASSWORD="choose-one")
        assert done.returncode == 0, done.stderr
        dumped = (tmp_path / "all.sql").read_text("utf-8")
        assert "ann lives in Oslo" in dumped and "ben lives in Oslo" in dumped
    finally:
        postgres_engine.run("DROP ROLE taishi_backup")


def test_the_pages_warning_is_true(
    filled: str, postgres_engine: PostgresEngine, tmp_path: Path
) -> None:
    """As long as it is: the ordinary role cannot dump, or dumps without the rows."""
    done = run(postgres_engine, f"pg_dump --username taishi --file a.sql {filled}", tmp_path)
    assert done.returncode != 0 and "row-level security" in done.stderr
    command = f"pg_dump --username taishi --enable-row-security --file b.sql {filled}"
    assert run(postgres_engine, command, tmp_path).returncode == 0
    assert "lives in Oslo" not in (tmp_path / "b.sql").read_text("utf-8")
