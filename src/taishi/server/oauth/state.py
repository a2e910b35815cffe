"""What is stored of OAuth: registered clients, codes on their way, and connections.

Of codes and tokens only hashes are kept. They are random, so one SHA-256 is enough (see
`api_keys`).
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field
from typing import Literal

Access = Literal["read", "write"]
ACCESS_PREFIX = "tso"
REFRESH_PREFIX = "tsr"
CODE_PREFIX = "tsc"


@dataclass(frozen=True, slots=True)
class Client:
    """A program that registered itself. Anybody can: its name is what it says of itself."""

    id: str
    name: str
    redirect_uris: tuple[str, ...]
    created: float


@dataclass(frozen=True, slots=True)
class Approval:
    """What a person allowed: which client, with which of their keys, how much of it, and where the
    tokens may be used. `user` narrows a key that is not bound to one."""

    client: str
    client_name: str
    key: str
    access: Access
    resource: str
    user: str | None = None


@dataclass(frozen=True, slots=True)
class Code:
    """An approval on its way to the client. Once it is used, `connection` names what came of it."""

    approval: Approval
    redirect_uri: str
    challenge: str
    expires: float
    connection: str = ""


@dataclass(frozen=True, slots=True)
class Connection:
    """A client that is connected. `refresh` is the hash of the one token that renews it, `spent`
    those of earlier ones: whoever shows one of them has stolen it, or been stolen from."""

    id: str
    approval: Approval
    created: float
    renewed: float
    refresh: str
    refresh_until: float
    access: dict[str, float] = field(default_factory=dict)  # hash of a token: until when
    spent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    clients: dict[str, Client] = field(default_factory=dict)
    codes: dict[str, Code] = field(default_factory=dict)
    connections: dict[str, Connection] = field(default_factory=dict)
    version: int = 1


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a client gets. Shown once."""

    access_token: str
    refresh_token: str
    seconds: int
    access: Access


def new_token(prefix: str, id: str) -> str:
    return f"{prefix}_{id}_{secrets.token_urlsafe(32)}"


def id_in(token: str, prefix: str) -> str | None:
    """The connection that a token says it belongs to; None if it is no such token."""
    given, _, rest = token.partition("_")
    return rest.partition("_")[0] if given == prefix and len(token) < 200 else None


def digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
