"""Authentication and authorisation: who sent a request, and what their key allows.

Every route asks here, and only here.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace

from starlette.requests import HTTPConnection

from ..api_keys import RIGHTS, Key, Keys, Rights
from ..errors import (
    BusyError,
    ForbiddenError,
    InputError,
    StorageError,
    UnknownKeyError,
    UnreachableError,
)
from ..observe.repeated_trouble import RepeatedTrouble
from ..types import Scope, clean_id
from .fleet import Fleet
from .key_attempts import KeyAttempts, current_address
from .oauth.access import TokenKeys
from .problems import Problem
from .rate_limit import RateLimiter
from .sessions import Sessions

log = logging.getLogger("taishi.server")
DEFAULT_WORKSPACE = "default"
ACTOR_HEADER = "X-Taishi-Actor"


@dataclass(frozen=True, slots=True)
class Caller:
    """A key's holder; with no key, the owner of a server that has none set up."""

    key: Key | None = None
    as_model: bool = False  # the program says that a model wrote this, not it or a person

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
            raise ForbiddenError(f"this key may not do that: it needs the {right!r} right")

    @property
    def actor(self) -> str:
        """Whose statement a write counts as (see `domain.authority`)."""
        if self.as_model:
            return "model"
        if self.key is None:
            return "host"
        return "person" if self.key.as_person else "model"

    @property
    def turn_actor(self) -> str:
        """The same for turns, which a program sends: what people say in them stays theirs."""
        return "model" if self.actor == "model" else "host"

    @property
    def deletion_actor(self) -> dict[str, str]:
        """Keyword arguments for `forget`: the authority, and the key's id for the deletion log."""
        return {"actor": self.actor, "actor_id": self.id, "door": "rest"}

    def need_workspace(self, right: Rights = "admin") -> None:
        """For operations on a whole workspace: a key for one user or group is not enough."""
        self.need(right)
        if self.key is not None and self.key.is_narrow:
            raise ForbiddenError(
                "this key is bound to a user, group or agent; use a key for the whole workspace"
            )

    def need_server(self) -> None:
        """For operations on every workspace: settings, backups, costs."""
        self.need_workspace("admin")
        if self.workspace is not None:
            raise ForbiddenError(
                "this needs a key for every workspace; "
                "create one with `taishi keys create NAME --every-workspace --rights admin`"
            )

    def allowed_workspace(self, workspace: str | int | None) -> str | None:
        """The requested workspace, or the key's own; None: all."""
        requested = clean_id(workspace, "workspace")
        bound = None if self.key is None else self.key.workspace
        if bound is not None and requested is not None and requested != bound:
            raise ForbiddenError(f"this key is for workspace={bound!r} only; pass that, or none")
        return requested if bound is None else bound

    def scope(
        self,
        user: str | int | None = None,
        group: str | int | None = None,
        agent: str | int | None = None,
        session: str | int | None = None,
        workspace: str | None = None,
        shared: bool = False,
    ) -> Scope:
        """The requested scope, if the key covers it.

        What the key is bound to is filled in. Raises ForbiddenError for anything outside it.
        """
        requested = {
            "user": clean_id(user, "user"),
            "group": clean_id(group, "group"),
            "agent": clean_id(agent, "agent"),
        }
        bound_workspace = self.allowed_workspace(workspace)
        if self.key is not None:
            requested = self._restrict_to_key(self.key, requested, shared)
        return Scope(
            session=clean_id(session, "session"),
            workspace=bound_workspace or DEFAULT_WORKSPACE,
            shared=bool(shared),
            **requested,
        )

    def allowed_speaker(self, scope: Scope, sender: str | int | None) -> str | None:
        """The user to whom words are attributed. Profiles are built from them, so a key bound to
        another user, or to an agent, may not name an arbitrary speaker."""
        speaker_id = clean_id(sender, "sender_id")
        if (
            speaker_id is None
            or self.key is None
            or not self.key.is_narrow
            or speaker_id == scope.user
        ):
            return speaker_id
        if self.key.group and not self.key.user:
            return speaker_id
        raise ForbiddenError(f"this key may not record what {speaker_id[:40]!r} says")

    def _restrict_to_key(
        self, key: Key, requested: dict[str, str | None], shared: bool
    ) -> dict[str, str | None]:
        if not key.is_narrow:
            return requested
        if shared:
            raise ForbiddenError("this key does not give access to the workspace's shared memory")
        filled: dict[str, str | None] = {}
        for field, given in requested.items():
            bound = getattr(key, field)
            if bound is not None and given is not None and given != bound:
                raise _outside(key)
            filled[field] = given if bound is None else bound
        # A group takes precedence over a user, and a user over an agent: naming one here would
        # select another partition.
        if filled["group"] and not key.group:
            raise _outside(key)
        if filled["user"] and not (key.user or key.group):
            raise _outside(key)
        if not key.agent:  # an agent that helps a user would open its own memory to the key
            filled["agent"] = None
        return filled


