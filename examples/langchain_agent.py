"""A LangChain agent with long-term memory for each of its users, and a retriever over the same.

pip install '.[local,langchain]' ./packages/taishi-model langchain-openai  # in the clone
export OPENAI_API_KEY=… OPENAI_BASE_URL=…     # any OpenAI-compatible server
python examples/langchain_agent.py
python examples/langchain_agent.py http://127.0.0.1:8321  # a server; key: TAISHI_API_KEY
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI

from taishi import Memory, Scope
from taishi.adapters.langchain import TaishiMiddleware, TaishiRetriever
from taishi.errors import ForbiddenError


@dataclass
class Person:
    user_id: str


def main(folder: str) -> None:
    model = ChatOpenAI(model=os.environ.get("OPENAI_MODEL", "gpt-5-mini"))
    with Memory.open(folder) as memory:
        agent = create_agent(model, middleware=[TaishiMiddleware(memory)], context_schema=Person)

        def ask(user: str, text: str) -> None:
            answer = agent.invoke({"messages": [("user", text)]}, context=Person(user))
            print(f"{user}: {text} -> {answer['messages'][-1].text}")

        ask("ann", "I moved to Cork in May.")
        try:
            memory.drain()  # a program that goes on calls memory.start_worker()
        except ForbiddenError:
            time.sleep(2)  # an ordinary key of a server, which works by itself
        ask("ann", "Where did I move to?")
        ask("bob", "Where did Ann move to?")
        retriever = TaishiRetriever(memory=memory, scope=Scope(user="ann"), k=1)
        print("retrieved:", retriever.invoke("Where did Ann move to?")[0].page_content)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "./data")
