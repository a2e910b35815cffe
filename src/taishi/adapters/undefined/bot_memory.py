"""`UndefinedMemory`: what an Undefined-style bot needs of a memory, in one object."""

from __future__ import annotations

import logging
import time as clocks
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from ... import tools
from ...memory import Memory
from ...ports import Embedder
from ...tools.schemas import SchemaForm
from ...types import Message
from .config import read_config
from .turn import BotTurn, IncomingMessage

log = logging.getLogger("taishi.adapters.undefined")
TOOLS = ("search_events", "get_profile", "search_profiles", "end")
# Chats whose latest messages are held in memory; the one that was quiet longest makes way.
MAX_CHATS = 1000
BOT = "bot"


class UndefinedMemory:
    """One per bot. `memory` is the engine itself, for everything that is not here."""

    def __init__(self, memory: Memory, bot_name: str = BOT, language: str = "zh") -> None:
        self.memory = memory
        self.bot_name = bot_name
        self.language = language
        self._recent: OrderedDict[object, deque[Message]] = OrderedDict()

    @classmethod
    def open(
        cls,
        config: str | Path = "config.toml",
        data: str | Path | None = None,
        *,
        language: str = "zh",
        overrides: Mapping[str, Any] | None = None,
        embedder: Embedder | None = None,
        clock: Callable[[], float] = clocks.time,
    ) -> UndefinedMemory:
        """Read the bot's own configuration, open the memory and start the historian.

        `data` is the folder; left out, `data/taishi` beside the configuration. Each key that means
        nothing here is a warning in the log. A store that cannot be opened leaves the bot without
        memory, not without an answer (C4).

            memory = UndefinedMemory.open("config.toml")
        """
        read = read_config(config, data, overrides=overrides)
        for warning in read.warnings:
            log.warning("%s", warning)
        memory = Memory.open(
            read.settings.memory.data, read.settings, embedder=embedder, clock=clock, on_error="off"
        )
        return cls(memory.start_worker(), read.bot_name or BOT, language)

    def __enter__(self) -> UndefinedMemory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the historian. Turns that it did not get to stay on disk."""
        self.memory.close()

    def tools(self, form: SchemaForm = "openai") -> list[dict[str, Any]]:
        """The schemas of `end` and the three query tools, for the model."""
        return tools.tool_schemas(form, self.language, TOOLS)

    def heard(self, message: IncomingMessage) -> None:
        """A message that is not answered: it says whom the next turn is about, nothing is kept."""
        self._of_chat(message).append(message.as_message())

    def said(self, message: IncomingMessage, text: str) -> None:
        """The bot's reply to a message, for the turns that follow."""
        self._of_chat(message).append(Message(text, speaker=self.bot_name))

    def recent(self, message: IncomingMessage) -> list[Message]:
        """The latest messages of this message's chat, oldest first."""
        return list(self._of_chat(message))

    def turn(self, message: IncomingMessage) -> BotTurn:
        """Begin to answer a message."""
        earlier = self.recent(message)
        self.heard(message)
        return BotTurn(self.memory, message, earlier, TOOLS, self.bot_name, self.language)

    def _of_chat(self, message: IncomingMessage) -> deque[Message]:
        chat = message.scope.home
        most = max(1, self.memory.settings.historian.recent_messages)
        found = self._recent.setdefault(chat, deque(maxlen=most))
        self._recent.move_to_end(chat)
        while len(self._recent) > MAX_CHATS:
            self._recent.popitem(last=False)
        return found
