"""Clauses that contradict what somebody said: 老周别乱说, "don't listen to Bob".

They say nothing themselves. What the speaker says beside them of himself is meant, and denies what
was told of him.
"""

from __future__ import annotations

import re

from ...language.lazy_regex import lazy_compile
from ...language.speaker_labels import names_person

_WHO_ZH = r"[^\s，,。.！!？?；;我咱]{1,6}?"
_LIES_ZH = r"(?:(?:乱|瞎|胡)(?:说|讲|传|扯|编|猜)|造谣|胡说八道|瞎扯淡)"
_END_ZH = r"(?:[了的啊呀哈嘛吧呢啦哦]|好吗|好不好|八道)*"
_ZH = (
    rf"(?:@?{_WHO_ZH})?(?:可|就|快)?(?:别|不要|甭)(?:再|老|总|在这儿?|在群里)?"
    rf"(?:{_LIES_ZH}|[听信](?:{_WHO_ZH})(?:的话?|说的|{_LIES_ZH})?){_END_ZH}"
    rf"|(?P<who>@?{_WHO_ZH})(?:(?:是|都是|就是|又|又在|在|净)?{_LIES_ZH}"
    r"|(?:记错|说错|搞错|弄错|传错)了?|说的(?:不对|不是真的|不是事实|是假的|都是假的))"
    rf"{_END_ZH}"
)
_WHO_EN = (
    r"(?:(?!(?:I|We|You|It|My|Our|Your|The|This|That|Something|Everything|Nothing|What)\b)"
    r"[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)?|@\w+|(?i:him|her|them|he|she|they)"
    r"|(?i:what) (?:[A-Z]\w*|he|she|they) (?:says?|said))"
)
_EN = (
    rf"(?i:(?:please )?(?:don['’]?t|do not|never) (?:listen to|believe|trust)) {_WHO_EN}"
    rf"|(?i:ignore) {_WHO_EN}"
    rf"|{_WHO_EN}(?: is|['’]s| was|['’]re| are) (?:just |all )?(?:wrong|mistaken|lying|not true"
    r"|making (?:that|this|it|things|stuff) up|talking nonsense|confused)"
    r"(?: about (?:me|that|this))?"
    rf"|{_WHO_EN} (?:just )?(?:made (?:that|this|it) up|got (?:that|this|it|me) (?:all )?wrong"
    r"|has (?:that|this|it) wrong|lied)"
)
_CLAUSE = lazy_compile(r"[^，,。！!？?；;:：.\n—–~～]+")
_REFUTES = lazy_compile(rf"\s*(?:{_ZH}|{_EN})\s*")
_MAY_REFUTE = lazy_compile(
    r"别|不要|甭|[乱瞎胡造说错]|(?i:believe|listen|trust|ignore|wrong|mistaken|lying|lied|made|making"
    r"|true|nonsense|confused)"
)
_CHARS = 400


def refutes(text: str) -> bool:
    """Whether a clause says of somebody that what they said is wrong."""
    return without_refutations(text) != text


def without_refutations(text: str) -> str:
    """我吃辣啊，老周别乱说 → 我吃辣啊，: what the speaker states is left."""
    head, rest = text[:_CHARS], text[_CHARS:]
    if not _MAY_REFUTE.search(head):
        return text
    left = _CLAUSE.sub(_left, head)
    return text if left == head else re.sub(r"^[\s，,:：；;—–-]+", "", left) + rest


def _left(clause: re.Match[str]) -> str:
    found = _REFUTES.fullmatch(clause[0])
    # 刚才说错了 is about the speaker's own words.
    is_other = found is not None and (found["who"] is None or names_person(found["who"]))
    return "" if is_other else clause[0]
