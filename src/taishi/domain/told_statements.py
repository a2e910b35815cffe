"""Whether an event tells a statement in just these words, as a sentence or a clause of its own.

"Ann is allergic to walnuts and works at Acme" tells that Ann works at Acme; "I doubt that Ann works
at Acme" does not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ..language.clause_subjects import subject_of
from ..language.clauses import clauses
from ..language.lazy_regex import lazy_compile
from ..language.text import sentences
from ..types import Record
from .corrections import parts
from .text_identity import same

MOST_CHARS = 20_000  # of one text that are read
_ASKS = ("?", "？")
_CLOSING = " .。!！"
_AND = lazy_compile(r"(?i)[\s,，;；、]*(?:\b(?:and|but|so)\b|而且|并且|但是?|可是|所以|然后)?\s*")


def tells(event: Record, statement: str) -> bool:
    ending = statement.rstrip(_CLOSING)[-4:].casefold()
    if not ending or ending not in event.text[:MOST_CHARS].casefold():
        return False
    people = [one for one in (event.speaker, event.user) if one]
    return any(_says(part[:MOST_CHARS], statement, people) for part in parts(event))


def _says(text: str, statement: str, people: Collection[str]) -> bool:
    return any(
        same(told, statement)
        for sentence in sentences(text)
        if not sentence.endswith(_ASKS)
        for told in (sentence, *_clauses(sentence, people))
    )


def _clauses(sentence: str, people: Collection[str]) -> Iterator[str]:
    """Each with its subject, also if that is said in the clause before."""
    subject, before = "", 0
    for clause in clauses(sentence):
        own = subject_of(clause.text, people)
        is_coordinate = _AND.fullmatch(sentence[before : clause.start]) is not None
        before = clause.end
        if own != "":
            subject = own or ""
        if is_coordinate:
            yield clause.text if own != "" else f"{subject} {clause.text}"
