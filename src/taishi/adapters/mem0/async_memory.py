"""`AsyncMemory` with the methods of mem0's class of the same name. Each runs in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from .items import Item
from .memory import Memory, Results


class AsyncMemory:
    """Takes the arguments of `Memory`, and its methods have the same arguments."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.sync = Memory(*args, **options)

    @classmethod
    async def from_config(cls, config: Mapping[str, Any]) -> AsyncMemory:
        """Refused like `Memory.from_config`."""
        return cls(config=config)

    async def add(self, messages: object, **options: Any) -> Results:
        return await asyncio.to_thread(self.sync.add, messages, **options)

    async def get(self, memory_id: str) -> Item | None:
        return await asyncio.to_thread(self.sync.get, memory_id)

    async def get_all(self, **options: Any) -> Results:
        return await asyncio.to_thread(self.sync.get_all, **options)

    async def search(self, query: str, **options: Any) -> Results:
        return await asyncio.to_thread(self.sync.search, query, **options)

    async def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> dict[str, str]:
        return await asyncio.to_thread(self.sync.update, memory_id, text, metadata, **options)

    async def delete(self, memory_id: str) -> dict[str, str]:
        return await asyncio.to_thread(self.sync.delete, memory_id)

    async def delete_all(self, **entities: Any) -> dict[str, str]:
        return await asyncio.to_thread(self.sync.delete_all, **entities)

    async def history(self, memory_id: str) -> list[Item]:
        return await asyncio.to_thread(self.sync.history, memory_id)

    async def reset(self) -> None:
        await asyncio.to_thread(self.sync.reset)

    async def close(self) -> None:
        await asyncio.to_thread(self.sync.close)

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
