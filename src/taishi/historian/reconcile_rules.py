"""A drafted fact against what is known, by rule: what confirms, replaces or ends what (F1, P5)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..domain.drafts import FactDraft, Reconciliation
from . import statement_comparison
from .categories import INSTRUCTION, SINGLE_VALUED
from .statement_comparison import StatementComparison


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A stored fact as the judge sees it; times are ISO or empty."""

    index: int
    id: str
    content: str
    category: str = "other"
    state: str = "approved"
    valid_from: str = ""
    last_confirmed: str = ""
    subject: str = ""
    tags: tuple[str, ...] = ()


def judge_by_rule(drafts: Sequence[FactDraft], known: Sequence[KnownFact]) -> list[Reconciliation]:
    """Without a model: the same words, or another value where there can be only one."""
    decisions: list[Reconciliation] = []
    earlier: list[FactDraft] = []
    compare = StatementComparison()
    for draft in drafts:
        if any(_is_repeated(draft, one, compare) for one in earlier):
            decisions.append(Reconciliation("ignore", None, "said twice in one turn"))
        else:
            decisions.append(_by_rule(draft, known, compare))
        earlier.append(draft)
    return decisions


def _is_repeated(draft: FactDraft, one: FactDraft, compare: StatementComparison) -> bool:
    return draft.retracts == one.retracts and compare.is_same(draft.content, one.content)


def _by_rule(
    draft: FactDraft, known: Sequence[KnownFact], compare: StatementComparison
) -> Reconciliation:
    standing = [one for one in known if one.state != "superseded"]
    standing.sort(key=lambda one: one.state == "rejected", reverse=True)
    if draft.retracts:
        return Reconciliation(
            "ignore", None, "tells what is no longer so", _retracted(draft, standing, compare)
        )
    same = next((one for one in standing if _says_the_same(draft, one, compare)), None)
    if same is not None and same.state == "rejected":
        return Reconciliation("ignore", same.id, "a person rejected this")
    against = [
        one for one in standing if one.state != "rejected" and _contradicts(draft, one, compare)
    ]
    if same is not None:
        # What a person says of himself settles a conflict; what others say is only counted.
        ended = _ids(one for one in against if one is not same) if draft.by_self else ()
        return Reconciliation("confirm", same.id, "says the same", ended)
    if not against:
        return Reconciliation(
            "add", None, "nothing known says this", _left_behind(draft, standing, compare)
        )
    return _against(draft, against)


def _against(draft: FactDraft, against: Sequence[KnownFact]) -> Reconciliation:
    first = against[0]
    if _is_past(draft, first):
        return Reconciliation("add", None, "tells of an earlier time")
    if draft.by_self or _says_it_changed(draft, first):
        rest = _ids(against[1:])
        return Reconciliation("supersede", first.id, "says how it is from now on", rest)
    return Reconciliation("conflict", first.id, "another value, and nothing says which is right")


def _ids(known: Iterable[KnownFact]) -> tuple[str, ...]:
    return tuple(one.id for one in known)


# What a statement ends


def _retracted(
    draft: FactDraft, standing: Sequence[KnownFact], compare: StatementComparison
) -> tuple[str, ...]:
    """What is no longer so: of the category, of this person, with the value if one was named."""
    wanted = set(statement_comparison.terms(draft.value))
    found = [
        one
        for one in standing
        if one.state != "rejected" and one.category == draft.category and _is_of(draft, one)
    ]
    if draft.category == INSTRUCTION:
        return _ids(one for one in found if _is_withdrawn(draft, one, compare))
    if draft.category not in SINGLE_VALUED and not wanted:
        return ()
    return _ids(one for one in found if wanted <= set(statement_comparison.terms(one.content)))


def _left_behind(
    draft: FactDraft, standing: Sequence[KnownFact], compare: StatementComparison
) -> tuple[str, ...]:
    """ "Used to live in Cork" ends "lives in Cork", "is divorced" ends "Ann's wife is Laura"."""
    if not draft.by_self:
        return ()
    alone = r"(?i)\b(?:divorced|single|widowed)\b|离婚|离异|单身|丧偶"
    if draft.category == "partner" and re.search(alone, draft.content):
        return _ids(one for one in standing if one.category == "partner" and _is_of(draft, one))
    if draft.category != "history":
        return ()
    told = compare.core(re.sub(statement_comparison.PAST, " ", draft.content))
    return _ids(
        one
        for one in standing
        if one.category in SINGLE_VALUED
        and _is_of(draft, one)
        and len(compare.core(one.content) - {"live", "work"}) > 1
        and compare.core(one.content) - {"live", "work"} <= told
    )


def _is_of(draft: FactDraft, one: KnownFact) -> bool:
    """Whether the known fact is about the same person."""
    if one.subject:
        return one.subject == draft.subject
    return statement_comparison.head(one.content, draft.subject) is not None


