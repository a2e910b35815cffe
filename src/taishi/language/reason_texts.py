"""Why a record could not be written without doubt, in the reader's language.

Records keep their reasons in English; they are translated where a person reads them.
"""

from __future__ import annotations

import re

# As `reasons`, `unresolved_words_*` and the historian write them, and the same in Chinese.
REASONS = {
    "who belongs to it was not said": "没说包括谁",
    "it is not certain who is spoken to": "不确定是对谁说的",
    "who speaks was not given": "不知道说话人是谁",
    "it is not certain who is meant": "不确定指谁",
    "who is meant was not said": "没说是谁",
    "what is meant was not said": "没说指什么",
    "no location was given": "不知道地点",
    "the date cannot be told from the words": "从原话看不出日期",
    "the place was not named": "没说是哪里",
    "the rules do not know this language": "规则不认识这种语言",
    "it was not in the input": "原话里没有",
    "it stands in a quote or a pasted text": "在引文或粘贴的文字里",
    "the sentence only supposes a case": "只是假设",
    "which one was not said": "没说是哪一个",
    "of which day was not said": "没说是哪一天",
    "of which week was not said": "没说是哪一周",
    "of which month was not said": "没说是哪个月",
    "of which year was not said": "没说是哪一年",
    "of which month and year was not said": "没说是哪年哪月",
    "it counts from the day it was said": "从说话当天算起，没说是哪天",
    "the unit and the moment were not said": "没说单位和时刻",
    "which is the day, which the month, and of which year was not said": "分不清日月，也没说年份",
    "it points at another message": "指的是另一条消息",
    "it points at the moment or the place of the chat": "指的是聊天的当时或当地",
    "what it corrects was not said": "没说更正的是哪句话",
    "the rest is as it was said": "其余保持原话",
    "the time is not known": "时间不明",
}
# What stands before the colon where the words in question follow it.
_LEADS = {
    "not in the input": "原话里没有",
    "the model left empty": "模型没有写",
    "not what was said": "与原话不符",
    "not who did it": "不是此人所做",
    "not that day of the week": "星期不符",
    "pronoun not resolved": "没写清指谁",
    "relative_time not resolved": "没写清日期",
    "relative_place not resolved": "没写清地点",
}
_WORD = re.compile("'(?P<word>.{0,60})' not resolved", re.DOTALL)


def reason_of(warning: str, language: str) -> str:
    """The reason alone, without the word that it is about."""
    reason = warning.rpartition(": ")[2]
    return REASONS.get(reason, reason) if language == "zh" else reason


def warning_in(warning: str, language: str) -> str:
    """A stored warning in the reader's language; one that is not known stays as it is."""
    if language != "zh":
        return warning
    lead, _, rest = warning.rpartition(": ")
    if found := _WORD.fullmatch(lead):
        return f"“{found['word']}”没写清：{REASONS.get(rest, rest)}"
    lead, colon, rest = warning.partition(": ")
    return f"{_LEADS[lead]}：{rest}" if colon and lead in _LEADS else REASONS.get(warning, warning)
