"""Corrections that give the value alone: 打错了，是8月23号, "typo, it's the 23rd", 口误，32岁.

Only words that say of themselves that they put something right, and a value whose form says what it
takes the place of: a date or a day of the month, or an age. It replaces the one value of that form
in what the speaker said just before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...language.lazy_regex import lazy_compile
from .correction_words import is_marked, without_mark

_MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATES = {
    "zh": r"(?:[\d一二三四五六七八九十]{1,3}月)[\d一二三四五六七八九十]{1,3}[号日]?",
    "month first": rf"{_MONTHS} (?:the )?{_DAY}",
    "day first": rf"(?:the )?{_DAY}(?: of)? {_MONTHS}",
}
_DAYS = {"zh": r"[\d一二三四五六七八九十]{1,3}[号日]", "en": r"(?:the )?\d{1,2}(?:st|nd|rd|th)"}
_AGES = {"zh": r"\d{1,3}岁?", "en": r"\d{1,3}(?: years(?: old)?)?"}
_LEAD = (
    r"(?:(?:其实|应该|实际上?|是|改成|改为)*"
    r"|(?:(?:it['’]?s|it is|it was|it should be|that should be|should be|should say|make that"
    r"|i mean|i meant|i am|i['’]?m|actually|on)[ :]*)*)"
)
_TAIL = r"(?:才对|啦|哦|啊|哈)*"


@dataclass(frozen=True, slots=True)
class NewValue:
    """A date, a day of the month or an age that was meant."""

    text: str
    form: str

    def put_into(self, statement: str, values: Sequence[str] = ()) -> str:
        """The statement with this value instead of its only one of the form; "" if it has none,
        or several."""
        if self.form == "age":
            found = re.findall(r"\d{1,3}(?=岁)|(?<=\bis )\d{1,3}(?= years old)", statement)
            number = re.match(r"\d+", self.text)
            if len(found) != 1 or number is None:
                return ""
            return re.sub(
                rf"\b{found[0]}(?=岁| years)|(?<=年){found[0]}(?=岁)", number[0], statement
            )
        dates = [m for row in _DATES.values() for m in re.finditer(rf"(?i){row}", statement)]
        dates = [one for one in dates if not any(_is_inside(one, other) for other in dates)]
        if len(dates) != 1:
            return ""
        old = dates[0]
        new = self.text if self.form == "date" else _with_day(old[0], self.text)
        return f"{statement[: old.start()]}{new}{statement[old.end() :]}" if new else ""

    def is_only_one(self, text: str) -> bool:
        """Whether what was said has one value of this form, so that no other can be meant."""
        if self.form == "age":
            return len(re.findall(r"(?<![\d-])\d{1,3}(?![\d年月号日-])", text)) == 1
        return bool(self.put_into(text))


def _is_inside(one: re.Match[str], other: re.Match[str]) -> bool:
    is_wider = other.end() - other.start() > one.end() - one.start()
    return is_wider and other.start() <= one.start() and one.end() <= other.end()


def _with_day(date: str, day: str) -> str:
    """8月23号 of 8月13号 and 23号; "23 August" of "13 August" and "the 23rd"."""
    if "月" in date:
        return re.sub(r"(?<=月).*", day, date)
    number = re.search(r"\d{1,2}", day)
    has_ending = re.search(r"\d(?:st|nd|rd|th)", date) is not None
    new = re.sub(r"^the ", "", day) if has_ending else (number[0] if number else "")
    return re.sub(r"\d{1,2}(?:st|nd|rd|th)?", new, date, count=1) if new else ""


_FORMS = (
    ("date", tuple(_DATES.values())),
    ("day", tuple(_DAYS.values())),
    ("age", tuple(_AGES.values())),
)
_MARKS = lazy_compile(r"^[\s,，。.:：;；!！…—–-]+|[\s,，。.;；!！~～…]+$")


def value_alone(text: str) -> NewValue | None:
    """The value, if the text puts something right and says nothing else."""
    return value_in(without_mark(text)) if is_marked(text) and len(text) <= 80 else None


def value_in(text: str) -> NewValue | None:
    """The value, if the text is nothing else."""
    plain = _MARKS.sub("", text)
    for form, rows in _FORMS:
        for row in rows:
            found = re.fullmatch(rf"(?i){_LEAD}(?P<value>{row}){_TAIL}", plain)
            if found:
                return NewValue(found["value"], form)
    return None
