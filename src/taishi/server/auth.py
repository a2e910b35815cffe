"""Who is calling, and what they may do. Every route asks here, and only here."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import HTTPConnection

from ..api_keys import RIGHTS, Key, Keys, Rights
from ..errors import ForbiddenError, StorageError, UnknownKeyError
from ..types import Scope, clean_id
from .key_attempts import KeyAttempts, current_address
from .problems import Problem
from .rate_limit import RateLimiter

log = logging.getLogger("taishi.server")
DEFAULT_WORKSPACE = "default"


@dataclass(frozen=True, slots=True)
class Caller:
    """A key's holder; with no key, the owner of a server that has none set up."""

    key: Key | None = None

    @property
    def id(self) -> str:
        """For logs, limits and idempotency: never the secret."""
        return self.key.id if self.key else "open"

    @property
    def workspace(self) -> str | None:
        """The one workspace this caller may see; None: any."""
        return self.key.workspace if self.key else None

    def may(self, right: Rights) -> bool:
        return self.key is None or RIGHTS.index(self.key.rights) >= RIGHTS.index(right)

    def need(self, right: Rights) -> None:
        if not self.may(right):
            raise ForbiddenError(f"this key may not do that: it needs the right {right!r}")

    @property
    def actor(self) -> str:
        """Whose word it is that this caller writes (see `rooms.authority`)."""
        if self.key is None:
            return "host"
        return "person" if self.key.as_person else "model"

    @property
    def teller(self) -> str:
        """The same of turns, which a program tells: what people say in them is theirs."""
        return "model" if self.actor == "model" else "host"

    @property
    def deleter(self) -> dict[str, str]:
        """For `forget`: what this caller may, and which key it was, for the list of deletions."""
        return {"actor": self.actor, "actor_id": self.id, "door": "rest"}

    def need_workspace(self, right: Rights = "admin") -> None:
        """For what concerns a workspace as a whole: a narrower key does not do."""
        self.need(right)
        if self.key is not None and self.key.is_narrow:
            raise ForbiddenError(
                "this key is bound to a user, a group or an agent; use one for the whole workspace"
            )

    def need_server(self) -> None:
        """For what concerns every workspace: settings, backups, costs."""
        self.need_workspace("admin")
        if self.workspace is not None:
            raise ForbiddenError(
                "this concerns every workspace and the key is bound to one; "
                "make one with `taishi keys create --every-workspace --rights admin`"
            )

    def within(self, workspace: str | int | None) -> str | None:
        """The workspace that was asked for, or the key's own; None: every one."""
        asked = clean_id(workspace, "workspace")
        return asked if self.key is None else self._bound(asked, self.key.workspace, "workspace")

    def scope(
        self,
        user: str | int | None = None,
        group: str | int | None = None,
        agent: str | int | None = None,
        session: str | int | None = None,
        workspace: str | None = None,
        shared: bool = False,
    ) -> Scope:
        """The scope that was asked for, if the key reaches it.

        What the key is bound to is filled in. Raises ForbiddenError for anything outside it.
        """
        asked = {
            "user": clean_id(user, "user"),
            "group": clean_id(group, "group"),
            "agent": clean_id(agent, "agent"),
        }
        place = self.within(workspace)
        if self.key is not None:
            asked = self._inside(self.key, asked, shared)
        return Scope(
            session=clean_id(session, "session"),
            workspace=place or DEFAULT_WORKSPACE,
            shared=bool(shared),
            **asked,
        )

    def speaker(self, scope: Scope, sender: str | int | None) -> str | None:
        """Whom words are put down to. A page follows from it, so a key bound to somebody else,
        or to nobody in particular outside a group, may not name just anyone."""
        named = clean_id(sender, "sender_id")
        if named is None or self.key is None or not self.key.is_narrow or named == scope.user:
            return named
        if self.key.group and not self.key.user:
            return named
        raise ForbiddenError(f"this key may not write down what {named[:40]!r} says")

    def _inside(
        self, key: Key, asked: dict[str, str | None], shared: bool
    ) -> dict[str, str | None]:
        if not key.is_narrow:
            return asked
        if shared:
            raise ForbiddenError("this key is narrower than the shared memory of the workspace")
        filled = {what: self._bound(asked[what], getattr(key, what), what) for what in asked}
        # A group wins over a user, and a user over an agent: naming one would change the place.
        if filled["group"] and not key.group:
            raise ForbiddenError("this key is not for groups; leave group out")
        if filled["user"] and not (key.user or key.group):
            raise ForbiddenError("this key is for an agent's own memory; leave user out")
        return filled

    def _bound(self, asked: str | None, bound: str | None, what: str) -> str | None:
        if bound is not None and asked is not None and asked != bound:
            raise ForbiddenError(f"this key is bound to another {what}; leave {what} out")
        return asked if bound is None else bound


class Authenticator:
    """Who shows which key, for every door of a server: keys, wrong ones, how many requests."""

    def __init__(self, keys: Keys, attempts: KeyAttempts, rates: RateLimiter) -> None:
        self._keys = keys
        self._attempts = attempts
        self._rates = rates

    def of(self, headers: Mapping[str, str]) -> Caller:
        """The caller, from `Authorization: Bearer …` or `X-API-Key`; never from an address, which
        ends up in logs. Not a thread's work: the keys' file is read only when it changed."""
        address, secret = current_address.get(), secret_in(headers)
        if secret is not None:
            self._attempts.check(address, secret)
        try:
            caller = caller_with(self._keys, secret)
        except UnknownKeyError:
            if secret is not None:
                self._attempts.failed(address, secret)
            raise
        except StorageError as error:
            raise unreadable(error) from error
        if secret is not None and caller.key is not None:
            self._attempts.passed(address, secret)
            self._rates.take(caller.id)
        return caller


async def caller_of(request: HTTPConnection) -> Caller:
    """The caller of a request, asked for once."""
    known: Caller | None = getattr(request.state, "caller", None)
    if known is None:
        callers: Authenticator = request.app.state.callers
        known = request.state.caller = callers.of(request.headers)
    return known


def caller_with(keys: Keys, secret: str | None) -> Caller:
    """The holder of a secret, or of none."""
    key = None if secret is None else keys.find(secret)
    if key is not None:
        return Caller(key)
    if not keys.set_up:
        return Caller()  # whatever the client sends: some cannot but send a key
    if secret is None:
        raise UnknownKeyError("no key: send `Authorization: Bearer tsk_…` or `X-API-Key`")
    raise UnknownKeyError("this key is not known, was revoked or has expired")


def unreadable(error: StorageError) -> Problem:
    """While keys cannot be read nobody is let in: neither with one nor, as if there were none,
    without. Where the file lies is for the log alone."""
    log.error("nobody is let in: %s", error)
    return Problem(
        503,
        "keys",
        "The keys cannot be read",
        "the server's file of keys is damaged or cannot be read, and nobody is let in until "
        "it is mended; whoever runs the server finds the file with `taishi doctor`",
        {"Retry-After": "10"},
    )


def secret_in(headers: Mapping[str, str]) -> str | None:
    """X-API-Key first: with it, Authorization may be for the upstream of the proxy."""
    scheme, _, rest = headers.get("authorization", "").partition(" ")
    bearer = rest.strip() if scheme.lower() == "bearer" else ""
    return headers.get("x-api-key", "").strip() or bearer or None
