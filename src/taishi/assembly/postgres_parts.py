"""A memory in a PostgreSQL database, for a fleet of servers and workers."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ..disk.durable_io import make_folder
from ..errors import InputError, MissingExtraError, StorageError
from ..exported import Backup
from ..ports import KeyDocument
from ..settings import Settings
from ..settings.addresses import has_bare_password, without_any_password, without_password
from .storage import DatabaseProbe, OutsideFiles, Storage

if TYPE_CHECKING:
    from ..backends.postgres.database import Database

log = logging.getLogger("taishi")
T = TypeVar("T")
MARK_CHARS = 16
ENCODE = (
    "Its password has a character that ends it too early: percent-encode it (%2F for /, %23 for #, "
    "%3F for ?, %40 for @, %25 for %), or leave the password out and set PGPASSWORD."
)
WAIT_SECONDS = 5.0  # for a connection: long enough for a restart of the server


def open_postgres(address: str, settings: Settings, clock: Callable[[], float]) -> Storage:
    folder = local_folder(address, settings)
    database = _connected(address)
    if database.exempt_from_policies:
        log.warning(
            "%s: the role is a superuser or bypasses row-level security, so the second wall "
            "between workspaces is off. Connect as an ordinary role.",
            database.host,
        )
    try:
        return _storage(database, address, folder, settings, clock)
    except BaseException:
        database.close()
        raise


def _storage(
    database: Database,
    address: str,
    folder: Path,
    settings: Settings,
    clock: Callable[[], float],
) -> Storage:
    from ..backends.postgres.archive import ArchiveTable
    from ..backends.postgres.copy_mark import CopyMarkRow
    from ..backends.postgres.database_engine import DatabaseEngine
    from ..backends.postgres.files import FileTable
    from ..backends.postgres.large_partitions import LargePartitions
    from ..backends.postgres.leftovers import PostgresLeftovers
    from ..backends.postgres.locks import AdvisoryLocks
    from ..backends.postgres.partition_search import PostgresPartitionSearch
    from ..backends.postgres.processes import ProcessTable
    from ..backends.postgres.profiles import ProfileTables
    from ..backends.postgres.queue import PostgresQueue
    from ..backends.postgres.store import PostgresStore
    from ..backends.postgres.table_bytes import TableBytes
    from ..backends.profile_files.transfer import ProfileFilesTransfer

    queue, historian = settings.queue, settings.historian
    locks = AdvisoryLocks(database)
    profiles = ProfileTables(database, locks, keep=settings.profile.revision_keep)
    processes = ProcessTable(database)
    store = PostgresStore(database, clock)
    large = LargePartitions(database, settings.storage.index_records)

    def close() -> None:
        large.close()
        locks.close()
        store.close()
        database.close()

    return Storage(
        address=without_password(address),
        folder=folder,
        store=store,
        queue=PostgresQueue(
            database,
            lease_seconds=historian.stale_job_timeout_seconds,
            max_retries=historian.job_max_retries,
            failed_max_age_days=queue.failed_max_age_days,
            failed_max_files=queue.failed_max_files,
            cleanup_interval=queue.failed_cleanup_interval,
        ),
        profiles=profiles,
        pages=ProfileFilesTransfer(profiles),
        locks=locks,
        archive=ArchiveTable(database),
        originals=FileTable(database),
        processes=processes,
        leftovers=PostgresLeftovers(folder, processes),
        stored_bytes=TableBytes(database),
        copy_mark=CopyMarkRow(database),
        read_only=False,
        copy_to=_no_copy,
        close=close,
        partition_search=PostgresPartitionSearch(database, large),
        engines=(DatabaseEngine(database, without_password(address)),),
        is_read_only=lambda: database.outages.is_read_only,
    )


def _connected(address: str) -> Database:
    _check_driver()
    from ..backends.postgres.database import Database

    return _reached(address, lambda: Database(address, wait_seconds=WAIT_SECONDS))


def _check_driver() -> None:
    if find_spec("psycopg") is None or find_spec("psycopg_pool") is None:
        raise MissingExtraError("a memory in PostgreSQL", "postgres")


def _reached(address: str, connect: Callable[[], T]) -> T:
    """Errors of the driver may quote what they were given, password included."""
    try:
        return connect()
    except StorageError as error:
        kind, shown = type(error), without_any_password(str(error), address)
        if has_bare_password(address):  # the driver took a part of it for the host or the port
            shown = f"{without_password(address)} cannot be reached. {ENCODE}"
        if shown == str(error):
            raise
    raise kind(shown)


def probe(address: str) -> DatabaseProbe:
    """Changes nothing there: no tables are made."""
    _check_driver()
    from ..backends.postgres.visit import visit

    seen = _reached(address, lambda: visit(address))
    return DatabaseProbe(
        seen.host,
        seen.version,
        seen.milliseconds,
        seen.is_exempt,
        seen.has_memory,
        seen.is_read_only,
    )


def mark_database(address: str, content: bytes) -> None:
    """For a copy into a database where no memory is yet."""
    _check_driver()
    from ..backends.postgres.copy_mark import make_marked

    _reached(address, lambda: make_marked(address, content))


def key_document(address: str) -> KeyDocument:
    """The API keys of a memory that is in a database."""
    database = _connected(address)
    from ..backends.postgres.key_row import KeyRow
    from ..backends.postgres.locks import AdvisoryLocks

    return KeyRow(database, AdvisoryLocks(database))


def local_folder(address: str, settings: Settings) -> Path:
    """For prompts, the legacy list and temporary files: what a server needs of its own machine."""
    chosen = settings.storage.folder
    folder = Path(chosen).expanduser() if chosen else _state_folder() / _mark(address)
    try:
        make_folder(folder)
    except OSError as error:
        raise StorageError(
            f"{folder} cannot be used for prompts and temporary files ({error}); set "
            "storage.folder to one that can be written"
        ) from error
    return folder


def _state_folder() -> Path:
    named = os.environ.get("XDG_STATE_HOME", "")
    base = Path(named) if named and Path(named).is_absolute() else Path.home() / ".local/state"
    return base / "taishi"


def _mark(address: str) -> str:
    """Of the address without its password: a new password does not make a new folder."""
    return hashlib.sha256(without_password(address).encode()).hexdigest()[:MARK_CHARS]


def _no_copy(target: Path, outside: OutsideFiles | None) -> Backup:
    raise InputError(
        "a memory in PostgreSQL is not copied as a folder: back the database up with pg_dump (or "
        "your provider's snapshots), or write its content to a file with `taishi export`"
    )
