"""Deleted texts outside the tables: files of killed writers, gaps in the database."""

from __future__ import annotations

import logging
import time

from ..errors import TaishiError
from ..runtime import Runtime
from ..types import Scope
from .phrase_scan import Phrases, is_of_place
from .proof import ErasureSearch, id_of

log = logging.getLogger("taishi")
TEMP_SECONDS = 5.0
SMALL_BYTES = 32 << 20


class StrayFiles:
    def __init__(self, runtime: Runtime, search: ErasureSearch) -> None:
        self._runtime = runtime
        self._store, self._queue = runtime.parts.store, runtime.parts.queue
        self._search = search

    def forget_all(self, scope: Scope, phrases: Phrases) -> None:
        """Files of writers that were killed, jobs that nobody can read, gaps in the database."""
        self._runtime.parts.leftovers.sweep_all()
        self.forget(scope, phrases)
        id, left = self._search.sought_id(scope), set()
        for path in self._store.erasure.files():
            left |= phrases.in_file(path)[0]
            if id is not None and id.is_in_file(path):
                left.add(id.id)
        if left and left - self._search.kept_elsewhere(Phrases(left), id_of(scope)).texts:
            self._store.erasure.compact()
        elif self._is_small():
            self._close_what_may_be_left()

    def forget(self, scope: Scope | None, phrases: Phrases) -> None:
        """Those that hold these phrases; with a scope, also those that say that they are its."""

        def tells_of(data: bytes) -> bool:
            """Whether bytes that nobody can read hold their words, or say that they are theirs."""
            is_theirs = scope is not None and is_of_place(data, scope.home)
            return is_theirs or bool(phrases.within(data))

        self._queue.transfer.forget_unreadable(tells_of)
        for path in self._runtime.parts.folder.rglob("*.tmp"):
            try:
                old = time.time() - path.stat().st_mtime > TEMP_SECONDS
                if old and tells_of(path.read_bytes()):
                    path.unlink()
            except FileNotFoundError:
                continue  # its writer was alive after all

    def close_gaps(self, phrases: Phrases) -> None:
        """Between the rows of a small database. In a large one that would take longer than
        somebody waits: there it is in no row, and a gap is written over in time."""
        files = self._store.erasure.files()
        if self._is_small() and any(phrases.in_file(path)[0] for path in files):
            self._store.erasure.compact()

    def _close_what_may_be_left(self) -> None:
        """A gap may hold a short name or id, which is not searched for: "101", "Ann". What could be
        found is gone, so a database that cannot be rewritten now does not fail the request."""
        try:
            self._store.erasure.compact()
        except TaishiError as error:
            log.warning("the database was not compacted after a deletion: %s", error)

    def _is_small(self) -> bool:
        files = self._store.erasure.files()
        return bool(files) and sum(path.stat().st_size for path in files) <= SMALL_BYTES
