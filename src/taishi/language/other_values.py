"""Whether two statements say another value of the same thing: Oslo and Bergen, cats and peanuts."""

from __future__ import annotations

import re

from .analyzer import has_cjk
from .clauses import content
from .common_prefix import common_prefix_length

MOST_CHARS = 400
_CLOSING = " .。!！?？"
_TOKEN = re.compile(r"[^\W_\u3400-\u9fff]+|[\u3400-\u9fff]")
COVERBS = frozenset("对跟和与向给把被")  # what follows is the value: 对花生过敏
# Subject and verb: in English two content words, in Chinese mostly three characters.
FRAME_WORDS, FRAME_CHARACTERS = 2, 3


def names_other_value(one: str, other: str) -> bool:
    """Whether both have the same frame around one place, and something else in that place.

    The value ends the statement ("lives in Oslo", 住在上海), or in Chinese stands behind 对 and the
    like. What differs before a common end is another way to say it ("is allergic to peanuts",
    "cannot eat peanuts").
    """
    first, second = (
        _TOKEN.findall(text.strip(_CLOSING)[:MOST_CHARS].lower()) for text in (one, other)
    )
    start = common_prefix_length(first, second)
    end = common_prefix_length(first[start:][::-1], second[start:][::-1])
    values = [tokens[start : len(tokens) - end] for tokens in (first, second)]
    if not all(values):
        return False
    head, tail = first[:start], first[len(first) - end :]
    is_framed = has_cjk(one) and bool(head) and head[-1] in COVERBS
    if not is_framed and any(map(content, tail)):
        return False
    frame = [token for token in (*head, *tail) if content(token)]
    told = [{word for token in value for word in content(token)} for value in values]
    least = FRAME_CHARACTERS if has_cjk(one) else FRAME_WORDS
    return len(frame) >= least and all(told) and not told[0] & told[1]
