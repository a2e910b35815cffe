"""Numbered scripts, each applied once, in order, by one process at a time.

Servers of the version before go on working while a newer one migrates: a script only adds. Each
subject has ten numbers, so a script with a lower number may come later than one with a higher.
"""

from __future__ import annotations

from importlib import resources

from psycopg import Connection
from psycopg import errors as pg

from ...disk.installation import upgrade_line
from ...errors import StorageError
from .role_rights import lacking_rights

LOCK = 0x7461_6973_6869  # "taishi": of the advisory lock that a migration holds
LOCK_TIMEOUT = "20s"
_TABLE = """
CREATE TABLE IF NOT EXISTS taishi_migrations (
  number  integer PRIMARY KEY,
  name    text NOT NULL,
  applied timestamptz NOT NULL DEFAULT now()
)"""


def scripts() -> dict[int, tuple[str, str]]:
    """Name and text of every script, by its number."""
    folder = resources.files(__package__) / "migrations"
    names = sorted(item.name for item in folder.iterdir() if item.name.endswith(".sql"))
    return {int(name[:3]): (name, (folder / name).read_text(encoding="utf-8")) for name in names}


def migrate(connection: Connection, host: str) -> int:
    """Apply what is missing; how many scripts. In autocommit mode each is a transaction; within
    a transaction, all are part of it."""
    try:
        return _migrate(connection, host)
    except pg.InsufficientPrivilege as error:
        raise lacking_rights(connection, host, has_tables(connection)) or error from error


def _migrate(connection: Connection, host: str) -> int:
    known = scripts()
    if _is_current(connection, known, host):
        return 0
    add_extension(connection, host)
    done = 0
    for number, (name, text) in known.items():
        with connection.transaction():
            connection.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
            connection.execute(_TABLE)
            if number not in _applied(connection):
                connection.execute(text.encode())
                connection.execute(
                    "INSERT INTO taishi_migrations (number, name) VALUES (%s, %s)", (number, name)
                )
                done += 1
    return done


def add_extension(connection: Connection, host: str) -> None:
    """Only a superuser may add it, so usually it is there already."""
    if connection.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone():
        return
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except (pg.InsufficientPrivilege, pg.FeatureNotSupported, pg.UndefinedFile) as error:
        raise lacks_pgvector(host) from error


def lacks_pgvector(host: str) -> StorageError:
    return StorageError(
        f"{host} lacks pgvector. Install it on the server, and let a superuser run this once "
        "in the database: CREATE EXTENSION vector"
    )


def has_tables(connection: Connection) -> bool:
    """Whether a memory was ever opened in this database."""
    there = connection.execute("SELECT to_regclass('taishi_migrations')").fetchone()
    return there is not None and there[0] is not None


def _is_current(connection: Connection, known: dict[int, tuple[str, str]], host: str) -> bool:
    if not has_tables(connection):
        return False
    applied = _applied(connection)
    if unknown := applied - known.keys():
        raise StorageError(
            f"{host} was written by a newer Taishi (it has migration {max(unknown)}, this one does "
            f"not know it). Upgrade: {upgrade_line()}"
        )
    return applied == known.keys()


def _applied(connection: Connection) -> set[int]:
    return {number for (number,) in connection.execute("SELECT number FROM taishi_migrations")}
