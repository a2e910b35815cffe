"""`ChatMemory`: memory for plugins of chat-bot frameworks that have no `end` tool.

The plugins for AstrBot and NoneBot2 are thin layers over it.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time as clocks
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..errors import TaishiError
from ..memory import Memory
from ..ports import Embedder
from ..settings import load
from ..times import TimeLike
from ..types import Message, Record, Scope
from .agent_turns import record_messages

log = logging.getLogger("taishi.adapters.chat_memory")
BOT = "bot"
# Another clause follows.
_MORE = re.compile(
    r"[,;:.!?，、；：。！？\n](?=.)|\b(?:and|but|or|since|because)\b|[和还也而但因]",
    re.IGNORECASE | re.DOTALL,
)
MOST_STANDING, MOST_EVENTS, LOOKED_THROUGH = 12, 10, 200


class ChatMemory:
    """One per bot. Every call is for asyncio and runs in a thread; none raises for a full disk, a
    model that is down or a store that cannot be opened: a chat goes on without memory (C4)."""

    def __init__(self, memory: Memory, bot_name: str = BOT) -> None:
        self.memory = memory
        self.bot_name = bot_name or BOT

    @classmethod
    async def open(
        cls,
        folder: str | Path,
        bot_name: str = BOT,
        *,
        overrides: Mapping[str, Any] | None = None,
        embedder: Embedder | None = None,
        clock: Callable[[], float] = clocks.time,
    ) -> ChatMemory:
        """Open the folder and start the historian. A taishi.toml and TAISHI__… variables apply."""
        settings = load(overrides=overrides)
        options: dict[str, Any] = {"embedder": embedder, "clock": clock, "on_error": "off"}
        memory = await asyncio.to_thread(Memory.open, folder, settings, **options)
        return cls(await asyncio.to_thread(memory.start_worker), bot_name)

    async def close(self) -> None:
        await asyncio.to_thread(self.memory.close)

    async def block(self, scope: Scope, text: str, max_tokens: int | None = None) -> str:
        """What is known that bears on a message, fenced for the prompt; "" if nothing is."""
        if not text.strip():
            return ""
        return await asyncio.to_thread(self.memory.context, scope, text, max_tokens)

    async def record(
        self,
        scope: Scope,
        text: str,
        reply: str = "",
        *,
        sender_name: str = "",
        group_name: str = "",
        message_id: str | None = None,
        time: TimeLike | None = None,
    ) -> None:
        """A message, and the bot's reply if there was one."""
        asked = Message(text, sender_name or scope.user, time, message_id, scope.user)
        replies = [Message(reply, self.bot_name)] if reply.strip() else []
        details: dict[str, Any] = {
            "time": time,
            "request_id": message_id,
            "sender_id": scope.user,
            "sender_name": sender_name or None,
            "group_name": group_name or None,
            "bot_name": self.bot_name,
        }
        await asyncio.to_thread(record_messages, self.memory, scope, [asked, *replies], **details)

    async def page_of(self, scope: Scope) -> str:
        """What this chat may know of the person who asks: their page, their standing instructions
        and the latest events of what they said here."""
        return await asyncio.to_thread(self._known_of, scope)

    async def forget_person(self, scope: Scope) -> int:
        """Remove a person everywhere, at their own request; how many things went."""
        person = Scope(user=scope.user, workspace=scope.workspace)
        forget = self.memory.forget
        return await asyncio.to_thread(forget, person, actor="person", door="chat")

    def _known_of(self, scope: Scope) -> str:
        page = self.memory.get_profile(scope, "user", scope.user or "")
        lines = page.body.strip().splitlines() if page is not None else []
        try:
            facts = self._own(scope, "fact", LOOKED_THROUGH)
            events = self._own(scope, "event", MOST_EVENTS)
        except TaishiError as error:  # a memory that is off
            log.warning("only the page is shown: %s", error)
            return "\n".join(lines)
        # Facts are on the page; standing instructions are not.
        standing = [one for one in facts if one.data.get("category") == "instruction"]
        standing = standing[:MOST_STANDING]
        body = "\n".join(lines)
        told = {
            source
            for fact in facts
            if fact in standing or fact.text in body
            for source in fact.data.get("sources", ())
        }
        more = [one for one in events if one.id not in told or not _tells_one_thing(one)]
        lines += [f"- {record.text}" for record in (*standing, *more)]
        return "\n".join(dict.fromkeys(lines))

    def _own(self, scope: Scope, kind: str, limit: int) -> tuple[Record, ...]:
        listed = self.memory.records.newest(
            scope, kinds=(kind,), states=("approved",), user=scope.user, limit=limit
        )
        return listed.records


def _tells_one_thing(event: Record) -> bool:
    """Whether it is one clause, so that a fact learned from it says as much."""
    told = [str(event.data.get("did_what") or ""), *map(str, event.data.get("new_info") or ())]
    clauses = [text for text in told if text]
    return len(clauses) == 1 and not _MORE.search(clauses[0])
