"""An AutoGen agent that knows on Friday what another one was told on Monday.

    pip install '.[local,autogen]' ./packages/taishi-model autogen-agentchat  # in the clone
    python examples/autogen_memory.py
    python examples/autogen_memory.py http://127.0.0.1:8321  # a server; key: TAISHI_API_KEY

Runs offline: `ScriptedClient` stands in for a model and answers with what memory put into its
context. With a model of yours, give `AssistantAgent` its client instead.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import (
    ChatCompletionClient,
    CreateResult,
    ModelFamily,
    ModelInfo,
    RequestUsage,
)

from taishi import Memory, Scope
from taishi.adapters.autogen import SOURCE, TaishiMemory
from taishi.errors import ForbiddenError

NOTHING_USED = RequestUsage(prompt_tokens=0, completion_tokens=0)


class ScriptedClient(ChatCompletionClient):
    async def create(self, messages: Any, **_: Any) -> CreateResult:
        blocks = [str(one.content) for one in messages if getattr(one, "source", "") == SOURCE]
        found = re.search(r"allergic to (\w+)", "\n".join(blocks))
        reply = f"You are allergic to {found[1]}." if found else "Noted."
        return CreateResult(finish_reason="stop", content=reply, usage=NOTHING_USED, cached=False)

    def create_stream(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError("this client does not stream")

    async def close(self) -> None:
        pass

    def actual_usage(self) -> RequestUsage:
        return NOTHING_USED

    total_usage = actual_usage

    def count_tokens(self, *_: Any, **__: Any) -> int:
        return 0

    remaining_tokens = count_tokens

    @property
    def model_info(self) -> ModelInfo:
        return ModelInfo(
            vision=False,
            function_calling=False,
            json_output=False,
            structured_output=False,
            family=ModelFamily.UNKNOWN,
        )

    @property
    def capabilities(self) -> Any:
        return self.model_info


async def say(memory: Memory, user: str, day: str, text: str) -> None:
    """Each day has an agent of its own: only memory connects them."""
    recalled = TaishiMemory(memory, Scope(user=user))
    agent = AssistantAgent("cook", model_client=ScriptedClient(), memory=[recalled])
    answer = await agent.run(task=text)
    print(f"{user}, {day}: {text}\n  cook: {answer.messages[-1].content}")


async def main(folder: str) -> None:
    with Memory.open(folder) as memory:
        await say(memory, "ann", "monday", "I am allergic to nuts.")
        try:
            await asyncio.to_thread(memory.drain)  # a worker would do this in the background
        except ForbiddenError:
            await asyncio.sleep(2)  # an ordinary key of a server, which works by itself
        await say(memory, "ann", "friday", "What am I allergic to?")
        await say(memory, "ben", "friday", "What am I allergic to?")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()))
