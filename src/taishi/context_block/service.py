"""The prompt block of a turn: what is found, the pages and the standing instructions, in budget."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial

from ..domain import instructions
from ..domain.fact_lifecycle import INSTRUCTION
from ..errors import InputError, ModelError, TaishiError
from ..language.token_bound import Counter, token_bound
from ..models.token_counter import checked
from ..recall.service import OFF, Reading
from ..settings import is_on_for
from ..times import TimeLike, to_datetime
from ..types import KINDS, Brief, Hit, Scope
from . import block

log = logging.getLogger("taishi")
BLOCK_KINDS = tuple(kind for kind in KINDS if kind != "profile")
ENOUGH = 2000  # for a line or two of anything


class Briefing(Reading):
    def context(
        self,
        scope: Scope,
        query: str,
        max_tokens: int | None = None,
        form: block.Form = "text",
        now: TimeLike | None = None,
        deadline: float | None = None,
        language: str | None = None,
        *,
        count_tokens: Counter | None = None,
    ) -> str:
        """The prompt block for this turn; empty when nothing is known."""
        return self.brief(
            scope, query, max_tokens, form, now, deadline, language, count_tokens=count_tokens
        ).text

    def brief(
        self,
        scope: Scope,
        query: str,
        max_tokens: int | None = None,
        form: block.Form = "text",
        now: TimeLike | None = None,
        deadline: float | None = None,
        language: str | None = None,
        *,
        count_tokens: Counter | None = None,
    ) -> Brief:
        """The same block, the recall it was made from, and why it is empty, if it is.

        The block has at most `max_tokens` as `count_tokens` counts them: a model's own tokenizer,
        for this call; else that of `Memory.open`, of `query.tokenizer`, or our own upper bound.
        """
        if form not in block.FORMS:
            raise InputError(f"form {form!r:.40} is not known; use {', '.join(block.FORMS)}")
        settings = self.settings
        if self._is_off(settings, scope):
            return Brief("", OFF, "off")
        asked = settings.query
        room = _whole_number(asked.max_context_tokens if max_tokens is None else max_tokens)
        # The page itself is at the head of the block: no need to find it, too.
        wish = self._wish(
            settings,
            scope,
            query,
            asked.recall_top_k,
            BLOCK_KINDS,
            now=now,
            most_events=asked.auto_top_k,
        )
        found = self._ask(settings, scope, wish, deadline)
        answered = found.level in ("hybrid", "keyword")  # or the store is late: ask it no more
        pages = self._own_pages(scope, answered) if is_on_for(settings.memory, scope) else []
        self._note_told(scope, [page.body for page in pages])
        hits = found.hits
        if answered:
            hits = tuple(self._with_instructions(scope, hits, wish.text, room))
        draw = partial(
            block.block,
            hits,
            pages,
            to_datetime(self._now(now), self._zone),
            form=form,
            language=block.language_of(query, language or settings.memory.language),
            question=wish.text,
            texts=self._block_texts,
        )
        text = _drawn(draw, room, count_tokens or self._tokens.chosen(asked.tokenizer))
        if text:
            return Brief(text, found)
        return Brief("", found, "budget" if draw(max_tokens=ENOUGH) else "nothing")

    def _with_instructions(
        self, scope: Scope, hits: Sequence[Hit], query: str, tokens: int
    ) -> Sequence[Hit]:
        """Standing instructions that apply come first, however little the question is like them;
        others that were found are of other people (H8)."""
        if not self.settings.memory.enabled:
            return hits
        try:
            kept = instructions.standing(self._parts.store, scope.home)
        except TaishiError as error:
            log.warning("the block goes without standing instructions: %s", error)
            kept = []
        shown = instructions.applicable(kept, scope, query, tokens)
        asked = [self._hit(record, 1.0) for record in shown]
        self._echoes.add(scope.home, [hit.text for hit in asked])
        others = [hit for hit in hits if hit.metadata.get("category") != INSTRUCTION]
        return (*asked, *others)


def _whole_number(tokens: object) -> int:
    if isinstance(tokens, bool) or not isinstance(tokens, int):
        raise InputError(f"max_tokens must be a whole number, not {tokens!r:.40}")
    return tokens


def _drawn(draw: Callable[..., str], room: int, count: Counter) -> str:
    """A counter that fails must not cost the reply its memory."""
    if count is token_bound:
        return draw(max_tokens=room)
    try:
        return draw(max_tokens=room, count=checked(count))
    except ModelError as error:
        log.warning("tokens are counted by our own upper bound: %s", error)
        return draw(max_tokens=room)
