"""The prompt block of a turn: what is found, the pages and the standing instructions, in budget."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from ..domain import instructions
from ..domain.fact_lifecycle import INSTRUCTION
from ..domain.recall_echo import RecallEchoes
from ..errors import InputError, ModelError, TaishiError
from ..knowledge.notes import MEMORY_FILE, NotesService, first_lines
from ..language.token_bound import Counter, checked_counter, token_bound
from ..recall.hit_builder import HitBuilder
from ..recall.kind_limits import MEMORY_KINDS
from ..recall.service import OFF, RecallService
from ..runtime import Runtime
from ..settings import is_on_for
from ..times import TimeLike, to_datetime
from ..types import Brief, Hit, Scope
from . import block
from .lines import NOTES
from .text_cache import BlockTexts

log = logging.getLogger("taishi")
BLOCK_KINDS = tuple(kind for kind in MEMORY_KINDS if kind != "profile")
DOCUMENT_HITS = 2
ENOUGH = 2000  # for a line or two of anything


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
    ) -> Brief:
        if form not in block.FORMS:
            raise InputError(f"form {form!r:.40} is not known; use {', '.join(block.FORMS)}")
        settings = self._runtime.settings
        if self._recall.is_off(settings, scope):
            return Brief("", OFF, "off")
        asked = settings.query
        budget = _whole_number(asked.max_context_tokens if max_tokens is None else max_tokens)
        # The page itself is at the head of the block: no need to find it, too.
        request = self._recall.request(
            settings,
            scope,
            query,
            asked.recall_top_k,
            BLOCK_KINDS,
            now=now,
            most_events=asked.auto_top_k,
        )
        result = self._recall.answer(settings, scope, request, deadline)
        found = self._recall.knowledge_beside(
            settings, scope, request, result, DOCUMENT_HITS, deadline
        )
        if found is not None:
            result = replace(result, hits=(*result.hits, *found.hits), took_ms=found.took_ms)
        answered = result.level in ("hybrid", "keyword")  # or the store is late: ask it no more
        pages = self._recall.own_pages(scope, answered) if is_on_for(settings.memory, scope) else []
        self._recall.note_told(scope, [page.body for page in pages])
        hits: Sequence[Hit] = result.hits
        if answered:
            hits = self._with_instructions(scope, hits, request.text, budget)
            hits = (*hits, *self._notes_head(scope))
        shown_in = block.language_of(query, language or settings.memory.language)
        draw = partial(
            block.block,
            tuple(hits),
            pages,
            to_datetime(self._runtime.now(now), self._runtime.zone),
            form=form,
            language=shown_in,
            question=request.text,
            texts=self._texts,
            task=self._task_lines(scope, shown_in) if answered else (),
        )
        counter = count_tokens or self._runtime.tokens.chosen(asked.tokenizer)
        text = _drawn(draw, budget, counter)
        if text:
            return Brief(text, result)
        return Brief("", result, "budget" if draw(max_tokens=ENOUGH) else "nothing")

    def _task_lines(self, scope: Scope, language: str) -> Sequence[str]:
        """What the session is at, if it has a scratchpad; a store that fails costs that alone."""
        if scope.session is None or not is_on_for(self._runtime.settings.memory, scope):
            return ()
        try:
            return self._task(scope, language)
        except TaishiError as error:
            log.warning("the block goes without the scratchpad: %s", error)
            return ()

    def _with_instructions(
        self, scope: Scope, hits: Sequence[Hit], query: str, tokens: int
    ) -> Sequence[Hit]:
        """Standing instructions that apply come first, however little the question is like them;
        others that were found are of other people (H8)."""
        if not self._runtime.settings.memory.enabled:
            return hits
        try:
            standing = instructions.standing(self._runtime.parts.store, scope.home)
        except TaishiError as error:
            log.warning("the block goes without standing instructions: %s", error)
            standing = []
        applicable = instructions.applicable(standing, scope, query, tokens)
        first = [self._hit_builder.hit(record, 1.0) for record in applicable]
        self._echoes.add(scope.home, [hit.text for hit in first])
        others = [hit for hit in hits if hit.metadata.get("category") != INSTRUCTION]
        return (*first, *others)

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


def _whole_number(tokens: object) -> int:
    if isinstance(tokens, bool) or not isinstance(tokens, int):
        raise InputError(f"max_tokens must be a whole number, not {tokens!r:.40}")
    return tokens


def _drawn(draw: Callable[..., str], budget: int, count: Counter) -> str:
    """A counter that fails must not cost the reply its memory."""
    if count is token_bound:
        return draw(max_tokens=budget)
    try:
        return draw(max_tokens=budget, count=checked_counter(count))
    except ModelError as error:
        log.warning("tokens are counted by our own upper bound: %s", error)
        return draw(max_tokens=budget)
