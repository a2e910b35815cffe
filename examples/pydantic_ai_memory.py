"""A Pydantic AI agent with a notebook of its own and a memory of the people it talks to.

    pip install '.[local,pydantic-ai]' ./packages/taishi-model  # in the clone
    python examples/pydantic_ai_memory.py
    python examples/pydantic_ai_memory.py http://127.0.0.1:8321  # a server; key: TAISHI_API_KEY

Runs offline: `scripted` stands in for a model. With one of yours, give `Agent` its name instead,
such as "openai:gpt-5-mini".
"""

from __future__ import annotations

import sys
import tempfile
import time

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai_harness.memory import Memory as Notebook

from taishi import Memory, Scope
from taishi.adapters.pydantic_ai import TaishiMemoryStore, TaishiRecall
from taishi.errors import ForbiddenError

ANN = Scope(user="ann")


def scripted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Notes down a first message, and answers a question with what it was given to read."""
    asked = str(messages[-1])
    if "Where" in asked:
        known = "Cork" in str(info.instructions) or "Cork" in asked
        return ModelResponse([TextPart("In Cork." if known else "I do not know.")])
    if "tool-return" in asked or "ToolReturnPart" in asked:
        return ModelResponse([TextPart("Noted.")])
    arguments = {"content": "- Ann moved to Cork in May."}
    return ModelResponse([ToolCallPart("write_memory", arguments, tool_call_id="call-1")])


def main(folder: str) -> None:
    with Memory.open(folder) as memory:
        agent = Agent(
            FunctionModel(scripted),
            capabilities=[
                Notebook(store=TaishiMemoryStore(memory, ANN)),
                TaishiRecall(memory, ANN),
            ],
        )
        for text in ("I moved to Cork in May.", "Where do I live?"):
            print(f"{text} -> {agent.run_sync(text).output}")
            try:
                memory.drain()  # a program that goes on calls memory.start_worker()
            except ForbiddenError:
                time.sleep(2)  # an ordinary key of a server, which works by itself
        for note in memory.notes.list(ANN):
            print(f"{note.path}, version {note.version}: {note.text.strip()}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="taishi-"))
