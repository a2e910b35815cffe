"""Recognises standing instructions ("always …", 以后都…) by their wording.

How he wants to be served ("always answer in Chinese", 以后都用中文回答), and what he likes ("I
prefer trains", 我更喜欢坐火车).

Such a sentence seldom shares words with the question that it applies to, so recall lifts it. A
wording counts only where it hardly has another reading: "always wanted to" lays down nothing.
"""

from __future__ import annotations

import re

from .lazy_regex import lazy_compile

# What is laid down stands at the head of a message; a long text is about something else.
HEAD = 400
# Terms that no question has: they mark such texts.
INSTRUCTS = "!always"
PREFERS = "!prefers"

# What an assistant can be told to do.
_SERVE = "|".join(
    """add address answer apply ask assume avoid be begin break calculate call check cite clarify
    compare confirm consider convert define describe display do don't emphasi[sz]e end ensure
    explain focus follow format give(?!\\sup) help highlight include indicate keep let limit list
    make mention name note offer order point prefer present print prioriti[sz]e propose provide
    put quote recommend refer reference remember remind reply respond return round say send share
    show sign skip speak specify start state stick structure suggest summari[sz]e talk tell test
    translate treat update use verify warn write""".split()
)
_SENTENCE = r"(?:^|[.!?;:,\n]\s*)(?:(?:please|also|and|so|but|ok|okay|remember to),? )?"
_INSTRUCTS_EN = lazy_compile(
    rf"{_SENTENCE}(?:(?:always|never) (?:{_SERVE})\b|from now on\b|going forward\b"
    r"|in (?:the )?future,? (?:please|do not|don't|always|never|use|answer|reply)\b"
    r"|stop (?:using|calling|asking|saying|adding|giving|sending|suggesting)\b)"
    r"|\b(?:when|whenever|every time|each time|if) i ask (?:you|for|about|how|what|something|to)\b"
    r"|\bplease (?:always|never)\b|\byou (?:must|should) (?:always|never)\b"
)
_INSTRUCTS_ZH = lazy_compile(
    "(?:以后|今后|往后|从现在(?:起|开始)|从今(?:天|往后|以后)?(?:起|开始)?)[，,]?"
    "(?:你|请|都|别|不要|不用|不许|就|只|一律|回答|回复|跟我|给我|叫我|用|每次|凡是|我(?:问|让|叫|要你|说))"
    "|(?:每次|凡是|只要|每当)我?(?:问|让你|叫你|要你|请你)|(?:别|不要|不许|不准)再"
    "|请(?:始终|一直|总是|永远|每次)|永远不要|一律(?:用|按|要)"
)
_LATELY = "(?: really| also| usually| generally| always| still| much| never)?"
_PREFERS_EN = lazy_compile(
    rf"\bi(?:'d| would)?{_LATELY} (?:prefer|favou?r|rather|like|love|enjoy|hate|dislike|avoid)\b"
    r"|\bi (?:don't|do not|never) (?:like|want|use|eat|drink)\b"
    r"|\bi(?:'ve| have)? (?:chosen|chose|decided|opted)\b"
    r"|\bmy (?:favou?rite|preference|preferred)\b|\bi (?:usually|always|never|aim|tend)\b"
    r"|\bi(?:'m| am) (?:a (?:big |huge )?fan of|fond of|into|allergic to)\b"
    r"|\bi(?:'m| am) trying to (?:keep|avoid|stay)\b|\bi can't stand\b|\bbest for me\b"
)
_PREFERS_ZH = lazy_compile(
    "我(?:个人|自己|平时|一般|通常|一直|还是|就|也|都|更|比较|最|很|挺|特别|非常|超|不太|不|从来不|真的){0,4}"
    "(?:喜欢|喜爱|爱[吃喝看听玩用去穿]|偏好|偏爱|习惯|倾向|讨厌|反感|受不了|吃不惯|不吃|不喝|不用|宁愿|宁可"
    "|对[^，。]{1,8}过敏)|我的(?:最爱|偏好|习惯|爱好)|我(?:选择|决定)"
)


# One of these is in whatever the patterns find: every write goes through here, and looking for a
# word is twenty times as fast as looking for a pattern.
_INSTRUCTS_SIGNS = ("always", "never", "from now on", "going forward", "future", "stop ", "i ask")
_PREFERS_SIGNS = (
    "prefer",
    "favo",
    "rather",
    "like",
    "love",
    "enjoy",
    "hate",
    "avoid",
    "chose",
    "decided",
    "opted",
    "usually",
    "always",
    "never",
    "i aim",
    "i tend",
    "fan of",
    "fond of",
    "into",
    "allergic",
    "trying to",
    "stand",
    "best for me",
    "don't",
    "do not",
)


def marks(text: str) -> tuple[str, ...]:
    """The terms that mark a text for what it lays down."""
    head = text[:HEAD]
    plain = head.isascii()
    small = head.lower() if plain else head.lower().replace("’", "'")
    found = []
    # A long text may well say "always" of something else.
    if len(text) <= HEAD and (
        _has(small, _INSTRUCTS_SIGNS, _INSTRUCTS_EN) or (not plain and _INSTRUCTS_ZH.search(small))
    ):
        found.append(INSTRUCTS)
    if _has(small, _PREFERS_SIGNS, _PREFERS_EN) or (not plain and _PREFERS_ZH.search(small)):
        found.append(PREFERS)
    return tuple(found)


def _has(text: str, signs: tuple[str, ...], pattern: re.Pattern[str]) -> bool:
    return any(sign in text for sign in signs) and pattern.search(text) is not None
