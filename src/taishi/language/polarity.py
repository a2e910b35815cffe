"""Detects statements whose polarity or roles were reversed: yes for no, a plan told as done (H7).

Each clause of a text is held against the clauses it was made from. A contradiction counts only
where the words are the same and nothing else in the source says what the text says: a reader may
choose other words, and those are not judged.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from .clauses import Clause, clauses, lemma, overlap
from .gate import Fault

_MOST_CLAUSES = 200
_ENOUGH, _HALF = 0.6, 0.5
# Words for a thing | words for its opposite, in both languages.
_OPPOSITES = """
start begin join 开始 入职 加入 | stop quit cease resign 停止 离职 辞职 退出 戒
buy purchase 买 购买 | sell 卖 出售
win beat defeat 赢 获胜 战胜 | lose 输 落败
approve accept agree 同意 批准 通过 接受 答应 | reject refuse decline deny 拒绝 反对 驳回 否决
like love enjoy stand bear 喜欢 热爱 爱吃 爱喝 | dislike hate detest 讨厌 厌恶 受不了
rise raise increase grow up 涨 增加 提高 上升 | fall drop decrease reduce lower 降 跌 减少
open 开门 营业 | close shut 关门 停业 倒闭
pass 及格 考上 | fail 挂科 不及格 落榜
marry married 结婚 已婚 | divorce divorced 离婚
remember 记得 | forget 忘记 忘了
expensive pricey 贵 | cheap inexpensive 便宜
allow permit 允许 | forbid forbidden ban prohibit 禁止
arrive 到达 抵达 | depart 离开 出发
gain 胖 增重 | lose shed 瘦 减重
more 多吃 多喝 多睡 多用 | less fewer 少吃 少喝 少睡 少用
"""
_KIN = """
mother mom mum mama 妈 母亲 | father dad papa daddy 爸 父亲
son 儿子 | daughter 女儿 闺女
brother 弟 哥 | sister 妹 姐
弟 | 哥
妹 | 姐
grandfather grandpa 爷爷 外公 姥爷 | grandmother grandma 奶奶 外婆 姥姥
husband 老公 丈夫 | wife 老婆 妻子 太太
uncle 叔叔 舅舅 | aunt 阿姨 姑姑 姨妈
boyfriend 男朋友 男友 | girlfriend 女朋友 女友
boy 男孩 男生 | girl 女孩 女生
"""


def turned_round(text: str, sources: Sequence[str]) -> list[Fault]:
    """The clauses of a text that say the opposite of what they were made from."""
    known = [clause for source in sources for clause in clauses(source)][:_MOST_CLAUSES]
    faults = []
    told = clauses(text)[:_MOST_CLAUSES]
    denied = {word for clause in told for word in clause.denied}
    for clause in told:
        if any(True for _ in _contradicted(clause, known, denied)):
            word = clause.text.strip()
            faults.append(Fault("polarity", word, clause.start, clause.end))
    return faults


def _contradicted(
    said: Clause, known: Sequence[Clause], denied: Collection[str]
) -> Iterator[Clause]:
    yield from _denial_lost(said, [one for one in known if not _is_kept(one, said, denied)])
    yield from _denial_added(said, known)
    yield from _done_too_soon(said, known)
    yield from _opposed(said, known)


def _is_kept(source: Clause, said: Clause, denied: Collection[str]) -> bool:
    """Whether a denial stands elsewhere in the text, or is of the past and the clause of a wish."""
    if source.denied and source.denied[0] in denied:
        return True
    never_yet = re.search(r"\bbeen\b|没有?[\u3400-\u9fff]{0,4}过", source.text)
    return bool(source.denied and never_yet and _is_plan(said.text))


def _denial_lost(said: Clause, known: Sequence[Clause]) -> Iterator[Clause]:
    """ "I didn't get the job" → "Ann got the job"."""
    for source in known:
        if not source.denied or source.denied[0] not in said.words:
            continue
        if _covers(said, source.denied) and not said.has_negative():
            affirmed = [one for one in known if not one.denied and source.denied[0] in one.words]
            if all(overlap(one, said) < overlap(source, said) for one in affirmed):
                yield source


def _denial_added(said: Clause, known: Sequence[Clause]) -> Iterator[Clause]:
    """ "we cancelled it" → "was not cancelled"."""
    yield from _ability_denied(said, known)
    if not said.denied or not said.denies_verb:
        return
    verb = said.denied[0]
    if _agrees(said, known):
        return
    for source in known:
        if source.denied or verb not in source.words or not _covers(source, said.denied):
            continue
        denied = [one for one in known if one.denied and verb in one.words]
        if not source.has_negative(but=verb) and all(
            overlap(one, said) < overlap(source, said) for one in denied
        ):
            yield source


def _ability_denied(said: Clause, known: Sequence[Clause]) -> Iterator[Clause]:
    """ "接口明天能好" → "接口不能完成": the same modal, of the same thing, with a no before it."""
    match = re.search("[不没]([能会想])", said.text)
    if not match:
        return
    thing = said.words - set(said.denied)
    for source in known:
        others = [one for one in known if one.denied and overlap(one, said) >= 2]
        is_same = match[1] in source.text and len(thing & source.words) >= 2
        if is_same and not others and not source.has_negative():
            yield source


def _done_too_soon(said: Clause, known: Sequence[Clause]) -> Iterator[Clause]:
    """ "I plan to run" → "Grace ran"."""
    if said.planned or not said.done:
        return
    for source in known:
        verb = source.planned[0] if source.planned else ""
        is_done = verb in said.done or ("了" in said.done and verb in said.words)
        if verb and is_done and _covers(said, source.planned, _HALF):
            done = [one for one in known if one.done and verb in one.words]
            if not done and not _is_plan(said.text):
                yield source


def _agrees(said: Clause, known: Sequence[Clause]) -> bool:
    """Whether a denial is another word for what was said: "doesn't like" for "hates"."""
    return any(
        sign and sign == _sign(one, pair) and (said.words - pair.words) & one.words
        for pair in _pairs()
        if not pair.is_kin and (sign := _sign(said, pair))
        for one in known
    )


def _opposed(said: Clause, known: Sequence[Clause]) -> Iterator[Clause]:
    for pair in _pairs():
        sign = _sign(said, pair)
        if not sign:
            continue
        rest = said.words - pair.words
        least = -1 if pair.is_kin else 0
        same = [len(rest & one.words) for one in known if _sign(one, pair) == sign]
        for source in known:
            if _sign(source, pair) == -sign and len(rest & source.words) > max(same, default=least):
                yield source


@dataclass(frozen=True, slots=True)
class _Pair:
    """Words for a thing and for its opposite; `words` are those of both, as a clause has them.

    Of relatives, the wrong one is wrong whatever else a clause says.
    """

    one: frozenset[str]
    other: frozenset[str]
    words: frozenset[str]
    is_kin: bool


def _sign(clause: Clause, pair: _Pair) -> int:
    """1 for the first of a pair, -1 for its opposite; a denial turns it; 0 for neither or both."""

    def is_denied(word: str) -> bool:
        denied = clause.denied if word.isascii() else clause.denied_text
        return word in denied and not pair.is_kin

    signs = {
        (-1 if is_denied(word) else 1) * side
        for side, words in ((1, pair.one), (-1, pair.other))
        for word in words
        if (word in clause.words if word.isascii() else word in clause.text)
    }
    return signs.pop() if len(signs) == 1 else 0


@cache
def _pairs() -> tuple[_Pair, ...]:
    return tuple(
        _pair(line, is_kin)
        for lines, is_kin in ((_OPPOSITES, False), (_KIN, True))
        for line in lines.strip().splitlines()
    )


def _pair(line: str, is_kin: bool) -> _Pair:
    one, other = (
        frozenset(lemma(word) if word.isascii() else word for word in side.split())
        for side in line.split("|")
    )
    words = {part for word in one | other for part in ([word] if word.isascii() else word)}
    return _Pair(one, other, frozenset(words), is_kin)


def _covers(clause: Clause, words: Sequence[str], share: float = _ENOUGH) -> bool:
    distinct = set(words)
    return len(distinct & clause.words) >= share * len(distinct)


@cache
def _plan_words() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:plan\w*|will|would|intend\w*|want\w*|hop(?:e|es|ed|ing)|going to|might|may)\b"
        r"|打算|计划|将|要|想|会"
    )


def _is_plan(text: str) -> bool:
    return _plan_words().search(text) is not None
