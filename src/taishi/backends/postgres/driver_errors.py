"""Errors of the driver become ours here, with a message that says what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import psycopg_pool
from psycopg import errors as pg
from psycopg.conninfo import conninfo_to_dict

from ...errors import (
    BusyError,
    ClosedError,
    CorruptError,
    DiskError,
    ReadOnlyError,
    StorageError,
    UnreachableError,
)

# The server gave up one of two transactions that were in each other's way. It was rolled back.
CONFLICTS = (pg.DeadlockDetected, pg.SerializationFailure)
# The connection is gone, or the server is about to be.
_LOST = (
    pg.AdminShutdown,
    pg.CannotConnectNow,
    pg.CrashShutdown,
    pg.IdleInTransactionSessionTimeout,
    pg.TooManyConnections,
    psycopg_pool.PoolTimeout,
    psycopg_pool.TooManyRequests,
)
_BUSY = (*CONFLICTS, pg.LockNotAvailable, pg.QueryCanceled)
_FULL = (pg.DiskFull, pg.OutOfMemory, pg.IoError)
_DAMAGED = (pg.DataCorrupted, pg.IndexCorrupted)
# While a connection is made, libpq gives no code, only the text of the server that refused it. What
# passes by itself (starting up, shutting down, too many clients) is not among these. The first is
# UnreachableError.refusal.
_REFUSALS = (
    (
        "no password",
        re.compile(r"no password supplied"),
        "{host} wants a password and none was given ({why}). Put it in PGPASSWORD or ~/.pgpass, or "
        "in the address.",
    ),
    (
        "password",
        re.compile(r"\bauthentication failed\b"),
        "{host} refuses the role or its password ({why}). Check the role in the address, and the "
        "password: in the address, PGPASSWORD or ~/.pgpass.",
    ),
    (
        "database",
        re.compile(r'FATAL:\s+database ".*" does not exist'),
        "{host} has no such database ({why}). Correct the address, or let an administrator create "
        "it: CREATE DATABASE … OWNER …",
    ),
    (
        "role",
        re.compile(r'FATAL:\s+role ".*" does not exist'),
        "{host} has no such role ({why}). Correct the address, or let an administrator create it: "
        "CREATE ROLE … LOGIN PASSWORD …",
    ),
    (
        "machine",
        re.compile(r"no pg_hba\.conf entry"),
        "{host} does not let this role in from this machine ({why}). Add a line to its "
        "pg_hba.conf, or set sslmode in the address.",
    ),
)


def host_of(address: str) -> str:
    """The server and the database of an address, without its password."""
    try:
        parts = conninfo_to_dict(address)
    except psycopg.Error:
        return "PostgreSQL"
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"PostgreSQL at {parts.get('host') or 'localhost'}{port}/{parts.get('dbname') or ''}"


@contextmanager
def translated(host: str) -> Iterator[None]:
    try:
        yield
    except psycopg_pool.PoolClosed as error:
        raise ClosedError("the store was closed; open the memory again") from error
    except _LOST as error:
        raise _unreachable(host, error) from error
    except _BUSY as error:
        raise BusyError(
            f"{host}: another transaction held the rows to be written for too long "
            f"({first_line(error)}). Try again."
        ) from error
    except _FULL as error:
        raise DiskError(
            f"{host} cannot write ({first_line(error)}). Check the space and memory of its machine."
        ) from error
    except _DAMAGED as error:
        raise CorruptError(
            f"{host}: data is damaged ({first_line(error)}). Restore a backup of the database."
        ) from error
    except pg.ReadOnlySqlTransaction as error:
        raise ReadOnlyError(
            f"{host} can only be read: it is a standby, or default_transaction_read_only is on. "
            "Make it writable (nothing has to be restarted), or connect to the primary server."
        ) from error
    except pg.InsufficientPrivilege as error:
        raise StorageError(
            f"{host}: the role may not do this ({first_line(error)}). Let it own the database, or "
            "grant it what the message names."
        ) from error
    except psycopg.Error as error:
        if is_lost(error):
            raise _unreachable(host, error) from error
        if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None:
            raise StorageError(
                f"{host}: the address cannot be used ({first_line(error)}). Correct it."
            ) from error
        raise StorageError(f"{host} refused ({first_line(error)}).") from error


def is_lost(error: BaseException) -> bool:
    """Whether the connection broke: nobody knows then if a commit under way was done."""
    if isinstance(error, _LOST):
        return True
    return isinstance(error, psycopg.OperationalError) and error.sqlstate is None


def _unreachable(host: str, error: BaseException) -> UnreachableError:
    return refused(host, error) or UnreachableError(
        f"{host} does not answer ({first_line(error)}). Check that it runs and that the address is "
        "right; what was asked for can be tried again."
    )


def refused(host: str, error: BaseException | None) -> UnreachableError | None:
    kind, refusal = refusal_of(host, error)
    return UnreachableError(refusal, refusal=kind) if kind else None


def refusal_of(host: str, error: BaseException | None) -> tuple[str, str]:
    """Why a server that runs refused the connection, in one word, and with what to do; empty if
    that is not what happened."""
    if not isinstance(error, psycopg.OperationalError):
        return "", ""
    lines = str(error).splitlines()
    for kind, pattern, text in _REFUSALS:
        for line in lines:
            if pattern.search(line):
                return kind, text.format(host=host, why=line.rpartition("FATAL:")[2].strip())
    return "", ""


def first_line(error: BaseException | None) -> str:
    """The first line: the others may quote a row."""
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__
