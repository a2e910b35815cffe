"""A thread that waits for NOTIFY on a connection of its own."""

from __future__ import annotations

import logging
import selectors
import socket
import threading
from collections.abc import Callable

import psycopg

from ...errors import TaishiError
from ...observe.repeated_trouble import RepeatedTrouble
from .database import Connection, Database
from .driver_errors import first_line

log = logging.getLogger("taishi.postgres")
CLOSE_SECONDS = 5.0
IDLE_SECONDS = 30.0
MAX_PAUSE = 30.0


class Listener:
    """Calls `notified` for what comes in on a channel, and once after each reconnection: what was
    sent meanwhile is lost."""

    def __init__(self, database: Database, channel: str, notified: Callable[[], None]) -> None:
        self._database = database
        self._channel = channel
        self._notified = notified
        self._stop = threading.Event()
        self._wake, self._woken = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name=f"taishi-{channel}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._wake.close()
        if self._thread is not threading.current_thread():
            self._thread.join(CLOSE_SECONDS)

    def _run(self) -> None:
        pause = 1.0
        trouble = RepeatedTrouble(log)
        while not self._stop.is_set():
            try:
                with self._database.connect() as connection:
                    connection.execute(f"LISTEN {self._channel}")
                    pause = 1.0
                    trouble.over("the database announces new jobs again")
                    self._wait(connection)
            except (psycopg.Error, OSError, TaishiError) as error:
                if not self._stop.is_set():
                    text = "the database announces no new jobs; this process asks for them: %s"
                    trouble.met(text, first_line(error))
            self._stop.wait(pause)
            pause = min(pause * 2, MAX_PAUSE)
        self._woken.close()

    def _wait(self, connection: Connection) -> None:
        """For the server or for `close`, whichever speaks first. The query now and then finds a
        connection that died silently."""
        self._notified()
        with selectors.DefaultSelector() as selector:
            selector.register(connection.fileno(), selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while not self._stop.is_set():
                if not selector.select(IDLE_SECONDS):
                    connection.execute("SELECT 1")
                if any(connection.notifies(timeout=0)):
                    self._notified()
