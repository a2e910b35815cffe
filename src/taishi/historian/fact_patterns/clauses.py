"""Splits a sentence into clauses that each have a subject, without words that only mark the moment.

"I just left Acme and now work at Globex" becomes "I left Acme" and "I work at Globex".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...language.gate import HAN
from ...language.lazy_regex import lazy_compile

_INFORMAL = (
    (r"\bI['’]ve got\b", "I have"),
    (r"\b[Ii]m\b", "I'm"),
    (r"\b[Ii]ve\b", "I've"),
    (r"\bdont\b", "don't"),
    (r"\bdoesnt\b", "doesn't"),
    (r"\bcant\b", "can't"),
    (r"\bisnt\b", "isn't"),
    (r"\bdidnt\b", "didn't"),
    (r"\bi\b(?!\.)", "I"),
    (r"\bu\b", "you"),
    (r"\bur\b", "your"),
    (r"\bmy name ?s\b", "my name is"),
    (r"\bgonna\b", "going to"),
    (r"\bwanna\b", "want to"),
    (r"\bfave?\b", "favourite"),
    (r"\bI got(?= (?:a|an|two|three) )", "I have"),
)
_LEADING = (
    r"(?i)^(?:(?:hi|hello|hey|well|so|ok|okay|oh|yes|yeah|yep|no|nope|btw|by the way|fyi"
    r"|actually|honestly|also|and|but"
    r"|anyway|just so you know|for the record|to be honest|tbh|in fact|thanks|sorry|hmm|you know"
    r"|as you know|please"
    r" note(?: that)?|note(?: that)?|about me|by profession|personally|in general|in my (?:free"
    r"|spare) time|there"
    r"|everyone|all|guys|good (?:morning|evening|afternoon)|nowadays|currently|right now|these"
    r" days|as of now)\b[\s,:!—-]*)+"
    rf"|^(?:对了|其实|那个|嗯|哦|啊|哎|唉|是的|没错|好的|另外|还有|说实话|老实说|话说|顺便说一下"
    rf"|顺便|补充一下|而且|但是|不过|因为|所以|你好|大家好|您好|嗨|哈喽"
    rf"|自我介绍一下|介绍一下)+[，,。！!：:\s]*(?=[{HAN}A-Za-z])"
)
_MOMENT = (
    r"(?i)\b(?:just|recently|now|currently|right now|at the moment|these days|nowadays|lately|at"
    r" present|presently|finally|actually)\b,? ?"
)
_MOMENT_ZH = (
    "(?:现在|目前|如今|眼下|刚刚|刚(?!好|才|需|性)|最近|近来|终于|其实|眼下|这阵子|这段时间|现如今)"
)
_SUBJECT_EN = (
    r"(?:I\b|I['’]|[Mm]y\b|[A-Z][a-z]+ (?:is|has|likes|lives|works|prefers|hates|loves|speaks)\b)"
)
_BREAK_EN = lazy_compile(
    rf"\s*[,—]+\s*(?:and |but |so |because |which is why )?(?={_SUBJECT_EN})"
    rf"|\s+(?:and|but|so|because|though|although)\s+(?={_SUBJECT_EN})"
)
_CHANGED_EN = r"^I(?: have|['’]ve)? (?:left|quit|moved|sold|resigned)\b"
_GOES_ON_EN = r"\s+and (?=(?:work|live|joined|moved|started|am|have|sold)\b)"
_ELIDED_EN = (
    (r"^(?=(?:moved|relocated) to |joined [A-Z]|quit |adopted |bought )", "I "),
    (r"^(?=(?:living|working|based|studying|learning) |allergic to )", "I'm "),
)
_SUBJECT_ZH = (  # "my son" goes on as "my son", not as "I"
    "我(?!们)(?:的|家的?)?(?:爸妈|妈妈?|爸爸?|母亲|父亲|爷爷|奶奶|外公|外婆|姥姥|姥爷|哥哥?"
    "|姐姐?|弟弟?|妹妹?|儿子|女儿|孩子|闺女|老公|老婆|丈夫|妻子|男朋友|女朋友|对象|朋友|同事"
    "|同学|室友|老板|猫|狗)?"
)
_ELIDED_ZH = (
    r"(?:不吃|不喝|不抽|在|住在?|养了?|会|喜欢|讨厌|今年|是一?[名个位]|有|搬|从|来自|老家|也"
    r"|还|平时|每|对|做|当|学|爱|去了|入职|跳槽|最|很|一直|特别|毕业|从小|正在|懂)"
)


def standard_spelling(text: str) -> str:
    """Informal spelling → standard spelling, so that one pattern covers both."""
    for pattern, plain in _INFORMAL:
        text = re.sub(pattern, plain, text)
    return text


def clauses(sentence: str, chinese: bool) -> Iterator[str]:
    text = sentence.strip(" ,，.。!！~;；…")
    text = re.sub(_LEADING, "", text)
    yield from _chinese(text) if chinese else _english(standard_spelling(text))


def _english(sentence: str) -> Iterator[str]:
    text = re.sub(_MOMENT, "", sentence).strip()
    for pattern, subject in _ELIDED_EN:
        if re.match(pattern, text, re.I):
            text = f"{subject}{text[:1].lower()}{text[1:]}"
    for part in _BREAK_EN.split(text):
        if re.match(_CHANGED_EN, part):
            first, *rest = re.split(_GOES_ON_EN, part, maxsplit=1)
            yield first
            yield from (f"I {clause}" for clause in rest)
        else:
            yield part


def _chinese(sentence: str) -> Iterator[str]:
    """Clauses; one without a subject takes that of the clause before."""
    subject, surname = "", sentence.startswith("我姓")
    for part in re.split("[，,、](?=[^、]{2})" if "、" not in sentence else "[，,]", sentence):
        part = re.sub(_LEADING, "", re.sub(_MOMENT_ZH, "", part.strip()))
        match = re.match(_SUBJECT_ZH, part)
        if match:
            subject = match[0]
        elif (subject and re.match(_ELIDED_ZH, part)) or (surname and part.startswith("叫")):
            part = f"{subject}{part}"
        yield part
