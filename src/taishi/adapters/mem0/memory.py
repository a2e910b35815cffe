"""`Memory` with the methods, arguments and answers of mem0's class of the same name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from os import PathLike
from types import NoneType, TracebackType
from typing import Any

from ...errors import InputError
from ...memory import Memory as Engine
from ...settings import Settings
from ...times import TimeLike
from ...types import Scope
from .entities import ENTITY_FIELDS, Entities, UnknownMemoryError
from .items import Item
from .operations import ADD_SECONDS, MOST_COUNTED, Caller, Operations
from .prompts import PROMPTS, refuse_prompts

Results = dict[str, list[Item]]
Filters = Mapping[str, Any]
PAGE_SIZE = 100
_CONFIGURATION = (
    "mem0's configuration does not apply: pass a data folder, Memory('./data'), or the address of "
    "a server, and set up models in taishi.toml (docs/how-to/use-a-model.md)"
)


class Memory:
    """Opens a data folder (or takes an open `taishi.Memory`) and starts the historian.

    `wait` is how many seconds `add` waits for the historian.
    """

    def __init__(
        self,
        address: str | PathLike[str] | Engine | None = None,
        settings: Settings | None = None,
        *,
        workspace: str = "default",
        wait: float = ADD_SECONDS,
        api_key: str | None = None,
        config: object = None,
    ) -> None:
        """`api_key` is that of a server (left out: `TAISHI_API_KEY`). `config` is mem0's name for
        its configuration, which is refused with what to do."""
        if config is not None or not isinstance(address, (str, PathLike, Engine, NoneType)):
            raise InputError(_CONFIGURATION)
        self._is_own = not isinstance(address, Engine)
        if isinstance(address, Engine):
            self.engine = address
        else:
            self.engine = Engine.open(address, settings, api_key=api_key)
        self.engine.start_worker()
        self._workspace = workspace
        self._wait = wait
        self._operations = Operations(
            self.engine, Caller(resolve=partial(Scope, workspace=workspace))
        )

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Memory:
        """mem0's stores and models are not used here, so its configuration is refused."""
        raise InputError(_CONFIGURATION)

    def add(
        self,
        messages: object,
        *,
        user_id: str | int | None = None,
        agent_id: str | int | None = None,
        run_id: str | int | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: TimeLike | None = None,
        expiration_date: object = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
        **others: Any,
    ) -> Results:
        """Add a text or messages. With `infer`, what the historian makes of them; it returns when
        that can be recalled.

            memory.add("I moved to Cork", user_id="ann")
        """
        refuse_prompts({"prompt": prompt, **others})
        _refuse(others, "add")
        entities = Entities.of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        added = self._operations.add(
            messages,
            entities,
            metadata=metadata,
            timestamp=timestamp,
            expiration_date=expiration_date,
            infer=infer,
            memory_type=memory_type,
            wait=self._wait,
        )
        return {"results": added}

    def get(self, memory_id: str) -> Item | None:
        try:
            return self._operations.get(memory_id)
        except UnknownMemoryError:
            return None

    def get_all(
        self,
        *,
        filters: Filters | None = None,
        top_k: int = 20,
        show_expired: bool = False,
        page: int | None = None,
        page_size: int | None = None,
        **others: Any,
    ) -> Results:
        """The newest memories that `filters` ask for; they name a user_id, agent_id or run_id.

        With `page`, from 1 on, those of one page instead of `top_k`; what is after the last is
        empty. `page_size` is 100, as with mem0's client.
        """
        _refuse(others, "get_all")
        count = _whole_number(top_k)
        query = self._operations.query(filters or {}, show_expired=show_expired)
        if page is not None or page_size is not None:
            number, size = _number_of_page(page, "page"), _number_of_page(page_size, "page_size")
            return {"results": self._operations.page(query, number or 1, size or PAGE_SIZE)[0]}
        return {"results": self._operations.newest(query, count)}

    def search(
        self,
        query: str,
        *,
        top_k: int = 20,
        filters: Filters | None = None,
        threshold: float | None = 0.1,
        rerank: bool = False,
        explain: bool = False,
        reference_date: TimeLike | None = None,
        show_expired: bool = False,
        **others: Any,
    ) -> Results:
        """The memories that matter for `query`, the best first. `rerank` has no effect: a reranker
        is set up in the settings and then always used."""
        _refuse(others, "search")
        found = self._operations.search(
            query,
            self._operations.query(filters or {}, show_expired=show_expired),
            top_k=_whole_number(top_k),
            threshold=_share(threshold),
            explain=explain,
            now=reference_date,
        )
        return {"results": found}

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: object = ...,
        data: str | None = None,
    ) -> dict[str, str]:
        """Change a memory; `expiration_date=None` takes its end away. `data` is the old name of
        `text`."""
        said = data if text is None else text
        self._operations.update(memory_id, said, metadata, expiration_date=expiration_date)
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, str]:
        self._operations.delete(memory_id)
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self,
        user_id: str | int | None = None,
        agent_id: str | int | None = None,
        run_id: str | int | None = None,
    ) -> dict[str, str]:
        self._operations.delete_all(
            Entities.of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        )
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[Item]:
        """What a memory says and said, oldest first. A deleted one leaves no history."""
        try:
            return self._operations.history(memory_id)
        except UnknownMemoryError:
            return []

    def reset(self) -> None:
        """Delete every user, agent and run of the workspace."""
        for entity in self._operations.entities(self._workspace):
            self._operations.delete_entity(entity["type"], entity["name"])

    def close(self) -> None:
        if self._is_own:
            self.engine.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _refuse(others: Mapping[str, Any], method: str) -> None:
    for name in others:
        if name in PROMPTS and others[name] is None:
            continue
        if name in ENTITY_FIELDS and method != "add":
            raise InputError(
                f"{method}() takes {name} in filters, such as filters={{'{name}': 'ann'}}"
            )
        instead = "; say top_k" if name == "limit" else ""
        raise InputError(f"{method}() has no argument {name!r:.40}{instead}")


def _whole_number(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InputError("top_k must be a whole number, 0 or more")
    return value


def _number_of_page(value: object, name: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_COUNTED:
        raise InputError(f"{name} must be a whole number from 1 to {MOST_COUNTED}")
    return value


def _share(value: object) -> float:
    if value is None:
        return 0.1
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InputError("threshold must be a number from 0 to 1")
    return float(value)
