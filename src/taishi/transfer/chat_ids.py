"""Ids of imported messages: the same message of the same chat always gets the same one.

That is what makes an import repeatable, and what an interrupted one continues by.
"""

from __future__ import annotations

from collections import Counter
from datetime import tzinfo

from ..importers.fields import digest
from ..importers.formats import Format
from ..importers.values import ImportedMessage
from ..times import to_datetime
from ..types import MAX_ID_CHARS


class MessageIds:
    """Gives messages without an id one of their content. Equal ones at the same time are numbered;
    one without a time follows from the message before it."""

    def __init__(self, format: Format, zone: tzinfo) -> None:
        self._format = format
        self._zone = zone
        self._chat = ""
        self._time: float | None = None
        self._equal: Counter[str] = Counter()
        self._chain = ""

    def record_id(self, message: ImportedMessage) -> str:
        own = message.id or self._made(message)
        return f"{self._format.name}-{digest(message.conversation.id, own)}"

    def source(self, message: ImportedMessage) -> str:
        """The ids of the export, for whoever looks a message up there."""
        parts = (self._format.name, message.conversation.id, message.id or "")
        return ":".join(part for part in parts if part)

    def session(self, message: ImportedMessage) -> str | None:
        if message.kind != "note" or message.conversation.kind == "agent":
            return None
        name = f"{self._format.name}:{message.conversation.id}"
        if len(name) > MAX_ID_CHARS - 11:
            name = f"{self._format.name}:{digest(message.conversation.id)}"
        if self._format.by_day and message.time is not None:
            return f"{name}:{to_datetime(message.time, self._zone).date().isoformat()}"
        return name

    def _made(self, message: ImportedMessage) -> str:
        if message.conversation.id != self._chat:
            self._chat, self._chain, self._time = message.conversation.id, "", None
            self._equal.clear()
        who = message.speaker_id or message.speaker or message.is_bot
        if message.time is None:
            self._chain = digest(self._chain, who, message.text)
            return self._chain
        if message.time != self._time:
            self._time = message.time
            self._equal.clear()
        made = digest(message.time, who, message.text)
        self._equal[made] += 1
        return f"{made}:{self._equal[made]}"
