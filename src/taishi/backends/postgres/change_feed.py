"""Change counts of partitions, kept up by LISTEN/NOTIFY: whether anything changed, without a query.

A writer notifies in its transaction, so that others hear of it when it is committed. Writes of this
process count at once; those of others some milliseconds later. While the listening connection is
down nothing is known, and readers query the database.

Whether something was erased is told as well. While the database is away, that decides whether a
reader may go on with what is in memory.
"""

from __future__ import annotations

import logging
import secrets
import selectors
import socket
import threading
import time
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, suppress
from typing import Any

import psycopg

from ...ports import Moment
from .driver_errors import first_line

log = logging.getLogger("taishi")
CHANNEL = "taishi_changes"
# Changes to the set of partitions and links, and to all partitions. No partition has this number.
ANY = 0
# Partitions share slots: a change of one may make readers of another query in vain.
SLOTS = 1 << 14
MOST_NAMED = 500  # a notification holds 8,000 bytes
HEARTBEAT_SECONDS = 5.0
SILENT_SECONDS = 3 * HEARTBEAT_SECONDS
RETRY_SECONDS = (0.05, 0.2, 1.0, 5.0)
# At the end of a writer's name: it erased nothing. Versions before this one do not say so.
KEEPS = "+"


class ChangeFeed:
    def __init__(
        self,
        connect: Callable[[], psycopg.Connection[Any]],
        using: Callable[[psycopg.Connection[Any]], AbstractContextManager[None]],
        lost: Callable[[], None] = lambda: None,
    ) -> None:
        """`using` notes who waits for an answer on a connection (see outage.py); `lost` is called
        when the listening connection breaks."""
        self._connect = connect
        self._using = using
        self._tell_lost = lost
        self._name = secrets.token_hex(4)  # to know our own notifications
        self._lock = threading.Lock()
        self._counts = [0] * SLOTS
        self._writing = [0] * SLOTS
        self._erased = [0] * SLOTS  # which erasure was the last one there, counted from 1
        self._erasures = 0
        self._epoch = 0
        self._heard: float | None = None
        self._lost: float | None = None  # when it was last heard before the connection broke
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None
        self._wake: socket.socket | None = None

    def token(self, partitions: Collection[int]) -> tuple[int, ...] | None:
        """Equal to an earlier one: nothing changed in these partitions. None: not known."""
        heard = self._heard
        if heard is None or time.monotonic() - heard > SILENT_SECONDS:
            self._start()
            return None
        slots = [_slot(no) for no in (ANY, *partitions)]
        with self._lock:
            if any(self._writing[slot] for slot in slots):
                return None
            return (self._epoch, *(self._counts[slot] for slot in slots))

    def moment(self) -> Moment | None:
        """Read it before a query, and ask later what was erased since. None: nobody listens."""
        if self._heard is None:
            return None
        with self._lock:
            return self._epoch, self._erasures

    def silence(self, moment: Moment, partitions: Collection[int]) -> float | None:
        """How many seconds ago the server was last heard of, if nothing was erased in these
        partitions between the moment and then. None: something may have been."""
        heard = self._lost if self._heard is None else self._heard
        epoch, erasures = moment
        with self._lock:
            last = max(self._erased[_slot(no)] for no in (ANY, *partitions))
            if heard is None or epoch != self._epoch or last > erasures:
                return None
        return time.monotonic() - heard

    def begin(self, touched: Collection[int]) -> list[int]:
        """A commit to these partitions is about to happen; pass the result to `end`, whether it
        succeeds or not."""
        slots = [_slot(no) for no in touched]
        with self._lock:
            for slot in slots:
                self._writing[slot] += 1
        return slots

    def notify(
        self, connection: psycopg.Connection[Any], touched: Collection[int], erases: bool = True
    ) -> None:
        """Tell the others, as the last statement of a transaction."""
        named: Collection[int] = touched if len(touched) <= MOST_NAMED else (ANY,)
        payload = f"{self._name}{'' if erases else KEEPS}:{','.join(map(str, named))}"
        connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, payload))

    def end(self, slots: Collection[int], erases: bool = True) -> None:
        with self._lock:
            for slot in slots:
                self._writing[slot] -= 1
            self._count(slots, erases)

    def _count(self, slots: Collection[int], erases: bool) -> None:
        """Where partitions are named, what was erased is in these, and not anywhere."""
        for slot in slots:
            self._counts[slot] += 1
        if erases:
            self._erasures += 1
            for slot in [slot for slot in slots if slot != ANY] or slots:
                self._erased[slot] = self._erasures

    def close(self) -> None:
        if self._closed.is_set():
            return
        self._closed.set()
        self._heard = None
        if self._thread is not None and self._wake is not None:
            with self._wake, suppress(OSError):  # it may have seen that we close, and be gone
                self._wake.send(b"x")
            self._thread.join(5.0)

    def _start(self) -> None:
        """Most commands ask no question: the listener starts with the first one."""
        with self._lock:
            if self._thread is None and not self._closed.is_set():
                self._wake, woken = socket.socketpair()
                self._thread = threading.Thread(
                    target=self._run, args=(woken,), name="taishi-change-feed", daemon=True
                )
                self._thread.start()

    def _run(self, woken: socket.socket) -> None:
        with woken:
            self._follow(woken)

    def _follow(self, woken: socket.socket) -> None:
        failed = 0
        while not self._closed.is_set():
            try:
                with self._connect() as connection:
                    self._listen(connection, woken)
            except (psycopg.Error, OSError) as error:
                if self._heard is not None:
                    log.warning(
                        "changes of others are looked up by queries for now: %s", first_line(error)
                    )
                    failed = 0
                    self._lost = self._heard
                    self._tell_lost()
                self._heard = None
                self._closed.wait(RETRY_SECONDS[min(failed, len(RETRY_SECONDS) - 1)])
                failed += 1

    def _listen(self, connection: psycopg.Connection[Any], woken: socket.socket) -> None:
        connection.add_notify_handler(lambda notice: self._hear(notice.payload))
        connection.execute(f"LISTEN {CHANNEL}")
        with self._lock:
            self._epoch += 1  # what was committed while nobody listened is not known
        self._heard = time.monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(connection.fileno(), selectors.EVENT_READ)
            selector.register(woken, selectors.EVENT_READ)
            while not self._closed.is_set():
                if selector.select(HEARTBEAT_SECONDS):
                    self._drain(connection)
                else:
                    with self._using(connection):
                        connection.execute("SELECT 1")
                self._heard = time.monotonic()

    def _drain(self, connection: psycopg.Connection[Any]) -> None:
        connection.pgconn.consume_input()
        while (notice := connection.pgconn.notifies()) is not None:
            self._hear(notice.extra.decode())

    def _hear(self, payload: str) -> None:
        name, _, numbers = payload.partition(":")
        if name.removesuffix(KEEPS) != self._name:
            # Whatever else is said on this channel, something changed.
            named = [int(one) if one.isdecimal() else ANY for one in numbers.split(",")]
            with self._lock:
                self._count([_slot(no) for no in named], not name.endswith(KEEPS))


def _slot(no: int) -> int:
    return no and 1 + no % (SLOTS - 1)
