"""Idempotency keys: a request that is sent again gets its first response, and runs only once.

Responses are kept in memory, for a day and within bounds. What must not be doubled even after a
crash derives its id from the key (see `Once`), so that the store recognises it.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import Response

from .fleet import Fleet, new_owner, unpacked
from .problems import Problem

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
TTL_SECONDS = 86_400.0
MAX_ENTRIES = 10_000
MAX_ANSWER_BYTES = 256 << 10
MAX_TOTAL_BYTES = 64 << 20
_VALID_KEY = re.compile(r"[\x21-\x7e]{1,200}")


@dataclass(slots=True)
class _Entry:
    digest: bytes
    created: float
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    answer: tuple[int, str | None, bytes] | None = None
    is_cleared: bool = False  # its response was erased; the request still counts as done


class IdempotencyStore:
    """Responses by idempotency key, bounded by age, count and bytes. For one event loop; other
    servers are asked through the fleet."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, fleet: Fleet | None = None
    ) -> None:
        self._clock = clock
        self._fleet = fleet or Fleet(None)
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._bytes = 0

    async def once(
        self, name: str, request: Request, handle: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        """The stored response of `name` or, the first time, the result of `handle`."""
        digest = await _digest(request)
        self._evict()
        entry = self._entries.setdefault(name, _Entry(digest, self._clock()))
        if entry.digest != digest:
            raise _mismatch()
        async with entry.lock:  # a concurrent duplicate waits for the first request
            if entry.is_cleared:
                raise _cleared()
            if entry.answer is not None:
                return _replayed(*entry.answer)
            try:
                response = await self._run(name, digest, request, handle)
            except BaseException:
                self._drop(name)
                raise
            self._store(name, entry, response)
            return response

    async def _run(
        self,
        name: str,
        digest: bytes,
        request: Request,
        handle: Callable[[Request], Awaitable[Response]],
    ) -> Response:
        """Once in the whole fleet: what another server answered is the answer."""
        fleet, owner = self._fleet, new_owner()
        claim = await fleet.claim(name, digest, owner) if fleet.is_shared else None
        if claim is None:
            return await handle(request)
        if claim.digest != digest:
            raise _mismatch()
        if claim.done:
            if claim.answer is None:
                raise _cleared()
            return _replayed(*unpacked(claim.answer))
        async with fleet.renewing(name, owner):
            response = await handle(request)
        await fleet.finish(name, owner, _kept(response), TTL_SECONDS)
        return response

    def cached_texts(self) -> list[str]:
        """The stored responses as text. May be called from any thread."""
        answers = [entry.answer for entry in list(self._entries.values())]
        return [answer[2].decode("utf-8", "replace") for answer in answers if answer is not None]

    def clear_text(self) -> None:
        """Erase stored responses, which may contain text to be forgotten. The keys stay known, so
        that a repeated request is still not run again."""
        for entry in list(self._entries.values()):
            if entry.answer is not None:
                self._bytes -= len(entry.answer[2])
                entry.answer, entry.is_cleared = None, True

    def _store(self, name: str, entry: _Entry, response: Response) -> None:
        answer = _kept(response)
        if answer is None:
            self._drop(name)
            return
        entry.answer = answer
        self._bytes += len(answer[2])

    def _drop(self, name: str) -> None:
        entry = self._entries.pop(name, None)
        if entry is not None and entry.answer is not None:
            self._bytes -= len(entry.answer[2])

    def _evict(self) -> None:
        oldest_allowed = self._clock() - TTL_SECONDS
        while self._entries:
            name, entry = next(iter(self._entries.items()))
            full = len(self._entries) >= MAX_ENTRIES or self._bytes > MAX_TOTAL_BYTES
            if entry.lock.locked() or not (full or entry.created < oldest_allowed):
                return
            self._drop(name)


def _kept(response: Response) -> tuple[int, str | None, bytes] | None:
    """What is kept of a response; None: it is too large, or a stream."""
    body = getattr(response, "body", None)
    if not isinstance(body, bytes) or len(body) > MAX_ANSWER_BYTES:
        return None
    return response.status_code, response.headers.get("content-type"), body


def _mismatch() -> Problem:
    return Problem(
        422,
        "idempotency-mismatch",
        "Another request had this key",
        f"{HEADER} was used for a different request; take a new key for a new request",
    )


def _cleared() -> Problem:
    return Problem(
        409,
        "idempotency-cleared",
        "This request was done; its answer is gone",
        "answers are not kept once memories are forgotten; read the current state instead",
    )


def entry_name(request: Request, caller: str) -> str | None:
    """Hash of caller, path and idempotency key; None: the request has no key."""
    key = request.headers.get(HEADER)
    if key is None:
        return None
    if not _VALID_KEY.fullmatch(key):
        raise Problem(
            400,
            "idempotency-key",
            "This key cannot be used",
            f"{HEADER} takes 1 to 200 visible ASCII characters, such as a UUID",
        )
    path = f"{request.method} {request.url.path}"
    return hashlib.sha256(f"{caller}\0{path}\0{key}".encode()).hexdigest()[:32]


async def _digest(request: Request) -> bytes:
    return hashlib.sha256(request.url.query.encode() + b"\0" + await request.body()).digest()


def _replayed(status: int, media_type: str | None, body: bytes) -> Response:
    return Response(body, status, {REPLAYED: "true"}, media_type)
