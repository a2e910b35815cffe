"""Connections to one SQLite file: one writer, many readers, driver errors translated."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import apsw

from ...disk.durable_io import make_folder
from ...disk.file_permissions import make_private_file
from ...errors import (
    BusyError,
    ClosedError,
    CorruptError,
    DiskError,
    ReadOnlyError,
    StorageError,
)
from ...language.passages import is_long
from ..terms import terms_of
from .change_counters import ANY, ChangeCounters
from .migration_functions import add_missing_columns, migrations, planes, refuse_newer, trust, uses
from .read_only import ReadOnlySource, check_schema

PAGE_SIZE = 8192
CACHE_KIB = 16 * 1024
IDLE_READERS = 8
COPY_PAGES = 1024


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn errors of the driver into ours, with a message that says what to do."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise CorruptError(
            f"{path} is damaged or not a Taishi database ({error}). It was left as it is: restore "
            "a backup, or move the file away to start over."
        ) from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise BusyError(
            f"{path} is locked by another process ({error}). Try again, or stop that process."
        ) from error
    except (apsw.FullError, apsw.IOError, apsw.CantOpenError, apsw.ReadOnlyError) as error:
        raise DiskError(
            f"{path} cannot be read or written ({error}). Check the disk's space and permissions."
        ) from error
    except apsw.ConnectionClosedError as error:
        raise ClosedError("the store was closed; open the memory again") from error
    except apsw.Error as error:
        raise StorageError(
            f"{path}: SQLite refused ({error}). If it was made by another version of Taishi, "
            "export it there and import it here."
        ) from error


def _counters(path: Path) -> ChangeCounters | None:
    """The change counters, or None where a file cannot be mapped: then every process queries the
    database instead. A single process must not do without them while others use them, as they
    would not see its writes."""
    try:
        return ChangeCounters(path)
    except PermissionError as error:
        raise StorageError(
            f"{path} cannot be read and written ({error.strerror}), while the database can. Give "
            "it the same owner and permissions, or delete it while nothing uses the folder."
        ) from error
    except (OSError, ValueError):
        return None


def _stat_of(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_mtime_ns, stat.st_size


def _identity_of(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_dev, stat.st_ino


class Database:
    """One file. `writing()` is a transaction; `reading()` lends a connection from a pool.

    With `read_only`, for media that cannot be written, there is no writer. `full`: because their
    disk is full.
    """

    def __init__(
        self,
        path: Path,
        busy_seconds: float = 10.0,
        read_only: bool = False,
        full: bool = False,
    ) -> None:
        self.path = path
        self.read_only = read_only
        self._full = full
        self._busy_ms = int(busy_seconds * 1000)
        self._write_lock = threading.RLock()
        # A pool, not one per thread: threads that end leave no connection open.
        self._readers: deque[apsw.Connection] = deque()
        self._closed = False
        self._counters: ChangeCounters | None = None
        if read_only:
            self._source: ReadOnlySource | None = ReadOnlySource(path, full)
            with self.reading() as connection:
                check_schema(connection, self.path)
        else:
            self._source = None
            self._open_writer()

    def _open_writer(self) -> None:
        path = self.path
        with translated(path):
            make_folder(path.parent)
            make_private_file(path)
            self._writer = self._connect(apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
            try:
                self._prepare()
            except BaseException:
                self._writer.close()
                raise
            self._identity = _identity_of(path)
        try:
            self._counters = _counters(path.with_name(f"{path.name}-pulse"))
        except StorageError:
            self._writer.close()
            raise

    def _connect(self, flags: int) -> apsw.Connection:
        return self._set_up(apsw.Connection(str(self.path), flags=flags))

    def _set_up(self, connection: apsw.Connection) -> apsw.Connection:
        try:
            connection.set_busy_timeout(self._busy_ms)
            connection.pragma("cache_size", -CACHE_KIB)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self) -> None:
        tables = self._writer.execute("SELECT count(*) FROM sqlite_schema").get
        if tables and not self._writer.pragma("user_version"):
            raise StorageError(
                f"{self.path} is a database of some other program; it was left as it is. "
                "Choose another data folder."
            )
        self._writer.pragma("page_size", PAGE_SIZE)
        self._writer.pragma("journal_mode", "wal")
        # An acknowledged job is deleted from the queue, so its event must survive a power cut.
        self._writer.pragma("synchronous", "FULL")
        # Deleted rows are overwritten with zeros, not only unlinked.
        self._writer.pragma("secure_delete", True)
        self._migrate()

    def _migrate(self) -> None:
        scripts = migrations()
        with self._writer_transaction():
            version = int(self._writer.pragma("user_version"))
            refuse_newer(self.path, version)
            for name, function, inputs in (
                ("planes", planes, 1),
                ("trust", trust, 3),
                ("uses", uses, 2),
                ("terms_of", terms_of, 2),
                ("is_long", is_long, 1),
            ):
                self._writer.create_scalar_function(name, function, inputs, deterministic=True)
            add_missing_columns(self._writer)
            for script in scripts[version:]:
                self._writer.execute(script.read_text(encoding="utf-8"))
            self._writer.pragma("user_version", len(scripts))

    @contextmanager
    def _writer_transaction(self) -> Iterator[apsw.Connection]:
        self._writer.execute("BEGIN IMMEDIATE")
        try:
            yield self._writer
        except BaseException:
            self._writer.execute("ROLLBACK")
            raise
        self._writer.execute("COMMIT")

    @contextmanager
    def writing(self, touched: Collection[int] = (ANY,)) -> Iterator[apsw.Connection]:
        """One transaction: committed on success, rolled back on any error.

        `touched` are the partitions whose change counters go up when it ends; the caller may add to
        it until then.
        """
        with self._write_lock, translated(self.path):
            self._check_writable()
            counts: dict[int, int] = {}
            try:
                with self._writer_transaction() as connection:
                    yield connection
                    if self._counters is not None:
                        counts = self._counters.begin(touched)
            finally:
                if self._counters is not None:
                    self._counters.end(counts)
            self._check_there()  # or it went into a deleted file

    def _check_writable(self) -> None:
        self._check_open()
        if self._full:
            raise DiskError(
                f"the disk of {self.path.parent} is full: nothing new is kept. Free some space, "
                "then try again."
            )
        if self.read_only:
            raise ReadOnlyError(
                f"{self.path.parent} can only be read: nothing new is kept. Make the folder and "
                "its files writable, or copy it to a disk that is, then open it again."
            )
        self._check_there()

    def _check_there(self) -> None:
        """Fail if the file was deleted or replaced: it stays open, and writes to it would be
        lost."""
        try:
            there = _identity_of(self.path) == self._identity
        except FileNotFoundError:
            there = False
        if not there:
            raise DiskError(
                f"{self.path} was deleted or replaced while it was in use: nothing is written to "
                "it any more. Put it back or restore a backup, then start this process again."
            )

    def change_token(self, places: Collection[int]) -> tuple[int, ...] | None:
        return None if self._counters is None or self._closed else self._counters.token(places)

    def file_fingerprint(self) -> tuple[tuple[int, int], ...] | None:
        """Modification time and size of the database and its write-ahead log."""
        wal = self.path.with_name(f"{self.path.name}-wal")
        try:
            return _stat_of(self.path), _stat_of(wal) if wal.exists() else (0, 0)
        except OSError:
            return None

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        with translated(self.path):
            self._check_open()
            try:
                connection = self._readers.pop()
            except IndexError:
                connection = self._open_reader()
            try:
                yield connection
            finally:
                if self._closed or self._source or len(self._readers) >= IDLE_READERS:
                    connection.close()
                else:
                    self._readers.append(connection)

    def _open_reader(self) -> apsw.Connection:
        if self._source is None:
            self._check_there()
            return self._connect(apsw.SQLITE_OPEN_READONLY)
        return self._set_up(self._source.connect())

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError("the store was closed; open the memory again")

    def scrub(self, seconds: float = 5.0) -> bool:
        """Truncate the write-ahead log, so that deleted bytes are in no file.

        Waits a short while for readers of other processes; False if one of them kept it open.
        """
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with self._write_lock, translated(self.path):
                try:
                    self._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
                    return True
                except (apsw.BusyError, apsw.LockedError):
                    time.sleep(0.05)
        return False

    def compact(self) -> None:
        """VACUUM: a row that was moved before it was deleted can leave a copy in the unused part
        of a page, which secure_delete does not overwrite."""
        with self._write_lock, translated(self.path):
            self._check_writable()
            self._writer.execute("VACUUM")
        self.scrub()

    def copy_to(self, target: Path, census: str) -> dict[str, int]:
        """Copy the file as of one moment, beside other writers, and verify the copy: its
        integrity, and that `census`, a query for names and counts, returns the same in both."""
        with self.reading() as connection:
            # One read transaction for all steps: otherwise every write would restart the copy.
            connection.execute("BEGIN")
            try:
                counted = dict(connection.execute(census))
                with translated(target), closing(apsw.Connection(str(target))) as copy:
                    with copy.backup("main", connection, "main") as backup:
                        while not backup.done:
                            backup.step(COPY_PAGES)
                    found = copy.pragma("integrity_check")
                    if found != "ok" or dict(copy.execute(census)) != counted:
                        raise CorruptError(f"the copy {target} is damaged ({found}); try again")
            finally:
                connection.execute("ROLLBACK")
        return counted

    def integrity(self) -> str:
        if not self.read_only:
            try:
                self._check_there()
            except DiskError as error:
                return str(error)
        with self.reading() as connection:
            return str(connection.pragma("quick_check"))

    def scalar(self, sql: str, *parameters: Any) -> Any:
        with self.reading() as connection:
            return connection.execute(sql, parameters).get

    def close(self) -> None:
        with self._write_lock:
            if self._closed:
                return
            self._closed = True
            while self._readers:
                self._readers.pop().close()
            if not self.read_only:
                self._writer.close()
            if self._counters is not None:
                self._counters.close()
