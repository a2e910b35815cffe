"""A Google ADK agent that knows on Friday what it was told on Monday.

    pip install '.[local,google-adk]' ./packages/taishi-model  # in the clone
    python examples/google_adk_memory.py
    python examples/google_adk_memory.py http://127.0.0.1:8321  # TAISHI_API_KEY for kitchen

Runs offline: `ScriptedLlm` stands in for a model and answers with what memory put into its prompt.
With a model of yours, give `LlmAgent` its name instead.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import preload_memory
from google.genai import types

from taishi import Memory
from taishi.adapters.google_adk import TaishiMemoryService
from taishi.errors import ForbiddenError

APP = "kitchen"


class ScriptedLlm(BaseLlm):
    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        texts = [part.text or "" for one in llm_request.contents for part in one.parts or ()]
        found = re.search(r"allergic to (\w+)", "\n".join(texts[:-1]))
        reply = f"You are allergic to {found[1]}." if found else "Noted."
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=reply)]))


async def add_session(callback_context: Any) -> None:
    await callback_context.add_session_to_memory()


async def main(folder: str) -> None:
    memory = Memory.open(folder)
    agent = LlmAgent(
        name="cook",
        model=ScriptedLlm(model="scripted"),
        instruction="You plan meals.",
        tools=[preload_memory],
        after_agent_callback=add_session,
    )
    sessions = InMemorySessionService()
    service = TaishiMemoryService(memory)
    runner = Runner(app_name=APP, agent=agent, session_service=sessions, memory_service=service)

    async def say(user: str, session: str, text: str) -> None:
        await sessions.create_session(app_name=APP, user_id=user, session_id=session)
        message = types.Content(role="user", parts=[types.Part(text=text)])
        async for event in runner.run_async(user_id=user, session_id=session, new_message=message):
            print(f"{user}, {session}: {text}\n  cook: {event.content.parts[0].text}")

    await say("ann", "monday", "I am allergic to nuts.")
    try:
        await asyncio.to_thread(memory.drain)  # a worker would do this in the background
    except ForbiddenError:
        await asyncio.sleep(2)  # an ordinary key of a server, which works by itself
    await say("ann", "friday", "What am I allergic to?")
    await say("ben", "friday", "What am I allergic to?")
    await service.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()))
