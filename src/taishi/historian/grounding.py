"""Validates facts and procedures that a model proposes: which of them the turn supports (F1, F3,
H3)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

from ..domain.drafts import FactDraft, ProcedureDraft
from ..language.clauses import content
from ..language.gate import check
from ..language.rewriter import rewrite
from ..language.text import one_line
from .categories import LIVES, category_of
from .coerce import fraction_of, items_of, line_of, text_of, texts_of
from .evidence import Evidence
from .participants import Participants

MAX_FACTS = 8
MAX_PROCEDURES = 3
_CONTENT, _QUOTE, _SUBJECT, _TAG, _STEP = 400, 400, 80, 40, 200
_MAX_STEPS = 12
_MAX_TAGS = 5
_IT = frozenset(("it", "its", "它"))  # a step may say "run it"


class _DroppedError(Exception):
    """Why a proposal is dropped."""


def facts_of(
    value: Any, evidence: Evidence, participants: Participants, local: datetime
) -> tuple[tuple[FactDraft, ...], tuple[str, ...]]:
    """The facts that the turn supports, and a warning for each that is dropped."""
    accepted: dict[str, FactDraft] = {}
    warnings: list[str] = []
    for item in items_of(value, MAX_FACTS * 2):
        try:
            fact = _fact(item, evidence, participants, local)
            accepted.setdefault(fact.content.casefold(), fact)
        except _DroppedError as reason:
            warnings.append(f"fact dropped, {reason}: {line_of(item.get('content'), 80)}")
    return tuple(accepted.values())[:MAX_FACTS], tuple(warnings)


def _fact(
    item: dict[str, Any], evidence: Evidence, participants: Participants, local: datetime
) -> FactDraft:
    content = line_of(item.get("content"), _CONTENT)
    quote = text_of(item.get("quote"), _QUOTE)
    life = line_of(item.get("life"), 20).lower().replace("-", "_")
    if not content:
        raise _DroppedError("it is empty")
    if not evidence.quotes(quote):
        raise _DroppedError("its quote is not in the input")
    content = _absolute(content, evidence, participants, local)
    begin = _day(item.get("valid_from"), evidence)
    end = _day(item.get("valid_to"), evidence)
    return FactDraft(
        content,
        category_of(line_of(item.get("category"), 40)),
        _subject(item, evidence),
        quote,
        fraction_of(item.get("confidence"), 0.7),
        begin,
        "" if begin and end and end < begin else end,
        life if life in LIVES else "lasting",
        texts_of(item.get("tags"), _MAX_TAGS, _TAG),
    )


def _absolute(text: str, evidence: Evidence, participants: Participants, local: datetime) -> str:
    """The text, rewritten by rule if needed; raises if it is not absolute or not in the input."""
    if check(text, evidence.names):
        text = rewrite(text, participants.rewrite_context(local, by_bot=False)).text
    if unresolved := check(text, evidence.names):
        raise _DroppedError(f"{unresolved[0].reason} not resolved ({unresolved[0].word[:40]})")
    if invented := evidence.invented(text):
        raise _DroppedError(f"not in the input ({invented[0].word[:40]})")
    return text


def _subject(item: dict[str, Any], evidence: Evidence) -> str:
    """The fact's subject, unless it is a pronoun or somebody who was not mentioned."""
    subject = line_of(item.get("subject"), _SUBJECT)
    unknown = evidence.unknown_terms(f"the {subject}")
    return "" if unknown or check(subject, evidence.names) else subject


def _day(value: Any, evidence: Evidence) -> str:
    """An ISO date that the input can mean; "" for anything else."""
    text = line_of(value, 40)[:10]
    try:
        day = date.fromisoformat(text).isoformat()
    except ValueError:
        return ""
    return "" if evidence.unknown_terms(day) else day


def procedures_of(
    value: Any, evidence: Evidence, participants: Participants, local: datetime
) -> tuple[tuple[ProcedureDraft, ...], tuple[str, ...]]:
    """The procedures that the turn supports, and a warning for each that is dropped."""
    accepted: dict[str, ProcedureDraft] = {}
    warnings: list[str] = []
    for item in items_of(value, MAX_PROCEDURES * 2):
        try:
            procedure = _procedure(item, evidence, participants, local)
            accepted.setdefault(procedure.name.casefold(), procedure)
        except _DroppedError as reason:
            warnings.append(f"procedure dropped, {reason}: {line_of(item.get('name'), 80)}")
    return tuple(accepted.values())[:MAX_PROCEDURES], tuple(warnings)


def _procedure(
    item: dict[str, Any], evidence: Evidence, participants: Participants, local: datetime
) -> ProcedureDraft:
    quote = text_of(item.get("quote"), _QUOTE)
    steps = texts_of(item.get("steps"), _MAX_STEPS, _STEP)
    name = line_of(item.get("name"), 120)
    if not name or not steps:
        raise _DroppedError("it has no name or no steps")
    if not evidence.quotes(quote):
        raise _DroppedError("its quote is not in the input")
    unfounded = next((step for step in steps if not evidence.supports(step)), None)
    if unfounded or not content(quote) & content("\n".join((name, *steps))):
        raise _DroppedError(f"its quote does not say so ({(unfounded or steps[0])[:40]})")
    rewrite_context = participants.rewrite_context(local, by_bot=False)

    def absolute_texts() -> Iterator[str]:
        for text in (name, line_of(item.get("trigger"), 200), *steps):
            rewritten = rewrite(text, rewrite_context).text if check(text, evidence.names) else text
            faults = check(rewritten, evidence.names)
            if bad := [fault for fault in faults if fault.word.lower() not in _IT]:
                raise _DroppedError(f"{bad[0].reason} not resolved ({bad[0].word[:40]})")
            yield one_line(rewritten)

    name, trigger, *rest = absolute_texts()
    unknown_figures = [
        fault
        for fault in evidence.unknown_terms("\n".join((name, trigger, *rest)))
        if any(char.isdigit() for char in fault.word)
    ]
    if unknown_figures:
        raise _DroppedError(f"not in the input ({unknown_figures[0].word[:40]})")
    return ProcedureDraft(name, trigger, tuple(rest), quote)
