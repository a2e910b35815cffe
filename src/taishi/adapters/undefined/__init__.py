"""Memory for an Undefined-style QQ bot: its `end` tool, its query tools, its configuration file.

from taishi.adapters.undefined import IncomingMessage, UndefinedMemory

memory = UndefinedMemory.open("config.toml")
turn = memory.turn(IncomingMessage(user_id=7, user_name="Ann", text="hello", group_id=42))
messages = [system, await turn.user_message()]        # the block is in the user's message
answer = await turn.call_tool("end", {"new_info": "…"})
"""

from __future__ import annotations

from .bot_memory import TOOLS, UndefinedMemory
from .config import BotConfig, read_config
from .turn import BotTurn, IncomingMessage

__all__ = [
    "TOOLS",
    "BotConfig",
    "BotTurn",
    "IncomingMessage",
    "UndefinedMemory",
    "read_config",
]
