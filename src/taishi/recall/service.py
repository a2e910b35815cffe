"""The verbs that search. Each sees what its scope may see, within its deadline."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..context_block.block import told_by
from ..domain.arguments import entity_type_of, number, share, whole_number
from ..domain.facts import STATES
from ..domain.filter_parser import parse_filters
from ..domain.profile_records import is_bare
from ..domain.profile_records import to_record as to_profile_record
from ..domain.profiles import Profiles
from ..domain.recall_echo import RecallEchoes
from ..errors import TaishiError
from ..ingest.background import BackgroundTasks
from ..ingest.job_builder import clean_query
from ..ingest.upkeep import Upkeep
from ..legacy.end_summaries import EndSummaries
from ..observe.stage_times import StageTimes, timed
from ..ports.candidates import APPROVED
from ..ports.filter_expression import names_field
from ..runtime import Runtime
from ..settings import Settings, is_on_for
from ..times import TimeLike, to_datetime, to_epoch
from ..types import Hit, Level, Profile, Recall, Record, Scope, VisiblePartition, clean_id
from .access import narrow, unlinked_partitions, visible_partitions
from .deadline import Deadline
from .filter_matches import is_wanted
from .hit_builder import HitBuilder
from .intent import RESERVED
from .kind_limits import KNOWLEDGE_KINDS, MEMORY_KINDS, checked_kinds, with_knowledge
from .legacy_answer import answer_from_legacy
from .period_listing import told_in
from .period_questions import period_of
from .query import times_in
from .record_filter import RecordFilter
from .retriever import RawResult, RecallRequest, Retriever
from .score_range import with_scores_in_range
from .warm_up import load_embedder, load_largest

log = logging.getLogger("taishi")
MAX_TOP_K = 1000
MOST_PAGES = 200
FOLLOW_SECONDS = 0.02  # that a recall waits for the facts of a page that was edited on disk
LEAST_SECONDS = 0.03  # for a search of documents after a slow one of memories
OFF = Recall((), "empty", {"memory": "off"}, 0.0)
EVENT_KINDS = ("event", "turn")
VECTOR_SECONDS = 5.0  # after an import, all vectors may take minutes
NOBODY = Scope(agent="warm-up", workspace="warm-up")
WARM_UP_QUERY = "tomorrow 明天"  # its times load the rules of both languages


class RecallService:
    def __init__(
        self,
        runtime: Runtime,
        retriever: Retriever,
        hit_builder: HitBuilder,
        profiles: Profiles,
        echoes: RecallEchoes,
        background: BackgroundTasks,
        upkeep: Upkeep,
        legacy: EndSummaries,
    ) -> None:
        self._runtime = runtime
        self._store = runtime.parts.store
        self._retriever = retriever
        self._hit_builder = hit_builder
        self._profiles = profiles
        self._echoes = echoes
        self._background = background
        self._upkeep = upkeep
        self._legacy = legacy

    def recall(
        self,
        scope: Scope,
        query: str,
        top_k: int | None,
        kinds: Collection[str] | None,
        time_from: TimeLike | None,
        time_to: TimeLike | None,
        now: TimeLike | None,
        deadline: float | None,
        floor: float | None,
        explain: bool,
        filters: Mapping[str, Any] | None = None,
    ) -> Recall:
        settings = self._runtime.settings
        if self.is_off(settings, scope):
            return OFF
        limit = None if floor is None else share(floor, "floor")
        times = StageTimes() if explain else None
        count = settings.query.recall_top_k if top_k is None else top_k
        wanted = MEMORY_KINDS if kinds is None else kinds
        asked = (settings, scope, query, count, wanted, time_from, time_to, now, filters)
        request = self.request(*asked, floor=limit, explain=explain, times=times)
        if kinds is not None:
            return _finished(self.answer(settings, scope, request, deadline), times)
        result, found = self.answer_with_documents(
            settings, scope, request, request.top_k, deadline
        )
        if found is None:
            return _finished(result, times)
        reserved = RESERVED[result.intent.name] if result.intent else ()
        is_asked = not set(reserved).isdisjoint(KNOWLEDGE_KINDS)
        hits = with_knowledge(result.hits, found.hits, request.top_k, is_asked)
        explained = (*result.explain, *found.explain)
        result = replace(result, hits=hits, explain=explained, took_ms=found.took_ms)
        return _finished(result, times)

    def search_events(
        self,
        scope: Scope,
        query: str,
        target_user_id: str | None,
        target_group_id: str | None,
        top_k: int | None,
        time_from: TimeLike | None,
        time_to: TimeLike | None,
        now: TimeLike | None,
        deadline: float | None,
    ) -> Recall:
        settings = self._runtime.settings
        if self.is_off(settings, scope):
            return OFF
        count = settings.query.tool_default_top_k if top_k is None else top_k
        request = self.request(settings, scope, query, count, EVENT_KINDS, time_from, time_to, now)
        user = clean_id(target_user_id, "target_user_id")
        group = clean_id(target_group_id, "target_group_id")
        request = replace(
            request,
            visible=partial(narrow, request.visible, user, group),
            visible_alone=partial(narrow, request.visible_alone, user, group),
            reader=(scope, user, group),
            half_life_days=settings.query.half_life_days_tool,
        )
        return _finished(self.answer(settings, scope, request, deadline))

    def search_profiles(
        self,
        scope: Scope,
        query: str,
        entity_type: str | None,
        entity_id: str | None,
        top_k: int | None,
        now: TimeLike | None,
        deadline: float | None,
    ) -> Recall:
        settings = self._runtime.settings
        if self.is_off(settings, scope):
            return OFF
        count = settings.query.profile_top_k if top_k is None else top_k
        kind, named = entity_type_of(entity_type), clean_id(entity_id, "entity_id")
        wanted = {key: one for key, one in (("entity_type", kind), ("entity_id", named)) if one}
        # One page among many may rank low: a narrow question looks further down.
        wide = max(count, MOST_PAGES) if wanted else count
        request = self.request(settings, scope, query, wide, ("profile",), now=now)
        request = replace(request, visible=partial(self._visible, scope, members=True), live=False)
        result = self.answer(settings, scope, request, deadline)
        hits = [hit for hit in result.hits if wanted.items() <= hit.metadata.items()]
        return _finished(replace(result, hits=tuple(hits[:count])))

    def get_profile(self, scope: Scope, entity_type: str, entity_id: str | int) -> Profile | None:
        self._runtime.check_scope(scope)
        page = self._profiles.read(scope, entity_type, clean_id(entity_id, "entity_id") or "")
        if page is None:
            return None
        shown = self._hit_builder.page(page)
        self.note_told(scope, [shown.body])
        return shown

    def get(self, scope: Scope, id: str) -> Hit | None:
        self._runtime.check_scope(scope)
        record = self._store.get(scope.home, clean_id(id, "id") or "")
        if record is None or not is_wanted(record, RecordFilter(self._runtime.clock())):
            return None
        return self._hit_builder.hit(record, 1.0)

    def warm_up(self, scope: Scope | None, seconds: float) -> bool:
        settings, scope = self._runtime.settings, NOBODY if scope is None else scope
        if self.is_off(settings, scope):
            return True
        deadline = Deadline(number(seconds, "seconds"))
        load_embedder(self._runtime.embedder, WARM_UP_QUERY, deadline)
        # Half of the memory is left to those that are asked for.
        most = settings.index.memory_mb << 19 if scope is NOBODY else 0
        is_loaded = load_largest(self._retriever, self._store, WARM_UP_QUERY, most, deadline)
        # A moment at which nothing happened: no record is handed out, so none counts as known.
        request = self.request(settings, scope, WARM_UP_QUERY, 1, None, 0.0, 0.0)
        is_loaded &= not self.answer(settings, scope, request, deadline.left).skipped
        seconds = 0.0 if scope is NOBODY else min(deadline.left, VECTOR_SECONDS)
        return is_loaded and (not seconds or self._background.wait_embedded(seconds))

    # -- for the context block, too -------------------------------------------------------------

    def is_off(self, settings: Settings, scope: Scope) -> bool:
        """Nothing to look into, not even the list of an earlier program."""
        self._runtime.check_scope(scope)
        return not is_on_for(settings.memory, scope) and not settings.memory.legacy_end_summaries

    def request(
        self,
        settings: Settings,
        scope: Scope,
        query: str,
        top_k: int,
        kinds: Collection[str] | None,
        time_from: TimeLike | None = None,
        time_to: TimeLike | None = None,
        now: TimeLike | None = None,
        filters: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> RecallRequest:
        self._runtime.check_scope(scope)
        whole_number(top_k, "top_k", MAX_TOP_K)
        kinds, zone = checked_kinds(kinds), self._runtime.zone
        text, when = clean_query(query), self._runtime.now(now)
        asked, moments = times_in(text, to_datetime(when, zone))
        only = parse_filters(filters, zone)
        wanted = RecordFilter(
            now=when,
            kinds=kinds,
            states=STATES if names_field(only, "state") else (APPROVED,),
            filters=only,
            time_from=None if time_from is None else to_epoch(time_from, zone),
            time_to=None if time_to is None else to_epoch(time_to, zone),
            asked=asked,
        )
        return RecallRequest(
            text=text,
            visible=partial(self._visible, scope),
            visible_alone=partial(unlinked_partitions, scope),
            reader=scope,
            unchanged=partial(self._profiles.as_followed, scope),
            top_k=top_k,
            wanted=wanted,
            half_life_days=settings.query.half_life_days_auto,
            live=now is None,
            moments=moments,
            settings=settings.query,
            period=period_of(text, to_datetime(when, zone), wanted, moments),
            **options,
        )

    def answer(
        self, settings: Settings, scope: Scope, request: RecallRequest, seconds: float | None
    ) -> Recall:
        """`settings` are those that the call began with, whatever is in force by now (C2)."""
        return self._answer(settings, scope, request, seconds)[0]

    def answer_with_documents(
        self,
        settings: Settings,
        scope: Scope,
        request: RecallRequest,
        documents: int,
        seconds: float | None,
    ) -> tuple[Recall, Recall | None]:
        """The answer, and what at most so many passages of documents say, in the time that the
        search of memories left; the second one's `took_ms` is that of both. None if the first one
        did not answer, or if there are no documents."""
        result, kinds = self._answer(settings, scope, request, seconds)
        if result.level not in ("hybrid", "keyword") or not is_on_for(settings.memory, scope):
            return result, None
        if kinds is not None and kinds.isdisjoint(KNOWLEDGE_KINDS):
            return result, None
        limit = settings.query.recall_timeout if seconds is None else seconds
        left = max(limit - result.took_ms / 1000, LEAST_SECONDS)
        deadline = Deadline(left)
        with timed(request.times, "documents"):
            found = self._retriever.recall(request.of_kinds(KNOWLEDGE_KINDS, documents), deadline)
        if not found.hits:
            return result, None
        shown = self._shown(scope, request.wanted, found, deadline)
        return result, replace(shown, took_ms=result.took_ms + shown.took_ms)

    def _answer(
        self, settings: Settings, scope: Scope, request: RecallRequest, seconds: float | None
    ) -> tuple[Recall, frozenset[str] | None]:
        """Also which kinds of records can be read at all; None: not known."""
        limit = settings.query.recall_timeout if seconds is None else seconds
        deadline = Deadline(number(limit, "deadline"))
        if not is_on_for(settings.memory, scope):
            return answer_from_legacy(self._legacy, self._hit_builder, request, deadline), None
        with self._runtime.tracing.span("taishi.recall") as span:
            result, kinds = self._present(scope, request, deadline)
            if request.period is not None and result.level in ("hybrid", "keyword"):
                result = self._with_period(scope, request, result)
            span.set(level=result.level, hits=len(result.hits))
        self._runtime.metrics.recall.observe(result.took_ms / 1000, result.level)
        return result, kinds

    def own_pages(self, scope: Scope, ask_store: bool = True) -> list[Profile]:
        return [self._hit_builder.page(page) for page in self._profiles.own(scope, ask_store)]

    def note_told(self, scope: Scope, texts: Sequence[str]) -> None:
        """What was handed out is not news when it comes back (H6)."""
        if texts and self._runtime.is_on(scope) and self._echoes.add(scope.home, texts):
            self._background.submit_debounced(self._echoes.flush)

    # -- inside -----------------------------------------------------------------------------------

    def _visible(self, scope: Scope, members: bool = False) -> tuple[VisiblePartition, ...]:
        if self._runtime.is_on(scope):
            self._profiles.follow_edits(scope, FOLLOW_SECONDS)
            if members:
                self._profiles.follow_members(scope)
        return visible_partitions(scope, self._store)

    def _present(
        self, scope: Scope, request: RecallRequest, deadline: Deadline
    ) -> tuple[Recall, frozenset[str] | None]:
        result = self._retriever.recall(request, deadline)
        if result.level == "empty":
            return self._from_profile(scope, request.wanted, result, deadline), None
        with timed(request.times, "show"):
            return self._shown(scope, request.wanted, result, deadline), result.kinds

    def _shown(
        self, scope: Scope, wanted: RecordFilter, result: RawResult, deadline: Deadline
    ) -> Recall:
        passages = result.passages
        looks_for_pages = wanted.kinds is not None and set(wanted.kinds) == {"profile"}
        hits = tuple(
            self._hit_builder.hit(record, score, passages)
            for record, score in result.hits
            if is_wanted(self._compared(record, wanted), wanted)
            and (looks_for_pages or not is_bare(record))
        )
        self._note_handed_out(scope, hits)
        explained = tuple(
            replace(
                one,
                text=self._hit_builder.text(record),
                passage=self._hit_builder.passage(record, passages),
            )
            for record, one in result.explained
            if is_wanted(record, wanted)
        )
        spent = deadline.spent_ms
        return Recall(
            hits, result.level, result.paths, spent, explained, result.weights, result.intent
        )

    def _with_period(self, scope: Scope, request: RecallRequest, result: Recall) -> Recall:
        """What was told in the period that is all that the question names; if nothing was, or the
        store fails, what its words found."""
        assert request.period is not None
        wanted, count = request.wanted, request.top_k
        try:
            told = told_in(self._store, request.visible(), request.period, wanted, count)
        except TaishiError as error:
            log.warning("recall goes without what was told in the period: %s", error)
            return result
        hits = tuple(self._hit_builder.hit(record, 1.0) for record in told)
        self._note_handed_out(scope, hits)
        if hits and request.period.of_deeds:
            ids = {hit.id for hit in hits}
            hits = (*hits, *(hit for hit in result.hits if hit.id not in ids))[:count]
        return replace(result, hits=hits) if hits else result

    def _compared(self, record: Record, wanted: RecordFilter) -> Record:
        """As it is shown, or filters would tell what redaction takes out of an old record."""
        return record if wanted.filters is None else self._hit_builder.record(record)

    def _from_profile(
        self, scope: Scope, wanted: RecordFilter, result: RawResult, deadline: Deadline
    ) -> Recall:
        """The last rung (Q3): the page on disk, when the store does not answer."""
        try:
            pages = self.own_pages(scope, ask_store=False)
        except TaishiError:
            pages = []
        self.note_told(scope, [page.body for page in pages])
        records = [to_profile_record(page, self._runtime.clock()) for page in pages]
        hits = tuple(
            self._hit_builder.hit(record, 0.0) for record in records if is_wanted(record, wanted)
        )
        level: Level = "profile-only" if hits else "empty"
        return Recall(hits, level, result.paths, deadline.spent_ms)

    def _note_handed_out(self, scope: Scope, hits: Sequence[Hit]) -> None:
        """Short-term records that are recalled live on (F4)."""
        self.note_told(scope, [told_by(hit) for hit in hits])
        passing = [hit.id for hit in hits if hit.kind == "short_term"]
        if passing and scope.session:
            self._background.submit(
                partial(self._upkeep.visited, scope.home, passing, scope.session)
            )


def _finished(result: Recall, times: StageTimes | None = None) -> Recall:
    shown = with_scores_in_range(result)
    return shown if times is None else replace(shown, stages=times.stages)
