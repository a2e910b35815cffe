"""The verbs that read. Each sees what its scope may see, inside its deadline."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..context_block import block
from ..domain import corrections
from ..domain.event_evidence import RETAINED
from ..domain.profile_records import KEPT_BACK as PAGE_KEYS
from ..domain.profile_records import to_record as to_profile_record
from ..errors import InputError, TaishiError
from ..ingest.job_builder import clean_query, number
from ..language.analyzer import has_cjk
from ..language.passages import cut
from ..runtime import Core
from ..settings import Settings, is_on_for
from ..times import TimeLike, to_datetime, to_epoch
from ..transfer.redact import ExportRedactor
from ..types import (
    KINDS,
    Hit,
    Level,
    Passage,
    Profile,
    Recall,
    Record,
    Scope,
    VisiblePartition,
    clean_id,
)
from .access import narrow, sights_of
from .deadline import BoundedExecutor, Deadline
from .excerpts import Passages
from .query import times_in
from .record_filter import RecordFilter
from .retriever import RawResult, RecallRequest

log = logging.getLogger("taishi")
QUOTE = "quote"
MAX_TOP_K = 1000
MOST_PAGES = 200
FOLLOW_SECONDS = 0.02  # that a recall waits for the facts of a page that was edited on disk
OFF = Recall((), "empty", {"memory": "off"}, 0.0)
EVENT_KINDS = ("event", "turn")
NOBODY = Scope(agent="warm-up", workspace="warm-up")
WARM_UP_QUERY = "tomorrow 明天"  # its times load the rules of both languages
NO_PASSAGES: Passages = {}
NOT_SHOWN = PAGE_KEYS | {RETAINED}  # of a record's data


class Reading(Core):
    def recall(
        self,
        scope: Scope,
        query: str,
        top_k: int | None = None,
        kinds: Collection[str] | None = None,
        time_from: TimeLike | None = None,
        time_to: TimeLike | None = None,
        now: TimeLike | None = None,
        deadline: float | None = None,
        floor: float | None = None,
        *,
        explain: bool = False,
    ) -> Recall:
        """The few records that matter for `query`, from what this scope may see.

        With `explain`, also why each was chosen and why others were not; that takes longer.
        """
        settings = self.settings
        if self._is_off(settings, scope):
            return OFF
        limit = None if floor is None else number(floor, "floor")
        wish = self._wish(
            settings,
            scope,
            query,
            top_k or settings.query.recall_top_k,
            kinds,
            time_from,
            time_to,
            now,
            floor=limit,
            explain=explain,
        )
        return self._ask(settings, scope, wish, deadline)

    def search_events(
        self,
        scope: Scope,
        query: str,
        target_user_id: str | None = None,
        target_group_id: str | None = None,
        top_k: int | None = None,
        time_from: TimeLike | None = None,
        time_to: TimeLike | None = None,
        deadline: float | None = None,
    ) -> Recall:
        """Events this scope may see, narrowed to a user or a group; never wider than the scope."""
        settings = self.settings
        if self._is_off(settings, scope):
            return OFF
        wish = self._wish(
            settings,
            scope,
            query,
            top_k or settings.query.tool_default_top_k,
            EVENT_KINDS,
            time_from,
            time_to,
            None,
        )
        user = clean_id(target_user_id, "target_user_id")
        group = clean_id(target_group_id, "target_group_id")
        narrowed = partial(narrow, wish.sights, user, group)
        wish = replace(
            wish,
            sights=narrowed,
            whose=(scope, user, group),
            half_life_days=settings.query.half_life_days_tool,
        )
        return self._ask(settings, scope, wish, deadline)

    def search_profiles(
        self,
        scope: Scope,
        query: str,
        entity_type: str | None = None,
        entity_id: str | None = None,
        top_k: int | None = None,
        deadline: float | None = None,
    ) -> Recall:
        """Profiles this scope may see, by meaning: its own page; in a group the group's, and of
        its members' pages what the group may know of them."""
        settings = self.settings
        if self._is_off(settings, scope):
            return OFF
        count = top_k or settings.query.profile_top_k
        wanted = {"entity_type": entity_type, "entity_id": clean_id(entity_id, "entity_id")}
        narrowed = {key: value for key, value in wanted.items() if value is not None}
        # One page among many may rank low: what is to be narrowed is looked for further down.
        wide = max(count, MOST_PAGES) if narrowed else count
        wish = self._wish(settings, scope, query, wide, ("profile",))
        wish = replace(wish, sights=partial(self._sights, scope, members=True), live=False)
        found = self._ask(settings, scope, wish, deadline)
        hits = [hit for hit in found.hits if narrowed.items() <= hit.metadata.items()]
        return replace(found, hits=tuple(hits[:count]))

    def get_profile(self, scope: Scope, entity_type: str, entity_id: str | int) -> Profile | None:
        """A profile, or None if there is none that this scope may see."""
        self._check_scope(scope)
        page = self._profiles.read(scope, entity_type, clean_id(entity_id, "entity_id") or "")
        if page is None:
            return None
        shown = self._shown_page(page)
        self._note_told(scope, [shown.body])
        return shown

    def warm_up(self, scope: Scope | None = None, seconds: float = 10.0) -> bool:
        """Load the embedder and the index of `scope` before the first question, which would be
        late otherwise. Returns when they are loaded, True, or when the seconds are over, False."""
        settings, scope = self.settings, scope or NOBODY
        if self._is_off(settings, scope):
            return True
        deadline = Deadline(number(seconds, "seconds"))
        lane = BoundedExecutor("warm-up", 1)
        try:
            if self._embedder is not None:
                lane.run(partial(self._embedder.queries, [WARM_UP_QUERY]), deadline)
        except Exception as error:  # an embedder of the caller's own may raise anything
            log.warning("the first question may go without the embedder: %s", error)
        finally:
            lane.close()
        # A moment at which nothing happened: no record is handed out, so none counts as known.
        found = self.recall(
            scope, WARM_UP_QUERY, 1, time_from=0.0, time_to=0.0, deadline=deadline.left
        )
        return not found.skipped

    def get(self, scope: Scope, id: str) -> Hit | None:
        """One record of this scope's own place, by its id."""
        self._check_scope(scope)
        record = self._parts.store.get(scope.home, clean_id(id, "id") or "")
        return None if record is None else self._hit(record, 1.0)

    def _is_off(self, settings: Settings, scope: Scope) -> bool:
        """Nothing to look into, not even the old list."""
        self._check_scope(scope)
        return not is_on_for(settings.memory, scope) and not settings.memory.legacy_end_summaries

    def _wish(
        self,
        settings: Settings,
        scope: Scope,
        query: str,
        top_k: int,
        kinds: Collection[str] | None,
        time_from: TimeLike | None = None,
        time_to: TimeLike | None = None,
        now: TimeLike | None = None,
        **options: Any,
    ) -> RecallRequest:
        self._check_scope(scope)
        if isinstance(top_k, bool) or not isinstance(top_k, int) or not 1 <= top_k <= MAX_TOP_K:
            raise InputError(f"top_k must be a whole number from 1 to {MAX_TOP_K}")
        if kinds is not None and (unknown := set(kinds) - set(KINDS)):
            raise InputError(f"unknown kinds {sorted(unknown)}; use some of {', '.join(KINDS)}")
        text, when = clean_query(query), self._now(now)
        asked, moments = times_in(text, to_datetime(when, self._zone))
        wanted = RecordFilter(
            now=when,
            kinds=kinds,
            time_from=None if time_from is None else to_epoch(time_from, self._zone),
            time_to=None if time_to is None else to_epoch(time_to, self._zone),
            asked=asked,
        )
        return RecallRequest(
            text=text,
            sights=partial(self._sights, scope),
            whose=scope,
            settled=partial(self._profiles.as_followed, scope),
            top_k=top_k,
            wanted=wanted,
            half_life_days=settings.query.half_life_days_auto,
            live=now is None,
            moments=moments,
            settings=settings.query,
            **options,
        )

    def _sights(self, scope: Scope, members: bool = False) -> tuple[VisiblePartition, ...]:
        if self.is_on(scope):
            self._profiles.follow_edits(scope, FOLLOW_SECONDS)
            if members:
                self._profiles.follow_members(scope)
        return sights_of(scope, self._parts.store)

    def _ask(
        self, settings: Settings, scope: Scope, wish: RecallRequest, seconds: float | None
    ) -> Recall:
        """`settings` are those that the call began with, whatever is in force by now (C2)."""
        limit = settings.query.recall_timeout if seconds is None else seconds
        deadline = Deadline(number(limit, "deadline"))
        if not is_on_for(settings.memory, scope):
            return self._from_legacy(wish, deadline)
        with self._tracing.span("taishi.recall") as span:
            answer = self._answer(scope, wish, deadline)
            span.set(level=answer.level, hits=len(answer.hits))
        self._gauges.recall.observe(answer.took_ms / 1000, answer.level)
        return answer

    def _answer(self, scope: Scope, wish: RecallRequest, deadline: Deadline) -> Recall:
        found = self._recaller.recall(wish, deadline)
        if found.level == "empty":
            return self._from_profile(scope, found, deadline)
        hits = tuple(self._hit(record, score, found.passages) for record, score in found.hits)
        self._note_handed_out(scope, hits)
        explained = tuple(
            replace(e, text=self._shown(record), passage=self._passage(record, found.passages))
            for record, e in found.explained
        )
        return Recall(hits, found.level, found.paths, deadline.spent_ms, explained, found.weights)

    def _from_legacy(self, wish: RecallRequest, deadline: Deadline) -> Recall:
        """Memory is off, and the old list is still kept: by its words, or the newest of it (C3)."""
        wanted = wish.wanted
        try:
            found = self._legacy.find(
                wish.text,
                wish.sights(),
                wish.top_k,
                wanted.kinds,
                wanted.time_from,
                wanted.time_to,
                wish.floor,
            )
        except TaishiError as error:
            log.warning("recall goes without the old list: %s", error)
            return Recall((), "empty", {"legacy": "failed"}, deadline.spent_ms)
        hits = tuple(self._hit(record, score) for record, score in found)
        level: Level = "keyword" if hits else "empty"
        return Recall(hits, level, {"legacy": "ok"}, deadline.spent_ms)

    def _note_handed_out(self, scope: Scope, hits: Sequence[Hit]) -> None:
        """What was recalled is not news when it comes back (H6); what is needed lives on (F4)."""
        self._note_told(scope, [block.told_by(hit) for hit in hits])
        passing = [hit.id for hit in hits if hit.kind == "short_term"]
        if passing and scope.session:
            visit = partial(self._tending.visited, scope.home, passing, scope.session)
            self._keeper.errand(visit)

    def _note_told(self, scope: Scope, texts: Sequence[str]) -> None:
        if texts and self.is_on(scope) and self._echoes.add(scope.home, texts):
            self._keeper.errand_soon(self._echoes.flush)

    def _from_profile(self, scope: Scope, found: RawResult, deadline: Deadline) -> Recall:
        """The last rung (Q3): the page on disk, when the store does not answer."""
        try:
            pages = self._own_pages(scope, ask_store=False)
        except TaishiError:
            pages = []
        self._note_told(scope, [page.body for page in pages])
        records = [to_profile_record(page, self._clock()) for page in pages]
        hits = tuple(self._hit(record, 0.0) for record in records)
        level: Level = "profile-only" if hits else "empty"
        return Recall(hits, level, found.paths, deadline.spent_ms)

    def _hit(self, record: Record, score: float, passages: Passages = NO_PASSAGES) -> Hit:
        stored, record = record, self._as_shown(record)
        data = {
            **{key: value for key, value in record.data.items() if key not in NOT_SHOWN},
            "user": record.user,
            "session": record.session,
            "state": record.state,
            "confidence": record.confidence,
            "place": str(record.place),
        }
        when = None if record.time is None else to_datetime(record.time, self._zone)
        text = record.text
        if record.kind in ("event", "turn", "summary"):  # history stays, with what became of it
            text += corrections.note(data, has_cjk(text))
        return Hit(
            record.id,
            text,
            score,
            record.kind,
            when,
            record.speaker,
            record.source,
            data,
            self._passage(stored, passages),
        )

    def _passage(self, record: Record, passages: Passages) -> Passage | None:
        """Where it is in the text as it is shown: redaction may have made that shorter."""
        found = passages.get((record.place, record.id)) if passages else None
        if found is None or (text := self._shown(record)) == record.text:
            return found
        return next((one for one in reversed(cut(text)) if one.start <= found.start), None)

    def _own_pages(self, scope: Scope, ask_store: bool = True) -> list[Profile]:
        return [self._shown_page(page) for page in self._profiles.own(scope, ask_store)]

    def _shown_page(self, page: Profile) -> Profile:
        """A person may have typed anything into the file (R1)."""
        body = self._page_redacted(page.body)
        return page if body == page.body else replace(page, body=body)

    def _as_shown(self, record: Record) -> Record:
        """As today's rules leave it; its data, too, if other rules have read it."""
        if record.redaction == self._redactor.stamp:
            return record
        if record.redaction == 0:  # learned: besides its text, only its quote is anybody's words
            data = dict(record.data)
            data |= {QUOTE: self._redactor.text(str(data[QUOTE] or ""))} if QUOTE in data else {}
            return replace(record, text=self._shown(record), data=data)
        return ExportRedactor(self._redactor, trusting=True).record_alone(record)

    def _shown(self, record: Record) -> str:
        """Its text, redacted on the way out if today's rules have not read it yet (R1)."""
        read = record.redaction == self._redactor.stamp
        return record.text if read else self._redactor.text(record.text)
