"""Memory around a proxied chat: recall before it, record after it. Neither may break the chat."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import threading
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...memory import Memory
from ...settings import Settings
from ...types import Brief, Message, Scope
from ..access_log import ServerMetrics
from .chat import Answer, Chat, statements

log = logging.getLogger("taishi.proxy")
BOT = "assistant"
DOOR = "proxy"
RECALLING_THREADS = 8
RECORDING_THREADS = 2
# Part of the deadline reserved for starting the thread and rendering the block.
RESERVE_SECONDS = 0.02
RESERVE_SHARE = 0.2
TURNS_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class Recalled:
    """A block for the prompt (empty: none), and its summary for the response header."""

    block: str
    note: str


@dataclass(frozen=True, slots=True)
class TurnSource:
    """The source of a turn: the speaker's and the group's name, if headers give them, and whose
    statement the turn counts as by the request's key (see `Caller.turn_actor`)."""

    speaker: str | None
    actor: str
    group_name: str | None = None


def no_recall(reason: str) -> Recalled:
    return Recalled("", f"off; {reason}")


class ProxyMemory:
    """Recalls within a deadline and records after the response, in threads of its own."""

    def __init__(self, memory: Memory, metrics: ServerMetrics) -> None:
        self._memory = memory
        self._metrics = metrics
        self._recalling = ThreadPoolExecutor(RECALLING_THREADS, "taishi-proxy-recall")
        self._recording = ThreadPoolExecutor(RECORDING_THREADS, "taishi-proxy-record")
        self._seen: OrderedDict[bytes, None] = OrderedDict()
        self._lock = threading.Lock()

    async def recall(self, scope: Scope, text: str) -> Recalled:
        memory = self._memory
        switches = memory.settings.memory
        if not memory.is_on(scope) and not switches.legacy_end_summaries:
            return self._counted(no_recall("disabled"), "off")
        started = time.perf_counter()
        limit = memory.settings.query.recall_timeout
        recall_limit = limit - min(RESERVE_SECONDS, RESERVE_SHARE * limit)
        call = partial(memory.brief, scope, text, deadline=recall_limit)
        context = copy_context()  # so that a trace continues in the thread
        future = asyncio.get_running_loop().run_in_executor(self._recalling, context.run, call)
        try:
            brief: Brief = await asyncio.wait_for(future, limit)
        except TimeoutError:
            return self._counted(no_recall("late"), "late")
        except Exception as error:  # a failed recall must not fail the chat
            log.warning("recall failed, the chat goes on without: %s", type(error).__name__)
            return self._counted(no_recall("failed"), "failed")
        seconds = time.perf_counter() - started
        self._metrics.proxy_recall.observe(seconds)
        level, hits = brief.recall.level, len(brief.recall.hits)
        note = f"{level};hits={hits};ms={seconds * 1000:.1f}{_skipped(brief)}"
        return self._counted(Recalled(brief.text, note), level)

    def _counted(self, recalled: Recalled, outcome: str) -> Recalled:
        self._metrics.proxy_recalls.add(outcome)
        return recalled

    def record(
        self, scope: Scope, chat: Chat, source: TurnSource, raw: bytes, is_stream: bool
    ) -> None:
        """Record the turn that ended with this answer, in the background."""
        if self._memory.settings.proxy.record == "nothing" or not chat.is_new_turn:
            return
        try:
            self._recording.submit(self._record_in_thread, scope, chat, source, raw, is_stream)
        except RuntimeError:  # shutting down, and too late for this one
            log.error("a turn was not kept: the server was shutting down")
            self._metrics.proxy_turns.add("failed")

    def _record_in_thread(
        self, scope: Scope, chat: Chat, source: TurnSource, raw: bytes, is_stream: bool
    ) -> None:
        try:
            outcome = self._record_turn(scope, chat, source, chat.answer(raw, is_stream))
        except Exception as error:
            log.error("a turn was not kept: %s", type(error).__name__)
            outcome = "failed"
        if outcome:
            self._metrics.proxy_turns.add(outcome)

    def _record_turn(self, scope: Scope, chat: Chat, source: TurnSource, answer: Answer) -> str:
        """The turn's outcome; empty if there is none because the answer is an error."""
        if not answer.ok:
            return ""
        if self._is_repeat(scope, chat):
            return "repeated"
        job_id = record_turn(self._memory, scope, chat, answer.text, source)
        return "recorded" if job_id else "nothing_told"

    def _is_repeat(self, scope: Scope, chat: Chat) -> bool:
        """Whether this request was seen before: a retry, or a regenerated answer."""
        request = repr((scope.home, scope.session, chat.messages))
        digest = hashlib.sha256(request.encode("utf-8", "replace")).digest()
        with self._lock:
            is_known = digest in self._seen
            self._seen[digest] = None
            if len(self._seen) > TURNS_REMEMBERED:
                self._seen.popitem(last=False)
        return is_known

    def close(self) -> None:
        """Wait until all answered turns are recorded."""
        self._recording.shutdown(wait=True)
        self._recalling.shutdown(wait=False, cancel_futures=True)


def _skipped(brief: Brief) -> str:
    paths = ",".join(f"{path}:{outcome}" for path, outcome in brief.recall.skipped.items())
    return f";skipped={paths}" if paths else ""


def record_turn(
    memory: Memory, scope: Scope, chat: Chat, answer: str, source: TurnSource
) -> str | None:
    """The job's id, or None if there was nothing to keep.

    With a model, the historian decides what is worth keeping. Without one every statement is kept,
    and the answer is context only, as rules would take the bot's words for the user's.
    """
    mode, has_model = memory.settings.proxy.record, _has_model(memory.settings)
    user_text, name = chat.user_text, source.speaker or chat.name or scope.user or "user"
    user_message = Message(user_text, speaker=name, speaker_id=scope.user)
    before, after = (
        [Message(text, speaker=BOT)] if text.strip() else []
        for text in (chat.previous_answer, answer)
    )
    messages = [*before, user_message, *after]
    details: dict[str, Any] = {
        "sender_name": name,
        "group_name": source.group_name,
        "bot_name": BOT,
        "actor": source.actor,
        "door": DOOR,
    }
    if user_text and (mode == "consider" or (mode == "auto" and has_model)):
        return memory.consider(scope, messages if has_model else [user_message], **details)
    return memory.end_turn(scope, new_info=statements(user_text), messages=messages, **details)


def _has_model(settings: Settings) -> bool:
    return bool(settings.models.chat.for_task("decide").api_url)
