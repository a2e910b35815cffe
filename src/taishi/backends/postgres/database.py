"""Connections to one PostgreSQL database: pooled, bound to a workspace, driver errors translated.

Every connection says whose rows it may see (`taishi.workspace`), and row-level security holds it to
that, whatever a query forgot to ask for. The value belongs to the session, so a pooler between here
and the server has to pool sessions, not transactions.
"""

from __future__ import annotations

import random
import selectors
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any, TypeVar

import psycopg
from psycopg import IsolationLevel
from psycopg.adapt import AdaptersMap
from psycopg.types.numeric import Int8BinaryDumper
from psycopg_pool import ConnectionPool, PoolTimeout

from ...errors import BusyError, ClosedError, ReadOnlyError, UnreachableError
from . import halfvec, text_codec
from .change_feed import ChangeFeed
from .driver_errors import CONFLICTS, host_of, translated
from .migration_runner import migrate
from .outage import Outages

T = TypeVar("T")
CONNECT_SECONDS = 5
LOOK_SECONDS = 1.0  # after so long without a connection: is the server still there?
RECONNECT_SECONDS = 2.0  # then the pool gives up a try; the next request makes another
TRIES = 5
FIRST_PAUSE = 0.02
_SEE = "SELECT set_config('taishi.workspace', %s, %s), set_config('taishi.all_workspaces', %s, %s)"
_IS_EXEMPT = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"


class Workspaces(Enum):
    """What maintenance sees. Not a string, so no workspace can have this name."""

    ALL = "all"


ALL = Workspaces.ALL
Workspace = str | Workspaces


class Connection(psycopg.Connection[tuple[Any, ...]]):
    """Remembers which workspace it was last bound to, and which one a transaction looks at; in
    autocommit mode."""

    bound: Workspace | None = None
    seen: Workspace | None = None
    age: int = 0  # of the pool's connections: which of Database._age it was made in


