"""One server as the remote services see it: routes are called, answers decoded and checked."""

from __future__ import annotations

import json
import logging
import math
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import msgspec

from ..domain.actors import checked
from ..domain.arguments import each, mapping, text
from ..errors import (
    InputError,
    ScopeError,
    StorageError,
    TaishiError,
    UnknownKeyError,
    UnreachableError,
)
from ..times import TimeLike, to_datetime, to_epoch
from ..types import Partition, Scope
from .address import API, KEY_VARIABLE
from .problems import raise_problem
from .transport import Answer, Call, Transport
from .wire import Who, decode, from_json

log = logging.getLogger("taishi.remote")
T = TypeVar("T")


class NoScope:
    """What a route has that is about no scope. None is what a caller gave for one."""


NO_SCOPE = NoScope()
EXAMPLE = "user='ann'"
CALL_SECONDS = 30.0
LONG_SECONDS = 600.0  # for what waits for a model, or reads all of a memory
JSON = {"Content-Type": "application/json"}
ACTOR = "X-Taishi-Actor"
IDEMPOTENCY = "Idempotency-Key"
DEFAULT_WORKSPACE = "default"
LISTS = ("kinds", "states", "types")  # in an address; all else there is one value
NUMBERS = ("min_confidence",)


@dataclass(frozen=True, slots=True)
class Route(Generic[T]):
    """A route of the API and what it answers.

    `once`: it takes an Idempotency-Key. `repeatable`: it does no harm to call it twice; of GET and
    DELETE that is so, too. `off` is the answer of a memory that is switched off; None: an error.
    `checks_actor`: who acts is one of a few; elsewhere it is any name.
    """

    method: str
    path: str
    answer: type[T]
    once: bool = False
    repeatable: bool = False
    off: Mapping[str, Any] | None = None
    checks_actor: bool = True

    @property
    def in_query(self) -> bool:
        return self.method in ("GET", "DELETE")


