"""A Strands agent with a memory for each of its users.

    pip install '.[local,strands]' ./packages/taishi-model  # in the clone
    python examples/strands_memory.py
    python examples/strands_memory.py http://127.0.0.1:8321  # a server; key: TAISHI_API_KEY

Runs offline: `ScriptedModel` stands in for a model and answers with what memory put into its
prompt. With a model of yours, give `Agent` that instead.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from typing import Any

from strands import Agent
from strands.memory import MemoryManager
from strands.models import Model

from taishi import Memory, Scope
from taishi.adapters.strands import TaishiMemoryStore
from taishi.errors import ForbiddenError


class ScriptedModel(Model):
    def update_config(self, **config: Any) -> None: ...

    def get_config(self) -> dict[str, Any]:
        return {}

    def structured_output(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncIterator[dict[str, Any]]:
        recalled = json.dumps(messages).partition("<memory>")[2]
        found = re.search(r"allergic to (\w+)", recalled)
        reply = f"You are allergic to {found[1]}." if found else "Noted."
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": reply}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


def cook(memory: Memory, user: str) -> Agent:
    store = TaishiMemoryStore(memory, Scope(user=user))
    return Agent(
        model=ScriptedModel(),
        memory_manager=MemoryManager(stores=[store]),
        system_prompt="You plan meals.",
        callback_handler=None,
    )


def main(folder: str) -> None:
    with Memory.open(folder) as memory:
        for user, text in (
            ("ann", "I am allergic to nuts."),
            ("ann", "What am I allergic to?"),
            ("ben", "What am I allergic to?"),
        ):
            reply = cook(memory, user)(text)
            print(f"{user}: {text}\n  cook: {str(reply).strip()}")
            try:
                memory.drain()  # a worker would do this in the background
            except ForbiddenError:
                time.sleep(2)  # an ordinary key of a server, which works by itself


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
