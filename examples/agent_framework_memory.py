"""An agent of Microsoft Agent Framework that knows its users, and where a session stopped.

    pip install '.[local,agent-framework]' ./packages/taishi-model  # in the clone
    python examples/agent_framework_memory.py
    python examples/agent_framework_memory.py http://127.0.0.1:8321  # a server; key: TAISHI_API_KEY

Runs offline: `ScriptedClient` stands in for a model and answers with what memory put into its
prompt. With a model of yours, give `Agent` its chat client instead.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from collections.abc import Awaitable, Sequence
from typing import Any

from agent_framework import Agent, AgentSession, BaseChatClient, ChatResponse, Message

from taishi import Memory, Scope
from taishi.adapters.agent_framework import TaishiContextProvider, TaishiHistoryProvider
from taishi.errors import ForbiddenError


class ScriptedClient(BaseChatClient):
    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Any, **_: Any
    ) -> Awaitable[ChatResponse]:
        before = "\n".join(one.text for one in messages[:-1])
        found = re.search(r"allergic to (\w+)", before)
        reply = f"You are allergic to {found[1]}." if found else "Noted."

        async def respond() -> ChatResponse:
            return ChatResponse(messages=[Message("assistant", [reply])])

        return respond()


def scope_of(session: AgentSession) -> Scope:
    return Scope(user=session.state["user"])


async def main(folder: str) -> None:
    with Memory.open(folder) as memory:
        agent = Agent(
            ScriptedClient(),
            name="cook",
            instructions="You plan meals.",
            context_providers=[
                TaishiHistoryProvider(memory, scope_of),
                TaishiContextProvider(memory, scope_of),
            ],
        )

        async def say(user: str, text: str) -> None:
            session = agent.create_session()
            session.state["user"] = user
            reply = await agent.run(text, session=session)
            print(f"{user}: {text}\n  cook: {reply.text}")

        await say("ann", "I am allergic to nuts.")
        try:
            await asyncio.to_thread(memory.drain)  # a worker would do this in the background
        except ForbiddenError:
            await asyncio.sleep(2)  # an ordinary key of a server, which works by itself
        await say("ann", "What am I allergic to?")
        await say("ben", "What am I allergic to?")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()))