def _outside(key: Key) -> ForbiddenError:
    """Names the scope to use: whoever holds the key may know it, and in Python one is needed."""
    bound = {field: getattr(key, field) for field in ("user", "group", "agent")}
    own = ", ".join(f"{field}={id!r}" for field, id in bound.items() if id is not None)
    return ForbiddenError(f"this key is for another scope; pass its own, Scope({own})")


class Authenticator:
    """Authenticates requests: looks up the key, slows down wrong ones, applies the rate limit."""

    def __init__(
        self,
        keys: Keys,
        attempts: KeyAttempts,
        rates: RateLimiter,
        sessions: Sessions | None = None,
        fleet: Fleet | None = None,
    ) -> None:
        self.sessions = sessions or Sessions()
        self.fleet = fleet or Fleet(None)
        self._keys = keys
        self._attempts = attempts
        self._rates = rates
        self._trouble = RepeatedTrouble(log)

    def authenticate(self, headers: Mapping[str, str], tokens: TokenKeys | None = None) -> Caller:
        """The caller, from `Authorization: Bearer …`, `X-API-Key` or, of a page of ours, the cookie
        of a session; never from the URL, which ends up in logs. Runs in the event loop: the key
        file is read only when it changed. `tokens`: also those of OAuth, where they count."""
        address, secret = current_address.get(), secret_in(headers)
        if secret is not None:
            self._attempts.check(address, secret)
        try:
            caller = self._signed_in(headers) if secret is None else None
            token_key = tokens.find(secret) if tokens is not None and secret else None
            caller = caller or (Caller(token_key) if token_key else None)
            caller = caller or caller_for_secret(self._keys, secret)
        except UnknownKeyError:
            if secret is not None:
                self._attempts.failed(address, secret)
            raise
        except StorageError as error:
            self._trouble.met("nobody is let in: %s", error)
            raise keys_unreadable(error) from error
        if caller.key is not None:
            if secret is not None:
                self._attempts.passed(address, secret)
            self._rates.take(caller.id)
        return caller

    async def admit(self, headers: Mapping[str, str]) -> Caller:
        """The same as `authenticate`, and what the servers of a fleet decide together."""
        fleet = self.fleet
        if not fleet.is_shared:
            return self.authenticate(headers)
        address, secret = current_address.get(), secret_in(headers)
        known = True
        if secret is not None:
            known = self._attempts.is_accepted(address, secret)
            await self._attempts.check_in_fleet(address, secret, fleet)
        try:
            caller = self.authenticate(headers)
        except UnknownKeyError:
            if secret is not None:
                await self._attempts.failed_in_fleet(address, secret, fleet)
            raise
        if caller.key is not None:
            if secret is not None and not known:
                await self._attempts.passed_in_fleet(address, secret, fleet)
            await self._rates.take_in_fleet(caller.id, fleet)
        return caller

    def _signed_in(self, headers: Mapping[str, str]) -> Caller | None:
        key_id = self.sessions.key_id(headers)
        key = None if key_id is None else self._keys.live(key_id)
        return None if key is None else Caller(key)


async def caller_of(request: HTTPConnection) -> Caller:
    """The caller of a request, authenticated once per request."""
    caller: Caller | None = getattr(request.state, "caller", None)
    if caller is None:
        authenticator: Authenticator = request.app.state.authenticator
        caller = await authenticator.admit(request.headers)
        caller = request.state.caller = replace(caller, as_model=_is_for_model(request.headers))
    return caller


def _is_for_model(headers: Mapping[str, str]) -> bool:
    """Whether a program passes on what a model decided. No other value is taken: a key's holder may
    ask for less trust than the key has, never for more."""
    said = headers.get(ACTOR_HEADER)
    if said not in (None, "model"):
        raise InputError(
            f"{ACTOR_HEADER} takes `model`, for what a model decided; leave it out otherwise"
        )
    return said == "model"


def caller_for_secret(keys: Keys, secret: str | None) -> Caller:
    """The caller that a secret belongs to; without one, the owner of a server without keys."""
    key = None if secret is None else keys.find(secret)
    if key is not None:
        return Caller(key)
    if not keys.set_up:
        return Caller()  # whatever was sent: some clients always send a key
    if secret is None:
        raise UnknownKeyError("no key: send `Authorization: Bearer tsk_…` or `X-API-Key`")
    raise UnknownKeyError("this key is unknown, revoked or expired")


def keys_unreadable(error: StorageError) -> Problem:
    """The 503 while the keys cannot be read: requests are refused with a key and without one. Where
    they are goes to the log only, which is the caller's."""
    if isinstance(error, UnreachableError) and error.refusal:
        return Problem(
            503,
            "keys",
            "The keys cannot be read",
            "the database that has the server's keys does not let the server in; whoever runs the "
            "server finds out why with `taishi doctor`",
            {"Retry-After": "10"},
        )
    if isinstance(error, (UnreachableError, BusyError)):
        return Problem(
            503,
            "keys",
            "The keys cannot be read",
            "the database that has the server's keys does not answer right now; send the request "
            "again",
            {"Retry-After": "2"},
        )
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
