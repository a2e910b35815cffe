"""What `taishi doctor` says of a database that is not as the migrations make it."""

from __future__ import annotations

from pathlib import Path

import pytest

import taishi.backends.postgres as package
from support.engine_postgres import PostgresEngine
from taishi.backends.postgres.database import Database
from taishi.backends.postgres.schema_check import missing, present
from taishi.backends.postgres.schema_objects import FILE, expected


def test_the_list_is_what_the_migrations_make(postgres: str) -> None:
    database = Database(postgres)
    try:
        made = sorted(present(database))
    finally:
        database.close()
    path = Path(package.__file__).with_name(FILE)
    assert expected() == made, f"write these lines to {path}:\n" + "\n".join(made)


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("DROP INDEX records_by_user", "1 index (records_by_user)"),
        ("DROP INDEX records_by_user, jobs_lane", "2 indexes (jobs_lane, records_by_user)"),
        (
            "ALTER TABLE links DROP CONSTRAINT links_pkey",
            "1 constraint, 1 index (links.links_pkey, links_pkey)",
        ),
        ("DROP POLICY own_workspace ON jobs", "1 policy (jobs.own_workspace)"),
        ("ALTER TABLE jobs NO FORCE ROW LEVEL SECURITY", "1 policy (jobs.own_workspace)"),
        ("DROP TABLE note_receipts", "note_receipts"),
        ("CREATE INDEX large_7_kinds ON index_rows (kind)", ""),
        ("CREATE INDEX my_own ON records (text)", ""),
        ("CREATE TABLE my_own (id int)", ""),
    ],
)
def test_what_is_missing_is_named_and_what_is_added_is_not(
    sql: str, named: str, postgres_engine: PostgresEngine
) -> None:
    with postgres_engine.database() as address:
        database = Database(address)
        try:
            assert missing(database) == ""
            postgres_engine.run(sql, address.rpartition("/")[2])
            said = missing(database)
            assert named in said and bool(said) == bool(named)
            assert not named or "pg_restore" in said
        finally:
            database.close()
