"""Answers a request: candidates from a source, scored, and for a reader also presented (Q1–Q3).

`search` returns the best matches in scored order: what a look-up wants. `recall` adds what is
meant for showing: reranking, diversity, deduplication, expansion, and a cache of answers.

Whatever may block runs on an executor and is waited for until the deadline. A path that is late or
broken is left out, and the answer says so.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar, cast

from ..errors import UnreachableError
from ..exported import IntentDecision
from ..language.courtesies import says_nothing
from ..observe.stage_times import timed
from ..ports import CandidateRequest, Candidates, CandidateSource, Expander, SearchSnapshot
from ..ports.candidates import RecordsByNumber
from ..settings import QuerySettings
from ..types import Level, Partition, Record
from .deadline import READING_RESERVE, BoundedExecutor, Deadline
from .deadline import guarded as _guarded
from .excerpts import Passages, note_passages
from .explain import explain
from .intent import RESERVED, Intent, decision, intent_of, kind_weights, shared_weight
from .intent_model import Decide, Intents
from .kind_limits import order_with_at_most, with_reserved
from .presentation import Presenter, Rerank
from .query import asks_advice, in_first_person
from .request import RawResult, RecallRequest
from .result_cache import ResultCache
from .scoring import MIN_WEIGHED, Scored, ScoringParams, diversified, score
from .shared_results import SharedResults
from .topk import Rows

__all__ = ["RawResult", "RecallRequest", "Rerank", "Retriever"]

T = TypeVar("T")
# Runs work that may block until the deadline: on the executor, or inline if this thread is one of
# its own.
Run = Callable[[Callable[[], Any], Deadline], Any]

# Candidates of each path. Wider than what is shown: the full score decides, not one path's rank.
PATH_TOP = 30
# Seconds kept for an answer from what is in memory, if the store does not say what is new.
HELD_RESERVE = 0.05
# Seconds kept for the last fallback, the profile page on disk, and for the way back.
FALLBACK_RESERVE = 0.02
# A question for advice does not use the words of what was told, and what the assistant said about
# it counts as much as what the person said.
ADVICE_WORDS = 0.25
MOST_WORDS = 0.7  # the share of its words that a record has to have, if a question says nothing
STORE_THREADS = 4
# Of the time that is left, what another server's answer may take.
SHARED_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Job:
    """One request, what it asks of the source, and the snapshot that it is answered from."""

    request: RecallRequest
    asked: CandidateRequest
    snapshot: SearchSnapshot
    deadline: Deadline
    run: Run


Answer = Callable[[Job], RawResult]


@dataclass(frozen=True, slots=True)
class Matches:
    """The scored candidates of one request."""

    scored: Scored
    params: ScoringParams
    paths: dict[str, str]
    intent: IntentDecision


class Retriever:
    """Searches one candidate source and presents what it finds."""

    def __init__(
        self,
        source: CandidateSource,
        settings: Callable[[], QuerySettings],
        rerank: Rerank | None = None,
        results_minutes: float = 0.0,
        looked: Callable[[str, str], None] = lambda cache, result: None,
        decide_intent: Decide | None = None,
        expander: Expander | None = None,
        shared: SharedResults | None = None,
    ) -> None:
        """`looked` is told of every look into a cache, and whether the answer was there; `shared`
        are the answers of other servers."""
        self.source = source
        self._settings = settings
        self._looked = looked
        self._presenter = Presenter(rerank, expander)
        self._results: ResultCache[RawResult] = ResultCache(results_minutes)
        self._shared = shared
        self._intents = Intents(decide_intent)
        self._executor = BoundedExecutor("store", STORE_THREADS)
        self._computing = threading.Lock()  # held by whoever computes in his own thread

    def close(self) -> None:
        self._executor.close()
        self._presenter.close()
        self._intents.close()
        self.source.close()

    def forget(self, gone: Partition, touched: Sequence[Partition] = ()) -> None:
        """A partition was erased, and records of others were: nothing of them stays in memory."""
        self._forget_results()
        self.source.forget(gone, touched)

    def cached_texts(self) -> Iterable[str]:
        return self._results.texts()

    def clear_text(self) -> None:
        self.forget_texts()

    def forget_texts(self) -> None:
        """No text of a record stays in memory; it is read again when it is recalled."""
        self._forget_results()
        self.source.forget_texts()

    def _forget_results(self) -> None:
        self._results.clear()
        if self._shared is not None:
            self._shared.clear()

    def stats(self) -> dict[str, int]:
        return self.source.stats()

    def search(self, request: RecallRequest, deadline: Deadline) -> RawResult:
        """The best `top_k` matches in scored order, near-duplicates included: for a look-up. Only
        the embedder is asked, no other model; nothing is cached or explained."""
        return self._run(request, deadline, self._search)

    def recall(self, request: RecallRequest, deadline: Deadline) -> RawResult:
        """The best matches as they are shown to a reader."""
        return self._run(request, deadline, self._recall)

    def _run(self, request: RecallRequest, deadline: Deadline, answer: Answer) -> RawResult:
        paths: dict[str, str] = {}
        until = deadline.before(FALLBACK_RESERVE)
        result = _guarded("store", paths, lambda: self._in_time(request, until, answer))
        return result or RawResult((), "empty", paths)

    def _in_time(self, request: RecallRequest, deadline: Deadline, answer: Answer) -> RawResult:
        """Run inline when the snapshot is warm and no other request is computed; otherwise on the
        executor, so that neither a slow disk nor a crowd can outlive the deadline."""
        asked = self._candidate_request(request)
        warm = self.source.warm_snapshot(asked)
        if warm is not None and self._computing.acquire(blocking=False):
            try:
                return answer(Job(request, asked, warm, deadline, self._executor.run))
            finally:
                self._computing.release()

        is_known = threading.Event()

        def work() -> RawResult:
            with timed(asked.times, "index"):
                snapshot = warm or self.source.snapshot(asked, deadline)
            is_known.set()
            return answer(Job(request, asked, snapshot, deadline, _inline))

        pending = self._executor.start(work)
        if pending.is_done_by(deadline.before(HELD_RESERVE)) or is_known.is_set():
            return pending.result(deadline)
        held = None if warm is not None else self.source.held_snapshot(asked)
        if held is None or not self._computing.acquire(timeout=deadline.left):
            return pending.result(deadline)
        try:  # the store does not say what is new
            return answer(Job(request, asked, held, deadline, self._executor.run))
        finally:
            self._computing.release()
            pending.given_up = True

    def _search(self, job: Job) -> RawResult:
        matches = self._matches(job, ask_model=False)
        if matches is None:
            return self._nothing()
        scored, passages = matches.scored, Passages()
        fetch = partial(_fetch, scored.candidates, job, matches.paths)
        all_there = not job.snapshot.is_behind
        hits = tuple(_read(scored, scored.order, fetch, passages, all_there, job.request.top_k))
        return RawResult(hits, scored.candidates.level, matches.paths, passages=passages)

    def _recall(self, job: Job) -> RawResult:
        """From the cache of answers, as long as nothing changed in what may be read."""
        request, version = job.request, job.snapshot.version
        if request.skip_if_absent and _has_none_of(job.snapshot, request.wanted.kinds):
            return self._nothing()
        if not request.live or request.explain or version is None or not self._results.are_kept:
            return self._present(job)
        key = request.key(job.snapshot.visible)
        cached = self._results.get(key, version, request.wanted.now)
        self._looked("results", "miss" if cached is None else "hit")
        if cached is not None:
            return _behind(cached) if job.snapshot.is_behind else cached
        is_shared = self._shared is not None and not job.snapshot.is_behind
        name = self._shared.key(request, job.snapshot) if self._shared and is_shared else None
        if name is not None and (other := self._of_other_server(name, job)) is not None:
            self._results.put(key, version, other)
            return other
        result = self._present(job)
        if not {"late", "failed", "behind"} & set(result.paths.values()):
            self._results.put(key, version, result)
            if name is not None:
                self._share(name, result, job)
        return result

    def _of_other_server(self, name: str, job: Job) -> RawResult | None:
        shared, visible = self._shared, job.snapshot.visible
        assert shared is not None
        found = _if_in_time(job, lambda: shared.get(name, job.request, visible))
        self._looked("shared results", "miss" if found is None else "hit")
        return found

    def _share(self, name: str, result: RawResult, job: Job) -> None:
        shared, visible = self._shared, job.snapshot.visible
        assert shared is not None
        _if_in_time(job, lambda: shared.put(name, result, visible))

    def _present(self, job: Job) -> RawResult:
        matches = self._matches(job, ask_model=True)
        if matches is None:
            return self._nothing()
        request, scored, params = job.request, matches.scored, matches.params
        candidates, paths, passages = scored.candidates, matches.paths, Passages()
        width = self._settings_of(request).rerank_candidate_multiplier
        with timed(request.times, "diversify"):
            order = diversified(scored, params)
        order = order_with_at_most(candidates, order, request.most_events, width)
        if request.wanted.kinds is None:
            order = with_reserved(scored, order, request.top_k, RESERVED[matches.intent.name])
        fetch = partial(_fetch, candidates, job, paths)
        read = partial(_read, scored, order, fetch, passages, not job.snapshot.is_behind)
        visible, deadline = job.snapshot.visible, job.deadline
        hits = tuple(self._presenter.present(request, read, width, visible, paths, deadline))
        if not request.explain:
            return RawResult(
                hits,
                candidates.level,
                paths,
                passages=passages,
                intent=matches.intent,
                kinds=job.snapshot.kinds,
            )
        with timed(request.times, "explain"):
            records = candidates.details.records(candidates.rows, partial(_in_time_of, job))
            note_passages(candidates.details, candidates.rows, records, passages)
            explained = tuple(explain(scored, records, [record for record, _ in hits], params))
        return RawResult(
            hits, candidates.level, paths, explained, params.weights, passages, matches.intent
        )

    def _nothing(self) -> RawResult:
        level: Level = "hybrid" if self.source.uses_vectors else "keyword"
        return RawResult((), level, {"store": "nothing there"})

    def _matches(self, job: Job, ask_model: bool) -> Matches | None:
        """None: there is nothing to search. A model may tell the intent, beside the search; if it
        is not asked, rules do."""
        text, paths = job.request.text, dict[str, str]()
        matters = job.snapshot.intent_matters
        deciding = self._intents.start(text, paths) if matters and ask_model else None
        candidates = self.source.candidates(job.asked, job.snapshot, job.deadline)
        if candidates is None:
            return None
        paths.update(candidates.paths)
        if deciding is None:
            intent, by = intent_of(text), "rules"
        else:
            until = job.deadline.before(READING_RESERVE)
            intent, by = self._intents.finish(deciding, paths, until)
        params = self._params(job.request, intent if matters else "other")
        with timed(job.request.times, "score"):
            scored = score(candidates, params)
        return Matches(scored, params, paths, decision(intent, by))

    def _candidate_request(self, request: RecallRequest) -> CandidateRequest:
        width = self._settings_of(request).rerank_candidate_multiplier
        return CandidateRequest(
            text=request.text,
            visible=request.visible,
            filter=request.wanted,
            count=max(PATH_TOP, request.top_k * width),
            reader=request.reader,
            unchanged=request.unchanged,
            visible_alone=request.visible_alone,
            times=request.times,
        )

    def _settings_of(self, request: RecallRequest) -> QuerySettings:
        return request.settings or self._settings()

    def _params(self, request: RecallRequest, intent: Intent) -> ScoringParams:
        settings = self._settings_of(request)
        advice = asks_advice(request.text)
        words = settings.keyword_weight * (ADVICE_WORDS if advice else 1.0)
        floor = settings.min_similarity if request.floor is None else request.floor
        # Of 你好 or "good morning", only what has nearly all of its words is about it.
        is_empty = request.floor is None and floor > 0 and says_nothing(request.text)
        return ScoringParams(
            weights=ScoringParams.weights_of(settings.vector_weight, words),
            floor=max(floor, MOST_WORDS) if is_empty else floor,
            now=request.wanted.now,
            half_life_days=request.half_life_days,
            most=max(MIN_WEIGHED, request.top_k * settings.rerank_candidate_multiplier),
            shown=request.top_k,
            variety=settings.mmr_lambda,
            kinds=kind_weights(intent),
            shared=shared_weight(intent),
            moments=request.moments,
            first_person=not advice and in_first_person(request.text),
            words_alone=is_empty,
        )


def _behind(result: RawResult) -> RawResult:
    return replace(result, paths={**result.paths, "store": "behind"})


def _has_none_of(snapshot: SearchSnapshot, kinds: Collection[str] | None) -> bool:
    """Whether nothing of these kinds can be read: most memories have no documents."""
    return kinds is not None and snapshot.kinds is not None and snapshot.kinds.isdisjoint(kinds)


def _if_in_time(job: Job, work: Callable[[], T]) -> T | None:
    """None: it did not answer soon enough, or not at all."""
    until = Deadline(min(SHARED_SECONDS, job.deadline.left / 2))
    result: T | None = _guarded("shared results", {}, lambda: job.run(work, until))
    return result


def _inline(work: Callable[[], T], _: Deadline) -> T:
    """This thread belongs to the executor: blocking is allowed."""
    return work()


def _fetch(candidates: Candidates, job: Job, paths: dict[str, str], rows: Rows) -> RecordsByNumber:
    """While the store is away, those that are in memory, if there are any."""
    lost: list[UnreachableError] = []

    def read(work: Callable[[], RecordsByNumber]) -> RecordsByNumber:
        if job.snapshot.is_behind:
            lost.append(UnreachableError("the store is away, and none of these is in memory"))
            return {}
        try:
            return _in_time_of(job, work)
        except UnreachableError as error:
            lost.append(error)
            return {}

    with timed(job.request.times, "fetch"):
        records = candidates.details.records(rows, read)
    if lost:
        if not records:
            raise lost[0]
        paths["store"] = "behind"
    return records


def _in_time_of(job: Job, work: Callable[[], T]) -> T:
    return cast(T, job.run(work, job.deadline))


def _read(
    scored: Scored,
    order: Rows,
    fetch: Callable[[Rows], RecordsByNumber],
    passages: Passages,
    all_there: bool,
    count: int,
) -> list[tuple[Record, float]]:
    """The best so many, as far as they are still there, and their scores; of long ones, which
    passage matched. While the store is away, the best of those that are in memory."""
    best = order[:count] if all_there else order
    details, rows = scored.candidates.details, scored.candidates.rows[best]
    records = fetch(rows)
    note_passages(details, rows, records, passages)
    pairs = zip(details.identities(rows), scored.scores[best].tolist(), strict=True)
    found = [(records[number], score) for (number, _), score in pairs if number in records]
    return found[:count]
