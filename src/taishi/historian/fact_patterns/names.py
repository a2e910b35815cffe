"""Recognises how speakers name themselves: "hi, I'm Ravi", "friends call me Max", 大家都叫我阿杰.

"Call me Max" and 叫我阿杰 are no names but instructions: how to address somebody (`instructions`).
"""

from __future__ import annotations

import re

from ...language.gate import HAN, SURNAMES

_NAME = r"([A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,2})"
_NAME_ZH = rf"((?:[{HAN}]{{2,4}}?|[A-Za-z][A-Za-z ]{{1,14}}?))"
_NO_NAME = (
    r"(?!(?:Doctor|Boss|Captain|Sir|Madam|Master|Daddy|Mommy|Crazy|King|Queen|Batman|Superman"
    r"|God|Sure|Sorry|Back|Here|Ok|Okay|Irish|Not|Just|Muslim|Christian|Jewish|Catholic)\b)"
)
_GREETED = (
    r"(?i)\b(?:hi|hello|hey|nice to meet|pleased to meet|good (?:morning|evening|afternoon)"
    r"|introduce)\b"
)
_GREETED_ZH = "你好|您好|大家好|嗨|哈喽|自我介绍|初次见面|请多关照|幸会"
_CALLED = (
    rf"(?i:\b(?:every(?:one|body)|people|friends|my friends|they all) calls? me ){_NO_NAME}{_NAME}"
)
_CALLED_ZH = (
    rf"(?:大家|朋友们?|同事们?|别人|家里人|他们)(?:一般|平时)?都?(?:叫|喊"
    rf"|管)我(?:叫)?{_NAME_ZH}(?:$|[，。！~])"
)
# 大家都叫我鹏哥 says how he is addressed, not what his name is.
_ADDRESS_ZH = (
    "(?:哥|姐|爷|叔|姨|伯|总|老师|老板|大人|老大|大佬|师傅|同学|宝|宝贝|陛下|主人|大王|女王"
    "|先生|女士)$"
)


def name_in(sentence: str) -> str | None:
    """The name that speakers give themselves, where only the whole sentence shows it."""
    for pattern in (_CALLED, _CALLED_ZH):
        match = re.search(pattern, sentence)
        if match:
            name = next(name for name in match.groups() if name).strip()
            return None if re.search(_ADDRESS_ZH, name) else name
    return _introduced(sentence)


def _introduced(sentence: str) -> str | None:
    if re.search(_GREETED, sentence):
        match = re.search(
            rf"\bI(?:['’]m| am) {_NO_NAME}{_NAME}(?=\W*$|,| from\b| and\b|\.)", sentence
        )
        return match[1] if match else None
    if re.search(_GREETED_ZH, sentence):
        match = re.search(rf"我是([{SURNAMES}][{HAN}]{{1,2}})(?=$|[，,。！!])", sentence)
        return match[1] if match else None
    return None
