"""Corrections that give the right value and nothing else, however they begin: 啊不对，是三只,
"no wait, three", "oops, I meant Milan", 其实是四只.

What a value takes the place of is told by its form: another number of the same thing, or another
name where what was said just before has one value that is a name. A name needs clearer words than a
number: 其实是误会 names no town.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ...language.analyzer import has_cjk
from ...language.courtesies import says_nothing
from ...language.gate import HAN
from ...language.lazy_regex import lazy_compile
from .short_corrections import is_common
from .value_corrections import NewValue, value_alone, value_in

_SORRY_ZH = r"(?:啊+|哦|噢|哎呀?|诶|额|呃|嗯|等等|等下|抱歉|不好意思|对不起|[，,。！!…~\s])*"
_WRONG_ZH = (
    r"(?:不对不对|不对|手滑|手误|口误|笔误|更正|纠正|(?:我)?(?:刚才|刚刚|刚)?[说打讲记搞弄写发数算]错(?:字)?)"
    r"(?:了|啦|一下)?[，,。：:！!…~\s]*(?:其实|应该|实际上?|准确地?说|确切地?说|我是说)*"
)
_LEAD_ZH = lazy_compile(
    rf"{_SORRY_ZH}(?:(?P<clear>{_WRONG_ZH}(?:是|为|改成))|{_WRONG_ZH}|(?:其实|应该|实际上?)+是)"
)
_TAIL_ZH = lazy_compile(r"(?:才对|啦|哦|啊|哈|呢|了)?[。！!~～\s]*$")
_SORRY_EN = r"(?:(?:oh|ah|sorry|hmm|um|er|uh|ok|okay)\b|[,.!…\s—–-])*"
_SAYS_SO = (
    r"(?:(?:it['’]?s|it is|it was|that['’]?s|that should be|it should be|should be|to say)\b"
    r"[ ,:]*)?"
)
_LEAD_EN = lazy_compile(
    rf"(?i){_SORRY_EN}(?P<clear>(?:(?:no|wait|oops|whoops|actually)\b[,.!…\s—–-]*)*"
    rf"(?:i meant|i mean|make (?:that|it)|scratch that|correction|typo|my (?:bad|mistake)"
    rf"|(?:no,? wait|wait,? no|oops|whoops),? it['’]?s)\b[,.:;!…\s—–-]*{_SAYS_SO})"
    rf"|{_SORRY_EN}(?:(?:no,? wait|wait,? no|oops|whoops|actually|sorry)\b[,.:;!…\s—–-]*)+"
    rf"{_SAYS_SO}"
)
_FIGURES_ZH = "〇零一二两三四五六七八九十百千\\d"
_MEASURES = "[只条辆个位名头匹台部间套本杯斤件张把块门层次棵盆盒箱瓶包双对家座支]|公斤|小时"
_QUANTITY_ZH = lazy_compile(rf"(?P<figure>[{_FIGURES_ZH}]{{1,4}})(?P<of>{_MEASURES})")
_FIGURES_EN = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    r"|sixteen|seventeen|eighteen|nineteen|twenty|\d{1,4}"
)
_QUANTITY_EN = lazy_compile(
    rf"(?i)(?P<figure>an?|{_FIGURES_EN})(?: (?P<of>[a-z][a-z'’-]{{1,20}}))?"
)
_ANY_EN = lazy_compile(
    rf"(?i)(?<![\w:.-])(?P<figure>an?|{_FIGURES_EN})(?![\w-]|[.:]\d)(?: (?P<of>[a-z'’-]+))?"
)
_NAME_ZH = lazy_compile(rf"(?![{_FIGURES_ZH}])[{HAN}·]{{2,8}}|[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*")
_NAME_EN = lazy_compile(r"[A-Z][\w'’-]+(?: (?:[A-Z][\w'’-]+|of|de|la|am|and)){0,3}")
_NO_NAME = lazy_compile(
    r"[我你您他她它这那的不是没了在吗呢吧说点号月日年天想要会能去来到]|^[对跟给被把就都也很太真]|误会|玩笑|真的|假的|广告"
    r"|反话|错觉|周[一二三四五六日末]|星期|礼拜|早上|上午|中午|下午|晚上|凌晨|左右|以[前后]"
    r"|(?i:\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:january|february|march|april|may|june"
    r"|july|august|september|october|november|december|today|tomorrow|yesterday|i|you|he|she|we"
    r"|they|it|that|this|the|what|why|how|god|jesus|christ)\b)"
)
_OTHER = lazy_compile(rf"[{HAN}A-Za-z0-9·]{{1,10}}|[\w'’-]+(?: [\w'’-]+){{0,3}}")
_NO_VALUE = lazy_compile(
    r"[我你您他她它这那不没吗吧呢]|误会|玩笑|真的|假的|反话|错觉"
    r"|(?i:\b(?:i|you|he|she|it|we|they|this|that|not|whatever|nothing|really|sorry|never ?mind)\b)"
)
# "I mean whatever", "make it stop": these lead into anything.
_LOOSE = lazy_compile(r"(?i)\bi mean\b|\bmake (?:that|it)\b|\bmy (?:bad|mistake)\b")


@dataclass(frozen=True, slots=True)
class BareValue:
    """What was meant: a quantity, a name, or something that rules cannot put in its place."""

    text: str
    form: Literal["quantity", "name", "other"]

    def put_into(self, statement: str, values: Sequence[str] = ()) -> str:
        """The statement with this value instead of the one of its form; "" if it has none, or
        several. `values` are those that the statement gives its subject."""
        if self.form == "other":
            return ""
        if self.form == "name":
            return self._name_in(statement, values)
        if has_cjk(self.text):
            return self._quantity_in_chinese(statement)
        return self._quantity_in(statement)

    def is_only_one(self, text: str) -> bool:
        """Whether no other can be meant in what was said; of names the facts tell that."""
        return self.form == "name" or bool(self.put_into(text))

    def _name_in(self, statement: str, values: Sequence[str]) -> str:
        there = [one for one in values if one and one in statement]
        if len(there) != 1 or has_cjk(there[0]) != has_cjk(self.text) or self.text in statement:
            return ""
        return statement.replace(there[0], self.text) if statement.count(there[0]) == 1 else ""

    def _quantity_in_chinese(self, statement: str) -> str:
        new = _QUANTITY_ZH.match(self.text)
        found = list(_QUANTITY_ZH.finditer(statement))
        if new is None or len(found) != 1 or found[0]["of"] != new["of"]:
            return ""
        old, noun = found[0], self.text[new.end() :]
        rest = statement[old.end() :]
        if noun and rest != noun:
            return ""
        changed = f"{statement[: old.start()]}{new[0]}{rest}"
        return "" if changed == statement else changed

    def _quantity_in(self, statement: str) -> str:
        new = _QUANTITY_EN.fullmatch(self.text)
        if new is None:
            return ""
        found = [
            one
            for one in _ANY_EN.finditer(statement)
            if not _is_article(one["figure"]) or _is_of(new["of"], one["of"])
        ]
        if len(found) != 1 or (new["of"] and not _is_of(new["of"], found[0]["of"])):
            return ""
        old = found[0]
        if not new["of"] and _is_one(new["figure"]) != _is_one(old["figure"]):
            return ""  # "one cats": the noun would have to change
        end = old.end() if new["of"] else old.end("figure")
        changed = f"{statement[: old.start()]}{self.text}{statement[end:]}"
        return "" if changed == statement else changed


def _is_article(figure: str) -> bool:
    return figure.lower() in ("a", "an")


def _is_one(figure: str) -> bool:
    return figure.lower() in ("a", "an", "one", "1")


def _is_of(one: str | None, other: str | None) -> bool:
    """Whether both count the same: cat and cats."""
    if not one or not other:
        return False
    return one.lower().rstrip("s") == other.lower().rstrip("s")


def bare_value(text: str) -> BareValue | None:
    """The value, if the text puts something right and says nothing else."""
    if len(text) > 60:
        return None
    if has_cjk(text):
        lead = _LEAD_ZH.match(text)
        value = _TAIL_ZH.sub("", text[lead.end() :]) if lead else ""
        quantity = _QUANTITY_ZH.match(value)
        if quantity and re.fullmatch(f"[{HAN}]{{0,4}}", value[quantity.end() :]):
            return BareValue(value, "quantity")
    else:
        lead = _LEAD_EN.match(text)
        value = text[lead.end() :].strip(" .!~…") if lead else ""
        quantity = _QUANTITY_EN.fullmatch(value)
        if quantity and not (_is_article(value) or (quantity["of"] and is_time(quantity["of"]))):
            return BareValue(value, "quantity")
    if lead is None or not lead["clear"] or not value:
        return None
    if not _NO_NAME.search(value) and _is_name(value, lead[0], has_cjk(text)):
        return BareValue(value, "name")
    is_other = _OTHER.fullmatch(value) and not _NO_VALUE.search(value) and not says_nothing(value)
    return BareValue(value, "other") if is_other and not _LOOSE.search(lead[0]) else None


def _is_name(value: str, lead: str, chinese: bool) -> bool:
    if chinese:
        return _NAME_ZH.fullmatch(value) is not None
    # After a full stop any word has a capital: only what is no common word is a name.
    begins = re.search(r"[.!…]\s*$", lead) is not None
    return _NAME_EN.fullmatch(value) is not None and not (begins and is_common(value))


def meant_value(text: str) -> NewValue | BareValue | None:
    """The value of a message that only puts a value right."""
    if (found := value_alone(text)) or len(text) > 60:
        return found
    bare = bare_value(text)
    if bare is not None and bare.form != "other":
        return bare
    lead = (_LEAD_ZH if has_cjk(text) else _LEAD_EN).match(text)
    return (value_in(text[lead.end() :]) if lead else None) or bare


def is_time(word: str) -> bool:
    """Whether a figure before this word is a time of day."""
    return word.lower() in ("am", "pm", "o'clock")
