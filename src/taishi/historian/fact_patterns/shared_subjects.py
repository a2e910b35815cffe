"""Several statements with one subject: "I live in Cork and work at Acme", 我住在青岛并在海尔工作.

Each becomes a clause of its own. Only where the first says plainly where one lives, works or what
one is, so that the next verb cannot belong to somebody else, a wish or a condition.
"""

from __future__ import annotations

from ...language.lazy_regex import lazy_compile

_AT_EN = r"(?:in|at|for|as|near|with|on|from)"
# The first statement; whose verb the next one is, is no longer sure after any of these words.
_OTHER_VERB_EN = (
    r"(?:who|whom|whose|which|that|where|when|while|if|unless|because|since|to|would|could|might"
    r"|may|should|will|until|than)"
)
_FIRST_EN = lazy_compile(
    rf"I(?: (?:still |also |both )?(?:live|work|study|teach|reside) {_AT_EN}"
    r"|(?:['’]m| am) (?:an?|from|based in|living in|working (?:at|for|as|in)|studying)) "
    rf"(?!.*\b{_OTHER_VERB_EN}\b)[^,;:]{{1,80}}"
)
_NEXT_EN = lazy_compile(
    r"(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:also |still |both )?"
    rf"(?=(?:live|work|study|teach|reside) {_AT_EN} \S"
    r"|am (?!not sure\b)\S|(?:have|own|speak|like|love|hate|prefer|play) (?!it\b|that\b|this\b)\S)"
)
_BOTH_EN = lazy_compile(
    r"(?P<i>I(?: both)? )(?:(?P<live>live) and (?:work|study)|(?:work|study) and live) (?=in [A-Z])"
)
_AT_ZH = r"(?:上班|工作|任职|就职)"
_FIRST_ZH = rf"我(?:现在|目前)?(?:家?住在?|在)[^，。想要打算]{{1,14}}?(?:{_AT_ZH}|生活|定居)?"
_JOIN_ZH = r"(?:并且?|而且|同时|也|还|和)+"
_NEXT_ZH = rf"(?:在[^，。并和]{{1,14}}{_AT_ZH}|住在)"
_BOTH_ZH = lazy_compile(rf"(?P<first>{_FIRST_ZH}){_JOIN_ZH}(?={_NEXT_ZH})")
_JOINED_ZH = lazy_compile(rf"{_JOIN_ZH}(?={_NEXT_ZH})")


def english_parts(clause: str) -> list[str]:
    """ "I live in Cork and have two dogs" → "I live in Cork", "I have two dogs"."""
    clause = _BOTH_EN.sub(r"\g<i>live ", clause)
    first, *rest = _NEXT_EN.split(clause)
    if not rest or not _FIRST_EN.fullmatch(first):
        return [clause]
    return [first, *(f"I {part}" for part in rest)]


def chinese_parts(part: str) -> list[str]:
    """我住在青岛并在海尔工作 → 我住在青岛, 在海尔工作; 并且在海尔工作 → 在海尔工作."""
    if joined := _JOINED_ZH.match(part):
        return [part[joined.end() :]]
    found = _BOTH_ZH.match(part)
    return [found["first"], part[found.end() :]] if found else [part]
