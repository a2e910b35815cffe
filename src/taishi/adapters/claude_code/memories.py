"""The memory that a hook talks to: a folder that it opens, or a running server over HTTP.

A server answers sooner, as it is warm. Opening the folder costs about a second each time.
"""

from __future__ import annotations

import http.client
import json
from contextlib import closing
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from ...errors import ForbiddenError, InputError, StorageError
from ...types import Scope
from .turns import SessionTurn

if TYPE_CHECKING:
    from ...memory import Memory

DOOR = "hook"
MAX_ANSWER_BYTES = 4 << 20
RESERVE_SECONDS = 0.1  # of a deadline, for all that is not the search
MAX_SEARCH_SECONDS = 5.0
NOT_ACCEPTED = (400, 409, 413, 422)  # the same request would be refused again


class HookMemory(Protocol):
    """The two things that a hook wants of a memory."""

    def context(self, scope: Scope, query: str, max_tokens: int, seconds: float) -> str:
        """The prompt block; without a query, of what is newest. Empty if nothing is known."""

    def end_turn(self, scope: Scope, turn: SessionTurn) -> None:
        """Durable when it returns. Safe to repeat."""


class LocalMemory:
    """An open memory of this machine."""

    def __init__(self, memory: Memory, language: str | None) -> None:
        self._memory = memory
        self._language = language

    def context(self, scope: Scope, query: str, max_tokens: int, seconds: float) -> str:
        deadline = _search_seconds(seconds)
        options = {"deadline": deadline, "language": self._language}
        return self._memory.context(scope, query, max_tokens, **options)  # type: ignore[arg-type]

    def end_turn(self, scope: Scope, turn: SessionTurn) -> None:
        if self._memory.jobs.known_turn(scope, turn.id) is None:
            details = turn.details(scope)
            self._memory.end_turn(scope, request_id=turn.id, door=DOOR, **details)


class RemoteMemory:
    """A `taishi serve`. Needs nothing but the standard library: imports cost time here."""

    def __init__(self, url: str, key: str | None, language: str | None, timeout: float) -> None:
        address = urlsplit(url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise InputError("the server's address must be like http://127.0.0.1:8321")
        self._address = address
        self._key = key
        self._language = language
        self._timeout = timeout

    def context(self, scope: Scope, query: str, max_tokens: int, seconds: float) -> str:
        deadline = _search_seconds(seconds)
        body: dict[str, Any] = {"query": query, "max_tokens": max_tokens, "deadline": deadline}
        if self._language is not None:
            body["language"] = self._language
        text = self._post("/v1/context", _scoped(scope, body)).get("block", "")
        return text if isinstance(text, str) else ""

    def end_turn(self, scope: Scope, turn: SessionTurn) -> None:
        given = {k: v for k, v in turn.details(scope).items() if v is not None}
        self._post("/v1/turns", _scoped(scope, given), {"Idempotency-Key": turn.id})

    def _post(
        self, path: str, body: dict[str, Any], headers: dict[str, str] | None = None
    ) -> dict[str, Any]:
        sent = {"Content-Type": "application/json", **(headers or {})}
        if self._key:
            sent["Authorization"] = f"Bearer {self._key}"
        try:
            with closing(self._connection()) as connection:
                path = self._address.path.rstrip("/") + path
                connection.request("POST", path, json.dumps(body).encode(), sent)
                answer = connection.getresponse()
                status, data = answer.status, answer.read(MAX_ANSWER_BYTES)
        except (OSError, http.client.HTTPException) as error:
            message = f"the server at {self._address.netloc} does not answer ({error!s:.80})"
            raise StorageError(f"{message}; is `taishi serve` running?") from error
        return _answered(status, data)

    def _connection(self) -> http.client.HTTPConnection:
        is_secure = self._address.scheme == "https"
        kind = http.client.HTTPSConnection if is_secure else http.client.HTTPConnection
        return kind(self._address.hostname or "", self._address.port, timeout=self._timeout)


def _scoped(scope: Scope, body: dict[str, Any]) -> dict[str, Any]:
    names = {"user": scope.user, "group": scope.group, "session": scope.session}
    return {**body, "scope": {name: id for name, id in names.items() if id}}


def _search_seconds(left: float) -> float:
    return min(max(left - RESERVE_SECONDS, 0.01), MAX_SEARCH_SECONDS)


def _answered(status: int, data: bytes) -> dict[str, Any]:
    """The answer, or an error with what the server says of it."""
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        given = {}
    given = given if isinstance(given, dict) else {}
    if 200 <= status < 300:
        return given
    detail = f"the server answered {status}: {given.get('detail') or 'no reason given'!s:.300}"
    if status in (401, 403):
        raise ForbiddenError(f"{detail}; see TAISHI_HOOK_KEY and TAISHI_HOOK_SCOPE")
    raise InputError(detail) if status in NOT_ACCEPTED else StorageError(detail)
