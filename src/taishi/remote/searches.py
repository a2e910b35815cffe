"""Recall, searches and the prompt block, asked of a server. As in a memory of one's own, a search
that fails or is late is an empty one that says so (Q3); a wrong key or argument is an error."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from ..domain.arguments import number, one_of, share
from ..domain.entities import ENTITY_PLACE
from ..errors import BusyError, DiskError
from ..times import TimeLike
from ..types import Brief, Hit, Profile, Recall, Scope, checked_kinds, clean_id
from .noun import Noun, refuse
from .server import Route, plain_filters, sendable_time
from .transport import LateError
from .wire import ContextAnswer, RecallAnswer, RecordAnswer, Warmed, from_json

if TYPE_CHECKING:
    from ..context_block.block import Form
    from ..language.token_bound import Counter

log = logging.getLogger("taishi.remote")
A = TypeVar("A", bound=RecallAnswer)
Filters = Mapping[str, Any] | None
SERVER_SHARE = 0.8  # of a deadline; the rest is for the way
SEARCH_SECONDS = 5.0  # without a deadline: the server has one of its own, and this is for both
SERVER_PATH = "server"
WARM_UP_QUERY = "tomorrow 明天"
NOBODY = Scope(agent="warm-up")
OFF: dict[str, Any] = {"hits": [], "level": "empty", "paths": {"memory": "off"}, "took_ms": 0.0}
RECALL = Route("POST", "/recall", RecallAnswer, repeatable=True, off=OFF)
EVENTS = Route("POST", "/events/search", RecallAnswer, repeatable=True, off=OFF)
PROFILES = Route("POST", "/profiles/search", RecallAnswer, repeatable=True, off=OFF)
DOCUMENTS = Route("POST", "/documents/search", RecallAnswer, repeatable=True, off=OFF)
OFF_BLOCK = {**OFF, "block": "", "reason": "off"}
CONTEXT = Route("POST", "/context", ContextAnswer, repeatable=True, off=OFF_BLOCK)
PROFILE = Route("GET", "/profiles/{}/{}", Profile)
WARM_UP = Route("POST", "/warm-up", Warmed, repeatable=True)
MOST_WARMING = 30.0
WAY = 5.0  # there and back
ONE = Route("GET", "/memories/{}", RecordAnswer)


FORMS = ("text", "xml", "markdown")


class Searching(Noun):
    def answered(
        self, route: Route[A], scope: Scope, deadline: float | None, query: str, **fields: Any
    ) -> A:
        """Within `deadline` seconds, the way there and back included."""
        start = time.monotonic()
        seconds = SEARCH_SECONDS if deadline is None else number(deadline, "deadline")
        share = None if deadline is None else deadline * SERVER_SHARE
        try:
            return self._server.call(
                route,
                scope,
                seconds=seconds,
                deadline=share,
                query="" if query is None else query,
                **fields,
            )
        except (DiskError, BusyError) as error:
            log.warning("a search goes without the server: %s", error)
            said = "late" if isinstance(error, LateError) else "failed"
            took = (time.monotonic() - start) * 1000
            found = {"reason": "nothing", "paths": {SERVER_PATH: said}, "took_ms": took}
            return from_json({**(route.off or {}), **found}, route.answer)


class RemoteRecall(Searching):
    def recall(
        self,
        scope: Scope,
        query: str,
        top_k: int | None,
        kinds: Collection[str] | None,
        time_from: TimeLike | None,
        time_to: TimeLike | None,
        now: TimeLike | None,
        deadline: float | None,
        floor: float | None,
        explain: bool,
        filters: Filters = None,
    ) -> Recall:
        return self.answered(
            RECALL,
            scope,
            deadline,
            query=query,
            top_k=top_k,
            kinds=None if kinds is None else list(checked_kinds(kinds) or ()),
            time_from=sendable_time(time_from),
            time_to=sendable_time(time_to),
            now=sendable_time(now),
            floor=None if floor is None else share(floor, "floor"),
            explain=bool(explain),
            filters=plain_filters(filters),
        ).recall()

    def search_events(
        self,
        scope: Scope,
        query: str,
        target_user_id: str | None,
        target_group_id: str | None,
        top_k: int | None,
        time_from: TimeLike | None,
        time_to: TimeLike | None,
        now: TimeLike | None,
        deadline: float | None,
    ) -> Recall:
        return self.answered(
            EVENTS,
            scope,
            deadline,
            query=query,
            target_user_id=clean_id(target_user_id, "target_user_id"),
            target_group_id=clean_id(target_group_id, "target_group_id"),
            top_k=top_k,
            time_from=sendable_time(time_from),
            time_to=sendable_time(time_to),
            now=sendable_time(now),
        ).recall()

    def search_profiles(
        self,
        scope: Scope,
        query: str,
        entity_type: str | None,
        entity_id: str | None,
        top_k: int | None,
        now: TimeLike | None,
        deadline: float | None,
    ) -> Recall:
        named = clean_id(entity_id, "entity_id")
        narrow: dict[str, Any] = {"entity_type": entity_type, "entity_id": named, "top_k": top_k}
        narrow["now"] = sendable_time(now)
        return self.answered(PROFILES, scope, deadline, query=query, **narrow).recall()

    def get_profile(self, scope: Scope, entity_type: str, entity_id: str | int) -> Profile | None:
        self._server.check(scope)
        one_of(entity_type, ENTITY_PLACE, "entity_type")
        if self._server.is_off(scope) or (named := clean_id(entity_id, "entity_id")) is None:
            return None
        return self._server.find(PROFILE, scope, entity_type, named)

    def get(self, scope: Scope, id: str) -> Hit | None:
        if self._server.is_off(scope) or not str(id).strip():
            return None
        found = self._server.find(ONE, scope, id)
        return None if found is None else found.hit(self._server.home(scope))

    def warm_up(self, scope: Scope | None, seconds: float) -> bool:
        """Of no scope: a question about a moment at which nothing happened loads what the next one
        needs."""
        if scope is None and self._server.who.is_narrow:
            who = self._server.who
            scope = Scope(user=who.user, group=who.group, agent=who.agent)
        limit = number(seconds, "seconds")
        if scope is not None and (is_warm := self._warmed(scope, limit)) is not None:
            return is_warm
        times = {"time_from": 0.0, "time_to": 0.0}
        found = self.answered(RECALL, scope or NOBODY, limit, query=WARM_UP_QUERY, top_k=1, **times)
        return not found.recall().skipped

    def _warmed(self, scope: Scope, seconds: float) -> bool | None:
        """None: the server is of a version that has no such route."""
        if self._server.is_off(scope):
            return True
        body = {"seconds": min(seconds, MOST_WARMING)}
        try:
            found = self._server.find(WARM_UP, scope, seconds=seconds + WAY, body=body)
        except (DiskError, BusyError) as error:
            log.warning("the server is not warmed up: %s", error)
            return False
        return None if found is None else found.warm


class RemoteContext(Searching):
    def brief(
        self,
        scope: Scope,
        query: str,
        max_tokens: int | None,
        form: Form,
        now: TimeLike | None,
        deadline: float | None,
        language: str | None,
        count_tokens: Counter | None,
        explain: bool = False,
        filters: Filters = None,
    ) -> Brief:
        one_of(form, FORMS, "form")
        if count_tokens is not None:
            refuse("count_tokens", "the server counts: set query.tokenizer there")
        return self.answered(
            CONTEXT,
            scope,
            deadline,
            query=query,
            max_tokens=max_tokens,
            form=form,
            now=sendable_time(now),
            language=language,
            explain=bool(explain),
            filters=plain_filters(filters),
            hits=True,
        ).brief()
