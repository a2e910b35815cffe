"""Splits a sentence into clauses that each have a subject, without words that only mark the moment.

"I just left Acme and now work at Globex" becomes "I left Acme" and "I work at Globex".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...language.gate import HAN
from ...language.lazy_regex import lazy_compile
from .chinese_clauses import chinese_clauses
from .comparisons import compared_first
from .english_introductions import own_part, with_names
from .english_words import PARTNERS, alternation
from .left_jobs import of_the_dismissed_en
from .named_relatives import with_relative_en
from .partings import of_the_speaker_en
from .shared_subjects import english_parts
from .single_roles import of_the_new_one_en
from .spelled_names import with_plain_name

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
# Announces a statement of the speaker's own, and says nothing itself: "Big news: …", 最新消息：…
_NEWS_EN = (
    r"(?:i(?:['’]ve| have)(?: got)? )?(?:(?:some|an?|my|the|one|big|good|great|bad|sad|breaking"
    r"|exciting|quick|small|short|little|minor|latest|life|personal|status|more) ){0,3}"
    r"(?:news|updates?|heads[- ]up|announcement|clarification|correction)(?: for you)?"
    r"|guess what|(?:one|another) (?:more |last )?thing|here['’]s the thing"
)
_NEWS_ZH = (
    r"(?:(?:我)?(?:告诉|跟|和|给|向)(?:你们?|大家)(?:说|讲|报告|汇报|分享)?(?:一?[个件])?)?"
    r"(?:最新|好|坏|大|重大|重要|个人)?(?:的)?(?:消息|近况|新闻|喜讯|事(?=[：:—]))"
    r"|(?:更新|补充|说明|澄清|更正|通知|汇报)(?:一下|一点|下)?"
)
# Says that another statement held before: "I changed my mind: …", 我改主意了：…
_OTHER_MIND_EN = (
    r"(?:i(?:['’]ve| have)? )?changed my mind(?: again)?(?: (?:on|about) (?:that|this|it))?"
    r"|on second thoughts?|thinking about it(?: again| more)?"
)
_OTHER_MIND_ZH = "我?(?:现在|又|已经)*(?:改变?|换)了?主意了?|(?:我)?(?:再)?想了想|仔细想想|转念一想"
_NEW_PARTNER_EN = rf"\b([Mm]y) (?:new|current) (?=(?:{alternation(PARTNERS)})\b)"
_LEADING = (
    rf"(?i)^(?:{_NEWS_EN})\s*[:!—–-]+\s*|^(?:as )?(?:it )?turns out,? (?:that )?"
    rf"|^(?:{_NEWS_ZH})[：:！!—，,]+\s*"
    rf"|^(?:{_OTHER_MIND_EN})\s*[:;,!.—–-]+\s*(?:and )?(?=I\b|[Mm]y\b)"
    rf"|^(?:{_OTHER_MIND_ZH})[：:；，,！!—]+\s*(?=我|比起|相比|[跟和与])"
    r"|^(?:(?:hi|hello|hey|well|so|ok|okay|oh|yes|yeah|yep|no|nope|btw|by the way|fyi|wait|oops"
    r"|actually|honestly|also|and|but"
    r"|anyway|just so you know|for the record|to be honest|tbh|in fact|thanks|sorry|hmm|you know"
    r"|as you know|please"
    r" note(?: that)?|note(?: that)?|about me|by profession|personally|in general|in my (?:free"
    r"|spare) time|there"
    r"|everyone|all|guys|good (?:morning|evening|afternoon)|nowadays|currently|right now|these"
    r" days|as of now)\b[\s,:!—–-]*)+"
    rf"|^(?:对了|其实|事实上|实际上|不对|不是的|那个|嗯|哦|啊|哎|唉|是的|没错|好的|另外"
    rf"|还有(?![一两二三四五六七八九十几个位名只条])|说实话|老实说|话说|顺便说一下"
    rf"|顺便|补充一下|而且|但是|不过|因为|所以|你好|大家好|您好|嗨|哈喽"
    rf"|自我介绍一下|介绍一下)+[，,。！!：:\s]*(?=[{HAN}A-Za-z])"
)
_MOMENT_EN = (
    r"\b(?:just|recently|now|currently|right now|at the moment|these days|nowadays|lately|at"
    r" present|presently|finally|actually)\b"
)
_MOMENT = rf"(?i)(?:^|(?<=, )){_MOMENT_EN},? ?| {_MOMENT_EN}(?=[,;:.!])|{_MOMENT_EN} ?"
# "I don't live in Cork any more, moved to Oslo", "we renamed our cat, it's called Toto"
_MOVED_ON_EN = r"^(I\b[^,]{2,80}), (?=(?:moved|relocated) to [A-Z])"
_RENAMED_EN = (
    r"^(?:We|I)(?:['’]ve| have)? renamed (?:our|my) (?P<pet>[a-z]{3,12})"
    r"(?:(?: to)?|[,;] (?:it|he|she)(?:['’]s| is) (?:called|named)) (?P<name>[A-Z]\w+)$"
)
_SUBJECT_EN = (
    r"(?:I\b|I['’]|[Mm]y\b|[A-Z][a-z]+ (?:is|has|likes|lives|works|prefers|hates|loves|speaks)\b"
    r"|[A-Z][a-z]+ (?:has |have |just |had |was |no longer |doesn['’]t |isn['’]t )*(?:left"
    r"|quit|went|moved|retired|resigned|died|got|became|took|joined|started|was|is|does|did)\b)"
)
_BREAK_EN = lazy_compile(
    rf"\s*[,—]+\s*(?:and |but |so |because |which is why )?(?={_SUBJECT_EN})"
    rf"|\s+(?:and|but|so|because|though|although)\s+(?={_SUBJECT_EN})"
)
# "I don't live there anymore: I moved": a colon or a dash after what is not so leads to what is.
_NOT_SO_EN = (
    r"(?i)^(?:I (?:don['’]t|do not|no longer|am not|never|didn['’]t|haven['’]t|have not"
    r"|was wrong|misspoke)|I['’]m (?:not|no longer)|my [^,:]{1,30} (?:isn['’]t|is not)"
    r"|(?:that|this|it)(?:['’]s| is| was) (?:wrong|incorrect|false|outdated|a mistake"
    r"|not (?:right|true|correct|so|the case))|things (?:have )?changed)\b[^:]{0,60}$"
)
_LEADS_ON_EN = lazy_compile(r"\s*(?::|\s[-–—]+)\s+(?=I\b|I['’]|[Mm]y\b)")
_NOT_SO_ZH = lazy_compile(
    "^(?P<not>我(?:现在|已经?|早就?)*(?:不|没)[^：:—，]{1,20})(?:：|:|—+)(?=我)"
)
_NOT_A_BUT_B = (  # "My name isn't Anne, it's Anna"
    r"^(?P<of>[Mm]y [^,:]{1,40}?) (?:isn['’]t|is not) (?P<called>called |named |on |in |)"
    r"[^,:]{1,30}?(?:[,;] (?:but |it['’]s |it is |(?:s?he|they)(?:['’]s| is|['’]re) ){1,2}| but )"
    r"(?:called |named |on |in )?(?P<but>[^,:]{1,40})$"
)
_IT_IS_MY = (  # "It's May 13 that is my birthday"
    r"^[Ii]t(?:['’]s| is) (?P<value>[^,:]{1,40}?) (?:that|which)(?:['’]s| is)"
    r" (?P<of>my [^,:]{1,30})"
)
_CHANGED_EN = r"^I(?: have|['’]ve)? (?:left|quit|moved|sold|resigned)\b"
_GOES_ON_EN = r"\s+and (?=(?:work|live|joined|moved|started|am|have|sold)\b)"
_ELIDED_EN = (
    (r"^(?=(?:moved|relocated) to |joined [A-Z]|quit |adopted |bought )", "I "),
    (r"^(?=(?:living|working|based|studying|learning) |allergic to )", "I'm "),
)


def standard_spelling(text: str) -> str:
    """Informal spelling → standard spelling, so that one pattern covers both."""
    for pattern, plain in _INFORMAL:
        text = re.sub(pattern, plain, text)
    return text


def clauses(sentence: str, chinese: bool, after_another: bool = False) -> Iterator[str]:
    """`after_another`: the sentence before introduced somebody, so that "living in Cork" may be
    about that one."""
    text = sentence.strip(" ,，.。!！~;；…")
    text = without_leading(text)
    if chinese:
        text = compared_first(_NOT_SO_ZH.sub(r"\g<not>，", text))
        yield from chinese_clauses(text, without_leading)
    else:
        yield from _english(standard_spelling(text), after_another)


def _english(sentence: str, after_another: bool) -> Iterator[str]:
    said = _with_commas(with_plain_name(sentence))
    text = with_relative_en(with_names(re.sub(_MOMENT, "", said).strip()))
    text = re.sub(
        _MOVED_ON_EN, r"\1, I ", re.sub(_RENAMED_EN, r"My \g<pet> is called \g<name>", text)
    )
    text = of_the_new_one_en(re.sub(_NEW_PARTNER_EN, r"\1 ", text))
    text = re.sub(_IT_IS_MY, r"\g<of> is \g<value>", text)
    text = re.sub(_NOT_A_BUT_B, r"\g<of> is \g<called>\g<but>", text)
    text = of_the_dismissed_en(of_the_speaker_en(text))
    for pattern, subject in () if after_another else _ELIDED_EN:
        if re.match(pattern, text, re.I):
            text = f"{subject}{text[:1].lower()}{text[1:]}"
    for part in map(own_part, _BREAK_EN.split(text)):
        if re.match(_CHANGED_EN, part):
            first, *rest = re.split(_GOES_ON_EN, part, maxsplit=1)
            yield first
            yield from (f"I {clause}" for clause in rest)
        else:
            yield from english_parts(part)


def _with_commas(sentence: str) -> str:
    """A comma instead of the colon or dash after what is not so."""
    mark = _LEADS_ON_EN.search(sentence)
    if mark and re.match(_NOT_SO_EN, sentence[: mark.start()]):
        return f"{sentence[: mark.start()]}, {sentence[mark.end() :]}"
    return sentence


def without_leading(text: str) -> str:
    """Without words that only lead into a statement, "well", "big news:" and the like."""
    for _ in range(3):
        text, before = re.sub(_LEADING, "", text), text
        if text == before:
            break
    return text
