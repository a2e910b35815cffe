"""Sessions of people who signed in on the web pages with a key.

A browser gets a signed cookie that no script can read: the id of the key, when the session ends and
a random part. The key itself is not kept, neither here nor in the browser. Every process that
serves the folder can check the signature. A session ends with its key, after some hours, and when
its owner signs out.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starlette.requests import Request, cookie_parser

from ..http_origins import is_same_origin
from .session_secret import SessionSecret

COOKIE = "taishi_session"
PAGES_HEADER = "X-Taishi-Pages"
LIFE_SECONDS = 12 * 3600
_TOKEN = re.compile(r"([0-9a-z]{1,40})\.(\d{1,12})\.([\w\-]{22,43})\.([0-9a-f]{64})", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Session:
    key_id: str
    expires: float
    nonce: str


class Sessions:
    """Makes and checks signed cookies."""

    def __init__(
        self, secret: SessionSecret | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._secret = secret or SessionSecret()
        self._clock = clock

    def begin(self, key_id: str) -> str:
        """A new session of this key; what goes into the cookie. May write a file."""
        expires = int(self._clock() + LIFE_SECONDS)
        signed = f"{key_id}.{expires}.{secrets.token_urlsafe(24)}"
        return f"{signed}.{_signature(self._secret.ready().secret, signed)}"

    def key_id(self, headers: Mapping[str, str]) -> str | None:
        """The key whose session a request belongs to, if one of our own pages sent it.

        A cookie travels with requests that other pages make, as well, so it counts only beside a
        header that a foreign page cannot send without being asked first, and if neither Origin nor
        Sec-Fetch-Site says otherwise. `SameSite` alone would let in pages from another port.
        """
        token = token_in(headers)
        if not token or PAGES_HEADER.lower() not in headers or not is_same_origin(headers):
            return None
        session = self._checked(token)
        return None if session is None else session.key_id

    def end(self, headers: Mapping[str, str]) -> None:
        """May write a file."""
        session = self._checked(token_in(headers))
        if session is not None:
            self._secret.end(session.nonce, session.expires, self._clock())

    def _checked(self, token: str) -> _Session | None:
        match, state = _TOKEN.fullmatch(token), self._secret.read()
        if match is None or state is None:
            return None
        key_id, expires, nonce, given = match.groups()
        expected = _signature(state.secret, f"{key_id}.{expires}.{nonce}")
        if not hmac.compare_digest(given, expected) or self._clock() >= int(expires):
            return None
        return None if state.is_ended(nonce) else _Session(key_id, float(expires), nonce)


def door_of(request: Request) -> str:
    """Where a write came in, for the records of who did what: on a page, or by REST."""
    return "page" if PAGES_HEADER.lower() in request.headers else "rest"


def token_in(headers: Mapping[str, str]) -> str:
    return cookie_parser(headers.get("cookie", "")).get(COOKIE, "")


def _signature(secret: bytes, signed: str) -> str:
    return hmac.new(secret, signed.encode(), hashlib.sha256).hexdigest()
