"""What the servers of one memory decide together: limits and idempotency keys.

Each has its version in this process, which goes first and is all there is when no shared cache is
set, or while it does not answer: then a limit counts per server.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

from ..ports.shared_state import Claim, SharedState, SharedStateError

T = TypeVar("T")
ASK_SECONDS = 0.25  # more than the link itself ever takes, except to look up a host's name
LEASE_SECONDS = 15.0
POLL_SECONDS = 0.05
ACCEPTED_SECONDS = 86_400.0

Answer = tuple[int, str | None, bytes]


class Fleet:
    """Every question is asked in a thread, and answered with None if there is nobody to ask."""

    def __init__(self, state: SharedState | None) -> None:
        self._state = state

    @property
    def is_shared(self) -> bool:
        return self._state is not None

    async def ask(self, question: Callable[[SharedState], T]) -> T | None:
        state = self._state
        if state is None:
            return None
        try:
            return await asyncio.wait_for(asyncio.to_thread(question, state), ASK_SECONDS)
        except (SharedStateError, TimeoutError):
            return None

    # -- limits ----------------------------------------------------------------------------------

    async def take(self, caller: str, per_minute: int) -> int:
        """Seconds to wait before this caller's next request; 0: it was counted."""
        if not per_minute:
            return 0
        return await self.ask(lambda state: state.take(f"rate\0{caller}", per_minute)) or 0

    async def wrong_keys_wait(self, address: str, secret: str, per_minute: int) -> int:
        """Seconds for which an address is refused, unless this key was accepted from there."""
        if not per_minute:
            return 0
        wait = await self.ask(lambda state: state.wait(f"wrong\0{address}", per_minute))
        if not wait:
            return 0
        accepted = await self.ask(lambda state: state.get(_accepted(address, secret)))
        return 0 if accepted is not None else wait

    async def wrong_key(self, address: str, secret: str, per_minute: int) -> None:
        if per_minute:
            await self.ask(lambda state: state.spend(f"wrong\0{address}", per_minute))
            await self.ask(lambda state: state.delete(_accepted(address, secret)))

    async def right_key(self, address: str, secret: str, per_minute: int) -> None:
        if per_minute:
            name = _accepted(address, secret)
            await self.ask(lambda state: state.put(name, "1", ACCEPTED_SECONDS))

    # -- idempotency -----------------------------------------------------------------------------

    async def claim(self, name: str, digest: bytes, owner: str) -> Claim | None:
        """Ours to run, or what became of it on another server, which is waited for. None: nobody
        could be asked."""
        while True:
            claim = await self.ask(lambda s: s.claim(name, digest, owner, LEASE_SECONDS))
            if claim is None or claim.mine or claim.done or claim.digest != digest:
                return claim
            await asyncio.sleep(POLL_SECONDS)

    @asynccontextmanager
    async def renewing(self, name: str, owner: str) -> AsyncIterator[None]:
        """While a request runs, its claim does not lapse; it is given back if the request fails."""
        task = asyncio.create_task(self._renew(name, owner))
        try:
            yield
        except BaseException:
            await self.ask(lambda state: state.release(name, owner))
            raise
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _renew(self, name: str, owner: str) -> None:
        while True:
            await asyncio.sleep(LEASE_SECONDS / 3)
            await self.ask(lambda state: state.renew(name, owner, LEASE_SECONDS))

    async def finish(self, name: str, owner: str, answer: Answer | None, seconds: float) -> None:
        """Without an answer, the request may be run again: it was too large to keep."""
        if answer is None:
            await self.ask(lambda state: state.release(name, owner))
            return
        status, media_type, body = answer
        packed = json.dumps([status, media_type]).encode() + b"\n" + body
        await self.ask(lambda state: state.finish(name, owner, packed, seconds))


def new_owner() -> str:
    return secrets.token_hex(16)


def unpacked(answer: bytes) -> Answer:
    head, _, body = answer.partition(b"\n")
    status, media_type = json.loads(head)
    return status, media_type, body


def _accepted(address: str, secret: str) -> str:
    digest = hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
    return f"accepted\0{address}\0{digest}"
