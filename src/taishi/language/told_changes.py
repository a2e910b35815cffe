"""Statements that tell a change away from something: "We moved from MySQL to Postgres",
我们从 MySQL 迁移到了 Postgres. What says the old value alone ("We use MySQL") is read with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .lazy_regex import lazy_compile

MOST_CHARS = 300
AFTER_VALUE_EN, AFTER_VALUE_ZH = 4, 8  # words, characters that may follow a value in a statement
_WORD = r"[\w@#+&'’](?:[\w.@#+&'’/-]*[\w@#+&'’])?"
_OLD, _NEW = (rf"(?P<{name}>{_WORD}(?: {_WORD}){{0,4}}?)" for name in ("old", "new"))
_END = (
    r"(?=\s*(?:$|[.,;:!()]|\b(?:on|in|since|last|this|after|because|for|during|as|and|yesterday"
    r"|today|now|so)\b))"
)
_EN = (
    r"\b(?:moved?|moving|switch(?:ed|ing)?|migrat(?:ed|ing)|chang(?:ed|ing)|went|upgraded"
    r"|transitioned|converted|ported)(?: \w+){0,3}?"
    rf" from {_OLD} (?:over )?(?:to|onto) {_NEW}{_END}",
    rf"\b(?:replac(?:ed|ing)|swapped) {_OLD} (?:with|by|for) {_NEW}{_END}",
    rf"\b(?:dropped|ditched|abandoned) {_OLD} (?:for|in favou?r of) {_NEW}{_END}",
    rf"\b{_NEW} (?:instead of|in place of) {_OLD}{_END}",
)
_OLD_ZH, _NEW_ZH = (rf"(?P<{name}>[^，。；！？,;!?]{{1,20}}?)" for name in ("old", "new"))
_ZH = (
    rf"从\s*{_OLD_ZH}\s*(?:全部|完全|整体)?(?:迁移|迁|换|改|切换|切|搬|转|升级|改用)(?:到|成|为|至|用)?了?"
    rf"\s*{_NEW_ZH}(?:了|$|[，。；！])",
    rf"[把将]\s*{_OLD_ZH}\s*(?:换|改|替换|更换|迁移)(?:成|为|到)了?\s*{_NEW_ZH}(?:了|$|[，。；！])",
    rf"用\s*{_NEW_ZH}\s*(?:取代|代替|替换|替代)了?\s*{_OLD_ZH}(?:了|$|[，。；！])",
)
_PATTERNS = tuple(lazy_compile(row) for row in (*_EN, *_ZH))
_ARTICLE = lazy_compile(r"(?i)^(?:the|an?|our|my|their|its|his|her)\s+")
_NEGATED = lazy_compile(
    r"(?i)\b(?:not|never|n['’]t|if|would|might|may|should|could|considered|plan(?:s|ning)?|want(?:s|ed)?"
    r"|instead of moving)\b|没|不|未|如果|打算|计划|考虑|想"
)
# A date or a time of day is moved, too: that is another matter.
_NO_THING = lazy_compile(
    r"(?i)^(?:\d[\d.:-]*|here|there|it|this|that|one|place|time|scratch|home)$"
)


@dataclass(frozen=True, slots=True)
class Change:
    """What was so before, and what is so now, as they are called."""

    old: str
    new: str

    def ends(self, statement: str) -> bool:
        """Whether a statement says the old value, at or near its end, and not the new one."""
        text = statement.strip(" .。!！")[:MOST_CHARS]
        if not self.old or _has(text, self.new):
            return False
        return any(_is_near_end(text, found) for found in _found(text, self.old))


def change_told(text: str) -> Change | None:
    """The change that the text tells; None if it tells none, or only thinks of one."""
    plain = text.strip()[:MOST_CHARS]
    if _NEGATED.search(plain):
        return None
    for row in _PATTERNS:
        found = row.search(plain)
        if found is not None:
            old, new = (_bare(found[name]) for name in ("old", "new"))
            is_thing = not (_NO_THING.match(old) or _NO_THING.match(new))
            return Change(old, new) if is_thing and old.casefold() != new.casefold() else None
    return None


def tells_end_of(told: Iterable[str], statements: Sequence[str]) -> bool:
    """Whether one of the texts tells a change away from what one of the statements says."""
    changes = filter(None, map(change_told, told))
    return any(change.ends(statement) for change in changes for statement in statements)


def _bare(value: str) -> str:
    return _ARTICLE.sub("", value.strip(" \"'“”‘’"))


def _found(text: str, value: str) -> list[re.Match[str]]:
    edges = (
        r"(?<![A-Za-z0-9_])" if value[:1].isascii() else "",
        r"(?![A-Za-z0-9_])" if value[-1:].isascii() else "",
    )
    return list(re.finditer(f"{edges[0]}{re.escape(value)}{edges[1]}", text, re.IGNORECASE))


def _has(text: str, value: str) -> bool:
    return bool(value) and bool(_found(text, value))


def _is_near_end(text: str, found: re.Match[str]) -> bool:
    after = text[found.end() :].strip()
    if found.start() == 0:
        return False  # "MySQL is slow" says something of it, not that it is in use
    if after.isascii():
        return len(after.split()) <= AFTER_VALUE_EN
    return len(after) <= AFTER_VALUE_ZH
