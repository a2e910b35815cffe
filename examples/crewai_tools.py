"""A CrewAI agent that keeps and finds memories by tools.

    pip install '.[local,crewai]' ./packages/taishi-model  # in the clone
    python examples/crewai_tools.py

Runs offline: `ScriptedLLM` stands in for a model, calls the tools in a fixed order and answers with
what they found. With a model of yours, give `Agent` its name instead.
"""

from __future__ import annotations

import re
import sys
import tempfile
from typing import Any

from crewai import Agent, BaseLLM, Crew, Task
from pydantic import Field

from taishi import Memory, Scope
from taishi.adapters.crewai import memory_tools

CALL = "Thought: I need my memory.\nAction: {}\nAction Input: {}\n"
DONE = "Thought: I now know the final answer\nFinal Answer: {}"


class ScriptedLLM(BaseLLM):
    steps: list[tuple[str, str]] = Field(default_factory=list)

    def call(self, messages: Any, *_: Any, **__: Any) -> str:
        if self.steps:
            return CALL.format(*self.steps.pop(0))
        results = str(messages).rpartition("Observation:")[2]
        found = re.search(r"allergic to (\w+)", results)
        return DONE.format(f"She is allergic to {found[1]}." if found else "Noted.")

    def supports_function_calling(self) -> bool:
        return False


def ask(memory: Memory, user: str, task: str, steps: list[tuple[str, str]]) -> str:
    cook = Agent(
        role="cook",
        goal="Plan meals that people can eat",
        backstory="You have cooked for this family for years.",
        tools=memory_tools(memory, Scope(user=user), ["remember", "recall"]),
        llm=ScriptedLLM(model="scripted", steps=steps),
    )
    work = Task(description=task, expected_output="one sentence", agent=cook)
    return str(Crew(agents=[cook], tasks=[work]).kickoff())


def main(folder: str) -> None:
    keep = ("remember", '{"text": "Ann is allergic to nuts"}')
    look = ("recall", '{"query": "allergic"}')
    with Memory.open(folder) as memory:
        for user, task, steps in (
            ("ann", "Note that Ann is allergic to nuts.", [keep]),
            ("ann", "What is she allergic to?", [look]),
            ("ben", "What is she allergic to?", [look]),
        ):
            print(f"{user}: {task}\n  cook: {ask(memory, user, task, list(steps))}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
