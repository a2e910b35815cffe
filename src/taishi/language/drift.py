"""Detects names, ids, numbers and dates in a text that are not in its source (H3, H7).

A rewriter may choose its words but not its facts. What is compared is the value, not the spelling:
三 is 3, a dozen is 12, "May 5, 2026" is 2026-05-05.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice

from .clauses import is_past, lemma
from .gate import HAN, SURNAMES, Fault
from .known_names import known_names, short_forms
from .lazy_regex import lazy_compile
from .quantities import Quantity, figures_in, read_figures, unit_after
from .stated_dates import Mention, mentions_in, weekday_of
from .time_readings import TimeReadings

_ZH_MEASURE = (
    "[只本天年月日号岁块元人条张件台杯瓶斤米周间套辆头匹楼层章页首集份名户棵倍箱盒袋包支枝双把部克吨升度折次遍场期]"
    "|小时|分钟|公[里斤]|个(?:月|小时|星期|礼拜)|成(?![为功了立本都绩员])|毫升|厘米|平方?米?|美元|欧元"
)
_ZH_NAME = (
    rf"(?:(?<![{HAN}])|(?<=[和跟与给对向叫由找]))"
    rf"(?:[{SURNAMES}](?:(?![已的了在是不就都很也没未还将会要能可])[{HAN}]){{1,2}}?|[小老阿][{HAN}])"
    r"(?=说|去|在|是|喜欢|想|要|把|将|已|住|买|来|会|到|让|问|告诉|从|被|爱|养|搬|和|与|跟|的|有|先生|女士|老师|负责|做|向|借)"
    rf"|(?<=[是叫])[小老阿][{HAN}](?=[，。、；！]|$)"
    rf"|(?<![{HAN}])[{SURNAMES}](?=经理|老师|总(?![是共数体结])|医生|先生|女士|主任|教授|律师|师傅|阿姨|叔叔)"
    rf"|(?<=[由是和跟与给对向找])[{SURNAMES}](?=经理|老师|医生|先生|女士|主任|教授|律师|师傅|阿姨|叔叔)"
)
_ZH_NOT_NAMES = frozenset(
    """
方便 方案 方式 方法 方向 方面 高兴 高中 高考 高铁 高速 高度 高级 白天 白色 黄色 黄金 金额 金钱
钱包 马上 马路 于是 任务 任何 文件 文章 文字 文化 文档 常常 常用 武器 江苏 石头 石油 万一 程序
程度 何时 何人 何处 毛病 毛衣 顾客 康复 夏天 许多 曾经 钟头 范围 陆续 余额 段落 周末 周边 周围
周一 周二 周三 周四 周五 周六 周日 小时 小区 小说 小孩 小心 小组 小学 小狗 小猫 小姐 小吃 小事
小票 小程 小红书 老师 老板 老家 老人 老婆 老公 老是 老虎 老式 老乡 阿姨 胡同 叶子 龙头 易于 江边
汤品 白酒 姜茶 石材 田地 金色 孔径 林地 雷雨 史料 乔迁 贺卡
""".split()
)
_EN_COMMON = frozenset(
    """
