"""Turns, tool runs and records, sent to a server. A write that is sent twice is done once."""

from __future__ import annotations

import logging
import math
import threading
from collections import OrderedDict, deque
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..domain import arguments
from ..errors import ScopeError, TaishiError
from ..types import Message, Partition, Scope, clean_id
from .answers import Accepted
from .noun import Noun
from .server import CALL_SECONDS, Route, Server, plain_metadata, sendable_time
from .wire import Done, Id, Ids, Removed

if TYPE_CHECKING:
    from ..ingest.turn import Turn

log = logging.getLogger("taishi.remote")
BATCH = 1000
MOST_WAITING = 1000
MOST_KNOWN = 10_000  # turns of this client, by their request ids
CLOSING_SECONDS = 2.0
PREVIEW_CHARS = 20_000
NOTHING = {"id": None}
TURN = Route("POST", "/turns", Id, once=True, off=NOTHING)
CONSIDER = Route("POST", "/turns/consider", Id, once=True, off=NOTHING)
KNOWN = Route("GET", "/turns/known", Id, off=NOTHING)
OBSERVE = Route("POST", "/observations", Accepted, once=True, off={"accepted": False})
MANY = Route("POST", "/memories/bulk", Ids, once=True, off={"ids": []})
FORGET = Route("POST", "/forget", Removed, once=True, checks_actor=False)
LINK = Route("PUT", "/links", Done, repeatable=True)
MESSAGE_FIELDS = ("text", "speaker", "speaker_id", "time", "id")
TURN_FIELDS = ("request_id", "sender_id", "sender_name", "group_name", "bot_name", "location")


def wire_messages(messages: Iterable[Message | Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Messages as the API takes them."""
    return [_message(one) for one in arguments.messages(messages)]


def _message(one: Message) -> dict[str, Any]:
    values = {name: getattr(one, name) for name in MESSAGE_FIELDS}
    values |= {"time": sendable_time(one.time), "text": "" if one.text is None else one.text}
    return {name: value for name, value in values.items() if value is not None}


class RemoteTurns(Noun):
    def __init__(self, server: Server) -> None:
        super().__init__(server)
        self.observations = ObservationSender(server)
        self._known: OrderedDict[tuple[Partition, str], str] = OrderedDict()

    def end_turn(self, turn: Turn, wait: float, actor: str, door: str) -> str | None:
        seconds, new = arguments.number(wait, "wait"), turn.new_info
        told = arguments.new_info(new)
        said = {
            "action_summary": None if turn.action_summary == "" else turn.action_summary,
            "new_info": new if new is None or isinstance(new, str) else told,
            "force": bool(turn.force) or None,
            "wait": seconds or None,
        }
        return self._send(TURN, turn, actor, CALL_SECONDS + seconds, **said)

    def consider(self, turn: Turn, actor: str, door: str) -> str | None:
        return self._send(CONSIDER, turn, actor, CALL_SECONDS)

    def _send(
        self, route: Route[Id], turn: Turn, actor: str, seconds: float, **said: Any
    ) -> str | None:
        fields = {name: getattr(turn, name) for name in TURN_FIELDS}
        fields |= {"time": sendable_time(turn.time), **said}
        if turn.metadata is not None:
            fields["metadata"] = plain_metadata(turn.metadata) or None
        messages = wire_messages(turn.messages)
        id = self._server.call(
            route, turn.scope, seconds=seconds, actor=actor, messages=messages, **fields
        ).id
        if id is not None and turn.request_id:
            self._known[self._server.home(turn.scope), str(turn.request_id)] = id
            if len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)
        return id

    def known(self, scope: Scope, request_id: str) -> str | None:
        """The last turn under a request id, whoever sent it. What the server considered and did not
        keep, and what one of the version before took, is known if this client sent it."""
        asked = clean_id(request_id, "request_id") or ""
        found = self._server.find(KNOWN, scope, request_id=asked)
        own = self._known.get((self._server.home(scope), asked))
        return own if found is None or found.id is None else found.id

    def observe(self, scope: Scope, tool: str, arguments: object, result: object) -> None:
        self._server.check(scope)
        if not self._server.is_off(scope):
            self.observations.add(scope, tool, arguments, result)

    def set_link(self, scope: Scope, on: bool) -> None:
        self._server.check(scope)
        if scope.user is None:
            raise ScopeError("a link belongs to a user: pass Scope(user=…)")
        self._server.call(LINK, scope, on=arguments.flag(on, "on"))


class ObservationSender:
    """Sends tool runs from a thread of its own, as `observe` waits for nothing. When too many wait,
    the oldest is dropped; one that cannot be sent is lost, and the log says so."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._waiting: deque[tuple[Scope, dict[str, Any]]] = deque(maxlen=MOST_WAITING)
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._sending = False
        self._closed = False

    def add(self, scope: Scope, tool: str, arguments: object, result: object) -> None:
        body = {"tool": tool, "arguments": _plain(arguments), "result": _plain(result)}
        with self._changed:
            self._waiting.append((scope, body))
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._work, name="taishi-observations", daemon=True
                )
                self._thread.start()
            self._changed.notify_all()

    def flush(self, seconds: float) -> bool:
        """Wait until all are sent; whether they are."""
        with self._changed:
            return self._changed.wait_for(self._is_idle, seconds)

    def close(self) -> None:
        self.flush(CLOSING_SECONDS)
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(CLOSING_SECONDS)

    def _is_idle(self) -> bool:
        return not self._waiting and not self._sending

    def _work(self) -> None:
        while True:
            with self._changed:
                self._sending = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                scope, body = self._waiting.popleft()
                self._sending = True
            try:
                self._server.call(OBSERVE, scope, body=body)
            except TaishiError as error:
                log.warning("a tool run was not noted: %s", error)


def _plain(value: object, depth: int = 6) -> Any:
    """Anything as JSON: the server keeps a short preview."""
    if value is None or isinstance(value, (bool, int, float)):
        is_number = value is None or (math.isfinite(value) and abs(value) < 2**63)
        return value if is_number else str(value)
    if isinstance(value, Mapping) and depth:
        return {str(key): _plain(one, depth - 1) for key, one in islice(value.items(), BATCH)}
    if isinstance(value, (list, tuple, set, frozenset)) and depth:
        return [_plain(one, depth - 1) for one in islice(value, BATCH)]
    return str(value)[:PREVIEW_CHARS]


class RemoteRemember(Noun):
    def remember_many(
        self, scope: Scope, items: Iterable[Mapping[str, Any]], actor: str, door: str
    ) -> list[str]:
        ids: list[str] = []
        remaining = arguments.each(items, "items")
        while batch := [_item(item) for item in islice(remaining, BATCH)]:
            ids += self._server.call(MANY, scope, actor=actor, items=batch).ids
        return ids


def _item(item: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: one for name, one in arguments.item(item).items() if one is not None}
    given["kind"] = given.get("kind") or "note"
    for name in ("time", "expires"):
        given |= {name: sendable_time(given[name])} if name in given else {}
    return given | ({"metadata": plain_metadata(given["metadata"])} if "metadata" in given else {})


class RemoteForgetting(Noun):
    def forget(self, scope: Scope, id: str | None, actor: str, door: str, actor_id: str) -> int:
        return self._server.call(
            FORGET, scope, actor=actor, id=None if id is None else clean_id(id, "id") or ""
        ).removed
