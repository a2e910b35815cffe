"""An agent of the OpenAI Agents SDK that remembers: the conversation, and across conversations.

pip install '.[local,openai-agents]' ./packages/taishi-model  # in the clone
export OPENAI_API_KEY=… OPENAI_BASE_URL=…     # any OpenAI-compatible server
python examples/openai_agents_session.py
python examples/openai_agents_session.py http://127.0.0.1:8321  # a server; key: TAISHI_API_KEY
"""

from __future__ import annotations

import asyncio
import os
import sys

from agents import Agent, OpenAIChatCompletionsModel, RunConfig, Runner, set_tracing_disabled
from openai import AsyncOpenAI

from taishi import AsyncMemory, Scope
from taishi.adapters.openai_agents import TaishiRunHooks, TaishiSession, recall_input
from taishi.errors import ForbiddenError


async def talk(memory: AsyncMemory, agent: Agent, scope: Scope, text: str) -> None:
    session = TaishiSession(memory, scope)
    result = await Runner.run(
        agent,
        text,
        session=session,
        hooks=TaishiRunHooks(memory, scope),
        run_config=RunConfig(call_model_input_filter=recall_input(memory, scope)),
    )
    kept = len(await session.get_items())
    print(f"{scope.session}: {text} -> {result.final_output} ({kept} items kept)")


async def main(folder: str) -> None:
    set_tracing_disabled(True)
    client = AsyncOpenAI()
    model = OpenAIChatCompletionsModel(os.environ.get("OPENAI_MODEL", "gpt-5-mini"), client)
    agent = Agent(name="Quill", instructions="Be brief.", model=model)
    async with await AsyncMemory.open(folder) as memory:
        monday = Scope(user="ann", session="monday")
        await talk(memory, agent, monday, "I moved to Cork in May.")
        await talk(memory, agent, monday, "My cat is called Miso.")
        try:
            await memory.drain()  # a program that goes on calls memory.sync.start_worker()
        except ForbiddenError:
            await asyncio.sleep(2)  # an ordinary key of a server, which works by itself
        friday = Scope(user="ann", session="friday")
        await talk(memory, agent, friday, "Where did I move to?")
    await client.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "./data"))
