"""Taishi for the OpenAI Agents SDK: a `Session`, recall before the model is called, and hooks that
hand finished turns to the historian.

    session = TaishiSession(memory, Scope(user="ann", session="s1"))
    await Runner.run(
        agent,
        "Where did we stop?",
        session=session,
        hooks=TaishiRunHooks(memory, session.scope),
        run_config=RunConfig(call_model_input_filter=recall_input(memory, session.scope)),
    )
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from ..errors import InputError, MissingExtraError
from ..types import Scope
from .agent_turns import AgentTurn, record_quietly
from .quiet_calls import block_for, sync_memory
from .redaction_notice import tell_redactions
from .response_items import item_of, last_user_text, message_of
from .speakers import NameOf, ScopeOf, checked_name_of, checked_scope_of, name_for, scope_for

if TYPE_CHECKING:
    from ..async_memory import AsyncMemory
    from ..memory import Memory
    from ..ports.working import HistoryMessage

try:
    from agents import RunHooks, TResponseInputItem
    from agents.memory import SessionSettings
    from agents.run import CallModelData, ModelInputData
except ImportError as error:
    raise MissingExtraError("taishi.adapters.openai_agents", "openai-agents") from error

AT_ONCE = 1000


class TaishiSession:
    """The items of one conversation in the working memory of `scope`, whose `session` names it.

    Implements `agents.memory.Session`. Items come back as they were added, in their order, except
    that secrets are not stored: a warning says where one was. `memory.forget` reaches them.
    """

    session_id: str
    session_settings: SessionSettings | None

    def __init__(
        self,
        memory: Memory | AsyncMemory,
        scope: Scope,
        session_settings: SessionSettings | None = None,
    ) -> None:
        if not isinstance(scope, Scope) or scope.session is None:
            raise InputError("which session? pass Scope(user=…, session=…)")
        self.scope = scope
        self.session_id = scope.session
        self.session_settings = session_settings or SessionSettings()
        self._session = sync_memory(memory).session(scope)

    async def get_items(
        self, limit: int | None = None, *, wrapper: Any = None
    ) -> list[TResponseInputItem]:
        """The latest `limit` items, the oldest of them first; without a limit all of them."""
        return await asyncio.to_thread(self._read, self._limit(limit))

    async def add_items(self, items: list[TResponseInputItem], *, wrapper: Any = None) -> None:
        await asyncio.to_thread(self._add, [_as_dict(item) for item in items])

    async def pop_item(self, *, wrapper: Any = None) -> TResponseInputItem | None:
        """Remove the latest item and return it; None if there is none."""
        found = await asyncio.to_thread(self._session.pop)
        return None if found is None else _item(found)

    async def clear_session(self, *, wrapper: Any = None) -> None:
        await asyncio.to_thread(self._session.clear)

    async def end(self, *, learn: bool = True) -> None:
        """The conversation is over: summarise it and, with `learn`, hand what was said and not yet
        learned to the historian. For hosts without `TaishiRunHooks`."""
        await asyncio.to_thread(self._session.end, learn=learn)

    def _limit(self, given: int | None) -> int | None:
        settings = self.session_settings
        return given if given is not None or settings is None else settings.limit

    def _read(self, limit: int | None) -> list[TResponseInputItem]:
        if limit is not None and limit <= 0:
            return []
        found = self._all() if limit is None or limit > AT_ONCE else self._session.latest(limit)
        kept = found if limit is None else found[-limit:]
        return [_item(one) for one in kept]

    def _all(self) -> list[Any]:
        found: list[Any] = []
        while page := self._session.history(found[-1].number if found else 0, AT_ONCE):
            found += page
        return found

    def _add(self, items: list[dict[str, Any]]) -> None:
        for start in range(0, len(items), AT_ONCE):
            given = items[start : start + AT_ONCE]
            ids = self._session.append([message_of(item) for item in given])
            stored = {one.id: one for one in self._session.latest(len(given))}
            for item, id in zip(given, ids, strict=False):
                if one := stored.get(id) or self._session.get(id):
                    back = item_of(one.message, one.original)
                    tell_redactions(f"an item of session {self.session_id}", item, back)


class TaishiRunHooks(RunHooks[Any]):
    """Ends a turn of Taishi's whenever an agent gave its final answer. `sender_name` is how the
    person is called in it, or a function from the run's context to that; left out, by the id."""

    def __init__(
        self, memory: Memory | AsyncMemory, scope: ScopeOf, *, sender_name: NameOf = None
    ) -> None:
        self._memory = sync_memory(memory)
        self._scope = checked_scope_of(scope)
        self._name = checked_name_of(sender_name)

    async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
        said = last_user_text(context.turn_input)
        scope = scope_for(self._scope, context.context)
        name = name_for(self._name, context.context)
        answer = output if isinstance(output, str) else str(output)
        turn = AgentTurn(said, answer, speaker=name)
        await asyncio.to_thread(record_quietly, self._memory, scope, turn)


def recall_input(
    memory: Memory | AsyncMemory, scope: ScopeOf, max_tokens: int | None = None
) -> Callable[[CallModelData[Any]], Awaitable[ModelInputData]]:
    """For `RunConfig.call_model_input_filter`: what is known for the user's last message goes
    before it, into the same turn. Only the model sees it; a session does not keep it."""
    engine, scope = sync_memory(memory), checked_scope_of(scope)

    async def add_recall(data: CallModelData[Any]) -> ModelInputData:
        items = data.model_data.input
        who = scope_for(scope, data.context)
        said = last_user_text(items)
        block = await asyncio.to_thread(block_for, engine, who, said, max_tokens=max_tokens)
        return replace(data.model_data, input=_with_block(items, block) if block else items)

    return add_recall


def _with_block(items: list[Any], block: str) -> list[Any]:
    """The items with the block at the beginning of the user's last message."""
    place = max(n for n, item in enumerate(items) if _role(item) == "user")
    content = items[place]["content"]
    if isinstance(content, str):
        new: Any = f"{block}\n\n{content}"
    else:
        new = [{"type": "input_text", "text": block}, *content]
    return [*items[:place], {**items[place], "content": new}, *items[place + 1 :]]


def _role(item: Any) -> Any:
    return item.get("role") if isinstance(item, Mapping) else None


def _item(stored: HistoryMessage) -> TResponseInputItem:
    return cast("TResponseInputItem", item_of(stored.message, stored.original))


def _as_dict(item: Any) -> dict[str, Any]:
    """An item as it can be given back: what JSON cannot say is refused instead of changed."""
    if hasattr(item, "model_dump"):
        item = item.model_dump(exclude_unset=True)
    if not isinstance(item, Mapping):
        raise InputError(f"an item must be a dict, not {type(item).__name__}")
    try:
        json.dumps(item, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"an item must be JSON: {error!s:.120}") from error
    return dict(item)
