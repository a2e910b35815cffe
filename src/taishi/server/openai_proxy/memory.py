"""Memory around a chat: what is recalled before it, what is kept after it. Neither may break it."""

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
# Of the deadline, for the thread to begin and the block to be drawn.
RESERVE_SECONDS = 0.02
RESERVE_SHARE = 0.2
TURNS_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class Recalled:
    """A block for the prompt (empty: none), and one line for the header that tells of it."""

    block: str
    note: str


@dataclass(frozen=True, slots=True)
class Teller:
    """Who tells of a turn: the name of the person in it, if a header gives one, and whose word
    the turn is by the key that was shown (see `Caller.teller`)."""

    speaker: str | None
    actor: str


def off(reason: str) -> Recalled:
    return Recalled("", f"off; {reason}")


class ProxyMemory:
    """Recalls within a deadline and records behind the answer's back, in threads of its own."""

    def __init__(self, memory: Memory, gauges: ServerMetrics) -> None:
        self._memory = memory
        self._gauges = gauges
        self._recalling = ThreadPoolExecutor(RECALLING_THREADS, "taishi-proxy-recall")
        self._recording = ThreadPoolExecutor(RECORDING_THREADS, "taishi-proxy-record")
        self._seen: OrderedDict[bytes, None] = OrderedDict()
        self._lock = threading.Lock()

    async def recall(self, scope: Scope, text: str) -> Recalled:
        memory = self._memory
        switches = memory.settings.memory
        if not memory.is_on(scope) and not switches.legacy_end_summaries:
            return self._noted(off("disabled"), "off")
        begun = time.perf_counter()
        limit = memory.settings.query.recall_timeout
        own = limit - min(RESERVE_SECONDS, RESERVE_SHARE * limit)
        brief = partial(memory.brief, scope, text, deadline=own)
        here = copy_context()  # so that a trace goes on in the thread
        waiting = asyncio.get_running_loop().run_in_executor(self._recalling, here.run, brief)
        try:
            found: Brief = await asyncio.wait_for(waiting, limit)
        except TimeoutError:
            return self._noted(off("late"), "late")
        except Exception as error:  # whatever it is, the chat goes on
            log.warning("recall failed, the chat goes on without: %s", type(error).__name__)
            return self._noted(off("failed"), "failed")
        seconds = time.perf_counter() - begun
        self._gauges.proxy_recall.observe(seconds)
        level, hits = found.recall.level, len(found.recall.hits)
        note = f"{level};hits={hits};ms={seconds * 1000:.1f}{_skipped(found)}"
        return self._noted(Recalled(found.text, note), level)

    def _noted(self, recalled: Recalled, outcome: str) -> Recalled:
        self._gauges.proxy_recalls.add(outcome)
        return recalled

    def record(self, scope: Scope, chat: Chat, told: Teller, raw: bytes, is_stream: bool) -> None:
        """Keep the turn that ended with this answer; nobody waits for it."""
        if self._memory.settings.proxy.record == "nothing" or not chat.is_fresh:
            return
        try:
            self._recording.submit(self._keep, scope, chat, told, raw, is_stream)
        except RuntimeError:  # shutting down, and too late for this one
            log.error("a turn was not kept: the server was shutting down")
            self._gauges.proxy_turns.add("failed")

    def _keep(self, scope: Scope, chat: Chat, told: Teller, raw: bytes, is_stream: bool) -> None:
        try:
            outcome = self._kept(scope, chat, told, chat.answer(raw, is_stream))
        except Exception as error:
            log.error("a turn was not kept: %s", type(error).__name__)
            outcome = "failed"
        if outcome:
            self._gauges.proxy_turns.add(outcome)

    def _kept(self, scope: Scope, chat: Chat, told: Teller, answer: Answer) -> str:
        """What became of the turn; empty if there was none, as the answer is an error."""
        if not answer.ok:
            return ""
        if self._is_known(scope, chat):
            return "repeated"
        kept = keep_turn(self._memory, scope, chat, answer.text, told)
        return "recorded" if kept else "nothing_told"

    def _is_known(self, scope: Scope, chat: Chat) -> bool:
        """The same request again, by a retry or by asking for another answer."""
        told = repr((scope.home, scope.session, chat.messages))
        digest = hashlib.sha256(told.encode("utf-8", "replace")).digest()
        with self._lock:
            known = digest in self._seen
            self._seen[digest] = None
            if len(self._seen) > TURNS_REMEMBERED:
                self._seen.popitem(last=False)
        return known

    def close(self) -> None:
        """What was answered is kept before the door closes."""
        self._recording.shutdown(wait=True)
        self._recalling.shutdown(wait=False, cancel_futures=True)


def _skipped(found: Brief) -> str:
    paths = ",".join(f"{path}:{how}" for path, how in found.recall.skipped.items())
    return f";skipped={paths}" if paths else ""


def keep_turn(
    memory: Memory, scope: Scope, chat: Chat, answered: str, teller: Teller
) -> str | None:
    """The job's id, or None if there was nothing to keep.

    A model decides what is worth it. Without one nobody can, so that every statement is kept; the
    answer then is context only, as rules would take the bot's words for the person's.
    """
    record, has_model = memory.settings.proxy.record, _has_model(memory.settings)
    said, name = chat.said, teller.speaker or chat.name or scope.user or "user"
    told = Message(said, speaker=name, speaker_id=scope.user)
    before, after = (
        [Message(text, speaker=BOT)] if text.strip() else [] for text in (chat.before, answered)
    )
    heard = [*before, told, *after]
    details: dict[str, Any] = {
        "sender_name": name,
        "bot_name": BOT,
        "actor": teller.actor,
        "door": DOOR,
    }
    if said and (record == "consider" or (record == "auto" and has_model)):
        return memory.consider(scope, heard if has_model else [told], **details)
    return memory.end_turn(scope, new_info=statements(said), messages=heard, **details)


def _has_model(settings: Settings) -> bool:
    return bool(settings.models.chat.for_task("decide").api_url)
