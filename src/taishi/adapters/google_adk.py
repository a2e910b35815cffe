"""Google ADK: `TaishiMemoryService`, a memory service for runners and for the `adk` command.

    service = TaishiMemoryService(Memory.open("./data"))
    runner = Runner(app_name="kitchen", agent=agent, memory_service=service, session_service=…)

An app is a workspace and a user is a user, so that the partitions of the store keep them apart.
Every event with text is a record under its own id; what users said also goes to the historian.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..async_memory import AsyncMemory
from ..errors import InputError, MissingExtraError
from ..memory import Memory
from ..types import Hit, Partition, Scope
from .adk_search import TURNS, USER, event_of, shown
from .agent_turns import record_turn
from .quiet_calls import log, quietly, sync_memory
from .scope_ids import record_id, safe_id
from .speakers import checked_name_of, name_for

try:
    from google.adk.events import Event
    from google.adk.memory import BaseMemoryService
    from google.adk.memory.base_memory_service import SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions import Session

    from .adk_entries import Custom, SpokenEvent, entry_of, item_of, spoken, turns_of
except ImportError as error:
    raise MissingExtraError("taishi.adapters.google_adk", "google-adk") from error

SCHEME = "taishi"
MOST_STORED = 10_000


class TaishiMemoryService(BaseMemoryService):
    """Sessions of ADK in a Taishi memory. What fails is logged and the agent goes on without
    memory; only `delete_memory` raises, because a deletion that did not happen must be known."""

    def __init__(
        self,
        memory: Memory | AsyncMemory,
        *,
        max_results: int = 10,
        learn: bool = True,
        sender_name: Callable[[str], str | None] | None = None,
    ) -> None:
        """`learn`: also let the historian derive facts and profiles from what users say.
        `sender_name`: from a user's id to how that person is called; left out, by the id."""
        if max_results < 1:
            raise InputError(f"max_results must be at least 1, not {max_results}")
        self._memory = sync_memory(memory)
        self._max_results = max_results
        self._learn = learn
        self._name = checked_name_of(sender_name, "a user's id")
        self._one_turn = threading.Lock()
        self._stored: set[tuple[Partition, str]] = set()

    async def add_session_to_memory(self, session: Session) -> None:
        await self.add_events_to_memory(
            app_name=session.app_name,
            user_id=session.user_id,
            events=session.events,
            session_id=session.id,
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Safe to repeat: an event that is known, or was deleted, is skipped."""
        said = spoken(events)  # here, as the session may change while the thread works
        scope = scope_of(app_name, user_id, session_id)

        def add() -> None:
            self._add_events(scope, said, custom_metadata, name_for(self._name, user_id))

        await quietly("adding a session", add, None)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        scope = scope_of(app_name, user_id)
        items = [item_of(one, custom_metadata) for one in memories]
        items = [item for item in items if item["text"].strip()]
        await quietly("adding memories", lambda: self._remember(scope, items, "host"), None)

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        scope = scope_of(app_name, user_id)
        none: list[Hit] = []
        name = name_for(self._name, user_id) or user_id
        hits = await quietly("searching memory", lambda: self._search(scope, query, name), none)
        return SearchMemoryResponse(memories=[entry_of(hit) for hit in hits])

    async def delete_memory(
        self, *, app_name: str, user_id: str, memory_id: str | None = None
    ) -> None:
        """Deletes the record and what was learned from it alone. Adding its session again does not
        bring it back."""
        if memory_id:
            scope = scope_of(app_name, user_id)
            await asyncio.to_thread(self._delete, scope, record_id(memory_id))

    async def close(self) -> None:
        await asyncio.to_thread(self._memory.close)

    # -- in a thread ----------------------------------------------------------------------------

    def _add_events(
        self, scope: Scope, said: Sequence[SpokenEvent], custom: Custom, name: str | None
    ) -> None:
        memory = self._memory
        if not said or not memory.is_on(scope):
            return
        gone = memory.deletions.forgotten(scope, {one.id: one.time for one in said})
        offered = (one.id for one in said if one.id not in gone)
        new = {id for id in offered if not self._is_stored(scope, id)}
        for turn in turns_of(said) if self._learn else ():
            if turn.id in new:
                with self._one_turn:  # or a session that is added twice at once is learned twice
                    record_turn(memory, scope, replace(turn, speaker=name))
        kept = [one for one in said if one.id in new]
        by_users = [one.item(custom) for one in kept if one.author == USER]
        by_agents = [one.item(custom) for one in kept if one.author != USER]
        self._remember(scope, by_users, "host")
        self._remember(scope, by_agents, "model")

    def _is_stored(self, scope: Scope, id: str) -> bool:
        """A session is added again with each of its turns: what was found once is not asked for
        again. What was deleted since does not come here."""
        found = (scope.home, id) in self._stored or self._memory.records.get(scope, id) is not None
        if found:
            if len(self._stored) >= MOST_STORED:
                self._stored.clear()
            self._stored.add((scope.home, id))
        return found

    def _remember(self, scope: Scope, items: Sequence[Mapping[str, Any]], actor: str) -> None:
        try:
            self._memory.remember_many(scope, items, actor=actor)
        except InputError as error:
            if len(items) == 1:
                log.warning("a memory was not taken: %s", type(error).__name__)
                return
            for item in items:  # the others are kept
                self._remember(scope, [item], actor)

    def _search(self, scope: Scope, query: str, name: str) -> list[Hit]:
        """More are asked for than are wanted, as what another hit says already is left out."""
        hits = self._memory.recall(scope, query, top_k=3 * self._max_results).hits
        return shown(self._memory, scope, hits, name)[: self._max_results]

    def _delete(self, scope: Scope, id: str) -> None:
        """A turn and the event that it came from say the same, so they go together. Safe to
        repeat; an id that never was here is an error."""
        memory = self._memory
        hit = memory.get(scope, id)
        ids = (event_of(hit), id) if hit is not None and hit.kind in TURNS else (id,)
        removed = 0
        for one in dict.fromkeys(ids):
            turn = memory.jobs.known_turn(scope, one)
            removed += memory.forget(scope, one)
            if turn is not None:
                removed += memory.forget(scope, turn)
        if not removed and hit is None and id not in memory.deletions.forgotten(scope, {id: None}):
            raise InputError(
                f"no memory of this user has the id {id[:80]!r}; search_memory returns the ids"
            )


def register() -> None:
    """Make `adk web --memory_service_uri=taishi:./data` known to ADK: call it in the `services.py`
    beside your agents."""
    from google.adk.cli.service_registry import get_service_registry

    get_service_registry().register_memory_service(SCHEME, _from_uri)


def scope_of(app_name: str, user_id: str, session_id: str | None = None) -> Scope:
    """The workspace is the app. Any two pairs of names give two scopes."""
    session = None if session_id is None else safe_id(session_id)
    return Scope(user=safe_id(user_id), workspace=safe_id(app_name), session=session)


def _from_uri(uri: str, **_: Any) -> TaishiMemoryService:
    """`taishi:./data`, `taishi:///srv/data`, `taishi:postgresql://…`, `taishi:https://…`; `taishi:`
    alone is the folder of the settings."""
    address = uri.removeprefix(f"{SCHEME}:").removeprefix("//")
    return TaishiMemoryService(Memory.open(address or None).start_worker())
