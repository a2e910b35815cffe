"""Sessions of people who signed in on the web pages with a key.

A browser gets a random id in a cookie that no script can read; the key itself is not kept, neither
here nor in the browser. A session ends with its key, after some hours, and with the process.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping

from starlette.requests import cookie_parser

from ..http_origins import is_same_origin

COOKIE = "taishi_session"
PAGES_HEADER = "X-Taishi-Pages"
LIFE_SECONDS = 12 * 3600
MAX_SESSIONS = 1000


class Sessions:
    """Session ids, as hashes, with the ids of their keys. For one event loop."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: OrderedDict[bytes, tuple[str, float]] = OrderedDict()

    def begin(self, key_id: str) -> str:
        """A new session of this key; what goes into the cookie."""
        token = secrets.token_urlsafe(32)
        self._known[_digest(token)] = key_id, self._clock() + LIFE_SECONDS
        if len(self._known) > MAX_SESSIONS:
            self._known.popitem(last=False)
        return token

    def key_id(self, headers: Mapping[str, str]) -> str | None:
        """The key whose session a request belongs to, if one of our own pages sent it.

        A cookie travels with requests that other pages make, as well, so it counts only beside a
        header that a foreign page cannot send without being asked first, and if neither Origin nor
        Sec-Fetch-Site says otherwise. `SameSite` alone would let in pages from another port.
        """
        token = token_in(headers)
        if not token or PAGES_HEADER.lower() not in headers or not is_same_origin(headers):
            return None
        key_id, ends = self._known.get(_digest(token), ("", 0.0))
        return key_id if self._clock() < ends else None

    def end(self, headers: Mapping[str, str]) -> None:
        self._known.pop(_digest(token_in(headers)), None)


def token_in(headers: Mapping[str, str]) -> str:
    return cookie_parser(headers.get("cookie", "")).get(COOKIE, "")


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()
