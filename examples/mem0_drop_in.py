"""A program written for mem0, on Taishi: in process, or with mem0's own client over HTTP.

python examples/mem0_drop_in.py ./data
python examples/mem0_drop_in.py http://127.0.0.1:8321 tsk_…   (needs: pip install mem0ai)
"""

from __future__ import annotations

import sys
from typing import Any

CONVERSATION = [
    {"role": "user", "content": "I moved to Cork last week. I love hiking."},
    {"role": "assistant", "content": "The Galtee mountains are close by!"},
]


def memory_at(address: str, key: str = "") -> Any:
    if address.startswith("http"):
        from mem0 import MemoryClient

        return MemoryClient(api_key=key, host=address)
    from taishi.adapters.mem0 import Memory  # was: from mem0 import Memory

    return Memory(address)


def play(memory: Any) -> None:
    """Nothing in here knows whose memory it is."""
    memory.add(CONVERSATION, user_id="ann")
    memory.add("我对花生过敏", user_id="小明")
    noted = memory.add("Ann's bike is red", user_id="ann", infer=False, metadata={"topic": "bike"})
    id = noted["results"][0]["id"]
    memory.update(id, text="Ann's bike is blue")

    show("where does ann live?", memory.search("where does ann live?", filters={"user_id": "ann"}))
    show("花生", memory.search("花生", filters={"user_id": "小明"}))
    show("bikes", memory.get_all(filters={"AND": [{"user_id": "ann"}, {"topic": "bike"}]}))
    print("history:", [(row["event"], row["new_memory"]) for row in memory.history(id)])
    memory.delete_all(user_id="ann")
    memory.delete_all(user_id="小明")


def show(title: str, found: dict[str, Any]) -> None:
    print(f"{title}: {[one['memory'] for one in found['results'][:1]]}")


def main(arguments: list[str]) -> None:
    memory = memory_at(*arguments)
    try:
        play(memory)
    finally:
        (memory.client if hasattr(memory, "client") else memory).close()


if __name__ == "__main__":
    main(sys.argv[1:] or ["./data"])