def _is_withdrawn(draft: FactDraft, one: KnownFact, compare: StatementComparison) -> bool:
    topics = _topics(draft.tags) & _topics(one.tags)
    if topics:
        return True
    told, asked = (
        compare.core(_words(draft.content)),
        compare.core(_words(one.content)),
    )
    return not _topics(draft.tags) and bool(asked) and len(told & asked) >= len(asked) / 2


# Comparing a draft with what is known

_NAMED = r"(?i)\b(?:name is|name['’]s|called|named)\b|叫|名字"
_STATUS = (
    r"(?i)\b(?:married|engaged|divorced|single|widowed|dating)\b|结婚|订婚|离婚|已婚|未婚|单身"
    r"|离异"
)


def _says_the_same(draft: FactDraft, one: KnownFact, compare: StatementComparison) -> bool:
    if draft.category == INSTRUCTION or one.category == INSTRUCTION:
        same_words = compare.core(_words(draft.content)) == compare.core(_words(one.content))
        same_sense = compare.is_denied(draft.content) == compare.is_denied(one.content)
        return draft.category == one.category and _is_of(draft, one) and same_words and same_sense
    return compare.is_same(draft.content, one.content) or _is_same_value(draft, one, compare)


def _is_comparable(draft: FactDraft, one: KnownFact) -> bool:
    if draft.category not in SINGLE_VALUED or draft.category != one.category or not draft.subject:
        return False
    head = statement_comparison.head(draft.content, draft.subject)
    if head is None or head != statement_comparison.head(one.content, draft.subject):
        return False
    # Of a partner one may tell the name, the job, and whether there is one: only like is held
    # against like.
    return draft.category != "partner" or any(
        re.search(aspect, draft.content) and re.search(aspect, one.content)
        for aspect in (_NAMED, _STATUS)
    )


def _is_same_value(draft: FactDraft, one: KnownFact, compare: StatementComparison) -> bool:
    if not _is_comparable(draft, one):
        return False
    if compare.is_denied(draft.content) != compare.is_denied(one.content):
        return False
    first = statement_comparison.value_terms(draft.content, draft.subject)
    second = statement_comparison.value_terms(one.content, draft.subject)
    return bool(first) and bool(second) and (first <= second or second <= first)


def _contradicts(draft: FactDraft, one: KnownFact, compare: StatementComparison) -> bool:
    """Another value of what has one value, the same denied, or the end of it."""
    if draft.category == INSTRUCTION or one.category == INSTRUCTION:
        return draft.category == one.category and _replaces(draft, one, compare)
    if _is_comparable(draft, one):
        return not _is_same_value(draft, one, compare)
    if compare.is_denial_of(draft.content, one.content):
        return True
    return _is_of(draft, one) and compare.is_end_of(draft.content, one.content)


def _replaces(draft: FactDraft, one: KnownFact, compare: StatementComparison) -> bool:
    """A later instruction on the same matter, under the same condition, of the same person."""
    if not _is_of(draft, one) or ("conditional" in draft.tags) != ("conditional" in one.tags):
        return False
    matters, known = _topics(draft.tags), _topics(one.tags)
    if "conditional" in draft.tags:
        return compare.is_denial_of(_words(draft.content), _words(one.content))
    if known and matters:
        return known <= matters
    return compare.is_denial_of(_words(draft.content), _words(one.content))


def _topics(tags: Iterable[str]) -> set[str]:
    return set(tags) - {"conditional", "for_all"}


_POLITE = (
    r"(?i)\b(?:please|always|from now on|in (?:the )?future|going forward)\b"
    "|请|以后|今后|都|一律|始终|从现在开始"
)


def _words(content: str) -> str:
    """What was asked, without who asked it, how kindly and from when on."""
    return re.sub(_POLITE, " ", re.split("[:：]", content, maxsplit=1)[-1])


def _is_past(draft: FactDraft, one: KnownFact) -> bool:
    """Whether the draft tells how it was, and the known one how it is."""
    since = one.valid_from or one.last_confirmed
    if draft.valid_to and (not since or draft.valid_to <= since[:10]):
        return True
    is_past = re.search(statement_comparison.PAST, draft.content) is not None
    return is_past and not re.search(statement_comparison.CHANGED, draft.content)


def _says_it_changed(draft: FactDraft, one: KnownFact) -> bool:
    since = one.valid_from or one.last_confirmed
    if draft.valid_from and since and draft.valid_from > since[:10]:
        return True
    told = f"{draft.content}\n{draft.quote}"[: 2 * statement_comparison.CHARS]
    return (
        draft.category != INSTRUCTION and re.search(statement_comparison.CHANGED, told) is not None
    )
