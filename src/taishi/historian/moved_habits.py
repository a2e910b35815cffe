"""A habit that gets another time: "I play tennis every Tuesday", then "I play tennis every Friday
now", 我现在每周四练瑜伽."""

from __future__ import annotations

import re

from ..domain.drafts import FactDraft
from ..language.stated_times import is_one_more, recurs, times_in, without_times
from ..language.text import sentences
from . import statement_comparison
from .known_facts import KnownFact


def is_moved_habit(draft: FactDraft, fact: KnownFact) -> bool:
    """Whether both tell the same habit, the draft at another time, and it says that this is so
    now. Without such a word, or with one of addition, it is done at both."""
    if not (recurs(draft.content) and recurs(fact.content)):
        return False
    now, before = times_in(draft.content), times_in(fact.content)
    return (
        bool(before)
        and bool(now - before)
        and _deed(draft.content) == _deed(fact.content)
        and any(_says_now(sentence, now) for sentence in sentences(draft.quote))
    )


def _says_now(sentence: str, times: frozenset[str]) -> bool:
    """Whether the sentence that gives the time says that it is another than before."""
    return (
        bool(times_in(sentence) & times)
        and re.search(statement_comparison.CHANGED, sentence) is not None
        and not is_one_more(sentence)
    )


def _deed(text: str) -> frozenset[str]:
    plain = re.sub(r"(?i)\b(?:every|each|on)\b|每", " ", without_times(text))
    return frozenset(statement_comparison.terms(plain))
