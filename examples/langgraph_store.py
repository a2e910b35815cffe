"""A LangGraph graph whose store is Taishi: what is put in one run is found by meaning in the next.
Runs offline, without a model.

    pip install '.[local,langgraph]' ./packages/taishi-model  # in the clone
    python examples/langgraph_store.py
"""

from __future__ import annotations

import sys
from typing import TypedDict

from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime

from taishi import Memory, Scope
from taishi.adapters.langgraph import TaishiStore


class State(TypedDict, total=False):
    user: str
    said: str
    known: list[str]


def remember(state: State, runtime: Runtime) -> State:
    assert runtime.store is not None
    notes = ("users", state["user"], "notes")
    found = runtime.store.search(notes, query=state["said"], filter={"kind": "said"}, limit=2)
    number = len(runtime.store.search(notes, limit=1000))
    runtime.store.put(notes, str(number), {"kind": "said", "text": state["said"]}, ttl=60 * 24 * 30)
    return {"known": [one.value["text"] for one in found]}


def main(folder: str) -> None:
    builder = StateGraph(State)
    builder.add_node("remember", remember)
    builder.add_edge(START, "remember")
    with Memory.open(folder) as memory:
        store = TaishiStore(memory, Scope(agent="example"))
        graph = builder.compile(store=store)
        for user, said in (
            ("ann", "I moved to Cork in May."),
            ("ann", "My cat is called Miso."),
            ("ann", "Where did I move to?"),
            ("bob", "Where did Ann move to?"),
        ):
            known = graph.invoke({"user": user, "said": said})["known"]
            print(f"{user}: {said} -> {known[:1]}")
        print(store.list_namespaces())


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "./data")
