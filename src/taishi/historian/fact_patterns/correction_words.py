"""Words that put right what was said before: "typo: Chaoyang, not Haidian", 打错了，是朝阳不是海淀.

They lead into the right statement, which is read like any other without them.
"""

from __future__ import annotations

import re

from ...language.gate import HAN
from ...language.lazy_regex import lazy_compile

_SORRY_ZH = r"(?:不好意思|抱歉|对不起|啊|哦|噢|哎呀?|诶|等等|不对|额|呃|嗯|那个|[，,。！!…\s])*"
_MARK_ZH = (
    r"(?:我?(?:刚才|刚刚|刚|之前|前面|上面|上次|昨天|那天)?我?(?:[说打讲记搞弄写发][错反](?:字)?|[记搞弄][混岔])了?"
    r"|(?:我要?来?)?(?:更正|纠正|修正)(?:一下|下)?|我?(?:口误|笔误|手误))"
)
_SORRY_EN = r"(?:(?:sorry|oops|whoops|wait|ah|oh|no|hmm|um|actually|ok|okay)\b|[,.!…\s—–-])*"
_MARK_EN = (
    r"(?:(?:small |a )?correction|(?:a |that was a )?typo|my (?:mistake|bad)|i (?:just )?(?:"
    r"misspoke"
    r"|mis-spoke|mistyped|meant to say|meant|made (?:a mistake|a typo|an error)|was (?:wrong"
    r"|mistaken)|(?:got|said|had|put|told you) (?:that|it|this)"
    r" (?:wrong|backwards|the wrong way (?:a?round)|mixed up)|mixed (?:that|it|them) up)"
    r"|(?:that|this|what i said) (?:was|is) (?:wrong|not right|a mistake)|scratch that"
    r"|let me correct (?:that|myself))"
)
_WAS_WRONG = lazy_compile(rf"{_MARK_ZH}|(?i:\b(?!my (?:mistake|bad)\b){_MARK_EN})")
_BEFORE = lazy_compile(
    rf"{_SORRY_ZH}{_MARK_ZH}(?=[，,。：:！!；;\s]|$){_SORRY_ZH}[：:；;]?\s*"
    rf"|(?i:{_SORRY_EN}{_MARK_EN}(?=[\s,.:;!—–-]|$){_SORRY_EN}[:;]?\s*)"
)
_AFTER = lazy_compile(
    rf"[，,；;\s]+{_MARK_ZH}[。！!~\s]*$|(?i:[,;—–-]\s*(?:sorry,? )?{_MARK_EN}[.!\s]*$)"
)


def is_marked(text: str) -> bool:
    """Whether the text says of itself that it puts something right."""
    return _BEFORE.match(text) is not None or _AFTER.search(text) is not None


def says_was_wrong(text: str) -> bool:
    """Whether it says so of what was said before; "my bad" may be an excuse for anything."""
    return is_marked(text) and _WAS_WRONG.search(text) is not None


def without_mark(text: str) -> str:
    """What the text says besides: 我说错了，我住在朝阳 → 我住在朝阳."""
    found = _BEFORE.match(text)
    rest = re.sub(r"^that (?=(?:I|my)\b)", "", text[found.end() :]) if found else text
    return _AFTER.sub("", rest)


_PUTS_RIGHT = lazy_compile(
    r"(?i:\W*(?:sorry|oops|no|nope|wait|actually|in fact)\b)"
    r"|(?:不对|不是的|其实|抱歉|不好意思)[，,。！! ]?"
)
_NOT_OLD = lazy_compile(
    r"[,;]? (?:and )?not (?:in |at |to |called |named |an? )?"
    r"(?P<old>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*){0,2})\W*$"
)
# In small letters only after a comma, and nothing that limits the denial: "not just peanuts".
_WITH = r"(?:in|at|to|for|from|of|with|as|on)"
_NOT_OLD_THING = lazy_compile(
    rf"(?:[,;] (?:and )?not|,? and not(?= {_WITH}\b)) "
    r"(?!(?:just|only|even|always|all|so|too|very|yet|really|quite|much|many|every|any|because|that"
    r"|this|when|if|anymore|now)\b)"
    rf"(?:(?:{_WITH}|allergic to) )?(?:an? |the )?(?P<old>[\w'’-]+(?: [\w'’-]+){{0,2}}?)"
    r"(?: (?:any ?more|any longer|at all|after all|though))?\W*$"
)
_NOT_OLD_ZH = lazy_compile(
    rf"[，,](?:而|并)?不[是叫](?:叫|在)?(?P<old>[{HAN}A-Za-z0-9·]{{1,10}})[。！!~\s]*$"
)


def puts_right(text: str) -> bool:
    """Whether the text begins as one does who corrects what was said: "sorry, …", 不对，……"""
    return is_marked(text) or _PUTS_RIGHT.match(text) is not None


_SPELLS = lazy_compile(r"(?i)\b(?:is|it['’]s) (?:actually )?(?:spell?ed|spelt|written)\b")


def spells(text: str) -> bool:
    """Whether the text says how a name is spelled: so it was not spelled before."""
    return _SPELLS.search(text) is not None


def denied_value(text: str) -> str:
    """Rex of "my dog is called Max, not Rex"; "" if there is none."""
    found = _NOT_OLD.search(text) or _NOT_OLD_ZH.search(text) or _NOT_OLD_THING.search(text)
    return found["old"] if found else ""


def without_apology(text: str) -> str:
    """Without the words that lead into a correction: "oh no, sorry: not Rome" → "not Rome"."""
    return re.sub(rf"^(?:{_SORRY_ZH}|(?i:{_SORRY_EN}))[:：]?\s*", "", without_mark(text))
