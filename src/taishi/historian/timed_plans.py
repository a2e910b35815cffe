"""Recognises a plan with its time, whoever it is for: 明天下午三点开评审会, "the launch is on June
18". What is only wished, asked or said of the weather is no plan, nor is a time by itself. Who may
come, and how to say so, does not matter to it."""

from __future__ import annotations

import re

from ..language.gate import HAN
from ..language.lazy_regex import lazy_compile
from ..language.sign_up_calls import without_calls
from ..language.spoken_days import DAYS_TO_COME
from .fact_patterns.own_words import is_hypothetical, is_not_serious, is_question

LONGEST = 120
_NUMBER_ZH = "[\\d一二三四五六七八九十两廿]{1,3}"
_PART_ZH = "(?:早上|清早|上午|中午|下午|傍晚|晚上|晚|早|凌晨|夜里)"
_CLOCK_ZH = (
    f"(?:(?!一点){_NUMBER_ZH}|(?<=[上午晚早晨里])一)点钟?(?!了|才|就|多)(?:半|整|[一三]刻|{_NUMBER_ZH}分?)?"
    "|\\d{1,2}[:：]\\d\\d"
)
_DAY_ZH = (
    f"明[天早晚]|{DAYS_TO_COME}|大?后天|下个?(?:周末?|星期|礼拜)[一二三四五六日天末]?|(?:这|本)?(?:周|星期|礼拜)[一二三四五六日天末]"
    f"|下个?月(?:{_NUMBER_ZH}[号日])?|{_NUMBER_ZH}月(?:{_NUMBER_ZH}[号日])?|{_NUMBER_ZH}[号日](?![楼线机店桌])"
    "|每[天日周月年](?:[一二三四五六日天末])?|每个?(?:星期|礼拜)[一二三四五六日天]|周末"
)
_TIME_ZH = lazy_compile(
    f"(?:(?:{_DAY_ZH})的?{_PART_ZH}?的?(?:{_CLOCK_ZH})?|(?:今[天晚早])?{_PART_ZH}?的?(?:{_CLOCK_ZH}))"
    "(?!的(?!.*(?:改|取消|推迟|提前|延期|在)))"  # 周三的外卖 is no plan for Wednesday
)
_NO_PLAN_ZH = lazy_compile(
    "昨|前天|刚|[难绝糟烦]|这么|那么|有点|路上|找我|[到走来回]的|都是|上(?:周|个月|星期)|去年|终于|才|已经|愉快|快乐|天气|下[雨雪]|降温|气温|[好真太]累|好[烦困冷热]|困|睡|醒|起[床来]"
    "|晚安|早安|[早晚午]好|加油|继续|再[说聊见看想]|聊$|见$|见[啦哈哦]|真[的是]?|太|超|吧$|[吗呢么]$|不知|也许|想|哈哈|笑"
    "|好[的呀啊]|收到|谢|顺利|辛苦|放松|看情况|随便|不一定|是(?:周|星期|礼拜)|给你|[陪找]你|到家|下班了|过了$"
)
_EMPTY_ZH = lazy_compile(f"[^{HAN}A-Za-z]|[的了在是到就都也还会要我你他她们这那]")

_WEEKDAY = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?)"
_MONTH = (
    r"(?:january|february|march|april|june|july|august|september|october|november|december"
    r"|may(?= \d))"
)
_HOUR = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,2})"
    r"(?=\s*(?:[,;.!]|$|(?:on|in|every|tomorrow|tonight|sharp|for|with)\b))"
)
_AT = (
    r"(?:at|by|from|until|till|around) (?:\d{1,2}[:.]\d\d(?: ?[ap]m)?\b"
    r"|\d{1,2} ?[ap]m\b|(?:noon|midnight)\b"
    rf"|{_HOUR})"
)
_TIME_EN = lazy_compile(
    rf"(?i)\b(?:(?:the day after )?tomorrow|tonight {_AT}"
    rf"|(?:next|this|every|each) (?:{_WEEKDAY}|week(?:end)?|month|morning|evening|year)"
    rf"|(?:on|by|from|until|till|before|since) {_WEEKDAY}"
    rf"|{_WEEKDAY} (?:morning|afternoon|evening|night)|in {_MONTH}"
    rf"|(?:on )?{_MONTH} (?:the )?\d{{1,2}}\w{{0,2}}"
    rf"|the \d{{1,2}}(?:st|nd|rd|th)|{_AT})(?:\s(?:morning|afternoon|evening|night|{_AT}))*"
)
_NO_PLAN_EN = lazy_compile(
    r"(?i)\b(?:see (?:you|ya|u)|talk|catch (?:you|up)|have an? |enjoy|happy"
    r"|good (?:luck|morning|night|evening|afternoon)|nice|finally|thank|thanks|thx|sleep|slept"
    r"|woke|wake|cheers|let['’]?s|maybe|lol|weather"
    r"|rain\w*|snow\w*|sunny|already|bye|later|again$|can['’]?t wait|tired|hope|wish"
    r"|hungry|was|were"
    r"|did|had|went|came|got|ate|saw|yesterday|last|love|hate|ugh|yay|welcome|congrat\w*|luck"
    r"|fingers crossed|same|worst|best|another day|always|feel\w*|brb|somewhere|i['’]m at)\b"
    r"|(?<!\bis )(?<!\bare )(?<!\bbe )\b\w{3,}ed\b"
)
_EMPTY_EN = lazy_compile(
    r"(?i)\b(?:i|it|its|is|are|am|be|the|a|an|to|of|in|on|at|and|so|ok|okay|will|that|this|you|we"
    r"|they|he|she|just|then|but|yes|no|or|for|here|there|i['’]m|it['’]s|we['’]re|maybe|not)\b|[^A-Za-z\s]"
)


def names_a_plan(sentence: str) -> bool:
    """Whether something is said to be, or to be done, at a time to come or again and again."""
    if len(sentence) > LONGEST:
        return False
    sentence = without_calls(sentence)
    if is_question(sentence) or is_hypothetical(sentence) or is_not_serious(sentence):
        return False
    if re.search(f"[{HAN}]", sentence):
        plan = _rest(sentence, _TIME_ZH, _NO_PLAN_ZH, _EMPTY_ZH)
        return len(plan.replace(" ", "")) >= 2
    plan = _rest(sentence, _TIME_EN, _NO_PLAN_EN, _EMPTY_EN)
    return len(re.findall(r"[A-Za-z'’-]{3,}", plan)) >= 1


def _rest(
    sentence: str, time: re.Pattern[str], no_plan: re.Pattern[str], empty: re.Pattern[str]
) -> str:
    """What a sentence says besides its times; "" if it has none, or is no plan."""
    if not time.search(sentence) or no_plan.search(sentence):
        return ""
    return empty.sub(" ", time.sub(" ", sentence))
