"""Requests that change an earlier one: another form of address (算了，还是叫我大哲吧, "actually,
just call me Ann"), and what may be done again (可以发表情包了).
"""

from __future__ import annotations

import re

from ...language.lazy_regex import lazy_compile

_MIND_ZH = (
    "(?:算了|好吧|行吧|那|嗯|对了|不对|等等|我改名(?:字)?了|我换名(?:字)?了"
    "|改主意了|我(?:又)?想了想|想来想去|话说回来)"
)
_MIND_EN = (
    r"(?:actually|never ?mind|on second thoughts?|you know what|hmm+|no|ok|okay|well|sorry|wait"
    r"|i(?:['’]ve)? changed my (?:mind|name)|i have a new name)"
)
_CALLS = lazy_compile(
    rf"(?:{_MIND_ZH}[，,！!。\s]*)*(?:还是|改)?(?P<zh>(?:你?们?(?:以后|今后)?)?(?:请|就|都|直接|改)*"
    r"(?:叫|喊|称呼)我(?!去|来|起|回|吃|别|不|做|滚|干|什么|妈|爸)[^，。]{1,12}?)(?:吧|就[好行]|好了)?"
    rf"|(?i:(?:{_MIND_EN}\b[,.!;\s—–-]*)+(?:and |so )?(?:just |please |you can |now )*"
    r"(?P<en>call me (?!(?:back|later|soon|today|tomorrow|tonight|when|if|at|on|in|after|before|now"
    r"|asap|any|some|maybe|crazy|every|next|once|and|a)\b)[\w'’-]+(?: [\w'’-]+){0,2}?)"
    r"(?: (?:from now on|again|instead|please|then))*)"
)
_ALLOWS_ZH = lazy_compile(
    "(?:现在|那|你|您|又|好了|行了|算了|[，,])*(?:可以|能)(?:再|又|继续|接着|重新)?(?:给我|跟我|和我|对我)?"
    "(?P<what>[^，。]{2,14})了(?:吧|啦|哦)?"
)


def with_plain_address(words: str) -> str:
    """The request without what leads from the earlier form of address to this one."""
    found = _CALLS.fullmatch(words)
    return (found["zh"] or found["en"]) if found else words


def allows(words: str) -> str:
    """What a Chinese request says that may be done again; "" if it says none."""
    found = _ALLOWS_ZH.fullmatch(words)
    return found["what"] if found and not re.match("[吃走睡下回去来不]", found["what"]) else ""
