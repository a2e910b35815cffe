"""Recognises questions by their words: in a chat, few people type a question mark.

什么都行, 不管谁来, 没什么 and 谁先到谁付钱 have asking words and state something.
"""

from __future__ import annotations

import re

from .lazy_regex import lazy_compile

READ_CHARS = 600  # the end of a longer sentence says whether it asks
SHORTEST = 4
_MARK = lazy_compile(r"[?？][^\w?？]{0,8}$")
_CLAUSE_END = lazy_compile(r"[，,。；;！!\n]+")

_WHAT = (
    "(?:为什么|什么时候|什么|为啥|啥时候|啥|谁|哪[里儿个些位种家次年边]|怎么样|怎么|怎样|咋样"
    "|咋|如何|为何|何时"
    "|多少|(?<![十好两])几[点号时岁月楼]|(?:星期|礼拜|周|第)几)"
)
_STATES_ZH = lazy_compile(  # an asking word in a statement
    "不管|无论|不论|随便|管他|谁知道|哪里哪里|怎么说呢"
    f"|{_WHAT}[^，。]{{0,2}}[都也]"
    "|没[^，。]{1,3}多少|[没不](?:有)?(?:什么|啥|谁|怎么(?!办)|多少|几[点号])"
    "|(?:什么|啥|谁)的(?=$|[，。]|我|都)"
    "|(什么|啥|谁|哪[里儿个]|怎么|多少)[^，。]{1,8}\\1"
    "|多少(?:有|会|还是|算|能)[点些]?|哪[里儿]有|哪有"
)
_ASKS_ZH = lazy_compile(
    f"{_WHAT}|多[久大远长高重](?:了|啊|呀|时间)?$|几[个位](?:人)?$|是哪天|哪天[的呀啊来]{{0,2}}$"
    "|(?!动不动|时不时)(?<![不没])([\u4e00-\u9fff])[不没]\\1|可不可以|知不知道|喜不喜欢|愿不愿意|应不应该|是否"
    "|^(?:请问|求问|想问|问一?下|难道|莫非)"
    "|吗[了啊呀的~～…]{0,2}$|(?<![什这那多])么$|干嘛|^你.{0,20}嘛$"
    "|[了过到完好]没有?[啊呀呢]?$|^(?:那|而|可)?(?:你|您|他|她|大家)们?呢$"
    "|^你们?(?!还是)[^，。]{1,10}还是[^，。]{1,10}$"
)
_WHICHEVER_ZH = lazy_compile("([\u4e00-\u9fff])[不没]\\1[^，。]{0,6}(?:都|也|无所谓|随)")
# 谁说我不吃香菜: not asked, but denied.
_RHETORICAL = lazy_compile(
    r"^\W*(?:谁|哪个)(?:说|讲|告诉你)的?[，,]?我(?!们|什么|啥)[^，。]{0,4}?[不没是会能有在住对爱喜]"
    r"|^\W*who (?:says|said|told you)(?: that)? i"
    r"(?:['’]m| am| don['’]?t| can['’]?t| do| have|['’]ve)\b",
    re.IGNORECASE,
)
_TRAIL = lazy_compile(r"[\s~～…。.!！，,]+$|\[[^\]]{1,8}\]$")
_CONFIRMS = lazy_compile(  # asks back whether the whole of it is so
    r"(?:[，,\s]|^)(?:对|是|好)不[对是好][啊呀]?\W*$|[对是][吧吗么]\W*$"
    r"|,\s*(?:right|huh|isn['’]?t it|don['’]?t you|aren['’]?t you)\W*$",
    re.IGNORECASE,
)
_CONDITION = lazy_compile(
    r"\W*(?:如果|要是|假如|万一|若|(?:so |and |but )?(?:if|when|after|before)\b)|[^，,]{0,40}的话$",
    re.IGNORECASE,
)

_SUBJECT = (
    r"(?:i|you|u|ya|he|she|it|we|they|there|this|that|these|those|any(?:one|body|thing)?"
    r"|some(?:one|body)|every(?:one|body)|y['’]?all)\b"
)
_ASKS_EN = lazy_compile(
    r"^\W*(?:(?:so|and|but|hey|hi|ok|okay|well|btw|wait|um+|also|then|oh|sorry|guys"
    r"|please)\b[, ]*)*"
    r"(?:"
    rf"(?:do|does|did|am|can|could|will|would|should|shall|may|have|has|had)(?:n['’]?t)? {_SUBJECT}"
    r"|(?:is|are|was|were|does|isn['’]?t|aren['’]?t|wasn['’]?t|weren['’]?t|doesn['’]?t)"
    r" (?!allergic|vegan|vegetarian|not\b|an? )\w"
    r"|(?:can|could|will|would|should|did) (?:the|my|your|our|his|her|their) \w+ (?!and\b)\w+"
    r"|(?:what|where|who|whom|whose|why|how|which)(?:['’]s|['’]re|s)?\b(?! (?:i|we) \w)"
    r"|when(?:['’]s)? (?:is|are|do|does|did|will|was|were|can|could|should|the \w+ \w+$)\b"
    r"|any(?:one|body)\b(?! (?:can|could|may|who|with|is welcome))|any (?:idea|clue|chance|news)\b"
    r"|(?:i )?wonder(?:ing)? (?:if|whether|who|what|when|where|why|how)\b"
    r"|(?:tell|remind) me (?:if|whether|who|what|when|where|why|how|which)\b"
    r")"
    r"| or (?:not|what)\W*$",
    re.IGNORECASE,
)


def is_question(sentence: str) -> bool:
    """Whether a sentence asks something and states nothing."""
    return not stated(sentence)


def stated(sentence: str) -> str:
    """The sentence without the questions at its end; empty if nothing is left that states
    something.

    我辞职了，你们怎么看 → 我辞职了. Nothing is left of 如果下雨，还去吗 and "you like tea, right".
    """
    end = sentence[-READ_CHARS:]
    if _CONFIRMS.search(end):
        return ""
    start = _last_clause(end)
    if not asks(end[start:]):
        return sentence
    while end and asks(end[start:]):
        end = end[:start].rstrip(" ，,；;、")
        start = _last_clause(end)
    if len(end) < SHORTEST or _CONDITION.match(end):
        return ""
    return sentence[:-READ_CHARS] + end


def asks(clause: str) -> bool:
    """Whether one clause is a question."""
    if _RHETORICAL.match(clause):
        return False
    if _MARK.search(clause[-20:]):
        return True
    plain = _TRAIL.sub("", clause.strip())
    if _ASKS_EN.search(plain) or plain.endswith("吗"):
        return True
    return _ASKS_ZH.search(plain) is not None and not (
        _STATES_ZH.search(plain) or _WHICHEVER_ZH.search(plain)
    )


def _last_clause(text: str) -> int:
    """Where the last clause begins."""
    end = len(_TRAIL.sub("", text))
    return max((mark.end() for mark in _CLAUSE_END.finditer(text, 0, end)), default=0)
