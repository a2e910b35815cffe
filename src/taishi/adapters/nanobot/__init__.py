"""Memory for nanobot: its `MemoryStore` face, and what plugs into a running agent loop.

    from taishi.adapters.nanobot import MemoryStore, NanobotMemory

    NanobotMemory(memory).connect(bot)          # nanobot 0.3: context provider, hooks, MEMORY.md
    store = MemoryStore(workspace)              # earlier versions, and loops of one's own

Nothing here needs nanobot to be installed, except `connect` and `hook`.
"""

from __future__ import annotations

from .chats import Chat, scope_of
from .connection import NanobotMemory
from .store import MemoryStore

__all__ = ["Chat", "MemoryStore", "NanobotMemory", "scope_of"]
