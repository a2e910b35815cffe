"""Searches chunks of documents and shows each match with its neighbours (K2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..errors import InputError
from ..ingest.job_builder import whole_number
from ..recall.service import OFF, RecallService
from ..runtime import Runtime
from ..settings import is_on_for
from ..types import Hit, Recall, Scope
from .manifest import CHUNK, document_id
from .neighbours import NeighbourExpander, joined

MAX_TOP_K = 100
MAX_REACH = 10
FOREVER_DAYS = 1e6  # a document does not fade
SPARE = 2  # matches whose neighbours touch become one hit: so many times as many are looked for
NARROWED = 20  # and so many where only some documents are asked for


class KnowledgeSearch:
    def __init__(self, runtime: Runtime, recall: RecallService) -> None:
        self._runtime = runtime
        self._recall = recall

    def search(
        self,
        scope: Scope,
        query: str,
        top_k: int,
        neighbours: int | None,
        documents: Sequence[str] | None,
        deadline: float | None,
        floor: float | None,
    ) -> Recall:
        settings = self._runtime.settings
        self._runtime.check_scope(scope)
        whole_number(top_k, "top_k", MAX_TOP_K)
        reach = settings.knowledge.neighbours if neighbours is None else _reach(neighbours)
        if not is_on_for(settings.memory, scope):
            return OFF
        names = None if documents is None else _ids(documents)
        found = self._found(
            scope, query, top_k * (SPARE if names is None else NARROWED), reach, deadline, floor
        )
        hits = found.hits if names is None else _only(found.hits, names)
        return replace(found, hits=tuple(joined(hits, reach)[:top_k]))

    def _found(
        self,
        scope: Scope,
        query: str,
        count: int,
        reach: int,
        deadline: float | None,
        floor: float | None,
    ) -> Recall:
        settings = self._runtime.settings
        request = self._recall.request(settings, scope, query, count, (CHUNK,), floor=floor)
        expander = NeighbourExpander(self._runtime.parts.store, reach)
        request = replace(request, half_life_days=FOREVER_DAYS, expander=expander)
        return self._recall.answer(settings, scope, request, deadline)


def _reach(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_REACH:
        raise InputError(f"neighbours must be a whole number from 0 to {MAX_REACH}")
    return value


def _ids(documents: Sequence[str]) -> set[str]:
    if isinstance(documents, str):
        raise InputError("documents must be a list of ids or names, not one text")
    return {one if str(one).startswith("document:") else document_id(str(one)) for one in documents}


def _only(hits: Sequence[Hit], ids: set[str]) -> list[Hit]:
    return [hit for hit in hits if hit.metadata.get("document") in ids]
