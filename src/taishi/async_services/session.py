"""`AsyncSession`: the working memory of one session for asyncio hosts."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from ..async_nouns import Threaded

if TYPE_CHECKING:
    from ..domain.scratchpad import Scratchpad
    from ..language.token_bound import Counter
    from ..ports.working import Given, HistoryMessage, MessageWindow
    from ..working.session import Session, SessionScratchpad


class AsyncScratchpad(Threaded):
    def __init__(self, pool: ThreadPoolExecutor, scratchpad: SessionScratchpad) -> None:
        super().__init__(pool)
        self._scratchpad = scratchpad

    async def get(self) -> Scratchpad:
        return await self._run(self._scratchpad.get)

    async def patch(self, **fields: Any) -> Scratchpad:
        return await self._run(self._scratchpad.patch, **fields)

    async def clear(self) -> bool:
        return await self._run(self._scratchpad.clear)


class AsyncSession(Threaded):
    def __init__(self, pool: ThreadPoolExecutor, session: Session) -> None:
        super().__init__(pool)
        self._session = session
        self.scope = session.scope
        self.scratchpad = AsyncScratchpad(pool, session.scratchpad)

    async def append(self, messages: Given | Iterable[Given], *, door: str = "python") -> list[str]:
        return await self._run(self._session.append, messages, door=door)

    async def messages(
        self, max_tokens: int | None = None, count_tokens: Counter | None = None
    ) -> MessageWindow:
        return await self._run(self._session.messages, max_tokens, count_tokens)

    async def history(self, after: int = 0, limit: int = 1000) -> list[HistoryMessage]:
        return await self._run(self._session.history, after, limit)

    async def latest(self, limit: int = 50) -> list[HistoryMessage]:
        return await self._run(self._session.latest, limit)

    async def pop(self) -> HistoryMessage | None:
        return await self._run(self._session.pop)

    async def get(self, id: str) -> HistoryMessage | None:
        return await self._run(self._session.get, id)

    async def end(self, *, learn: bool | None = None) -> bool:
        return await self._run(self._session.end, learn=learn)

    async def clear(self) -> int:
        return await self._run(self._session.clear)
