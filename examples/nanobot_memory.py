"""nanobot's `MemoryStore` on Taishi, offline: what it kept before is taken over, a chat is
remembered, and the next chat does not see it. nanobot itself is not needed.

    python examples/nanobot_memory.py [workspace]
"""

import sys
from pathlib import Path

from taishi.adapters.nanobot import MemoryStore

WORKSPACE = Path(sys.argv[1] if len(sys.argv) > 1 else "./workspace")
ANN = {"session_key": "telegram:42", "sender_id": "42"}
BEN = {"session_key": "telegram:7", "sender_id": "7"}


def leave_old_files() -> None:
    """As nanobot leaves them in its workspace."""
    folder = WORKSPACE / "memory"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "MEMORY.md").write_text("# Me\n- I answer briefly.\n", encoding="utf-8")
    (folder / "HISTORY.md").write_text("[2026-02-02 11:30] The boiler was mended.\n", "utf-8")


def main() -> None:
    leave_old_files()
    with MemoryStore(WORKSPACE) as store:
        print("MEMORY.md:", store.read_memory().splitlines()[-1])
        print("log:", [one["content"] for one in store.read_unprocessed_history()])

        store.feed_message("user", "I am allergic to nuts.", sender_name="Ann", **ANN)
        store.feed_message("assistant", "Noted.", **ANN)
        store.memory.drain()
        for name, chat in (("Ann", ANN), ("Ben", BEN)):
            block = store.get_memory_context("What am I allergic to?", **chat)
            print(f"{name}'s chat knows of nuts:", "nuts" in block)


if __name__ == "__main__":
    main()
