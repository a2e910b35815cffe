"""Builds a Job from a caller's arguments: all that the historian will need (W1–W3).

Everything is cleaned and redacted here, before it touches a disk.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, tzinfo
from typing import Any

from ..domain import arguments
from ..domain.forget_requests import without_requests
from ..domain.own_names import OURS
from ..domain.recall_echo import without_echoes
from ..errors import InputError, RefusedError
from ..language.chat_markup import without_codes
from ..language.redaction.redactor import Redactor
from ..language.rewriter import names_somebody
from ..language.text import one_line, storable
from ..settings import HistorianSettings
from ..times import to_datetime, to_epoch
from ..types import Job, Message, clean_id
from .turn import Turn

MAX_TEXT_CHARS = 4_000_000
MAX_NAME_CHARS = 200
MAX_QUERY_CHARS = 20_000
RECALLED_KEPT = 40
_LETTER = re.compile(r"[^\W\d_]")


def clean_text(value: object, what: str) -> str:
    """A caller's text, checked for its type and length, as it can be stored and sent."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"{what} must be text, not {type(value).__name__}")
    if len(value) > MAX_TEXT_CHARS:
        raise RefusedError(
            f"{what} has {len(value)} characters; at most {MAX_TEXT_CHARS} are taken. "
            "Split it, or add it as a document.",
            "too_long",
            MAX_TEXT_CHARS,
        )
    return storable(value)


def clean_query(value: object) -> str:
    """A question is cut before it is cleaned: a megabyte of it must not cost the deadline."""
    if isinstance(value, str) and len(value) <= MAX_TEXT_CHARS:
        value = value[:MAX_QUERY_CHARS]
    return clean_text(value, "query")


class JobBuilder:
    """Makes jobs. Knows the rules, keeps nothing."""

    def __init__(
        self,
        redactor: Redactor,
        zone: tzinfo,
        settings: HistorianSettings,
        without_blocks: Callable[[str], str] = lambda text: text,
    ) -> None:
        """`without_blocks` takes our own prompt blocks out of what a turn says (H6)."""
        self._without_blocks = without_blocks
        self._redactor = redactor
        self.zone = zone
        self._settings = settings

    @property
    def stamp(self) -> int:
        return self._redactor.stamp

    def text(self, value: object, what: str) -> str:
        return self._redactor.text(clean_text(value, what))

    def _said(self, value: object, what: str) -> str:
        """What somebody said: not what memory said in their prompt, nor the bullet before it."""
        text = clean_text(value, what)
        said = without_codes(self._without_blocks(text))
        if said != text and not _LETTER.search(said):
            return ""
        return self._redactor.text(said)

    def name(self, value: object) -> str | None:
        """A name is one short line: it becomes part of a sentence."""
        if value is None:
            return None
        return one_line(self.text(value, "a name"), MAX_NAME_CHARS) or None

    def data(self, value: object) -> dict[str, Any]:
        """A caller's own metadata: any dict, redacted, and otherwise as it is (JSON values come
        back as they were)."""
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            raise InputError(f"metadata must be a dict, not {type(value).__name__}")
        kept = json.dumps(self._redactor.whole(value), ensure_ascii=False)
        data: dict[str, Any] = json.loads(clean_text(kept, "metadata"))
        return data

    def job(self, turn: Turn, end_seq: int, request_id: str, now: float) -> Job | None:
        """None: the turn ended and there is nothing to keep."""
        action = self._said(turn.action_summary, "action_summary").strip()
        news = self._news(turn.new_info)
        messages = self._messages(turn.messages)
        if not action and not news and not (turn.task == "consider" and messages):
            return None
        bot = self.name(turn.bot_name)
        # A turn is about what a person said, even where the bot had the last word.
        asked = [one for one in messages if not (bot and one["speaker"] == bot)] or messages
        last = asked[-1] if asked else {}
        sender_id = clean_id(turn.sender_id, "sender_id") or turn.scope.user
        own = _by_id(sender_id, asked) or last
        epoch = self._epoch(turn, now)
        zone = turn.zone or self.zone
        local = to_datetime(epoch, zone)
        scope = turn.scope
        job = Job(
            job_id=new_id(),
            request_id=request_id,
            end_seq=end_seq,
            action_summary=action,
            new_info=news,
            timestamp_utc=to_datetime(epoch, UTC).isoformat(),
            timestamp_local=local.isoformat(),
            timezone=str(zone),
            epoch=epoch,
            workspace=scope.workspace,
            request_type=scope.request_type,
            user_id=scope.user,
            group_id=scope.group,
            agent_id=scope.agent,
            session_id=scope.session,
            sender_id=sender_id,
            sender_name=_usable(self.name(turn.sender_name)) or _usable(own.get("speaker")),
            group_name=self.name(turn.group_name),
            bot_name=bot,
            location=self.name(turn.location),
            message_ids=tuple(m["id"] for m in messages if m["id"]),
            source_message=last.get("text", ""),
            recent_messages=tuple(messages),
            force=bool(turn.force),
            task=turn.task,
            actor=turn.actor,
            metadata=self._metadata(turn.metadata),
            recalled=tuple(told.kept() for told in turn.recalled[-RECALLED_KEPT:]),
            redaction=self.stamp,
        )
        left = without_requests(job)
        return None if left is None else without_echoes(left, turn.recalled)

    def _metadata(self, given: object) -> dict[str, Any]:
        data = self.data(given)
        if reserved := next((name for name in OURS if name in data), None):
            raise InputError(f"metadata may not be named {reserved!r}: name it otherwise")
        return data

    def _epoch(self, turn: Turn, now: float) -> float:
        """When the turn was: as given, or the time of its newest message, or now."""
        if turn.time is not None:
            return to_epoch(turn.time, self.zone)
        times = (message.time for message in arguments.messages(turn.messages))
        return max((to_epoch(time, self.zone) for time in times if time is not None), default=now)

    def _news(self, given: str | Iterable[str] | None) -> tuple[str, ...]:
        cleaned = (self._said(item, "new_info").strip() for item in arguments.new_info(given))
        return tuple(item for item in cleaned if item)

    def _messages(self, given: Sequence[Message | Mapping[str, Any]]) -> list[dict[str, Any]]:
        keep = self._settings.recent_messages
        return self.messages(arguments.message_list(given)[-keep:] if keep else [])

    def messages(self, given: Iterable[Message | Mapping[str, Any]]) -> list[dict[str, Any]]:
        return [self._message(message) for message in arguments.messages(given)]

    def _message(self, message: Message) -> dict[str, Any]:
        text = self._said(message.text, "a message's text")
        time = None if message.time is None else to_epoch(message.time, self.zone)
        return {
            "speaker": self.name(message.speaker),
            "speaker_id": clean_id(message.speaker_id, "speaker_id"),
            "text": text[: self._settings.source_message_chars],
            "time": time,
            "id": clean_id(message.id, "a message's id"),
        }


def _by_id(sender: str | None, messages: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The sender's last message, if it has the sender's id."""
    own = [one for one in messages if sender is not None and one["speaker_id"] == sender]
    return own[-1] if own else None


def _usable(name: str | None) -> str | None:
    """A nickname that tells who it is; a person called 。 or 我 is called by the id."""
    return name if name and names_somebody(name) else None


def new_id() -> str:
    return uuid.uuid4().hex
