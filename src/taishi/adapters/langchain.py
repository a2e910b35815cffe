"""Taishi for LangChain: a retriever, and a middleware that gives an agent its long-term memory.

remembering = TaishiMiddleware(memory)
agent = create_agent(model, tools, middleware=[remembering], context_schema=Context)
asked = {"role": "user", "content": "Where did we stop?"}
agent.invoke({"messages": [asked]}, context=Context(user_id="ann"))
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

from ..async_memory import AsyncMemory
from ..errors import InputError, MissingExtraError, ScopeError
from ..memory import Memory
from ..types import Hit, Scope
from .agent_turns import AgentTurn, record_quietly
from .quiet_calls import block_for, sync_memory
from .speakers import NameOf, ScopeOf, checked_name_of, checked_scope_of, name_for, scope_for

try:
    from langchain_core.callbacks import (
        AsyncCallbackManagerForRetrieverRun,
        CallbackManagerForRetrieverRun,
    )
    from langchain_core.documents import Document
    from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
    from langchain_core.retrievers import BaseRetriever
    from pydantic import ConfigDict, Field
except ImportError as error:
    raise MissingExtraError("taishi.adapters.langchain", "langchain") from error
try:
    from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
except ImportError as error:
    raise MissingExtraError("TaishiMiddleware", "langchain") from error


class TaishiRetriever(BaseRetriever):
    """What is remembered for a question, as documents; `k` of them at most.

    A document's metadata is what was stored with the record, and `kind`, `time`, `speaker`,
    `source` and `score`. `floor` is how alike a record must be; 0 returns the `k` nearest,
    whatever they say. `filters` are those of `Memory.recall`; `k` and `filters` can also be given
    to `invoke`. `deadline` is how many seconds a recall may take.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    memory: Any
    scope: Scope
    k: int = Field(5, ge=1)
    kinds: Collection[str] | None = None
    filters: Mapping[str, Any] | None = None
    floor: float | None = None
    deadline: float | None = None

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        filters: Mapping[str, Any] | None = None,
    ) -> list[Document]:
        if k is not None and k < 1:
            raise InputError(f"k must be at least 1, not {k}")
        found = sync_memory(self.memory).recall(
            self.scope,
            query,
            top_k=self.k if k is None else k,
            kinds=self.kinds,
            filters=self.filters if filters is None else filters,
            floor=self.floor,
            deadline=self.deadline,
        )
        return [_document(hit) for hit in found.hits]

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        filters: Mapping[str, Any] | None = None,
    ) -> list[Document]:
        manager = run_manager.get_sync()
        return await asyncio.to_thread(
            self._get_relevant_documents, query, run_manager=manager, k=k, filters=filters
        )


class TaishiMiddleware(AgentMiddleware[Any, Any, Any]):
    """Recall goes into the user's last message whenever the model is called, for the model alone:
    neither the agent's state nor a checkpoint keeps it. When the agent has answered, the turn goes
    to the historian.

    `scope` says who is speaking: a `Scope`, a function from the run's context to one, or, left out,
    the context's own `user_id` (or `user`) and `group_id` (or `group`). `sender_name` is how the
    person is called in stored memories, or a function from the context to that; a message's own
    `name` goes before it. With `learn=False` turns are not kept.
    """

    def __init__(
        self,
        memory: Memory | AsyncMemory,
        scope: ScopeOf | None = None,
        *,
        max_tokens: int | None = None,
        learn: bool = True,
        sender_name: NameOf = None,
    ) -> None:
        super().__init__()
        self._memory = sync_memory(memory)
        self._scope = checked_scope_of(scope_of_context if scope is None else scope)
        self._name = checked_name_of(sender_name)
        self._max_tokens = max_tokens
        self._learn = learn

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ModelResponse[Any]:
        return handler(self._with_recall(request))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        return await handler(await asyncio.to_thread(self._with_recall, request))

    def after_agent(self, state: Any, runtime: Any) -> None:
        messages = state["messages"]
        asked = _last(messages, HumanMessage)
        if not self._learn or asked is None:
            return
        answer = messages[-1].text if isinstance(messages[-1], AIMessage) else ""
        scope = scope_for(self._scope, runtime.context)
        name = asked.name or name_for(self._name, runtime.context)
        turn = AgentTurn(asked.text, answer, asked.id, speaker=name)
        record_quietly(self._memory, scope, turn)

    async def aafter_agent(self, state: Any, runtime: Any) -> None:
        await asyncio.to_thread(self.after_agent, state, runtime)

    def _with_recall(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        asked = _last(request.messages, HumanMessage)
        if asked is None:
            return request
        scope = scope_for(self._scope, request.runtime.context)
        block = block_for(self._memory, scope, asked.text, max_tokens=self._max_tokens)
        if not block:
            return request
        messages = [_with_block(one, block) if one is asked else one for one in request.messages]
        return request.override(messages=messages)


def scope_of_context(context: Any) -> Scope:
    """Who is speaking, by a context with `user_id` or `user`, and `group_id` or `group`."""

    def value(*names: str) -> Any:
        is_mapping = isinstance(context, Mapping)
        given = (context.get(n) if is_mapping else getattr(context, n, None) for n in names)
        return next((one for one in given if one), None)

    user, group = value("user_id", "user"), value("group_id", "group")
    if user is None and group is None:
        raise ScopeError(
            "who is speaking? give the run a context with user_id, or the middleware a scope: "
            "TaishiMiddleware(memory, Scope(user=…)) or a function from the context to a Scope"
        )
    return Scope(user=user, group=group)


def _document(hit: Hit) -> Document:
    metadata = {
        **hit.metadata,
        "kind": hit.kind,
        "time": None if hit.time is None else hit.time.isoformat(),
        "speaker": hit.speaker,
        "source": hit.source,
        "score": hit.score,
    }
    return Document(id=hit.id, page_content=hit.text, metadata=metadata)


def _last(messages: Sequence[AnyMessage], kind: type[Any]) -> Any:
    return next((one for one in reversed(messages) if isinstance(one, kind)), None)


def _with_block(message: HumanMessage, block: str) -> HumanMessage:
    content = message.content
    if isinstance(content, str):
        return message.model_copy(update={"content": f"{block}\n\n{content}"})
    return message.model_copy(update={"content": [{"type": "text", "text": block}, *content]})
