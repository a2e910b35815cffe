"""Whom a clause is about: its own subject, or the one of the clause before.

"Ann's mum is called Li, lives in Chengdu": the second clause has no subject, so that without the
first it would be said of somebody else.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from .analyzer import has_cjk
from .clauses import is_past
from .lazy_regex import lazy_compile

SPEAKER = frozenset(("i", "we", "我", "我们", "咱", "俺"))
MOST_NOUNS = 4  # words between "my" and the verb
_WORD = lazy_compile(r"[^\W_]+(?:-[^\W_]+)*")
_PRONOUNS = frozenset("i we you he she it they there this that these those everyone".split())
_OWNERS = frozenset("my our your his her their its".split())
_ARTICLES = frozenset("the a an one some".split())
_ADVERBS = frozenset(
    """also then now just still recently currently usually often always never really already soon
    sometimes both even only finally""".split()
)
_AUXILIARIES = frozenset(
    """is are am was were be has have had does do did can could will would shall should must may
    might cannot isn aren wasn weren hasn haven hadn doesn don didn won""".split()
)
_TIME_ZH = (
    r"(?:\d{2,4}年|\d{1,2}月|\d{1,2}[日号]|今[年天]|明[年天]|去年|前年|后年|现在|目前|如今|最近"
    r"|[上下这本]个?(?:周|星期|礼拜|月)[一二三四五六日天末]?|每[天周月年]|平时|周[一二三四五六日末]"
    r"|[早晚]上|\d{1,2}[点时:：]\d{0,2}分?|刚刚?|已经?|也|还|就|都|又|正|一直|特别|非常|很|最|从小|终于|的时候)*"
)
_VERB_ZH = (
    r"(?:在|住|养|会|喜欢|讨厌|爱|是|有|没|不|搬|从|来自|对|做|当|学(?!生|校|妹|姐|长|弟)|去|到|毕业|入职"
    r"|跳槽|离职|辞职|懂|开|过|叫|姓|吃|喝|打|玩|读|上班|上学|要|想|打算|准备|计划|买|卖|结婚|离婚|退休|出生|生于"
    r"|工作(?!室|日)|教(?!练|授|师|室)|写|唱|跳|跑|练|用|说|属|戒|得了|患|带|跟|和|给|把|被|能|可以"
    r"|\d+岁|[一二两三四五六七八九十]+岁|(?:生日|年龄|职业|老家|家乡|名字|电话|手机号?|邮箱|专业|公司)(?:是|在|叫))"
)
_KIN_ZH = (
    r"(?:[大小前继岳]?(?:妈妈?|爸爸?|母亲?|父亲?)|爸妈|父母|爷爷|奶奶|外公|外婆|姥姥|姥爷|[表堂]?(?:哥哥?|姐姐?|弟弟?|妹妹?)"
    r"|叔叔|伯伯|舅舅|姑姑|姨妈?|阿姨|[大小]?(?:儿子|女儿)|孩子|闺女|宝宝|侄子|侄女|外甥女?|孙子|孙女"
    r"|公公|婆婆|嫂子|姐夫|妹夫|弟媳|女婿|儿媳"
    r"|老公|老婆|丈夫|妻子|太太|先生|爱人|对象|男朋友|女朋友|男友|女友|未婚妻|未婚夫|媳妇|伴侣"
    r"|朋友|闺蜜|同事|同学|室友|舍友|邻居|老板|领导|导师|老师|房东|师傅|客户|医生|教练|学生"
    r"|[小大]?(?:猫咪?|狗狗?)|仓鼠|兔子|鹦鹉|乌龟)"
)


def subject_of(clause: str, names: Collection[str] = ()) -> str | None:
    """The subject that a clause begins with; "" if it goes on with the one before it, None if that
    cannot be told. `names` are those of people."""
    text = clause.strip()
    known = sorted((one for one in names if one), key=len, reverse=True)
    return _chinese(text, known) if has_cjk(text) else _english(text, known)


def _chinese(text: str, names: Collection[str]) -> str | None:
    if re.match(_TIME_ZH + _VERB_ZH, text):
        return ""
    people = "|".join([*map(re.escape, names), "我们?", "他们?", "她们?", "它们?", "咱", "俺"])
    found = re.match(
        rf"(?:(?:{people})(?:(?:的|家的?)?{_KIN_ZH})?|{_KIN_ZH})(?={_TIME_ZH}{_VERB_ZH})", text
    )
    return found[0] if found else None


def _english(text: str, names: Collection[str]) -> str | None:
    words = [(one[0], one.start(), one.end()) for one in _WORD.finditer(text)]
    while words and words[0][0].lower() in _ADVERBS:
        words = words[1:]
    if not words:
        return None
    first, start, end = words[0]
    named = next((one for one in names if text.startswith(one, start)), "")
    after = text[start + len(named) : start + len(named) + 3] if named else text[end : end + 3]
    is_owner = first.lower() in _OWNERS or re.match(r"['’]s ", after) is not None
    if is_owner and (owned := _up_to_verb(text, words[1:], 1)):
        return owned
    if named:
        return named
    if first.lower() in _PRONOUNS:
        return first
    if is_owner:
        return None
    if first.lower() in _ARTICLES or first[:1].isupper():
        return _up_to_verb(text, words[1:], int(first.lower() in _ARTICLES))
    return "" if len(words) > 1 and _is_verb(first) else None


def _up_to_verb(text: str, words: list[tuple[str, int, int]], least: int) -> str | None:
    """What stands before the first verb, with at least so many words before that."""
    nouns = 0
    for word, start, _ in words[: MOST_NOUNS + 2]:
        is_shortened = start > 0 and text[start - 1] in "'’"
        if nouns >= least and (is_shortened or _is_verb(word)):
            return text[: start - is_shortened].rstrip()
        nouns += not is_shortened and word.lower() not in _ADVERBS
    return None


def _is_verb(word: str) -> bool:
    lower = word.lower()
    if lower in _AUXILIARIES or is_past(lower):
        return True
    return len(lower) > 3 and lower.endswith("s") and not lower.endswith(("ss", "us", "is"))
