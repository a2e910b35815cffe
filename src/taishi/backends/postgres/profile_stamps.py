"""Stamps of profile pages without a query, for as long as no page changed."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

from ...errors import UnreachableError
from ...ports import ProfileKey
from ..profile_files.pages import Stamp
from .database import Database

T = TypeVar("T")
MOST = 20_000
DOWN_SECONDS = 1.0  # so long is a server left alone that did not answer
WAIT_SECONDS = 0.2  # for a connection: a recall waits for this


class StampCache:
    """By a hash of whom a page is about, so that it holds no ids. While the database is away, the
    last stamp counts: recall goes on with the page that it has."""

    def __init__(self, database: Database, read: Callable[[ProfileKey], Stamp]) -> None:
        self._feed = database.feed
        self._host = database.host
        self._read = read
        self._known: OrderedDict[int, tuple[object, Stamp]] = OrderedDict()
        self._lock = threading.Lock()
        self._down_until = 0.0

    def get(self, key: ProfileKey) -> Stamp:
        number = number_of(key)
        token = self._feed.token([number])
        known = self._known.get(number)
        if known is not None and token is not None and token == known[0]:
            return known[1]
        try:
            stamp = self.reached(lambda: self._read(key))
        except UnreachableError:
            if known is None:
                raise
            return known[1]
        with self._lock:
            self._known[number] = (token, stamp)
            self._known.move_to_end(number)
            if len(self._known) > MOST:
                self._known.popitem(last=False)
        return stamp

    def reached(self, ask: Callable[[], T]) -> T:
        """Ask the database, unless it did not answer a moment ago: who recalls cannot wait."""
        if time.monotonic() < self._down_until:
            raise UnreachableError(f"{self._host} did not answer a moment ago; try again")
        try:
            return ask()
        except UnreachableError:
            self._down_until = time.monotonic() + DOWN_SECONDS
            raise

    def drop(self, key: ProfileKey) -> None:
        with self._lock:
            self._known.pop(number_of(key), None)


def number_of(key: ProfileKey) -> int:
    """In the change feed a page counts like a partition of this number."""
    text = "\0".join(("page", *key)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=7).digest(), "big") | 1 << 56
