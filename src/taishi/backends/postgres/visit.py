"""A look at a database that changes nothing in it: opening a memory there makes its tables."""

from __future__ import annotations

import time
from dataclasses import dataclass

import psycopg

from .database import CONNECT_SECONDS
from .driver_errors import host_of, translated
from .migration_runner import has_tables, lacks_pgvector
from .outage import IS_READ_ONLY
from .role_rights import lacking_rights

_ROLE = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
_CAN_HAVE_PGVECTOR = """
SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'vector')
  OR EXISTS (
    SELECT FROM pg_available_extension_versions
    WHERE name = 'vector'
      AND (NOT superuser
        OR (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
        OR trusted AND has_database_privilege(current_database(), 'CREATE')))"""


@dataclass(frozen=True, slots=True)
class Visit:
    host: str
    version: str
    milliseconds: float
    is_exempt: bool  # from row-level security
    has_memory: bool
    is_read_only: bool


def visit(address: str) -> Visit:
    """Raises if it cannot be reached, or if the role could not make or use a memory there."""
    host = host_of(address)
    with (
        translated(host),
        psycopg.connect(
            address, autocommit=True, connect_timeout=CONNECT_SECONDS, application_name="taishi"
        ) as connection,
    ):
        start = time.perf_counter()
        connection.execute("SELECT 1")
        milliseconds = (time.perf_counter() - start) * 1000
        has_memory = has_tables(connection)
        if not has_memory and not _is_true(connection, _CAN_HAVE_PGVECTOR):
            raise lacks_pgvector(host)
        if lacking := lacking_rights(connection, host, has_memory):
            raise lacking
        version = connection.execute("SHOW server_version").fetchone()
        return Visit(
            host,
            str(version[0]).split()[0] if version else "",
            milliseconds,
            _is_true(connection, _ROLE),
            has_memory,
            _is_true(connection, IS_READ_ONLY),
        )


def _is_true(connection: psycopg.Connection, question: str) -> bool:
    row = connection.execute(question.encode()).fetchone()
    return bool(row and row[0])
