"""The verb of an event that is called by a noun: "the wedding" is when somebody marries, 航班 is
when somebody flies.

Only where the noun can hardly be of another deed: a plan that was told with the verb is found
again when the noun is moved.
"""

from __future__ import annotations

from collections.abc import Iterator

from .analyzer import terms

_VERBS_EN = {
    "wedding": "marry married marrying",
    "flight": "fly flying flies",
    "graduation": "graduate graduating graduates",
    "departure": "depart departing leave leaving leaves",
    "arrival": "arrive arriving arrives",
    "surgery": "operate operated",
    "operation": "operate operated",
}
_VERBS_ZH = {
    "婚礼": ("结婚", "成亲", "完婚"),
    "婚期": ("结婚", "婚礼"),
    "航班": ("飞",),
    "飞机": ("飞",),
    "手术": ("开刀",),
    "毕业典礼": ("毕业",),
    "面试": ("去面",),
}
_BY_TERM = {
    noun_term: frozenset(terms(verbs))
    for noun, verbs in _VERBS_EN.items()
    for noun_term in terms(noun)
}


def verb_terms(noun_term: str) -> frozenset[str]:
    """The terms of the verbs for an English noun that is one term."""
    return _BY_TERM.get(noun_term, frozenset())


def verbs_of(noun: str) -> Iterator[str]:
    """The verbs for a Chinese noun, or for the one that it ends with: 我们的婚礼."""
    for name, verbs in _VERBS_ZH.items():
        if noun.endswith(name):
            yield from verbs
