"""A LlamaIndex chat with what Taishi knows in the user's turn. Runs offline: its model is a mock
that repeats the prompt.

    pip install '.[local,llama-index]' ./packages/taishi-model  # in the clone
    python examples/llama_index_memory.py
    python examples/llama_index_memory.py http://127.0.0.1:8321  # a server; key: TAISHI_API_KEY
"""

from __future__ import annotations

import asyncio
import sys

from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.memory import InsertMethod
from llama_index.core.memory import Memory as ChatMemory

from taishi import Memory, Scope
from taishi.adapters.llama_index import TaishiMemoryBlock
from taishi.errors import ForbiddenError


async def chat(memory: Memory, session: str, text: str) -> str:
    block = TaishiMemoryBlock(memory=memory, scope=Scope(user="ann"))
    history = ChatMemory.from_defaults(
        session_id=session, memory_blocks=[block], insert_method=InsertMethod.USER
    )
    engine = SimpleChatEngine.from_defaults(llm=MockLLM(), memory=history)
    reply = await engine.achat(text)
    await block.aput(await history.aget_all(), session_id=session)  # the session is over
    return str(reply)


async def main(folder: str) -> None:
    with Memory.open(folder) as memory:
        await chat(memory, "monday", "I moved to Cork in May.")
        try:
            await asyncio.to_thread(memory.drain)  # a worker would do this in the background
        except ForbiddenError:
            await asyncio.sleep(2)  # an ordinary key of a server, which works by itself
        prompt = await chat(memory, "friday", "Where did I move to?")
    print(next(line for line in prompt.splitlines() if "Cork" in line))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "./data"))
