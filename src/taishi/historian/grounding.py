"""The facts and procedures a model proposes, and which of them are believed (F1, F3, H3)."""

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
from .coerce import items_of, line_of, share_of, text_of, texts_of
from .evidence import Evidence
from .participants import Participants

MOST_FACTS = 8
MOST_PROCEDURES = 3
_CONTENT, _QUOTE, _SUBJECT, _TAG, _STEP = 400, 400, 80, 40, 200
_MOST_STEPS = 12
_MOST_TAGS = 5
_IT = frozenset(("it", "its", "它"))  # a step may say "run it"


class _DroppedError(Exception):
    """Why a proposal is not believed."""


def facts_of(
    value: Any, evidence: Evidence, cast: Participants, local: datetime
) -> tuple[tuple[FactDraft, ...], tuple[str, ...]]:
    """The facts that stand, and a warning for each that does not."""
    found: dict[str, FactDraft] = {}
    warnings: list[str] = []
    for item in items_of(value, MOST_FACTS * 2):
        try:
            fact = _fact(item, evidence, cast, local)
            found.setdefault(fact.content.casefold(), fact)
        except _DroppedError as why:
            warnings.append(f"fact dropped, {why}: {line_of(item.get('content'), 80)}")
    return tuple(found.values())[:MOST_FACTS], tuple(warnings)


def _fact(
    item: dict[str, Any], evidence: Evidence, cast: Participants, local: datetime
) -> FactDraft:
    content = line_of(item.get("content"), _CONTENT)
    quote = text_of(item.get("quote"), _QUOTE)
    life = line_of(item.get("life"), 20).lower().replace("-", "_")
    if not content:
        raise _DroppedError("it is empty")
    if not evidence.quotes(quote):
        raise _DroppedError("its quote is not in the input")
    content = _absolute(content, evidence, cast, local)
    begin = _day(item.get("valid_from"), evidence)
    end = _day(item.get("valid_to"), evidence)
    return FactDraft(
        content,
        category_of(line_of(item.get("category"), 40)),
        _subject(item, evidence),
        quote,
        share_of(item.get("confidence"), 0.7),
        begin,
        "" if begin and end and end < begin else end,
        life if life in LIVES else "lasting",
        texts_of(item.get("tags"), _MOST_TAGS, _TAG),
    )


def _absolute(text: str, evidence: Evidence, cast: Participants, local: datetime) -> str:
    """The text, mended by rule if need be, if it is absolute and made of what was said."""
    if check(text, evidence.names):
        text = rewrite(text, cast.setting(local, told_by_bot=False)).text
    if left := check(text, evidence.names):
        raise _DroppedError(f"{left[0].reason} not resolved ({left[0].word[:40]})")
    if strange := evidence.invented(text):
        raise _DroppedError(f"not in the input ({strange[0].word[:40]})")
    return text


def _subject(item: dict[str, Any], evidence: Evidence) -> str:
    """Whom it is about, unless that is a pronoun or somebody nobody spoke of."""
    subject = line_of(item.get("subject"), _SUBJECT)
    strange = evidence.strange(f"the {subject}")
    return "" if strange or check(subject, evidence.names) else subject


def _day(value: Any, evidence: Evidence) -> str:
    """An ISO date that the input can mean; anything else is no date."""
    text = line_of(value, 40)[:10]
    try:
        day = date.fromisoformat(text).isoformat()
    except ValueError:
        return ""
    return "" if evidence.strange(day) else day


def procedures_of(
    value: Any, evidence: Evidence, cast: Participants, local: datetime
) -> tuple[tuple[ProcedureDraft, ...], tuple[str, ...]]:
    """The procedures that stand, and a warning for each that does not."""
    found: dict[str, ProcedureDraft] = {}
    warnings: list[str] = []
    for item in items_of(value, MOST_PROCEDURES * 2):
        try:
            procedure = _procedure(item, evidence, cast, local)
            found.setdefault(procedure.name.casefold(), procedure)
        except _DroppedError as why:
            warnings.append(f"procedure dropped, {why}: {line_of(item.get('name'), 80)}")
    return tuple(found.values())[:MOST_PROCEDURES], tuple(warnings)


def _procedure(
    item: dict[str, Any], evidence: Evidence, cast: Participants, local: datetime
) -> ProcedureDraft:
    quote = text_of(item.get("quote"), _QUOTE)
    steps = texts_of(item.get("steps"), _MOST_STEPS, _STEP)
    name = line_of(item.get("name"), 120)
    if not name or not steps:
        raise _DroppedError("it has no name or no steps")
    if not evidence.quotes(quote):
        raise _DroppedError("its quote is not in the input")
    unfounded = next((step for step in steps if not evidence.supports(step)), None)
    if unfounded or not content(quote) & content("\n".join((name, *steps))):
        raise _DroppedError(f"its quote does not say so ({(unfounded or steps[0])[:40]})")
    setting = cast.setting(local, told_by_bot=False)

    def told() -> Iterator[str]:
        for text in (name, line_of(item.get("trigger"), 200), *steps):
            mended = rewrite(text, setting).text if check(text, evidence.names) else text
            faults = check(mended, evidence.names)
            if bad := [fault for fault in faults if fault.word.lower() not in _IT]:
                raise _DroppedError(f"{bad[0].reason} not resolved ({bad[0].word[:40]})")
            yield one_line(mended)

    name, trigger, *rest = told()
    figures = [
        fault
        for fault in evidence.strange("\n".join((name, trigger, *rest)))
        if any(char.isdigit() for char in fault.word)
    ]
    if figures:
        raise _DroppedError(f"not in the input ({figures[0].word[:40]})")
    return ProcedureDraft(name, trigger, tuple(rest), quote)
