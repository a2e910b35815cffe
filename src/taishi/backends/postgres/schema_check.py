"""Whether the database has everything that the migrations make.

A restore that was interrupted leaves a database that answers: without its indexes it is slow,
without its constraints it takes rows twice, and without its policies a workspace sees others. What
is expected is a list of names, which a test compares with a database that the migrations made.
"""

from __future__ import annotations

from collections import Counter

from .database import ALL, Database
from .schema_objects import expected

_NAMED = 3
# NOT NULL is not among the constraints: older servers have no names for it. Indexes of large
# partitions come and go.
SQL = """
WITH here AS (
  SELECT relnamespace AS schema FROM pg_class WHERE oid = to_regclass('taishi_migrations'))
SELECT 'table ' || relname FROM pg_class, here WHERE relnamespace = schema AND relkind = 'r'
UNION ALL
SELECT 'sequence ' || relname FROM pg_class, here WHERE relnamespace = schema AND relkind = 'S'
UNION ALL
SELECT 'index ' || relname FROM pg_class, here
WHERE relnamespace = schema AND relkind = 'i' AND NOT starts_with(relname, 'large_')
UNION ALL
SELECT 'constraint ' || relname || '.' || conname
FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid, here
WHERE relnamespace = schema AND contype IN ('p', 'u', 'c', 'f')
UNION ALL
SELECT 'policy ' || relname || '.' || polname
FROM pg_policy JOIN pg_class ON pg_class.oid = polrelid, here
WHERE relnamespace = schema AND relrowsecurity AND relforcerowsecurity
UNION ALL
SELECT 'function ' || proname FROM pg_proc, here
WHERE pronamespace = schema AND starts_with(proname, 'taishi_')"""


def present(database: Database) -> set[str]:
    with database.reading(ALL) as connection:
        return {name for (name,) in connection.execute(SQL)}


def missing(database: Database) -> str:
    """What is missing, and what to do; "" if nothing is."""
    there = present(database)
    lost = [name for name in expected() if name not in there]
    if not lost:
        return ""
    kinds = Counter(name.partition(" ")[0] for name in lost)
    counts = ", ".join(f"{count} {_plural(kind, count)}" for kind, count in kinds.items())
    names = ", ".join(name.partition(" ")[2] for name in lost[:_NAMED])
    more = ", …" if len(lost) > _NAMED else ""
    return (
        f"missing in the database: {counts} ({names}{more}), as after a restore that was "
        "interrupted; restore the dump again as a superuser, into an empty database, with "
        "pg_restore --exit-on-error"
    )


def _plural(kind: str, count: int) -> str:
    if count == 1:
        return kind
    return {"index": "indexes", "policy": "policies"}.get(kind, f"{kind}s")
