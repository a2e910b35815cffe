"""Signs what a form carries from one step to the next, so that nobody else can make it up.

A form is bound to the browser that it was given to by a cookie, and is good for ten minutes.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from typing import Any

from ..session_secret import SessionSecret

SECONDS = 600.0
PURPOSE = b"oauth consent"
_NONCE = re.compile(r"[\w\-]{20,60}", re.ASCII)


class Seal:
    """Uses the secret of the page sessions, which every server of the memory shares."""

    def __init__(self, secret: SessionSecret, clock: Callable[[], float] = time.time) -> None:
        self._secret = secret
        self._clock = clock

    def close(self, content: dict[str, Any], browser: str) -> str:
        """May write a file: the secret is made the first time."""
        body = {**content, "until": self._clock() + SECONDS}
        data = urlsafe_b64encode(json.dumps(body).encode()).decode()
        return f"{data}.{self._signature(data, browser)}"

    def open(self, sealed: str, browser: str) -> dict[str, Any] | None:
        """What was sealed for this browser, if it still holds."""
        data, _, signature = sealed.partition(".")
        if not browser or not sealed.isascii():
            return None
        if not hmac.compare_digest(signature, self._signature(data, browser)):
            return None
        content: dict[str, Any] = json.loads(urlsafe_b64decode(data))
        return content if self._clock() < content.pop("until") else None

    def _signature(self, data: str, browser: str) -> str:
        key = hmac.new(self._secret.ready().secret, PURPOSE, hashlib.sha256).digest()
        return hmac.new(key, f"{browser}\n{data}".encode(), hashlib.sha256).hexdigest()


def browser_mark(known: str) -> str:
    """What a browser is recognised by: what it has, or something new."""
    return known if _NONCE.fullmatch(known) else secrets.token_urlsafe(24)
