"""Searches chunks of documents and shows each match with its neighbours (K2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..domain.arguments import each, number, share, text, whole_number
from ..errors import InputError
from ..ingest.job_builder import clean_query
from ..recall.deadline import Deadline
from ..recall.score_range import with_scores_in_range
from ..recall.service import MAX_TOP_K as MOST_HITS
from ..recall.service import OFF, RecallService
from ..runtime import Runtime
from ..settings import is_on_for
from ..types import Hit, Recall, Scope
from .manifest import CHUNK, document_id
from .neighbours import NOT_FOUND, NeighbourExpander, joined
from .query_rewrite import QueryRewriter

MAX_TOP_K = 100
MAX_REACH = 10
FOREVER_DAYS = 1e6  # a document does not fade
SPARE = 2  # matches whose neighbours touch become one hit: so many times as many are looked for
SEARCH_RESERVE = 0.05  # seconds for searching in other words
LEAST_SECONDS = 0.01
OTHER_WORDS = 0.7
RRF = 60
NARROWED = 20  # and so many where only some documents are asked for


class KnowledgeSearch:
    def __init__(
        self, runtime: Runtime, recall: RecallService, rewriter: QueryRewriter | None = None
    ) -> None:
        self._runtime = runtime
        self._recall = recall
        self._rewriter = rewriter

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
        floor = None if floor is None else share(floor, "floor")
        reach = settings.knowledge.neighbours if neighbours is None else _reach(neighbours)
        if not is_on_for(settings.memory, scope):
            return OFF
        names = None if documents is None else _ids(documents)
        count = min(top_k * (SPARE if names is None else NARROWED), MOST_HITS)
        limit = settings.query.recall_timeout if deadline is None else number(deadline, "deadline")
        found = self._found_in_other_words(scope, query, count, reach, Deadline(limit), floor)
        hits = found.hits if names is None else _only(found.hits, names)
        return with_scores_in_range(replace(found, hits=tuple(joined(hits, reach)[:top_k])))

    def _found_in_other_words(
        self,
        scope: Scope,
        query: str,
        count: int,
        reach: int,
        deadline: Deadline,
        floor: float | None,
    ) -> Recall:
        """The question as it is, while a model writes it in other words; then those, too."""
        if self._rewriter is None:
            return self._found(scope, query, count, reach, deadline.left, floor)
        paths: dict[str, str] = {}
        pending = self._rewriter.start(clean_query(query), paths)
        found = self._found(scope, query, count, reach, deadline.left, floor)
        others = self._rewriter.finish(pending, paths, deadline.before(SEARCH_RESERVE))
        answers = [found]
        for words in others:
            left = max(deadline.left, 0.0)
            if left < LEAST_SECONDS:
                break
            answers.append(self._found(scope, words, count, reach, left, floor))
        hits = fused([one.hits for one in answers], count)
        paths = {**found.paths, **paths}
        return replace(found, hits=hits, paths=paths, took_ms=deadline.spent_ms)

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


def fused(lists: Sequence[Sequence[Hit]], count: int) -> tuple[Hit, ...]:
    """By reciprocal rank; the list of the question itself counts most. Neighbours come last."""
    weights: dict[tuple[str, str], float] = {}
    best: dict[tuple[str, str], Hit] = {}
    near: dict[tuple[str, str], Hit] = {}
    for number_of_list, hits in enumerate(lists):
        weight = 1.0 if number_of_list == 0 else OTHER_WORDS
        matches = [hit for hit in hits if hit.score != NOT_FOUND]
        near |= {_key(hit): hit for hit in hits if hit.score == NOT_FOUND}
        for rank, hit in enumerate(matches):
            key = _key(hit)
            weights[key] = weights.get(key, 0.0) + weight / (RRF + rank)
            if key not in best or hit.score > best[key].score:
                best[key] = hit
    order = sorted(weights, key=lambda key: -weights[key])[:count]
    rest = [hit for key, hit in near.items() if key not in order]
    rest += [replace(best[key], score=NOT_FOUND) for key in weights if key not in order]
    return (*(best[key] for key in order), *rest)


def _key(hit: Hit) -> tuple[str, str]:
    return str(hit.metadata.get("place")), hit.id


def _reach(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_REACH:
        raise InputError(f"neighbours must be a whole number from 0 to {MAX_REACH}")
    return value


def _ids(documents: Sequence[str]) -> set[str]:
    names = [text(one, "an id or name of documents") for one in each(documents, "documents")]
    return {one if one.startswith("document:") else document_id(one) for one in names}


def _only(hits: Sequence[Hit], ids: set[str]) -> list[Hit]:
    return [hit for hit in hits if hit.metadata.get("document") in ids]
