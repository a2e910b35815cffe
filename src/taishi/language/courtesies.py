"""Whether a text is nothing but a greeting, thanks, a farewell or a sign of hearing (你好, "hi
there", 谢谢, ok): it asks for nothing, and shares its words with everything."""

from __future__ import annotations

from .lazy_regex import lazy_compile

MAX_CHARS = 60
# Longest first: what is left after them must say nothing either.
_CHINESE = lazy_compile(
    "早上好|上午好|中午好|下午好|晚上好|大家好|不好意思|对不起|没关系|不客气|知道了|有人吗|在不在"
    "|辛苦了|你好|您好|早安|午安|晚安|谢谢|多谢|感谢|在吗|在么|再见|拜拜|回见|收到|明白|了解|好的|好吧"
    "|好呀|是的|没错|没事|可以|抱歉|哈喽|哈啰|哈罗|呵呵|嘿嘿|嘻嘻|哈+|嗯+|哦+|嗨|喂|早|好|行|对"
)
_ENGLISH = lazy_compile(
    r"\b(?:good (?:morning|afternoon|evening|night|day)|see you(?: later| soon)?|you're welcome"
    r"|hi|hello|hey|hiya|thanks|thank you|thx|bye|goodbye|cheers|ok|okay|yes|yeah|yep|no|nope|sure"
    r"|alright|great|fine|cool|nice|sorry|please|oh|hmm+|lol|a?(?:ha)+h?|(?:he){2,})\b"
)
# What goes with them, in both languages.
_FILLERS = lazy_compile(
    r"\b(?:there|you|so|very|much|a lot|again|all|everyone|everybody|guys|and|to|too)\b"
    "|大家|各位|非常|[啊呀呢吗嘛吧噢啦了喽哟哇呐的你您们太很都也]"
)
_OTHER = lazy_compile(r"[^\W_]")


def says_nothing(text: str) -> bool:
    if len(text) > MAX_CHARS:
        return False
    rest, english = _ENGLISH.subn(" ", text.lower().replace("’", "'"))
    rest, chinese = _CHINESE.subn(" ", rest)
    return english + chinese > 0 and not _OTHER.search(_FILLERS.sub(" ", rest))
