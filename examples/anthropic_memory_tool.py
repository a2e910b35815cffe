"""Claude keeps files of its own in a Taishi memory, through its memory tool.

pip install '.[local,anthropic]' ./packages/taishi-model  # in the clone
export ANTHROPIC_API_KEY=…
python examples/anthropic_memory_tool.py "Remember that I take my coffee black."
"""

from __future__ import annotations

import sys

from anthropic import Anthropic

from taishi import Memory, Scope
from taishi.adapters.anthropic import TaishiMemoryTool

MODEL = "claude-sonnet-5-5"


def main(question: str) -> None:
    ann = Scope(user="ann")
    with Memory.open("./anthropic-example-data") as memory:
        runner = Anthropic().beta.messages.tool_runner(
            model=MODEL,
            max_tokens=1024,
            betas=["context-management-2025-06-27"],
            tools=[TaishiMemoryTool(memory, ann)],
            messages=[{"role": "user", "content": question}],
        )
        answer = runner.until_done()
        print("".join(block.text for block in answer.content if block.type == "text"))
        for note in memory.notes.list(ann):
            print(f"/memories/{note.path} (version {note.version}): {note.text}")


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "What do you remember about me?")
