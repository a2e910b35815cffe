"""Taishi for Pydantic AI: a store for its `Memory` capability, and a capability of its own.

    from pydantic_ai import Agent
    from pydantic_ai_harness.memory import Memory as Notebook
    from taishi.adapters.pydantic_ai import TaishiMemoryStore, TaishiRecall

    Agent(model, capabilities=[Notebook(store=TaishiMemoryStore(memory, Scope(user="ann")))])
    Agent(model, capabilities=[TaishiRecall(memory, Scope(user="ann"))])

With the store, the model keeps files of its own (notes of the scope). With `TaishiRecall` the
engine does the work: what is known goes before what the user says, and the turn to the historian.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

from ..async_memory import AsyncMemory
from ..errors import InputError, MissingExtraError, OperationError, VersionError
from ..memory import Memory
from ..ports.knowledge import NoteMatch
from ..types import Scope
from .agent_turns import AgentTurn, record_quietly
from .quiet_calls import block_for, log, sync_memory
from .speakers import (
    NameOf,
    ScopeOf,
    checked_name_of,
    checked_scope,
    checked_scope_of,
    name_for,
    scope_for,
)

try:
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import UserPromptPart
    from pydantic_ai_harness.memory import (
        MemoryConflictError,
        MemoryFile,
        MemoryMutation,
        MemoryOperation,
        MemoryOperationConflictError,
        MemorySearchMatch,
        MemorySearchResult,
    )
except ImportError:
    raise MissingExtraError("taishi.adapters.pydantic_ai", "pydantic-ai") from None

MOST_LISTED = 10_000
MOST_FOUND = 100
# What the capability takes for a file of its own; other notes are not shown to it by a search.
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


class TaishiMemoryStore:
    """Implements `MemoryStore` and `SearchableMemoryStore` on the notes of a scope.

    Secrets are never stored: a file that had one is read back without it, and the log says so.
    """

    def __init__(self, memory: Memory | AsyncMemory, scope: Scope) -> None:
        self._notes = sync_memory(memory).notes
        self._scope = checked_scope(scope)

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        if max_chars <= 0:
            raise ValueError("max_chars must be positive")
        note = await asyncio.to_thread(self._notes.read, self._scope, path)
        if note is None:
            return None
        return MemoryFile(
            content=note.text[:max_chars],
            version=str(note.version),
            operation_id=note.operation or None,
            truncated=len(note.text) > max_chars,
        )

    async def get_operation(self, operation: MemoryOperation) -> MemoryMutation | None:
        return await asyncio.to_thread(self._known, operation)

    async def write(
        self,
        path: str,
        content: str,
        *,
        expected_version: str | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        return await asyncio.to_thread(self._write, path, content, expected_version, operation)

    async def delete(
        self,
        path: str,
        *,
        expected_version: str | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        return await asyncio.to_thread(self._delete, path, expected_version, operation)

    async def list_paths(self, prefix: str = "", *, limit: int) -> list[str]:
        if limit <= 0:
            raise ValueError("limit must be positive")
        most = min(limit, MOST_LISTED)
        notes = await asyncio.to_thread(self._notes.list, self._scope, prefix, most)
        return [note.path for note in notes]

    async def search(
        self,
        prefix: str,
        query: str,
        *,
        limit: int,
        max_files: int,
        max_chars: int,
        max_file_chars: int,
    ) -> MemorySearchResult:
        """By meaning and words, through the index: files are searched whole, however long."""
        if not query.split() or min(limit, max_files, max_chars, max_file_chars) <= 0:
            return MemorySearchResult(matches=[], scanned=0, truncated=False)
        return await asyncio.to_thread(self._search, prefix, query, limit, max_files, max_chars)

    def _known(self, operation: MemoryOperation) -> MemoryMutation | None:
        try:
            done = self._notes.operation(self._scope, operation.id, operation.fingerprint)
        except OperationError as error:
            raise MemoryOperationConflictError(str(error)) from error
        if done is None:
            return None
        version = str(done.version) if done.version else None
        return MemoryMutation(version=version, replayed=True, existed=done.count > 0)

    def _write(
        self, path: str, content: str, expected: str | None, operation: MemoryOperation | None
    ) -> MemoryMutation:
        if operation is not None and (done := self._known(operation)) is not None:
            return done
        try:
            note = self._notes.write(
                self._scope,
                path,
                content,
                expected_version=_version(expected),
                operation=operation.id if operation else None,
                fingerprint=operation.fingerprint if operation else None,
                actor="model",
                door="tool",
            )
        except VersionError as error:
            raise MemoryConflictError(str(error)) from error
        except OperationError as error:
            raise MemoryOperationConflictError(str(error)) from error
        if note is None:
            raise InputError("memory is switched off for this scope; nothing was written")
        if note.redacted:
            log.warning("%s is stored without secrets: %s", path, ", ".join(note.redacted))
        return MemoryMutation(
            version=str(note.version), replayed=note.replayed, existed=note.existed
        )

    def _delete(
        self, path: str, expected: str | None, operation: MemoryOperation | None
    ) -> MemoryMutation:
        try:
            removal = self._notes.remove(
                self._scope,
                path,
                expected_version=_version(expected),
                operation=operation.id if operation else None,
                fingerprint=operation.fingerprint if operation else None,
            )
        except VersionError as error:
            raise MemoryConflictError(str(error)) from error
        except OperationError as error:
            raise MemoryOperationConflictError(str(error)) from error
        return MemoryMutation(version=None, replayed=removal.replayed, existed=bool(removal))

    def _search(
        self, prefix: str, query: str, limit: int, max_files: int, max_chars: int
    ) -> MemorySearchResult:
        notes = self._notes.list(self._scope, prefix)
        own = [note.path for note in notes if _FILE_NAME.fullmatch(note.path.removeprefix(prefix))]
        searched = set(own[:max_files])
        found = self._notes.search(self._scope, query, prefix, MOST_FOUND)
        wanted = [one for one in found if one.path in searched]
        matches = _within(wanted[:limit], prefix, max_chars)
        cut = len(own) > max_files or len(wanted) > len(matches)
        return MemorySearchResult(matches=matches, scanned=len(searched), truncated=cut)


@dataclass
class TaishiRecall(AbstractCapability[Any]):
    """Recalls before a run and ends the turn after it.

    `scope` says who is speaking: a `Scope`, or a function from the run's context to one, and
    `sender_name` how that person is called; left out, by the id. What is recalled goes before what
    the user says, for the model alone: it is in no message history. With `learn=False` turns are
    not kept. A memory that fails is logged: the agent goes on without it.
    """

    memory: Memory | AsyncMemory
    scope: ScopeOf
    _: KW_ONLY
    max_tokens: int | None = None
    learn: bool = True
    sender_name: NameOf = None
    id: str | None = "taishi-recall"

    def __post_init__(self) -> None:
        sync_memory(self.memory)
        checked_scope_of(self.scope)
        checked_name_of(self.sender_name)

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        text = _prompt_text(ctx.prompt)
        if not text:
            return request_context
        memory, scope = sync_memory(self.memory), scope_for(self.scope, ctx)
        block = await asyncio.to_thread(block_for, memory, scope, text, max_tokens=self.max_tokens)
        if not block:
            return request_context
        return replace(request_context, messages=_with_block(request_context.messages, block))

    async def after_run(self, ctx: Any, *, result: Any) -> Any:
        text = _prompt_text(ctx.prompt)
        if self.learn and text:
            answer = result.output if isinstance(result.output, str) else ""
            turn = AgentTurn(text, answer, speaker=name_for(self.sender_name, ctx))
            memory, scope = sync_memory(self.memory), scope_for(self.scope, ctx)
            await asyncio.to_thread(record_quietly, memory, scope, turn)
        return result


def _with_block(messages: list[Any], block: str) -> list[Any]:
    """The messages with the block before what the user said last. New objects all the way down: the
    old ones are the history's."""
    for place in reversed(range(len(messages))):
        parts = list(messages[place].parts)
        said = [number for number, one in enumerate(parts) if isinstance(one, UserPromptPart)]
        if said:
            parts.insert(said[-1], UserPromptPart(block))
            return [
                *messages[:place],
                replace(messages[place], parts=parts),
                *messages[place + 1 :],
            ]
    return messages


def _version(expected: str | None) -> int:
    """Versions are opaque to the capability; None means that there is no file."""
    if expected is None:
        return 0
    if not expected.isdecimal() or expected == "0":
        raise MemoryConflictError(f"{expected!a:.40} is no version of this store")
    return int(expected)


def _within(found: list[NoteMatch], prefix: str, max_chars: int) -> list[MemorySearchMatch]:
    """As many as fit, the last one cut: paths and snippets together have at most `max_chars`."""
    matches: list[MemorySearchMatch] = []
    for one in found:
        max_chars -= len(one.path.removeprefix(prefix))
        if max_chars <= 0:
            break
        snippet = one.snippet[:max_chars]
        max_chars -= len(snippet)
        matches.append(MemorySearchMatch(path=one.path, snippet=snippet, score=one.score))
    return matches


def _prompt_text(prompt: Any) -> str:
    """What the user wrote; pictures and files are left out."""
    if isinstance(prompt, str):
        return prompt.strip()
    parts = (one if isinstance(one, str) else getattr(one, "text", "") for one in prompt or ())
    return "\n".join(part for part in parts if isinstance(part, str) and part).strip()
