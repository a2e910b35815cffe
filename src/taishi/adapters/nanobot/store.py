"""The `MemoryStore` face of nanobot on a `Memory`: context, messages, tool runs, MEMORY.md."""

from __future__ import annotations

import threading
import time as clocks
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from ...errors import InputError
from ...memory import Memory
from ...times import TimeLike
from ...types import Message, Scope
from ..agent_turns import record_messages
from .chats import Chat, ScopeOf, scope_of
from .workspace_files import LOG_SESSION, MEMORY_FILE, import_files

BOT = "nanobot"
FOLDER = "taishi"
# Chats with messages that nobody answered yet; the one that was quiet longest is looked at early.
MAX_OPEN_CHATS = 1000
MAX_UNANSWERED = 50
HISTORY_PAGE = 500


class MemoryStore:
    """As nanobot makes it: `MemoryStore(workspace)`; the data is in `workspace/memory/taishi`.

    With `memory`, that one is used and stays open. MEMORY.md without a session is the agent's own;
    what is said in a chat is stored with that chat and is seen in no other.

    What nanobot itself kept in `workspace/memory` (MEMORY.md, its log) is taken over once, at the
    first use; the files are not changed.
    """

    def __init__(
        self,
        workspace: str | Path,
        memory: Memory | None = None,
        *,
        agent: str = BOT,
        scope_of: ScopeOf = scope_of,
        clock: Callable[[], float] = clocks.time,
    ) -> None:
        self.workspace = Path(workspace)
        self.agent = Scope(agent=agent)
        self._agent_name = agent
        self._scope_of = scope_of
        self._clock = clock
        self._memory = memory
        self._owns_memory = memory is None
        self._has_files = False
        self._lock = threading.Lock()
        self._unanswered: OrderedDict[Scope, list[Message]] = OrderedDict()

    # -- opening and closing ---------------------------------------------------------------------

    def initialize(self) -> MemoryStore:
        """Open the memory and start the historian. Safe to repeat; the first use does it, too."""
        _ = self.memory
        return self

    @property
    def memory(self) -> Memory:
        with self._lock:
            if self._memory is None:
                folder = self.workspace / "memory" / FOLDER
                opened = Memory.open(folder, clock=self._clock, on_error="off")
                self._memory = opened.start_worker()
            if not self._has_files:
                self._has_files = True
                import_files(self._memory, self.workspace / "memory", self._owner)
            return self._memory

    def close(self) -> None:
        """Look at what nobody answered, then close the memory if this store opened it."""
        while self._unanswered:
            self._record(*self._unanswered.popitem(last=False))
        if self._owns_memory and self._memory is not None:
            self._memory.close()

    def __enter__(self) -> MemoryStore:
        return self.initialize()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # -- the prompt ------------------------------------------------------------------------------

    def get_memory_context(
        self, query: str = "", *, session_key: str | None = None, sender_id: str = ""
    ) -> str:
        """The block for a message of a chat. Without a query: the agent's MEMORY.md, as nanobot
        puts it into its system prompt."""
        if query and session_key is not None:
            return self.memory.context(self._scope(session_key, sender_id), query)
        text = self.read_memory(session_key=session_key)
        return f"## Long-term Memory\n{text}" if text else ""

    # -- what happens ----------------------------------------------------------------------------

    def feed_message(
        self,
        role: str,
        content: str,
        *,
        session_key: str,
        sender_id: str = "",
        sender_name: str | None = None,
        time: TimeLike | None = None,
    ) -> None:
        """A message of a chat. With the agent's reply the turn is over: whether anything in it is
        worth keeping is decided in the background (W9). Other roles are ignored."""
        if role not in ("user", "assistant", "system", "tool"):
            raise InputError(f"unknown role {role!r:.40}; use user or assistant")
        if role not in ("user", "assistant") or not content.strip():
            return
        scope = self._scope(session_key, sender_id)
        when = self._clock() if time is None else time
        if role == "user":
            speaker = sender_name or scope.user
            self._wait(scope, Message(content, speaker, when, speaker_id=scope.user))
            return
        for asked, messages in self._take(scope):
            self._record(asked, [*messages, Message(content, self._agent_name, when)])

    def on_tool_executed(
        self,
        tool: str,
        arguments: object = None,
        result: object = None,
        *,
        session_key: str | None = None,
        sender_id: str = "",
    ) -> None:
        """A tool ran in a chat, or for the agent itself. Takes microseconds."""
        scope = self.agent if session_key is None else self._scope(session_key, sender_id)
        self.memory.observe(scope, tool, arguments, result)

    def on_session_end(self, session_key: str, sender_id: str = "") -> None:
        """A session is over: what nobody answered is looked at, too."""
        for asked, messages in self._take(self._scope(session_key, sender_id)):
            self._record(asked, messages)

    # -- MEMORY.md and the history ---------------------------------------------------------------

    def read_memory(self, *, session_key: str | None = None) -> str:
        """MEMORY.md, "" if there is none; with a session, that chat's own."""
        note = self.memory.notes.read(self._owner(session_key), MEMORY_FILE)
        return "" if note is None else note.text

    def write_memory(self, content: str, *, session_key: str | None = None) -> None:
        """Replace MEMORY.md; `memory.notes.history` has the versions before."""
        self.memory.notes.write(self._owner(session_key), MEMORY_FILE, content)

    def read_long_term(self) -> str:
        """`read_memory` under its earlier name."""
        return self.read_memory()

    def write_long_term(self, content: str) -> None:
        """`write_memory` under its earlier name."""
        self.write_memory(content)

    def append_history(
        self, entry: str, *, max_chars: int | None = None, session_key: str | None = None
    ) -> int:
        """Add to the log of a chat, or to the agent's own, and let recall find it there.

        Returns its cursor: the entry's number in that log.
        """
        owner, text = self._owner(session_key), entry.strip()[:max_chars]
        if not text or not self.memory.is_on(owner):
            return self.get_latest_cursor(session_key=session_key)
        log = self.memory.session(replace(owner, session=LOG_SESSION))
        [id] = log.append({"role": "assistant", "content": text})
        self.memory.remember(owner, text, kind="note")
        added = log.get(id)
        return 0 if added is None else added.number

    def read_unprocessed_history(
        self, since_cursor: int = 0, *, session_key: str | None = None
    ) -> list[dict[str, Any]]:
        """The entries of a log after a cursor: `cursor`, `timestamp`, `content`."""
        log = self.memory.session(replace(self._owner(session_key), session=LOG_SESSION))
        zone = self.memory.settings.zone()
        found: list[dict[str, Any]] = []
        while page := log.history(since_cursor, HISTORY_PAGE):
            since_cursor = page[-1].number
            for one in page:
                when = datetime.fromtimestamp(one.time, zone).strftime("%Y-%m-%d %H:%M")
                entry = {"cursor": one.number, "timestamp": when, "content": one.message["content"]}
                found.append(entry | ({"session_key": session_key} if session_key else {}))
        return found

    def get_latest_cursor(self, *, session_key: str | None = None) -> int:
        """The cursor of the newest entry of a log; 0 if it is empty."""
        entries = self.read_unprocessed_history(session_key=session_key)
        return int(entries[-1]["cursor"]) if entries else 0

    # -- inside ----------------------------------------------------------------------------------

    def _scope(self, session_key: str, sender_id: str) -> Scope:
        return self._scope_of(Chat(session_key, sender_id))

    def _owner(self, session_key: str | None) -> Scope:
        return self.agent if session_key is None else self._scope(session_key, "")

    def _wait(self, scope: Scope, message: Message) -> None:
        with self._lock:
            waiting = self._unanswered.setdefault(scope, [])
            waiting.append(message)
            del waiting[:-MAX_UNANSWERED]
            self._unanswered.move_to_end(scope)
            early = len(self._unanswered) > MAX_OPEN_CHATS
            oldest = self._unanswered.popitem(last=False) if early else None
        if oldest is not None:
            self._record(*oldest)

    def _take(self, scope: Scope) -> list[tuple[Scope, list[Message]]]:
        """What waits in this chat, by who said it: each person's words are stored as theirs."""
        with self._lock:
            found = [one for one in self._unanswered if one.home == scope.home]
            return [(one, self._unanswered.pop(one)) for one in found]

    def _record(self, scope: Scope, messages: list[Message]) -> None:
        first = messages[0]
        record_messages(
            self.memory,
            scope,
            messages,
            bot_name=self._agent_name,
            time=first.time,
            sender_id=scope.user,
            sender_name=first.speaker,
        )
