"""The prompt block of a turn: what is found, the pages and the standing instructions, in budget."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from ..domain import corrections, instructions
from ..domain.arguments import one_of, whole_number
from ..domain.changes_beside import changes_beside
from ..domain.fact_lifecycle import ids_in
from ..domain.recall_echo import RecallEchoes
from ..errors import ModelError, TaishiError
from ..knowledge.notes import MEMORY_FILE, NotesService, first_lines
from ..language.overview_questions import asks_for_all
from ..language.token_bound import Counter, checked_counter, token_bound
from ..observe.stage_times import StageTimes, timed
from ..ports import ListingFilter, RecordFilter
from ..recall.filter_matches import is_wanted
from ..recall.hit_builder import HitBuilder
from ..recall.kind_limits import MEMORY_KINDS
from ..recall.request import RecallRequest
from ..recall.score_range import with_scores_in_range
from ..recall.service import OFF, RecallService
from ..runtime import Runtime
from ..settings import Settings, is_on_for
from ..times import TimeLike, to_datetime
from ..types import Brief, Hit, Profile, Recall, Record, Scope
from . import block
from .disputes import NO_DISPUTES, Disputes, open_disputes
from .forget_requests import without_forget_requests
from .lines import EVENT_KINDS, NOTES, is_instruction
from .newer_events import newer_events
from .text_cache import BlockTexts

MOST_TOKENS = 1_000_000
LANGUAGES = ("en", "zh", "auto")
log = logging.getLogger("taishi")
T = TypeVar("T")
BLOCK_KINDS = tuple(kind for kind in MEMORY_KINDS if kind != "profile")
DOCUMENT_HITS = 2
ENOUGH = 2000  # for a line or two of anything
# Without a question, as when a conversation begins: what was said and learned last.
NEWEST_KINDS = ("event", "turn", "fact", "note", "short_term", "procedure")
CHANGE_KINDS, CHANGES_READ = ("fact", "event"), 60  # the newest, beside facts that they change
NEWEST_RECORDS = 12


@dataclass(frozen=True, slots=True)
class _Gathered:
    """What a block may show: `result` is what recall gave, `hits` those and what comes with them.
    `is_answered`: by a store that was in time; one that is late is asked no more."""

    result: Recall
    hits: Sequence[Hit]
    pages: Sequence[Profile]
    is_answered: bool
    is_on: bool


class ContextService:
    def __init__(
        self,
        runtime: Runtime,
        recall: RecallService,
        hit_builder: HitBuilder,
        echoes: RecallEchoes,
        notes: NotesService,
        task: Callable[[Scope, str], Sequence[str]] = lambda scope, language: (),
    ) -> None:
        """`task` gives the lines of a session's scratchpad in a language (M3)."""
        self._task = task
        self._runtime = runtime
        self._recall = recall
        self._hit_builder = hit_builder
        self._echoes = echoes
        self._notes = notes
        self._texts = BlockTexts()
        runtime.text_caches.register("pages and lines of prompt blocks", self._texts)

    def brief(
        self,
        scope: Scope,
        query: str,
        max_tokens: int | None,
        form: block.Form,
        now: TimeLike | None,
        deadline: float | None,
        language: str | None,
        count_tokens: Counter | None,
        explain: bool = False,
        filters: Mapping[str, Any] | None = None,
    ) -> Brief:
        one_of(form, block.FORMS, "form")
        if language is not None:
            one_of(language, LANGUAGES, "language")
        settings = self._runtime.settings
        if self._recall.is_off(settings, scope):
            return Brief("", OFF, "off")
        asked = settings.query
        most = asked.max_context_tokens if max_tokens is None else max_tokens
        budget = whole_number(most, "max_tokens", MOST_TOKENS, least=0)
        # The page itself is at the head of the block: no need to find it, too.
        request = self._recall.request(
            settings,
            scope,
            query,
            asked.recall_top_k,
            BLOCK_KINDS,
            now=now,
            filters=filters,
            most_events=asked.auto_top_k,
            times=(times := StageTimes() if explain else None),
        )
        gathered = self._gathered(settings, scope, request, budget, deadline)
        options = self._options(scope, request, gathered, form, language)
        options["now"] = to_datetime(self._runtime.now(now), self._runtime.zone)
        draw = partial(block.block, **options)
        counter = count_tokens or self._runtime.tokens.chosen(asked.tokenizer)
        with timed(times, "block"):
            text = _drawn(draw, budget, counter)
        tokens, result = None, with_scores_in_range(gathered.result)
        if times is not None:
            result = replace(result, stages=times.stages)
            measure = partial(block.measured_block, **options)
            tokens = _drawn(measure, budget, counter)[1]
        if text:
            return Brief(text, result, tokens=tokens)
        return Brief("", result, "budget" if draw(max_tokens=ENOUGH) else "nothing", tokens)

    def _gathered(
        self,
        settings: Settings,
        scope: Scope,
        request: RecallRequest,
        budget: int,
        deadline: float | None,
    ) -> _Gathered:
        result, found = self._recall.answer_with_documents(
            settings, scope, request, DOCUMENT_HITS, deadline
        )
        if found is not None:
            result = replace(result, hits=(*result.hits, *found.hits), took_ms=found.took_ms)
        is_answered = result.level in ("hybrid", "keyword")
        is_on = is_on_for(settings.memory, scope)
        with timed(request.times, "pages"):
            pages = self._recall.own_pages(scope, is_answered) if is_on else []
        self._recall.note_told(scope, [page.body for page in pages])
        if (_is_blank(request) or asks_for_all(request.text)) and is_answered and is_on:
            result = replace(result, hits=self._newest(scope, request.wanted))
        hits: Sequence[Hit] = result.hits
        if is_answered:
            with timed(request.times, "instructions"):
                hits = self._with_instructions(scope, hits, request.text, budget)
            if is_on:
                with timed(request.times, "newer_events"):
                    hits = self._with_newer_events(scope, hits, pages, request)
            head = self._notes_head(scope)
            hits = (*(hit for hit in hits if not _is_in(hit, head)), *head)
        return _Gathered(result, hits, pages, is_answered, is_on)

    def _options(
        self,
        scope: Scope,
        request: RecallRequest,
        gathered: _Gathered,
        form: block.Form,
        language: str | None,
    ) -> dict[str, Any]:
        """What `block` is given of it, but for the time and the budget."""
        is_blank, first = _is_blank(request), gathered.result.hits[:1]
        sample = first[0].text if is_blank and first else request.text
        shown_in = block.language_of(sample, language or self._runtime.settings.memory.language)
        is_answered, has_disputes = gathered.is_answered, gathered.is_answered and gathered.is_on
        bodies = [page.body for page in gathered.pages]
        return {
            "hits": tuple(without_forget_requests(gathered.hits, bodies)),
            "profiles": gathered.pages,
            "form": form,
            "language": shown_in,
            "question": request.text,
            "texts": self._texts,
            "task": self._task_lines(scope, shown_in) if is_answered else (),
            "disputes": self._disputes(scope) if has_disputes else NO_DISPUTES,
        }

    def _task_lines(self, scope: Scope, language: str) -> Sequence[str]:
        """What the session is at, if it has a scratchpad; a store that fails costs that alone."""
        if scope.session is None or not is_on_for(self._runtime.settings.memory, scope):
            return ()
        try:
            return self._task(scope, language)
        except TaishiError as error:
            log.warning("the block goes without the scratchpad: %s", error)
            return ()

    def _newest(self, scope: Scope, wanted: RecordFilter) -> tuple[Hit, ...]:
        """The newest records of the scope's partition, newest first."""
        only = ListingFilter(NEWEST_KINDS, ("approved",), deleted_at=wanted.now)
        browse = self._runtime.parts.store.browse
        try:
            rows = browse.newest(scope.home, only, 0, NEWEST_RECORDS)
        except TaishiError as error:
            log.warning("the block goes without the newest records: %s", error)
            return ()
        hits = [
            self._hit_builder.hit(record, 1.0) for _, record in rows if is_wanted(record, wanted)
        ]
        self._recall.note_told(scope, [block.told_by(hit) for hit in hits])
        return tuple(hits)

    def _with_instructions(
        self, scope: Scope, hits: Sequence[Hit], query: str, tokens: int
    ) -> Sequence[Hit]:
        """Standing instructions that apply come first, however little the question is like them;
        others that were found are of other people (H8)."""
        if not self._runtime.settings.memory.enabled:
            return hits
        try:
            kept = instructions.standing(self._runtime.parts.store, scope.home)
            now = RecordFilter(self._runtime.clock())
            standing = [record for record in kept if is_wanted(record, now)]
        except TaishiError as error:
            log.warning("the block goes without standing instructions: %s", error)
            standing = []
        applicable = instructions.applicable(standing, scope, query, tokens)
        first = [self._hit_builder.hit(record, 1.0) for record in applicable]
        self._echoes.add(scope.home, [hit.text for hit in first])
        others = [hit for hit in hits if not is_instruction(hit)]
        return (*first, *(hit for hit in others if not _only_tells(hit, applicable)))

    def _with_newer_events(
        self, scope: Scope, hits: Sequence[Hit], pages: Sequence[Profile], request: RecallRequest
    ) -> Sequence[Hit]:
        """What was said later about the same matter as a fact that is shown comes beside it."""
        shown = [page.body for page in pages] + [hit.text for hit in hits if hit.kind == "fact"]
        told = [
            (text, _told_at(hit))
            for hit in hits
            if hit.kind in EVENT_KINDS
            for text in corrections.statements_of(hit.metadata, hit.text)
        ]
        if not (shown or told):
            return hits
        try:
            store = self._runtime.parts.store
            known = {hit.id for hit in hits}
            found = newer_events(store, scope.home, shown, request.text, known)
            facts = [(hit.text, _told_at(hit)) for hit in hits if hit.kind == "fact"]
            newest = store.find(scope.home, CHANGE_KINDS, ("approved",), CHANGES_READ)
            found += changes_beside(newest, facts, known | {one.id for one in found}, told)
        except TaishiError as error:
            log.warning("the block goes without newer events: %s", error)
            return hits
        newer = [self._hit_builder.hit(one, 1.0) for one in found if is_wanted(one, request.wanted)]
        self._recall.note_told(scope, [block.told_by(hit) for hit in newer])
        first = next((at for at, hit in enumerate(hits) if hit.kind in EVENT_KINDS), len(hits))
        return (*hits[:first], *newer, *hits[first:])

    def _disputes(self, scope: Scope) -> Disputes:
        """What contradicts what is known, undecided; both sides may be told."""
        try:
            sides = open_disputes(self._runtime.parts.store, scope.home, self._hit_builder.text)
        except TaishiError as error:
            log.warning("the block does not say what is disputed: %s", error)
            return NO_DISPUTES
        self._recall.note_told(scope, [side.rival for side in sides])
        return Disputes(sides)

    def _notes_head(self, scope: Scope) -> list[Hit]:
        """The first lines of MEMORY.md, a line each."""
        tokens = self._runtime.settings.knowledge.notes_head_tokens
        if not tokens or not self._runtime.is_on(scope):
            return []
        try:
            lines = first_lines(self._notes.read(scope), tokens)
        except TaishiError as error:
            log.warning("the block goes without MEMORY.md: %s", error)
            return []
        self._echoes.add(scope.home, lines)
        data = {"category": NOTES}
        return [Hit(MEMORY_FILE, line, 1.0, "document", None, None, None, data) for line in lines]


