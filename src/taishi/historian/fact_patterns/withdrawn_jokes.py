"""Recognises a message that says that the one before was no truth: 骗你们的, 我开玩笑的,
"just kidding", "I was joking"; perhaps with what is so instead: "just kidding, I have no cats"."""

from __future__ import annotations

import re
from itertools import islice

from ...language.lazy_regex import lazy_compile

_OPENING = r"(?:(?:哈+|嘿+|嘻+|啊+|哦|噢|好啦|好了|算了|其实|刚才|刚刚|[，,。！!~～…\s])*)"
_ONLY = lazy_compile(
    rf"{_OPENING}我?(?:刚才|刚刚|只?是|就是)*(?:"
    r"(?:骗|逗|唬|忽悠)(?:你|大家|你们)(?:们)?(?:玩)?(?:的|呢|哒|啦)+"
    r"|开(?:个|了个)?玩笑(?:的|啦|呢|而已|哒|哈)+|说着玩(?:的|呢|儿的?)|闹着玩(?:的|呢)|瞎[编说](?:的|啦)|胡说的)[啦哈呀啊]*"
    r"(?:别当真|不要当真|[，,。！!~～…\s🐶😂🤣😄😆哈嘿])*"
    r"|(?:(?:haha\w*|hehe\w*|lol|lmao|oh|ok|okay|sorry|no|nah|well)\b|[,.!…\s—–-])*"
    r"(?:i(?:['’]m| am| was|['’]m only| was (?:just|only))? ?(?:just|only|totally)? ?"
    r"(?:kidding|joking|messing)(?: with (?:you|ya|you all|you guys|everyone))?"
    r"|(?:just|only) (?:kidding|joking|messing)(?: with (?:you|ya|you all|you guys|everyone))?"
    r"|(?:that|it) was (?:just |only )?a joke|jk|j/k|(?:just )?pulling your leg|i made that up)"
    r"(?:(?:haha\w*|lol|guys|everyone|everybody|folks|of course|obviously)\b|[,.!~…\s😂🤣😄😆])*",
    re.IGNORECASE,
)
_CLAUSE_ENDS = lazy_compile(r"[,;:.!—–，；：。！]+")
_MOST_CLAUSES = 3  # haha, no, just kidding


def withdraws_a_joke(text: str) -> bool:
    """Whether that is all that a message says."""
    return len(text) <= 80 and _ONLY.fullmatch(text.strip()) is not None


def after_a_joke(text: str) -> str:
    """What a message says after its first words said that the one before was a joke."""
    for end in islice(_CLAUSE_ENDS.finditer(text), _MOST_CLAUSES):
        if withdraws_a_joke(text[: end.start()]):
            return text[end.end() :].strip()
    return ""
