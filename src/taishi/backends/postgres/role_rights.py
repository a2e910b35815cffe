"""Whether the role may make a memory's tables, or use those that are there; and what to do.

PostgreSQL names only the first object that a role may not touch. What helps depends on who owns the
database and its tables.
"""

from __future__ import annotations

from psycopg import Connection
from psycopg.pq import TransactionStatus

from ...errors import StorageError
from .schema_objects import expected

_MAY_CREATE = """
SELECT current_user, current_schema(), current_database(), pg_get_userbyid(datdba)
FROM pg_database
WHERE datname = current_database() AND current_schema() IS NOT NULL
  AND NOT has_schema_privilege(current_schema(), 'CREATE')"""
_NOT_OURS = """
SELECT current_user, count(*), min(relname::text),
  min(pg_get_userbyid(relowner)::text)
FROM pg_class
WHERE relnamespace =
    (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('taishi_migrations'))
  AND relkind = 'r' AND relname = ANY (%s)
  AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
    AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
HAVING count(*) > 0"""


def lacking_rights(connection: Connection, host: str, has_tables: bool) -> StorageError | None:
    """None if the role has what it needs, or if that cannot be asked within this transaction."""
    if connection.info.transaction_status is not TransactionStatus.IDLE:
        return None
    if has_tables:
        return _not_its_tables(connection, host)
    row = connection.execute(_MAY_CREATE).fetchone()
    if row is None:
        return None
    role, schema, database, owner = row
    return StorageError(
        f"{host}: the role {role} may not make tables in the schema {schema}, as the database "
        f"belongs to {owner}. Let a superuser run: ALTER DATABASE {database} OWNER TO {role}"
    )


def _not_its_tables(connection: Connection, host: str) -> StorageError | None:
    tables = [name.removeprefix("table ") for name in expected() if name.startswith("table ")]
    row = connection.execute(_NOT_OURS, (tables,)).fetchone()
    if row is None:
        return None
    role, count, table, owner = row
    return StorageError(
        f"{host}: {count} tables of the memory, such as {table}, belong to the role {owner}, and "
        f"the role {role} may not use them; perhaps they were made by a command that was run as "
        f"{owner}. Let a superuser give them to {role}: docs/how-to/postgres.md has the lines"
    )