def _is_blank(request: RecallRequest) -> bool:
    return not request.text.strip()


def _told_at(hit: Hit) -> float:
    return 0.0 if hit.time is None else hit.time.timestamp()


def _only_tells(hit: Hit, shown: Sequence[Record]) -> bool:
    """Whether an event is the one that an instruction was given in, and tells nothing else."""
    if hit.kind not in EVENT_KINDS:
        return False
    given = [one for one in shown if hit.id in ids_in(one, "sources")]
    told = corrections.statements_of(hit.metadata, hit.text)
    return len(told) == 1 and any(len(told[0]) <= len(one.text) for one in given)


def _is_in(hit: Hit, head: Sequence[Hit]) -> bool:
    """Whether a part of MEMORY.md was found of which every line is shown as its head already."""
    if hit.kind not in ("chunk", "document") or hit.metadata.get("name") != MEMORY_FILE:
        return False
    shown = {_bare(one.text) for one in head}
    lines = [_bare(line) for line in str(hit.metadata.get("matched") or hit.text).splitlines()]
    return all(line in shown for line in lines if line)


def _bare(line: str) -> str:
    return line.strip().lstrip("#-*• ").strip()


def _drawn(draw: Callable[..., T], budget: int, count: Counter) -> T:
    """A counter that fails must not cost the reply its memory."""
    if count is token_bound:
        return draw(max_tokens=budget)
    try:
        return draw(max_tokens=budget, count=checked_counter(count))
    except ModelError as error:
        log.warning("tokens are counted by our own upper bound: %s", error)
        return draw(max_tokens=budget)
