"""The processes of a fleet, each with a row that it keeps fresh (O1)."""

from __future__ import annotations

import json
import logging
import os
import secrets
import socket
import threading
from typing import Any

from ...disk.process_identity import certainly_dead, process_mark
from ...errors import StorageError
from ...observe.repeated_trouble import RepeatedTrouble
from .database import Database
from .queries import Queries

log = logging.getLogger("taishi.postgres")
HEARTBEAT_SECONDS = 15.0
STALE = "interval '60 seconds'"
MAX_HOST_CHARS = 200
UNSEEN = (
    "`taishi status` elsewhere does not show this process, whose row in the table processes cannot "
    "be written: %s"
)


class ProcessTable:
    """Implements ports.ProcessBoard. The rows only inform; nothing is lost with them."""

    def __init__(self, database: Database, heartbeat: float = HEARTBEAT_SECONDS) -> None:
        self._queries = Queries(database)
        self._heartbeat = heartbeat
        self._mark = process_mark()
        self._id = f"{self._mark}-{secrets.token_hex(4)}"
        self._host = socket.gethostname()[:MAX_HOST_CHARS]
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._trouble = RepeatedTrouble(log)

    def write(self, told: dict[str, Any]) -> None:
        try:
            self._queries.execute(
                "INSERT INTO processes (id, host, pid, told) VALUES (%s, %s, %s, %s) "
                "ON CONFLICT (id) DO UPDATE SET told = excluded.told, seen = now()",
                (self._id, self._host, os.getpid(), json.dumps(told)),
            )
        except StorageError as error:
            self._trouble.met(UNSEEN, error)
            return
        self._trouble.over("`taishi status` elsewhere shows this process again")
        self._start_heartbeat()

    def others(self) -> list[dict[str, Any]]:
        """The last status of every other process that is alive, wherever it runs."""
        rows = self._queries.rows(
            "SELECT id, host, pid, told FROM processes "
            f"WHERE id <> %s AND seen > now() - {STALE} ORDER BY host, pid, id",
            (self._id,),
        )
        return [
            {**json.loads(told), "host": host, "pid": pid}
            for id, host, pid, told in rows
            if not self._is_dead(id)
        ]

    def sweep(self) -> int:
        """Remove the rows of processes that were killed; how many."""
        rows = self._queries.rows(
            f"SELECT id, seen <= now() - {STALE} FROM processes WHERE id <> %s", (self._id,)
        )
        gone = [id for id, is_stale in rows if is_stale or self._is_dead(id)]
        if not gone:
            return 0
        return self._queries.execute("DELETE FROM processes WHERE id = ANY(%s)", (gone,))

    def close(self) -> None:
        with self._lock:
            self._stop.set()
            thread = self._thread
        if thread is not None:
            thread.join(5.0)
        try:
            self._queries.execute("DELETE FROM processes WHERE id = %s", (self._id,))
        except StorageError as error:
            log.warning("the row of this process stays for a minute: %s", error)

    def _is_dead(self, id: str) -> bool:
        """On this machine the death of a process is certain at once."""
        return certainly_dead(id.rpartition("-")[0])

    def _start_heartbeat(self) -> None:
        with self._lock:
            if self._thread is None and not self._stop.is_set():
                self._thread = threading.Thread(
                    target=self._beat, name="taishi-heartbeat", daemon=True
                )
                self._thread.start()

    def _beat(self) -> None:
        while not self._stop.wait(self._heartbeat):
            try:
                self._queries.execute(
                    "UPDATE processes SET seen = now() WHERE id = %s", (self._id,)
                )
            except StorageError as error:
                self._trouble.met(UNSEEN, error)