class Server:
    """Calls routes. Switched off (`off_reason`), it answers for a memory that keeps nothing."""

    def __init__(self, transport: Transport, who: Who | None, off_reason: str = "") -> None:
        self.transport = transport
        self.who = who or Who()
        self.off_reason = off_reason

    def call(
        self,
        route: Route[T],
        scope: Scope | NoScope = NO_SCOPE,
        /,
        *path: object,
        seconds: float = CALL_SECONDS,
        actor: str | None = None,
        body: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> T:
        """The decoded answer. Fields that are None are left out; those of `body` are not.

        By the `actor` "model" the server trusts a write less than its key allows.
        """
        if self.is_off(scope):
            return self._off_answer(route)
        given = {name: value for name, value in fields.items() if value is not None}
        given |= dict(body or {})
        if route.checks_actor and actor is not None:
            checked(actor)
        headers = {} if actor != "model" else {ACTOR: "model"}
        if route.once:
            headers[IDEMPOTENCY] = str(uuid.uuid4())
        url = API + route.path.format(*map(path_part, path))
        repeatable = route.once or route.repeatable or route.in_query
        if route.in_query:
            pairs = tuple(_pairs({**self._scope(scope), **given}))
            sent = Call(route.method, url, seconds, pairs, headers, repeatable=repeatable)
        else:
            document = {**self._in_body(scope), **given}
            content = encoded(document)
            sent = Call(route.method, url, seconds, (), headers | JSON, content, repeatable)
        return self.decoded(self.transport.send(sent), route.answer)

    def find(
        self, route: Route[T], scope: Scope | NoScope, /, *path: object, **fields: Any
    ) -> T | None:
        """The same, or None if there is no such thing."""
        self.check(scope)
        if None in path:
            return None
        try:
            return self.call(route, scope, *path, **fields)
        except MissingError:
            return None

    def upload(
        self,
        route: Route[T],
        scope: Scope | NoScope,
        content: Any,
        media_type: str,
        **fields: Any,
    ) -> T:
        """A body that is not JSON; the fields go into the address."""
        if self.is_off(scope):
            return self._off_answer(route)
        given = {name: value for name, value in fields.items() if value is not None}
        pairs = tuple(_pairs({**self._scope(scope), **given}))
        headers = {"Content-Type": media_type}
        repeatable = route.repeatable and isinstance(content, bytes)
        path = API + route.path
        sent = Call(route.method, path, LONG_SECONDS, pairs, headers, content, repeatable)
        return self.decoded(self.transport.send(sent), route.answer)

    def fetch(self, path: str, scope: Scope | NoScope, **fields: Any) -> Answer:
        """A GET whose answer is not JSON; redirects are the caller's to look at."""
        self.need_on(scope)
        pairs = tuple(_pairs({**self._scope(scope), **fields}))
        answer = self.transport.send(Call("GET", API + path, LONG_SECONDS, pairs, repeatable=True))
        self._check(answer)
        return answer

    def lines(self, path: str, scope: Scope | NoScope, **fields: Any) -> Iterator[str]:
        """A GET whose answer is a stream of lines."""
        self.need_on(scope)
        pairs = tuple(_pairs({**self._scope(scope), **fields}))
        with self.transport.stream(Call("GET", API + path, LONG_SECONDS, pairs)) as response:
            if response.status_code != 200:
                body = response.read()
                self._check(Answer(response.status_code, response.headers, body))
            yield from response.iter_lines()

    def decoded(self, answer: Answer, kind: type[T]) -> T:
        self._check(answer)
        try:
            return decode(answer.body, kind)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise self._foreign(answer) from error

    # -- scopes ---------------------------------------------------------------------------------

    def is_off(self, scope: Scope | NoScope = NO_SCOPE) -> bool:
        self.check(scope)
        return bool(self.off_reason)

    def check(self, scope: Scope | NoScope = NO_SCOPE) -> None:
        """ScopeError for anything else, as in a folder: the key's own scope is named, not guessed.
        It is also for a verb whose scope is no part of what it sends."""
        self.transport.check_open()
        if not isinstance(scope, (Scope, NoScope)):
            names = ("user", "group", "agent")
            own = [f"{name}={id!r}" for name in names if (id := getattr(self.who, name))]
            raise ScopeError(
                f"the first argument must be a Scope, such as Scope({', '.join(own) or EXAMPLE}), "
                f"not {type(scope).__name__}"
            )

    def need_on(self, scope: Scope | NoScope = NO_SCOPE) -> None:
        if self.is_off(scope):
            raise StorageError(
                f"memory could not be opened and is switched off ({self.off_reason.rstrip('.')}). "
                "Correct that, then open it again"
            )

    def home(self, scope: Scope) -> Partition:
        """Where the scope's own records are, in the workspace of the key."""
        workspace = scope.workspace
        if workspace == DEFAULT_WORKSPACE and self.who.workspace:
            workspace = self.who.workspace
        return Partition(workspace, scope.home.kind, scope.home.id)

    def _in_body(self, scope: Scope | NoScope) -> dict[str, Any]:
        return {"scope": self._scope(scope)} if isinstance(scope, Scope) else {}

    def _scope(self, scope: Scope | NoScope) -> dict[str, Any]:
        """What differs from the default: a key that is bound to a workspace fills that in."""
        if isinstance(scope, NoScope):
            return {}
        names = ("user", "group", "agent", "session")
        found: dict[str, Any] = {name: getattr(scope, name) for name in names}
        found["workspace"] = None if scope.workspace == DEFAULT_WORKSPACE else scope.workspace
        found["shared"] = True if scope.shared else None
        return {name: value for name, value in found.items() if value is not None}

    # -- answers --------------------------------------------------------------------------------

    def _off_answer(self, route: Route[T]) -> T:
        if route.off is None:
            self.need_on()
        return from_json(dict(route.off or {}), route.answer)

    def _check(self, answer: Answer) -> None:
        if answer.status < 300 or answer.status == 307:
            return
        if (problem := answer.problem) is None:
            raise self._foreign(answer)
        if problem.code == "not-found":
            raise MissingError(problem.detail or problem.title)
        if problem.code == "unauthenticated":
            raise self._no_entry()
        raise_problem(problem)

    def _no_entry(self) -> UnknownKeyError:
        url = self.transport.address.url
        if not self.transport.has_key:
            return UnknownKeyError(f"{url}: no key; pass `api_key=…` or set `{KEY_VARIABLE}`")
        return UnknownKeyError(
            f"{url} does not know this key, or it was revoked or has expired; see "
            "`taishi keys list` there"
        )

    def _foreign(self, answer: Answer) -> TaishiError:
        """Something else answers there."""
        url = self.transport.address.url
        if 300 <= answer.status < 400:
            return UnreachableError(
                f"{url} redirects elsewhere, and a key is sent to no other address than the one "
                "that was given; open the address that it redirects to"
            )
        kind = answer.headers.get("content-type", "").partition(";")[0][:60] or "no content type"
        return UnreachableError(
            f"{url} answered {answer.status} with {kind}, which is not an answer of Taishi; "
            "check the address, and any proxy in between"
        )


class MissingError(InputError):
    """There is no such thing (404)."""


def encoded(document: Any) -> bytes:
    """As JSON. A text with half a character is sent as an escape, for the server to judge."""
    try:
        content = msgspec.json.encode(document, enc_hook=_plain)
        check_sendable(document)
        return content
    except UnicodeEncodeError:
        check_sendable(document)
        return json.dumps(document, default=str).encode()
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InputError(f"this cannot be sent as JSON: {error}") from None


def check_sendable(document: Any) -> None:
    """What JSON has not would arrive as something else: no number as null, bytes as letters."""
    waiting = [document]
    while waiting:
        one = waiting.pop()
        if isinstance(one, float) and not math.isfinite(one):
            raise InputError(f"this data cannot be kept: {one} is no number in JSON; leave it out")
        if isinstance(one, (bytes, bytearray, memoryview)):
            raise InputError(f"{type(one).__name__} cannot be sent as JSON; give a text")
        if isinstance(one, Mapping):
            waiting += one.values()
        elif isinstance(one, (list, tuple, set, frozenset)):
            waiting += one


def plain_metadata(metadata: Any) -> Any:
    """As JSON has it; what JSON has not is sent as its text, as a memory of one's own keeps it."""
    mapping(metadata, "metadata")
    try:
        check_sendable(plain := msgspec.to_builtins(metadata, str_keys=True, enc_hook=str))
        return plain
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InputError(f"metadata cannot be sent as JSON: {error}") from None


def plain_filters(filters: Mapping[str, Any] | None) -> Any:
    """For the server to check; times are sent as text."""
    if filters is None:
        return None
    try:
        return msgspec.to_builtins(filters, enc_hook=_plain)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InputError(f"filters cannot be sent as JSON: {error}") from None


def _plain(value: Any) -> Any:
    """A text or number of a class of its own, as frameworks have them, without that class."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    raise TypeError(f"there is no JSON for {type(value).__name__}")


def sendable_time(value: TimeLike | None) -> Any:
    """A time as the API takes it; without a zone it is in the server's."""
    if value is not None:
        to_epoch(value, UTC)  # TimeError if it is none
    return value.isoformat() if isinstance(value, datetime) else value


def time_in_query(value: TimeLike | None) -> str | None:
    """The same for an address, where a number would be read as text."""
    sent = sendable_time(value)
    return sent if sent is None or isinstance(sent, str) else to_datetime(sent, UTC).isoformat()


def path_part(part: object) -> str:
    if isinstance(part, bool) or not isinstance(part, (str, int)):
        raise InputError(f"id must be a string or an integer, not {type(part).__name__}")
    return quote(str(part), safe="")


def _pairs(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if name in LISTS and not isinstance(value, str):
            yield from ((name, text(one, f"one of the {name}")) for one in each(value, name))
        elif isinstance(value, bool):
            yield name, "true" if value else "false"
        elif isinstance(value, (str, int)) or (isinstance(value, float) and name in NUMBERS):
            check_sendable(value)
            yield name, str(value)
        elif value is not None:
            raise InputError(f"{name} must be a string or an integer, not {type(value).__name__}")
