"""The secret that signs the cookies of the web pages, in a document beside the API keys.

Every server of the memory reads the same one, so that whoever signed in at one is known by all.
Whoever signs out is noted in it until the cookie would have expired anyway.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from ..errors import StorageError, UnreachableError
from ..ports import KeyDocument

MAX_ENDED = 1000


@dataclass(frozen=True, slots=True)
class SigningState:
    """The signing key, and the sessions that ended before their time, as hashes."""

    secret: bytes
    ended: dict[str, float] = field(default_factory=dict)

    def is_ended(self, nonce: str) -> bool:
        return _digest(nonce) in self.ended


class SessionSecret:
    """Shared through a document; where it cannot be written, for this process alone."""

    def __init__(self, document: KeyDocument | None = None) -> None:
        self._document = document
        self._lock = threading.Lock()
        self._stamp: Hashable | None = None
        self._state: SigningState | None = None

    def read(self) -> SigningState | None:
        """What is in force; None before anybody signed in. Read again only if it changed."""
        if self._document is None:
            return self._state
        try:
            stamp = self._document.stamp()
            if stamp is not None and stamp != self._stamp:
                with self._lock:
                    self._state, self._stamp = _parsed(self._document.read()), stamp
        except StorageError:
            return self._state  # the API keys, which are beside it, tell what is wrong
        return self._state

    def ready(self) -> SigningState:
        """What is in force, made the first time."""
        return self.read() or self._change(lambda state: state)

    def end(self, nonce: str, expires: float, now: float) -> None:
        """From now on this session opens nothing, in any process."""

        def change(state: SigningState) -> SigningState:
            ended = {mark: until for mark, until in state.ended.items() if until > now}
            if len(ended) >= MAX_ENDED:  # never forget one that ended: end them all instead
                return _fresh()
            return SigningState(state.secret, {**ended, _digest(nonce): expires})

        self._change(change)

    def _change(self, change: Callable[[SigningState], SigningState]) -> SigningState:
        """A database that is away is an error: other servers would not learn of it."""
        document = self._document
        if document is None:
            return self._change_here(change)
        try:
            with document.locked():
                state = change(self.read() or _fresh())
                content = {"version": 1, "secret": state.secret.hex(), "ended": state.ended}
                document.write(json.dumps(content).encode())
        except UnreachableError:
            raise
        except StorageError:
            return self._change_here(change)
        return self.read() or state

    def _change_here(self, change: Callable[[SigningState], SigningState]) -> SigningState:
        self._state = change(self._state or _fresh())
        return self._state


def _parsed(data: bytes) -> SigningState | None:
    """A damaged document ends all sessions: the next sign-in writes a new one."""
    try:
        content = json.loads(data)
        secret = bytes.fromhex(content["secret"])
        ended = {str(mark): float(until) for mark, until in content["ended"].items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return SigningState(secret, ended) if len(secret) >= 32 else None


def _fresh() -> SigningState:
    return SigningState(secrets.token_bytes(32))


def _digest(nonce: str) -> str:
    return hashlib.sha256(nonce.encode("utf-8", "replace")).hexdigest()[:32]
