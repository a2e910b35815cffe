"""Calls to sign up beside a plan: 能来的吱一声, "shout if you're in". Like a question at its end,
they are no part of the plan, and what they suppose leaves it as certain as it was.
"""

from __future__ import annotations

from .lazy_regex import lazy_compile

_COME_ZH = "(?:来|去|到|参加|报名|加入|一起|玩|有空|有时间|有兴趣|感兴趣|[打踢吃喝看唱爬跑骑拼])"
_WHO_ZH = (
    "(?:(?:有空|有时间|有兴趣|感兴趣|能|要|想|会|可以|愿意|方便|准备|打算|确定|还有|谁|不){0,3}"
    f"{_COME_ZH}的(?:人|朋友们?|同学们?|小?伙伴们?|家人们?|宝子们?|兄弟们?|各位)?|谁[要想能]?[来去])"
)
_ASKED_ZH = (
    "(?:都|请|麻烦|可以|就|直接|赶紧|赶快|快|速度?|记得|提前|给我|跟我|和我|找我|在?群里"
    "|在?这里|在?下面|私下|先){0,5}"
)
_ANSWER_ZH = (
    "(?:\\+ ?[1一１]|吱[一个]?[声下]|吱|(?:扣|打|回)个?[1一１]|回[复个]"
    "|举[手爪]|接龙|报[名个]|说一?[声下]|说|冒个?泡|私[我聊信]|滴滴|dd|戳我|找我"
    "|联系我|留[言个]|排队|上车|告诉我|[@艾]特?我|通知我)"
)
_MORE_ZH = "(?:一?下|报名|名额?|[哈啊吧啦哦呀我]){0,4}"
_CALL_ZH = f"{_WHO_ZH}{_ASKED_ZH}{_ANSWER_ZH}{_MORE_ZH}"
_SEEN_ZH = f"[收看]到的?请?{_ANSWER_ZH}{_MORE_ZH}"
_INVITES_ZH = (
    "(?:大家|各位|都|一起|快|欢迎|有空|有时间|想|能|可以|就|一块){1,4}(?:来|去|走起|冲|参加|报名|玩|加入)(?:玩|一起)?"
    "(?:吧|呀|啊|哈|哦|呗|啦)?"
)
_SPLIT = "[，,。；;、\\s~～!！…]"
_CALLS_ZH = lazy_compile(
    f"(?:(?:^|{_SPLIT}{{1,3}}){_INVITES_ZH}|{_SPLIT}{{1,3}}{_SEEN_ZH}|{_SPLIT}{{0,3}}{_CALL_ZH})"
    f"(?={_SPLIT}|$)"
)
_WHO_EN = (
    r"(?:whoever|anyone|anybody|everyone|everybody|those) (?:who )?[\w'’ ]{0,30}?,? ?(?:please )?"
)
_CALLS_EN = lazy_compile(
    rf"(?i)[,;.!–—-]\s{{0,3}}(?:(?:and|so|please|pls|just) ){{0,2}}(?:{_WHO_EN})?"
    r"(?:raise (?:your|a) hands?|reply|respond|let (?:me|us) know|shout|ping|dm|pm|text|message"
    r"|tell (?:me|us)|give (?:me|us) a shout|sign up|rsvp|\+ ?1|thumbs up|react|comment|holler"
    r"|hmu|hit me up|say (?:yes|hi|so)|speak up|put your names?|drop (?:me|us)|join us|come along"
    r"|come(?= if))(?![\w'’])[^,;.!]{0,60}"
)


def without_calls(sentence: str) -> str:
    """周六三点羽毛球，能来的吱一声 → 周六三点羽毛球."""
    return _CALLS_EN.sub("", _CALLS_ZH.sub("", sentence))
