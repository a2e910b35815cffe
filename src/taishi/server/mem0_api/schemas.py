"""The bodies that mem0's clients send. A field that is not here is refused: it would change what
is kept, and we could not do it."""

from __future__ import annotations

import ast
import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ...adapters.mem0.entities import ENTITY_FIELDS
from ...adapters.mem0.operations import SEARCH_SECONDS
from ...errors import InputError
from ..schemas.common import Id, RequestModel, Time

MAX_BATCH = 1000
MAX_PAGE = 1000
MAX_FILTERS_CHARS = 4000
Filters = dict[str, Any]
Threshold = Annotated[float, Field(ge=0, le=1)]


class _Request(RequestModel):
    """Options that only mem0's own platform knows; here they have no effect."""

    async_mode: Any = None
    enable_graph: Any = None
    keyword_search: Any = None
    latest_only: Any = None
    org_id: Any = None
    output_format: Any = None
    project_id: Any = None
    rerank: Any = None
    source: Any = None
    version: Any = None


class _AboutEntities(_Request):
    user_id: Id | None = None
    agent_id: Id | None = None
    run_id: Id | None = None
    app_id: Id | None = None
    filters: Filters | None = None

    @property
    def all_filters(self) -> Filters:
        """The filters, with whoever is named beside them. A name in both must be the same."""
        beside = {name: getattr(self, name) for name in ENTITY_FIELDS}
        named = {name: value for name, value in beside.items() if value is not None}
        given = self.filters or {}
        return {"AND": [one for one in (named, given) if one]} if named else dict(given)


class AddIn(_AboutEntities):
    messages: str | dict[str, Any] | list[dict[str, Any]]
    metadata: dict[str, Any] | None = None
    infer: bool | None = None
    timestamp: Time | None = None
    expiration_date: str | None = None
    memory_type: str | None = None
    # They would change what is kept; they are here to be refused with what to do.
    prompt: Any = None
    custom_instructions: Any = None
    custom_categories: Any = None
    includes: Any = None
    excludes: Any = None


class ListIn(_AboutEntities):
    start_date: Time | None = None
    end_date: Time | None = None
    categories: list[str] | None = None
    show_expired: bool | None = None


class SearchIn(_AboutEntities):
    query: str
    top_k: int | None = Field(default=None, ge=0, le=1000)
    limit: int | None = Field(default=None, ge=0, le=1000)
    threshold: Threshold | None = None
    explain: bool | None = None
    fields: list[str] | None = None
    categories: list[str] | None = None
    metadata: dict[str, Any] | None = None
    show_expired: bool | None = None
    reference_date: Time | None = None
    deadline: float | None = Field(default=SEARCH_SECONDS, ge=0, le=60)


class UpdateIn(_Request):
    text: str | None = None
    metadata: dict[str, Any] | None = None
    timestamp: Time | None = None
    expiration_date: str | None = None

    @property
    def changes(self) -> dict[str, Any]:
        """What was sent: an `expiration_date` of null takes the end away."""
        names = ("text", "metadata", "timestamp", "expiration_date")
        return {name: getattr(self, name) for name in names if name in self.model_fields_set}


class BatchItem(UpdateIn):
    memory_id: str = Field(max_length=4000)


class BatchIn(RequestModel):
    memories: list[BatchItem] = Field(min_length=1, max_length=MAX_BATCH)


class PageQuery(BaseModel):
    model_config = ConfigDict(extra="ignore")

    page: int = Field(default=1, ge=1, le=1_000_000)
    page_size: int = Field(default=100, ge=1, le=MAX_PAGE)


class EntityQuery(BaseModel):
    """The address of a request about a whole user, agent or run."""

    model_config = ConfigDict(extra="ignore")

    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None
    app_id: str | None = None
    filters: str | None = Field(default=None, max_length=MAX_FILTERS_CHARS)

    @property
    def named(self) -> dict[str, Any]:
        beside = {name: getattr(self, name) for name in ENTITY_FIELDS}
        given = {} if self.filters is None else _object(self.filters)
        if unknown := given.keys() - set(ENTITY_FIELDS):
            raise InputError(
                f"filters of an address may name {', '.join(ENTITY_FIELDS)}, not "
                f"{sorted(map(str, unknown))[0]!r:.40}"
            )
        return given | {name: value for name, value in beside.items() if value is not None}


def _object(text: str) -> dict[Any, Any]:
    """mem0's Python client writes its filters into an address as Python, others as JSON."""
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    raise InputError('filters must be an object such as {"user_id": "ann"}')
