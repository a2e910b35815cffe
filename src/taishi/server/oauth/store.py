"""Clients and connections of one memory, in a document beside its API keys.

Any number of servers share it: what one of them allowed or withdrew holds for all.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import TypeVar

import msgspec

from ...api_keys import Keys
from ...errors import CorruptError, InputError
from ...types import Partition
from . import pruning
from .errors import OAuthError
from .pkce import fits
from .state import (
    ACCESS_PREFIX,
    CODE_PREFIX,
    REFRESH_PREFIX,
    Approval,
    Client,
    Code,
    Connection,
    State,
    Tokens,
    digest,
    id_in,
    new_token,
)

CODE_SECONDS = 60.0
ACCESS_SECONDS = 3600
REFRESH_SECONDS = 60 * 86400.0
LIVE_ACCESS_TOKENS = 3
SPENT_REMEMBERED = 100
FORCED_EVERY = 0.5
T = TypeVar("T")
Change = Callable[[State], tuple[State, T]]


class OAuthStore:
    """Reads are cached until the document changes; each change is one locked write."""

    def __init__(self, keys: Keys, clock: Callable[[], float] = time.time) -> None:
        self._keys = keys  # their document is open for as long as they are
        self._document = keys.connections
        self._clock = clock
        self._stamp: Hashable | None = None
        self._state = State()
        self._forced = 0.0

    def register(self, name: str, redirect_uris: tuple[str, ...]) -> Client:
        client = Client(secrets.token_hex(12), name, redirect_uris, self._clock())

        def change(state: State) -> tuple[State, Client]:
            return replace(state, clients={**state.clients, client.id: client}), client

        return self._change(change)

    def client(self, id: str) -> Client | None:
        return self._read().clients.get(id)

    def list(self) -> list[Connection]:
        """The connections that can still be renewed, oldest first."""
        now = self._clock()
        found = self._read().connections.values()
        return sorted((c for c in found if c.refresh_until > now), key=lambda c: c.created)

    def approve(self, approval: Approval, redirect_uri: str, challenge: str) -> str:
        """A code that the client may exchange once, within a minute."""
        token = new_token(CODE_PREFIX, secrets.token_hex(4))
        code = Code(approval, redirect_uri, challenge, self._clock() + CODE_SECONDS)

        def change(state: State) -> tuple[State, str]:
            return replace(state, codes={**state.codes, digest(token): code}), token

        return self._change(change)

    def exchange(
        self, token: str, client: str, redirect_uri: str, verifier: str, resource: str
    ) -> Tokens:
        """Tokens for a code. A code that comes a second time was stolen: what came of the first
        time is withdrawn."""

        def change(state: State) -> tuple[State, Tokens | None]:
            mark = digest(token)
            code = state.codes.get(mark)
            if code is None or code.approval.client != client:
                return state, None
            if code.connection:
                return _without(state, code.connection), None
            spent = {k: v for k, v in state.codes.items() if k != mark}
            is_good = (
                self._clock() < code.expires
                and hmac.compare_digest(redirect_uri, code.redirect_uri)
                and fits(verifier, code.challenge)
                and resource == code.approval.resource
            )
            if not is_good:
                return replace(state, codes=spent), None
            connection, tokens = self._connected(code.approval)
            codes = {**spent, mark: replace(code, connection=connection.id)}
            known = {**state.connections, connection.id: connection}
            return replace(state, codes=codes, connections=known), tokens

        return _granted(self._change(change))

    def renew(self, token: str, client: str, resource: str) -> Tokens:
        """New tokens for a refresh token, which is spent by that. One that was spent before ends
        the connection: either the thief or the client is showing it."""

        def change(state: State) -> tuple[State, Tokens | None]:
            found = state.connections.get(id_in(token, REFRESH_PREFIX) or "")
            mark = digest(token)
            if found is None or found.approval.client != client:
                return state, None
            if mark in found.spent:
                return _without(state, found.id), None
            is_current = hmac.compare_digest(mark, found.refresh)
            is_here = resource == found.approval.resource
            if not is_current or not is_here or self._clock() >= found.refresh_until:
                return state, None
            renewed, tokens = self._renewed(found)
            known = {**state.connections, found.id: renewed}
            return replace(state, connections=known), tokens

        return _granted(self._change(change))

    def approval_of(self, token: str, resource: str) -> Approval | None:
        """What an access token allows at a resource; None if it is not or no longer good."""
        id = id_in(token, ACCESS_PREFIX)
        if id is None:
            return None
        found = self._good(self._read(), id, token, resource)
        if found is None and self._may_force():  # another server may have issued it just now
            found = self._good(self._parsed(), id, token, resource)
        return found

    def _good(self, state: State, id: str, token: str, resource: str) -> Approval | None:
        connection = state.connections.get(id)
        until = connection.access.get(digest(token), 0.0) if connection else 0.0
        if connection is None or self._clock() >= until:
            return None
        return connection.approval if connection.approval.resource == resource else None

    def _may_force(self) -> bool:
        now = time.monotonic()
        if self._document.stamp() is None or now - self._forced < FORCED_EVERY:
            return False
        self._forced = now
        return True

    def revoke_token(self, token: str, client: str) -> None:
        """Withdraw the connection of an access or a refresh token (RFC 7009). One that is not
        known is no error."""

        def change(state: State) -> tuple[State, None]:
            id = id_in(token, REFRESH_PREFIX) or id_in(token, ACCESS_PREFIX) or ""
            found, mark = state.connections.get(id), digest(token)
            if found is None or found.approval.client != client:
                return state, None
            is_theirs = mark == found.refresh or mark in found.access or mark in found.spent
            return (_without(state, id) if is_theirs else state), None

        self._change(change)

    def revoke(self, id: str) -> Connection:
        def change(state: State) -> tuple[State, Connection | None]:
            return _without(state, id), state.connections.get(id)

        found = self._change(change)
        if found is None:
            raise InputError(f"there is no connection {id[:80]!r}; `taishi oauth list` shows them")
        return found

    def forget(self, place: Partition) -> int:
        """Remove the connections that name a user who was forgotten. How many went."""

        def change(state: State) -> tuple[State, int]:
            is_user = place.kind == "private"
            kept = {
                id: one
                for id, one in state.connections.items()
                if not (is_user and one.approval.user == place.id)
            }
            codes = {
                mark: one
                for mark, one in state.codes.items()
                if not (is_user and one.approval.user == place.id)
            }
            gone = len(state.connections) - len(kept)
            return replace(state, connections=kept, codes=codes), gone

        return self._change(change) if self._document.stamp() is not None else 0

    def _connected(self, approval: Approval) -> tuple[Connection, Tokens]:
        now = self._clock()
        new = Connection(secrets.token_hex(8), approval, now, now, "", 0.0)
        return self._renewed(new)

    def _renewed(self, connection: Connection) -> tuple[Connection, Tokens]:
        now, id = self._clock(), connection.id
        access, refresh = new_token(ACCESS_PREFIX, id), new_token(REFRESH_PREFIX, id)
        live = {mark: until for mark, until in connection.access.items() if until > now}
        newest = dict(list(live.items())[-(LIVE_ACCESS_TOKENS - 1) :])
        spent = (*connection.spent, connection.refresh) if connection.refresh else ()
        renewed = replace(
            connection,
            renewed=now,
            refresh=digest(refresh),
            refresh_until=now + REFRESH_SECONDS,
            access={**newest, digest(access): now + ACCESS_SECONDS},
            spent=spent[-SPENT_REMEMBERED:],
        )
        return renewed, Tokens(access, refresh, ACCESS_SECONDS, connection.approval.access)

    def _read(self) -> State:
        stamp = self._document.stamp()
        if stamp is None:
            return State()
        if stamp != self._stamp:
            self._state, self._stamp = self._parsed(), stamp
        return self._state

    def _parsed(self) -> State:
        try:
            return msgspec.json.decode(self._document.read(), type=State)
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            raise CorruptError(
                f"{self._document.where} is damaged ({error!s:.80}); delete it, and let the "
                "clients connect again"
            ) from error

    def _change(self, change: Change[T]) -> T:
        with self._document.locked():
            before = self._read()
            after, result = change(before)
            if after is not before:
                kept = pruning.pruned(after, self._clock())
                self._document.write(msgspec.json.encode(kept))
                self._stamp = None
        return result


def _without(state: State, id: str) -> State:
    known = {key: one for key, one in state.connections.items() if key != id}
    return replace(state, connections=known)


def _granted(tokens: Tokens | None) -> Tokens:
    if tokens is None:
        raise OAuthError("invalid_grant", "it is not known, was used before or has expired")
    return tokens