class Database:
    """`reading(workspace)` lends a connection for single queries, `transaction(workspace)` runs
    several whole or not at all. Both may be used by any thread; do not nest them in one."""

    def __init__(self, address: str, connections: int = 10, wait_seconds: float = 10.0) -> None:
        self.address = address
        self.host = host_of(address)
        self._closed = False
        self._options: dict[str, Any] = {
            "autocommit": True,
            "connect_timeout": CONNECT_SECONDS,
            "application_name": "taishi",
            "keepalives_idle": 30,
            "tcp_user_timeout": 20_000,  # milliseconds until a silent network counts as lost
            "context": _adapters(),
        }
        self._wait = wait_seconds
        self._age = 0
        self.outages = Outages(self._probe, self.host, self._check_pool, self._renew_pool)
        self.feed = ChangeFeed(self.connect, self.outages.using, self.outages.suspect)
        with translated(self.host):
            with self.connect() as connection:
                migrate(connection, self.host)
                self.exempt_from_policies = _is_exempt(connection)
                self.outages.note_writing(connection)
            self._pool = ConnectionPool(
                address,
                connection_class=Connection,
                kwargs=self._options,
                min_size=0,
                max_size=connections,
                timeout=wait_seconds,
                reconnect_timeout=RECONNECT_SECONDS,
                num_workers=1,
                configure=self._note_age,
                open=True,
            )
        if self.outages.is_read_only:
            self.outages.suspect()

    def connect(self) -> Connection:
        """A connection outside the pool, for a listener or a lock that is held for long."""
        connection = Connection.connect(self.address, **self._options)
        self.outages.watch(connection)
        return connection

    def _probe(self, seconds: int) -> Connection:
        return Connection.connect(self.address, **{**self._options, "connect_timeout": seconds})

    @contextmanager
    def reading(self, workspace: Workspace, wait: float | None = None) -> Iterator[Connection]:
        """Each query by itself, and as cheap as it can be: no BEGIN, no COMMIT. `wait`: so many
        seconds for a connection, not the usual ones."""
        try:
            with translated(self.host), self._lent(wait) as connection:
                _bind(connection, workspace)
                connection.seen = workspace
                yield connection
        except UnreachableError:
            self.outages.suspect()
            raise
        except ReadOnlyError:
            self.outages.refused_write()
            raise

    @contextmanager
    def _lent(self, wait: float | None) -> Iterator[Connection]:
        """Of the pool, and back to it. Nobody waits for a server that is known to be away."""
        end = time.monotonic() + (self._wait if wait is None else wait)
        while True:
            self._check_open()
            if self.outages.is_away:
                raise self.outages.error()
            left = end - time.monotonic()
            try:
                connection = self._pool.getconn(min(left, LOOK_SECONDS))
            except PoolTimeout:
                self.outages.suspect()
                if left <= LOOK_SECONDS and not self.outages.hears_why():
                    raise
                continue
            if connection.age == self._age and _is_alive(connection):
                break
            # Too old, or cut, as are most likely those beside it: the next one is looked at at
            # once. The check that the pool offers pauses before each, longer every time.
            connection.close()
            self._pool.putconn(connection)
        try:
            with self.outages.using(connection):
                yield connection
        finally:
            self._pool.putconn(connection)

    def _check_pool(self) -> None:
        """The server was away: replace the connections that it no longer knows."""
        if not self._closed:
            self._pool.check()

    def _renew_pool(self) -> None:
        """What a role or a database may do is settled when a session begins: those that may not
        write are replaced, each before it is lent again."""
        self._age += 1

    def _note_age(self, connection: Connection) -> None:
        connection.age = self._age

    @contextmanager
    def transaction(self, workspace: Workspace, snapshot: bool = False) -> Iterator[Connection]:
        """Committed on success, rolled back on any error. With `snapshot`, all queries see the
        database as of one moment, and nothing can be written."""
        with self.reading(workspace) as connection:
            if snapshot:
                with _snapshot(connection):
                    yield connection
            else:
                with connection.transaction():
                    yield connection

    @contextmanager
    def writing(
        self, workspace: Workspace, touched: Collection[int], erases: bool = True
    ) -> Iterator[Connection]:
        """A transaction after which the change counts of these partitions go up, here and in all
        other processes; the caller may add to them until it ends. If it erases nothing, readers may
        go on with what they have when the server is away."""
        slots: list[int] = []
        try:
            with self.transaction(workspace) as connection:
                yield connection
                if touched:
                    slots = self.feed.begin(touched)
                    self.feed.notify(connection, touched, erases)
        finally:
            self.feed.end(slots, erases)

    @staticmethod
    def see(connection: Connection, workspace: Workspace) -> None:
        """Look at another workspace until the transaction ends."""
        if connection.seen != workspace:
            connection.seen = workspace
            connection.execute(_SEE, _settings(workspace, local=True))

    def repeat(self, work: Callable[[], T], idempotent: bool = True) -> T:
        """Run a whole transaction again if the server gave it up for another one. If the connection
        broke, nobody knows whether it was committed: only what is idempotent is run again."""
        for tried in range(TRIES):
            try:
                return work()
            except BusyError as error:
                if tried + 1 == TRIES or not isinstance(error.__cause__, CONFLICTS):
                    raise
            except UnreachableError:
                if tried + 1 == TRIES or self._closed or not idempotent:
                    raise
            time.sleep(FIRST_PAUSE * 2**tried * (1 + random.random()))
        raise AssertionError("unreachable")

    def scalar(self, workspace: Workspace, sql: str, *values: Any) -> Any:
        """The first column of the first row, or None."""
        with self.reading(workspace) as connection:
            row = connection.execute(sql, values).fetchone()
        return None if row is None else row[0]

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError("the store was closed; open the memory again")

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self.outages.close()
            self.feed.close()
            self._pool.close()


def _adapters() -> AdaptersMap:
    adapters = AdaptersMap(psycopg.adapters)
    text_codec.register(adapters)
    halfvec.register(adapters)
    # One type for all integers: else a statement is prepared for every size of its parameters.
    adapters.register_dumper(int, Int8BinaryDumper)
    return adapters


def _settings(workspace: Workspace, local: bool) -> tuple[str, bool, str, bool]:
    if isinstance(workspace, Workspaces):
        return "", local, "on", local
    return workspace, local, "", local


def _bind(connection: Connection, workspace: Workspace) -> None:
    if connection.bound != workspace:
        connection.bound = None
        connection.execute(_SEE, _settings(workspace, local=False))
        connection.bound = workspace


def _is_alive(connection: Connection) -> bool:
    """An idle connection has nothing to say: if there is something to read, it is most likely the
    server's goodbye. Found without a round trip."""
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(connection.fileno(), selectors.EVENT_READ)
            if selector.select(0):
                connection.execute("SELECT 1")
    except (psycopg.Error, OSError, ValueError):  # it was cut, or closed
        return False
    return True


@contextmanager
def _snapshot(connection: Connection) -> Iterator[None]:
    connection.isolation_level = IsolationLevel.REPEATABLE_READ
    connection.read_only = True
    try:
        with connection.transaction():
            yield
    finally:
        if not connection.closed:
            connection.isolation_level = None
            connection.read_only = None


SEE_ALL = _SEE, _settings(ALL, local=True)


def _is_exempt(connection: Connection) -> bool:
    row = connection.execute(_IS_EXEMPT).fetchone()
    return bool(row and row[0])
