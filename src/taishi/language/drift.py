"""Entity drift: names, ids, numbers and dates that were not in what a text was made from (H3).

A rewriter may choose its words but not its facts. What is compared is the value, not the spelling:
三 is 3, "May 5, 2026" is 2026-05-05.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from .gate import HAN, MONTHS, SURNAMES, Fault
from .when import numbers as figures

_ZH_MEASURE = (
    "[只本天年月日号岁块元人条张件台杯瓶斤米周间套辆头匹楼层章页首集份名户棵倍]|小时|分钟|公[里斤]"
)
_ZH_NAME = (
    rf"(?:(?<![{HAN}])|(?<=[和跟与给对向叫]))"
    rf"(?:[{SURNAMES}](?:(?![已的了在是不就都很也])[{HAN}]){{1,2}}?|[小老阿][{HAN}])"
    r"(?=说|去|在|是|喜欢|想|要|把|将|已|住|买|来|会|到|让|问|告诉|从|被|爱|养|搬|和|与|跟|的|有|先生|女士|老师)"
)
_ZH_NOT_NAMES = """
方便 方案 方式 方法 方向 高兴 高中 高考 高铁 白天 白色 黄色 黄金 金额 金钱 钱包 马上 于是 任务 任何
文件 文章 文字 文化 常常 武器 江苏 石头 石油 万一 程序 程度 何时 何人 何处 毛病 顾客 康复 夏天 许多
曾经 钟头 范围 陆续 余额 段落 周末 周边 周围 周一 周二 周三 周四 周五 周六 周日 小时 小区 小说 小孩
小心 小组 小学 小狗 小猫 小姐 小吃 小事 老师 老板 老家 老人 老婆 老公 老是 老虎 阿姨 胡同 叶子
"""
_EN_COMMON = """
the a an in on at by for from with after before when while if as since until and but or so because
there this that these those no not all some any each every both most many much more other another
people users everyone someone nobody i he she it we they you his her its their my what who where why
how which then also however yes ok please group user private chat assistant
"""
_FIGURE = r"\d{1,3}(?:,\d{3}){1,9}(?:\.\d{1,20})?|\d{1,300}(?:\.\d{1,20})?"
_Date = tuple[int | None, int | None, int | None]


@cache
def _entities() -> re.Pattern[str]:
    month, order = f"(?:{'|'.join(MONTHS)})[a-z]{{0,6}}", "(?:st|nd|rd|th)?"
    figure = r"(?:\d{1,4}|[〇零一二三四五六七八九十]{1,4})"
    return re.compile(
        r"(?P<date>(?<!\d)(?P<y1>\d{4})[-/.](?P<m1>\d{1,2})[-/.](?P<d1>\d{1,2})(?!\d)"
        rf"|(?:(?P<y2>{figure})年)?(?P<m2>{figure})月(?P<d2>{figure})[日号]"
        rf"|(?i:\b(?P<m3>{month}) (?P<d3>\d{{1,2}}){order}\b(?:,? (?P<y3>\d{{4}}))?"
        rf"|\b(?P<d4>\d{{1,2}}){order} (?:of )?(?P<m4>{month})\b(?:,? (?P<y4>\d{{4}}))?))"
        r"|(?P<quote>《[^《》\n]{1,40}》|「[^「」\n]{1,40}」|“[^“”\n]{1,40}”|\"[^\"\n]{1,40}\""
        r"|@[\w.-]{1,64})"
        rf"|(?<![A-Za-z0-9])(?P<number>{_FIGURE})"
        r"(?:(?i:st|nd|rd|th|s|[ap]m|k|x|h|min|km|kg|cm|mm|m|g|gb|mb|tb)?(?![A-Za-z0-9_]))"
        r"|(?<![A-Za-z0-9])(?P<id>[A-Za-z_.-]{0,64}\d[A-Za-z0-9_.-]{0,64})"
        rf"|(?P<chinese_name>{_ZH_NAME})"
        r"|(?<![周期拜])(?P<chinese_number>[〇零一二两三四五六七八九十百千万亿]{1,16})"
        rf"|(?<![A-Za-z0-9_])(?:(?P<number_word>(?i:{figures.WORD_NUMBER})\b)"
        r"|(?P<word>[A-Za-zÀ-ɏ]{2,40}))"
    )


def drift(text: str, source: str, allow: Collection[str] = ()) -> list[Fault]:
    """Names, ids, numbers and dates in `text` that are in neither `source` nor `allow`."""
    given = _Given.read("\n".join((source, *allow)))
    return [
        Fault("drift", match[0], *match.span())
        for match in _entities().finditer(text)
        if not given.holds(match)
    ]


def _value(figure: str) -> float:
    digits = figure.replace(",", "")
    return float(digits) if "." in digits else int(digits)


def _date(match: re.Match[str]) -> _Date:
    def part(name: str) -> int | None:
        written = next((match[name + form] for form in "1234" if match[name + form]), "")
        month = written[:3].casefold()
        if month in MONTHS:
            return MONTHS.index(month) + 1
        return figures.chinese_number(written) if written else None

    return part("y"), part("m"), part("d")


@dataclass(frozen=True, slots=True)
class _Given:
    """What the input holds, however it was written."""

    text: str
    words: frozenset[str]
    numbers: frozenset[float | None]
    dates: frozenset[_Date]

    @classmethod
    def read(cls, source: str) -> _Given:
        lower = source.casefold()
        dates = {_date(match) for match in _entities().finditer(source) if match["date"]}
        numbers: set[float | None] = {_value(figure) for figure in re.findall(_FIGURE, source)}
        numbers.update(map(figures.chinese_number, re.findall(figures.CHINESE_NUMBER, source)))
        in_words = rf"\b(?:{figures.WORD_NUMBER}|{figures.WORD_ORDINAL})\b"
        numbers.update(map(figures.english_number, re.findall(in_words, lower)))
        numbers.update(part for date in dates for part in date)
        words = re.findall(r"[a-zà-ɏ]+", lower) + re.findall(r"[a-z0-9_.-]+", lower)
        known = frozenset(word.strip(".-_") for word in words)
        return cls("".join(lower.split()), known, frozenset(numbers), frozenset(dates))

    def holds(self, match: re.Match[str]) -> bool:
        word, kind = match[0], match.lastgroup
        if kind == "date":
            return self._holds_date(*_date(match))
        if kind == "quote":
            return "".join(word.strip('@《》「」“”"').casefold().split()) in self.text
        if kind == "number":
            return self._holds_number(_value(match["number"]))
        if kind == "number_word":
            return self._holds_number(figures.english_number(word.casefold()))
        if kind == "id":
            return word.casefold().strip(".-_") in self.words
        if kind == "chinese_number":
            if not re.compile(_ZH_MEASURE).match(match.string, match.end()) or word in self.text:
                return True
            if re.search("[千万亿]", word):  # 三千 may have been 3000; which, is not read
                large = any(number is not None and number >= 1000 for number in self.numbers)
                return large or re.search(r"\d[千万亿]", self.text) is not None
            return self._holds_number(figures.chinese_number(word))
        if kind == "chinese_name":
            return word in self.text or word in _ZH_NOT_NAMES.split()
        return word[0].islower() or word.casefold() in self.words or not _is_name(match)

    def _holds_date(self, year: int | None, month: int | None, day: int | None) -> bool:
        return any(
            (month, day) == (m, d) and (year in (None, y) or (y is None and year in self.numbers))
            for y, m, d in self.dates
        )

    def _holds_number(self, value: float | None) -> bool:
        """One is also an article: only an input that counts, and never says "one", denies it."""
        article = value == 1 and ("一" in self.text or bool({"a", "an"} & self.words))
        return article or value in self.numbers or not (self.numbers or value != 1)


def _is_name(match: re.Match[str]) -> bool:
    """A capital in mid-sentence makes a name; at the start, only what a subject is followed by."""
    word, text = match[0], match.string
    if word.casefold() in _EN_COMMON.split():
        return False
    if re.search(rf"[A-Za-z0-9,'’&{HAN}]\s*$", text[max(0, match.start() - 3) : match.start()]):
        return True
    if re.search(r"(?:ed|ing|ly|tion|ment|ness)$", word):
        return False
    subject = rf"['’]s|\s*[{HAN}]| [A-Z]| (?:is|was|has|had|will|would|can|and|[a-z]+(?:s|ed))\b"
    return re.match(subject, text[match.end() : match.end() + 24]) is not None