the a an in on at by for from with after before when while if as since until and but or so
because there this that these those no not all some any each every both most many much more other
another people users everyone someone nobody i he she it we they you his her its their my what
who where why how which then also however yes ok please group user private chat assistant mother
father mom mum dad grandma grandpa mr mrs ms dr prof utc gmt am pm celsius fahrenheit km kg ram
cpu gb mb tb tv pc id ai api url internet english chinese christmas
""".split()
)
_MONEY = {
    "eur": "euro|€",
    "usd": r"dollar|\$|美元|bucks?",
    "gbp": "pound|£|quid",
    "cny": "yuan|元|块|¥",
    "rmb": "yuan|元|块|¥",
    "jpy": "yen|日元|¥",
    "yuan": "rmb|cny|元|块",
    "euro": "eur|€",
    "euros": "eur|€",
    "hkd": "港",
    "inr": "rupee",
    "chf": "franc|瑞郎",
    "sek": "kron",
    "nok": "kron",
    "dkk": "kron",
    "pln": "zloty",
    "czk": "korun|crown",
    "krw": "won|韩元",
    "aud": r"dollar|\$",
    "cad": r"dollar|\$",
    "sgd": r"dollar|\$",
    "nzd": r"dollar|\$",
    "mxn": "peso",
    "thb": "baht|泰铢",
    "brl": "real|reais",
    "rub": "roubl|rubl|卢布",
    "twd": "台币|dollar",
}
_MOST_TIMES = 500
_DEMONYM = lazy_compile(r"(?:ian|ean|an|ese|ish|ic|i|er|s|es|ers|ans|ians)$")


@cache
def _entities() -> re.Pattern[str]:
    return re.compile(
        r"(?P<quote>《[^《》\n]{1,40}》|「[^「」\n]{1,40}」|“[^“”\n]{1,40}”|\"[^\"\n]{1,40}\""
        r"|@[\w.-]{1,64})"
        r"|(?<![A-Za-z0-9_.-])(?P<id>(?=[A-Za-z_.-]{0,64}\d)(?=[\d_.-]{0,64}[A-Za-z])"
        r"[A-Za-z0-9_][A-Za-z0-9_.-]{1,128})"
        rf"|(?P<chinese_name>{_ZH_NAME})"
        r"|(?<![A-Za-z0-9_])(?P<word>[A-Za-zÀ-ɏ]{2,40})"
    )


_UNIT = lazy_compile(
    r"\d[\d.,]*(?:st|nd|rd|th|s|[ap]m|k|x|h|hrs?|mins?|km|kgs?|cm|mm|m|g|gb|mb|tb|l|ml|bn|px|°?[cf])",
    re.IGNORECASE,
)


def drift(
    text: str, source: str, allow: Collection[str] = (), times: TimeReadings | None = None
) -> list[Fault]:
    """Names, ids, numbers and dates in `text` that are in neither `source` nor `allow`.

    `times` are the times that the source can mean; without it, only those that it states.
    """
    given = _Given.read(source, allow, times)
    found: list[Fault] = []
    plain = _without_times(text, given, found)
    for start, end, holds in _checked(plain, given):
        if not holds:
            found.append(Fault("drift", text[start:end], start, end))
    return sorted(found, key=lambda fault: fault.start)


def _without_times(text: str, given: _Given, found: list[Fault]) -> str:
    """The text with its stated times blanked out, as their digits are no numbers; bad ones told."""
    spans: list[tuple[int, int]] = []
    last: Mention | None = None
    for said in mentions_in(text):
        if _is_part_of_id(text, said):
            continue
        if not given.allows(said, text):
            found.append(Fault("drift", text[said.start : said.end], said.start, said.end))
        if last and _disagree(last, said, text):
            start, end = last.start, said.end
            found.append(Fault("weekday", text[start:end], start, end))
        if not spans or said.start >= spans[-1][1]:
            spans.append((said.start, said.end))
        last = said
    return _blanked(text, spans)


def _is_part_of_id(text: str, said: Mention) -> bool:
    return text[said.start : said.start + 1].isdigit() and bool(
        re.match(r"[A-Za-z_]", text[max(0, said.start - 1) : said.start])
    )


def _disagree(one: Mention, other: Mention, text: str) -> bool:
    """A weekday beside a date that is another day of the week."""
    date, day = (one, other) if other.kind == "weekday" else (other, one)
    if date.kind != "date" or day.kind != "weekday" or len(text[one.end : other.start]) > 3:
        return False
    real = weekday_of(date)
    return (
        real is not None
        and real != day.number
        and not re.search(r"\w", text[one.end : other.start])
    )


def _checked(text: str, given: _Given) -> Iterator[tuple[int, int, bool]]:
    """Each entity of a text, and whether the source has it."""
    ids = []
    for match in _entities().finditer(text):
        if match["id"] and _UNIT.fullmatch(match[0]):
            continue
        yield *match.span(), given.holds(match)
        if match["id"]:
            ids.append(match.span())
    plain = _blanked(text, ids)
    for match in known_names().finditer(text):
        yield *match.span(), given.holds_known(match)
    for figure in figures_in(plain):
        word = plain[figure.start : figure.end]
        if word[0].isdigit() or _counts(plain, figure.start, figure.end):
            holds = given.holds_number(figure.values) and not given.is_of_another(plain, figure)
            yield figure.start, figure.end, holds


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    pieces, at = [], 0
    for start, end in spans:
        pieces += [text[at:start], "\ufffc" * (end - start)]
        at = end
    return "".join((*pieces, text[at:]))


def _counts(text: str, start: int, end: int) -> bool:
    """Whether number words count something: 十分 and 万一 do not, nor does "once" or "a couple"."""
    word = text[start:end].lower()
    if word.isascii():
        return word not in ("once", "half", "quarter", "single", "both", "second", "double")
    if re.search("[周期拜第]$", text[max(0, start - 1) : start]):
        return False
    return re.compile(_ZH_MEASURE).match(text, end) is not None


@dataclass(frozen=True, slots=True)
class _Given:
    """Names and numbers of the source, in every spelling."""

    text: str
    words: frozenset[str]
    stems: frozenset[str]
    values: frozenset[float]
    units: dict[str, set[float]]
    said: frozenset[float]
    initials: frozenset[str]
    stated: frozenset[Mention]
    names: frozenset[str]
    times: TimeReadings | None

    @classmethod
    def read(cls, spoken: str, allow: Collection[str], times: TimeReadings | None) -> _Given:
        source = "\n".join((spoken, *allow))
        lower = source.casefold()
        words = re.findall(r"[a-zà-ɏ]+", lower) + re.findall(r"[a-z0-9_.-]+", lower)
        known = frozenset(word.strip(".-_") for word in words)
        runs = re.findall(r"(?<![A-Za-z\d])\d{1,15}(?!\d)", source)
        values, units, said = read_figures(spoken)
        values |= frozenset(map(float, runs))
        capitals = re.findall(r"[A-Z][a-zà-ɏ]+(?:[ -][A-Z][a-zà-ɏ]+){1,5}", source)
        initials = frozenset("".join(re.findall("[A-Z]", name)).lower() for name in capitals)
        stems = frozenset(lemma(word) for word in known if word.isalpha())
        stated = {
            replace(said, start=0, end=0) for said in islice(mentions_in(source), _MOST_TIMES)
        }
        plain, names = "".join(lower.split()), frozenset(allow)
        return cls(
            plain, known, stems, values, units, said, initials, frozenset(stated), names, times
        )

    def allows(self, said: Mention, text: str) -> bool:
        if self.times and self.times.allow(said, text):
            return True
        if any(_same_time(said, one, self.values) for one in self.stated):
            return True
        return said.kind == "date" and not said.month and float(said.year) in self.values

    def holds(self, match: re.Match[str]) -> bool:
        word, kind = match[0], match.lastgroup
        if kind == "quote":
            return self._quotes("".join(word.strip('@《》「」“”"').casefold().split()))
        if kind == "id":
            return word.casefold().strip(".-_") in self.words
        if kind == "chinese_name":
            return word in self.text or word in _ZH_NOT_NAMES or word[:2] in self.names
        lower = word.casefold()
        return (
            word[0].islower()
            or lower in self.words
            or lower in self.initials
            or self._is_derived(lower)
            or not _is_name(match, self.stems)
        )

    def _quotes(self, words: str) -> bool:
        """A quote may be cut or joined by the writer: most of its pairs must be there."""
        if words in self.text:
            return True
        pairs = [words[i : i + 2] for i in range(len(words) - 1)]
        return len(words) > 8 and sum(pair in self.text for pair in pairs) >= 0.7 * len(pairs)

    def _is_derived(self, lower: str) -> bool:
        """EUR for euros, Norwegian for Norway."""
        if lower in _MONEY:
            return re.search(_MONEY[lower], self.text) is not None
        root = _DEMONYM.sub("", lower)
        return len(root) >= 4 and root != lower and any(w.startswith(root[:5]) for w in self.words)

    def holds_known(self, match: re.Match[str]) -> bool:
        forms = short_forms(match[0])
        after = match.string[match.end() : match.end() + 2]
        return any(form in self.text for form in (forms if after == "大学" else forms[:2]))

    def is_of_another(self, text: str, figure: Quantity) -> bool:
        """A number that was said, but of something else: five times, where it was three times."""
        counted = self.units.get(unit_after(text, figure.end))
        if not counted or not figure.values.isdisjoint(counted):
            return False
        return figure.values <= self.said

    def holds_number(self, values: frozenset[float]) -> bool:
        """One is also an article: only an input that counts, and never says "one", denies it."""
        if not values.isdisjoint(self.values):
            return True
        if self.times and not values.isdisjoint(self.times.years):
            return True
        article = "一" in self.text or bool({"a", "an"} & self.words) or not self.values
        return 1.0 in values and article


def _same_time(said: Mention, one: Mention, values: frozenset[float]) -> bool:
    if said.kind != one.kind:
        return False
    if said.kind == "clock":
        return not set(said.minutes).isdisjoint(one.minutes)
    if said.kind != "date":
        return said.number == one.number
    if said.year not in (0, one.year) and (one.year or float(said.year) not in values):
        return False
    return said.month == one.month and said.day in (0, one.day)


def _is_name(match: re.Match[str], stems: frozenset[str]) -> bool:
    """A capital in mid-sentence makes a name; at the start, only what a subject is followed by."""
    word, text = match[0], match.string
    if word.casefold() in _EN_COMMON:
        return False
    before = text[max(0, match.start() - 3) : match.start()]
    if re.search(rf"[A-Za-z0-9,'’&{HAN}\ufffc]\s*$|[rs]\. $", before):
        return True
    if re.search(r"(?:ed|ing|ly|tion|ment|ness)$", word) or lemma(word) in stems:
        return False
    after = text[match.end() : match.end() + 24]
    verb = re.match(r" ([a-z]+)\b", after)
    subject = rf"['’]s|\s*[{HAN}]| [A-Z]| (?:is|was|has|had|will|would|can|and|[a-z]+(?:s|ed))\b"
    return re.match(subject, after) is not None or (verb is not None and is_past(verb[1]))
