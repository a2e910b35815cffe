"""`memory.session(scope)`: what its verbs do."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import tzinfo
from typing import Any

from ..context_block.block import without_blocks
from ..domain import arguments, chat_messages
from ..domain.compression_text import without_summaries
from ..domain.message_shortening import MessageCost
from ..domain.message_window import Conversation, MessageWindow, choose
from ..errors import InputError, ModelError
from ..ingest.background import BackgroundTasks
from ..ingest.job_builder import JobBuilder, clean_text, new_id
from ..ingest.sessions import SessionService
from ..language.token_bound import Counter, TokenBound, checked_counter, token_bound
from ..ports import StoredMessage
from ..ports.chat_message import ChatMessage, changed_texts
from ..ports.working import Given, HistoryMessage
from ..runtime import Runtime
from ..times import to_epoch
from ..types import Message, Scope, clean_id
from .compressor import Compressor
from .foreground import Foreground
from .learning import SessionLearning
from .scratchpads import Scratchpads

log = logging.getLogger("taishi.working")
MAX_APPENDED = 1000
MAX_HISTORY = 10_000
MAX_NUMBER = 2**62
MAX_TOKENS = 100_000_000
BEFORE_WINDOW = 64  # messages: the calls of results with which a window may begin
LEADING = 4
OFF = MessageWindow([], 0, None, "none")


class WorkingMemory:
    def __init__(
        self,
        runtime: Runtime,
        builder: JobBuilder,
        background: BackgroundTasks,
        sessions: SessionService,
        scratchpads: Scratchpads,
        compressor: Compressor,
        learning: SessionLearning,
        foreground: Foreground,
    ) -> None:
        self._runtime = runtime
        self._store = runtime.parts.store.working
        self._builder = builder
        self._background = background
        self._sessions = sessions
        self.scratchpads = scratchpads
        self._compressor = compressor
        self._learning = learning
        self._foreground = foreground
        self._is_upkept = False

    # -- writing -------------------------------------------------------------------------------

    def append(self, scope: Scope, given: Given | Iterable[Given], door: str) -> list[str]:
        ids = self.append_alone(scope, given, door)
        if ids and self._runtime.settings.working.learn_every_rounds > 0:
            self._learning.want(scope)
        return ids

    def append_alone(self, scope: Scope, given: Given | Iterable[Given], door: str) -> list[str]:
        """Without learning from it every few rounds: whoever appends calls `learn`."""
        if not self.is_on(scope):
            return []
        messages = arguments.chat_messages(given)
        if len(messages) > MAX_APPENDED:
            raise InputError(f"{len(messages)} messages at once; append at most {MAX_APPENDED}")
        with self._foreground.busy():
            with self._runtime.recording_refusals(scope, "host", door):
                cleaned = [self._cleaned(scope, one) for one in messages]
            now = self._runtime.clock()
            self._store.append(scope.home, scope.session or "", cleaned, now)
        if not self._is_upkept:  # from then on it looks by itself
            self._is_upkept = True
            self._background.wake_upkeep()
        return [one.id for one in cleaned]

    def _cleaned(self, scope: Scope, given: Given) -> ChatMessage:
        wire: Mapping[str, Any] = _as_wire(given) if isinstance(given, Message) else given
        message = chat_messages.parsed(wire, self._text)
        time, speaker_id = wire.get("time"), clean_id(wire.get("speaker_id"), "speaker_id")
        if message.role == "user":
            speaker_id = speaker_id or scope.user
        return replace(
            message,
            speaker=self._builder.name(wire.get("speaker")) or message.name,
            speaker_id=speaker_id,
            time=self._runtime.clock() if time is None else to_epoch(time, self._runtime.zone),
            id=clean_id(wire.get("id"), "a message's id") or new_id(),
            original=self._original(wire.get("original")),
        )

    def _original(self, value: object) -> dict[str, Any] | None:
        if not isinstance(value, (Mapping, type(None))):
            raise InputError(f"a message's original must be a dict, not {type(value).__name__}")
        return None if value is None else self._builder.data(value)

    def _text(self, value: object, what: str) -> str:
        """Without what memory itself put into the prompt (H6), and redacted (R1)."""
        said = without_summaries(without_blocks(clean_text(value, what)))
        return self._runtime.redactor.text(said)

    def learn(self, scope: Scope, zone: tzinfo | None = None, group_name: str | None = None) -> int:
        """Hand over what was said and is not learned yet; how many jobs. `zone` is where it was
        said, if that is not the memory's own."""
        if not self.is_on(scope):
            return 0
        return self._learning.learn(scope, zone=zone, group_name=group_name)

    def end(self, scope: Scope, learn: bool | None) -> bool:
        if not self.is_on(scope):
            return False
        if learn or (learn is None and self._runtime.settings.working.learn_every_rounds > 0):
            self._learning.learn(scope)
        self.scratchpads.clear(scope)
        return self._sessions.end(scope)

    def pop(self, scope: Scope) -> HistoryMessage | None:
        if not self.is_on(scope):
            return None
        removed = self._store.pop(scope.home, scope.session or "")
        return self._shown(removed) if removed else None

    def clear(self, scope: Scope) -> int:
        if not self.is_on(scope):
            return 0
        return self._store.clear(scope.home, scope.session or "")

    # -- reading -------------------------------------------------------------------------------

    def messages(
        self, scope: Scope, max_tokens: int | None, count_tokens: Counter | None
    ) -> MessageWindow:
        if max_tokens is not None:
            arguments.whole_number(max_tokens, "max_tokens", MAX_TOKENS)
        if not self.is_on(scope):
            return OFF
        talk = self._conversation(scope)
        window = self._chosen(talk, max_tokens, count_tokens)
        if _redacted(window.messages, self._runtime.redactor.text) != window.messages:
            window = self._chosen(self._redacted(talk), max_tokens, count_tokens)
        is_long = talk.count > self._runtime.settings.working.window_messages
        if window.level != "none" or is_long:
            self._compressor.want(scope.home, scope.session or "")
        return window

    def _conversation(self, scope: Scope) -> Conversation:
        settings, store = self._runtime.settings.working, self._store
        place, session = scope.home, scope.session or ""
        latest = store.latest(place, session, settings.window_messages + BEFORE_WINDOW)
        system: list[StoredMessage] = []
        for one in store.messages(place, session, 0, LEADING):
            if one.message.role != "system":
                break
            system.append(one)
        count = store.count(place, session)
        segments = settings.window_messages // settings.segment_messages + 4
        made = store.compressions(place, session, segments)
        is_there = any(one.message.role == "user" for one in latest)
        asked = None if is_there else store.latest_user_message(place, session)
        return Conversation(system, latest, count, made, asked)

    def _chosen(
        self, talk: Conversation, max_tokens: int | None, given: Counter | None
    ) -> MessageWindow:
        settings = self._runtime.settings
        count = given or self._runtime.tokens.chosen(settings.query.tokenizer)
        budget = None if max_tokens is None else int(max_tokens * settings.working.budget_ratio)
        if count is not token_bound:
            try:
                cost = MessageCost(checked_counter(count), budget)
                return choose(talk, settings.working, max_tokens, cost)
            except ModelError as error:  # it must not cost the host its reply
                log.warning("tokens are counted by our own upper bound: %s", error)
        return choose(talk, settings.working, max_tokens, MessageCost(TokenBound(), budget))

    def _redacted(self, talk: Conversation) -> Conversation:
        """By today's rules, which may know more than those it was stored by (R1)."""

        def clean(messages: Iterable[StoredMessage]) -> list[StoredMessage]:
            redact = self._runtime.redactor.text
            return [
                one._replace(message=chat_messages.with_changed_texts(one.message, redact))
                for one in messages
            ]

        asked = clean([talk.asked])[0] if talk.asked else None
        return replace(talk, system=clean(talk.system), latest=clean(talk.latest), asked=asked)

    def history(self, scope: Scope, after: int, limit: int) -> list[HistoryMessage]:
        arguments.whole_number(after, "after", MAX_NUMBER, least=0)
        arguments.whole_number(limit, "limit", MAX_HISTORY)
        if not self.is_on(scope):
            return []
        found = self._store.messages(scope.home, scope.session or "", after, limit)
        return [self._shown(one) for one in found]

    def latest(self, scope: Scope, limit: int) -> list[HistoryMessage]:
        arguments.whole_number(limit, "limit", MAX_HISTORY)
        if not self.is_on(scope):
            return []
        found = self._store.latest(scope.home, scope.session or "", limit)
        return [self._shown(one) for one in found]

    def get(self, scope: Scope, id: str) -> HistoryMessage | None:
        if not self.is_on(scope):
            return None
        known = clean_id(id, "id") or ""
        found = self._store.message(scope.home, scope.session or "", known)
        return self._shown(found) if found else None

    def _shown(self, one: StoredMessage) -> HistoryMessage:
        message = chat_messages.with_changed_texts(one.message, self._runtime.redactor.text)
        original = None if message.original is None else dict(message.original)
        return HistoryMessage(one.number, message.id, message.time, message.wire(), original)

    def is_on(self, scope: Scope) -> bool:
        self.check(scope)
        return self._runtime.is_on(scope)

    def check(self, scope: Scope) -> None:
        self._runtime.check_scope(scope)
        if scope.session is None:
            raise InputError("which session? pass Scope(…, session=…)")


def _as_wire(message: Message) -> dict[str, Any]:
    return {
        "role": "user",
        "content": message.text,
        "speaker": message.speaker,
        "time": message.time,
        "id": message.id,
        "speaker_id": message.speaker_id,
    }


def _redacted(messages: Iterable[dict[str, Any]], redact: Callable[[str], str]) -> Any:
    return changed_texts(list(messages), redact)
