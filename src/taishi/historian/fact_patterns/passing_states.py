"""States that are over in days: in hospital, on leave, 出差, 发烧. They belong to an event.

As a fact of a person they would be told for years. What comes again and again, or is somebody's
work, is no such state: 经常出差, "works in a hospital".
"""

from __future__ import annotations

from collections.abc import Iterable

from ...domain.drafts import FactDraft
from ...language.lazy_regex import lazy_compile

_PASSING = lazy_compile(
    r"(?:住|出|进)(?:了|过)?院(?!部|医|士)|住进[^，。]{0,6}(?:医院|病房|ICU)"
    r"|住在?(?:医院|病房|ICU)(?![路街巷附旁对边里宿])"
    r"|在(?:医院|ICU|病房)(?:$|[，。了呢陪躺里住])|出差|发烧|发高烧|低烧|感冒|着凉|拉肚子"
    r"|请假|休假|隔离|值班|加班|陪床|做手术|动手术|骨折|生病|病倒"
    r"|\bin (?:the )?(?:hospital|intensive care|icu|quarantine|isolation|surgery)"
    r"(?=$|[,.;]| (?:this|since|until|till|for|with|again|now|at|and|right)\b)"
    r"|\b(?:is|was|be|been) on (?:[a-z]+ )?leave\b|\bon a (?:business|work) trip\b|\bon business\b"
    r"|\baway (?:on business|for work)\b|\btravell?ing (?:for work|on business)\b|\boff sick\b"
    r"|\b(?:has|have|had|got|caught|with|running) (?:an? |the )?(?:high |bad |slight )?"
    r"(?:fever|temperature|cold|flu|headache|stomach ?ache|covid)"
    r"(?! [a-z]+ (?:business|company|shop|store|case)|[ -](?:storage|brew|room))\b"
    r"|\brecovering from\b",
)
_AGAIN = lazy_compile(
    r"经常|常常|常年|时常|总|老是|老[爱要]|每|一直|长期|容易|动不动|从不|从来|很少|偶尔|不(?:用|需要|喜欢|爱|想)"
    r"|\b(?:often|always|usually|every|never|sometimes|frequently|regularly|chronic\w*|tends? to)\b"
)


_OF = frozenset(("relationship", "health", "residence", "possession", "other"))


def is_passing(statement: str, category: str = "other") -> bool:
    """Whether a statement tells of a state that is over in days; what one likes or is used to is
    none, whatever it is about."""
    return (
        category in _OF
        and _PASSING.search(statement) is not None
        and _AGAIN.search(statement) is None
    )


def without_passing(facts: Iterable[FactDraft]) -> list[FactDraft]:
    return [fact for fact in facts if not is_passing(fact.content, fact.category)]
