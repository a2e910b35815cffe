"""Ports to what several servers of one memory share: limits, idempotency, sign-ins; and how an
engine outside the data folder is doing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

EngineState = Literal["ok", "degraded"]
EngineAnswer = Literal["ok", "away", "refused", "missing"]  # refused: our name, password or keys


class OutsideEngine(Protocol):
    """An engine that runs elsewhere. While it does not answer, the memory does without it."""

    @property
    def name(self) -> str:
        """What it is used for: `database`, `cache` or `files`."""

    @property
    def address(self) -> str:
        """Without a password."""

    @property
    def state(self) -> EngineState: ...

    def look(self) -> None:
        """Find out what the state is now, if that takes no longer than a moment."""

    def close(self) -> None: ...


class SharedStateError(Exception):
    """The shared state cannot be reached: the server decides alone."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What became of an attempt to run a request with an idempotency key.

    `mine`: it is ours to run. `done`: it was run; `answer` is its response, None if that was erased
    since. Neither: another server is running it. `digest` is of the request that came first.
    """

    digest: bytes
    mine: bool = False
    done: bool = False
    answer: bytes | None = None


class SharedState(Protocol):
    """Small facts that the servers of one memory agree on. Every call is atomic, answers within a
    fraction of a second or raises SharedStateError, and may be made from any thread. Names are
    stored as hashes."""

    def take(self, bucket: str, per_minute: int) -> int:
        """Take one of `per_minute` tokens: 0, or whole seconds until there is one."""

    def spend(self, bucket: str, per_minute: int) -> int:
        """Take a token even if there is none; seconds until there is one again."""

    def wait(self, bucket: str, per_minute: int) -> int:
        """Whole seconds until there is a token; takes none."""

    def claim(self, name: str, digest: bytes, owner: str, lease: float) -> Claim:
        """Ask to run a request; a claim that is not renewed for `lease` seconds lapses."""

    def renew(self, name: str, owner: str, lease: float) -> bool:
        """False: the claim is not ours any more."""

    def finish(self, name: str, owner: str, answer: bytes, ttl: float) -> None:
        """The request was run: whoever sends it again gets this."""

    def release(self, name: str, owner: str) -> None:
        """It failed: whoever sends it again may run it."""

    def put(self, name: str, value: str, ttl: float) -> None: ...

    def get(self, name: str) -> str | None: ...

    def delete(self, name: str) -> None: ...
