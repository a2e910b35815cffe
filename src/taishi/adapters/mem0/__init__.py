"""Memory with mem0's methods: change one import, and a program that uses mem0 runs on Taishi.

    from taishi.adapters.mem0 import Memory          # was: from mem0 import Memory

    memory = Memory("./data")
    memory.add("I moved to Cork", user_id="ann")
    memory.search("where does she live?", filters={"user_id": "ann"})

Nothing here needs mem0 to be installed. `taishi serve` speaks mem0's REST API with the same
operations, so that `mem0.MemoryClient(host=…)` works, too.
"""

from __future__ import annotations

from .async_memory import AsyncMemory
from .memory import Memory

__all__ = ["AsyncMemory", "Memory"]
