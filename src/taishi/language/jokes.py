"""Recognises what is plainly not meant: irony marked by an emoji, and stock nonsense."""

from __future__ import annotations

import re

from .laughter import without_laughter
from .lazy_regex import lazy_compile

_DOGE = lazy_compile(  # 🐶 at the end is the doge of QQ, unless it stands for the word "dog"
    r"(?<![养只条遛撸喂有家欢爱小狗])(?<!养了)(?<!\b[Mm]y )(?<!\ba )(?<!\bthe )"
    r"(?<!\bour )(?<!\blove )(?<!\blike )(?<!\bdogs )(?<!\bdog )(?<!\bpuppy )[🐶]+\W*$"
)
_STOCK_EMOTE = lazy_compile(r"\[(?:旺柴|滑稽|doge|狗头保命|斜眼笑)\]", re.IGNORECASE)
_NONSENSE = lazy_compile(
    r"v我\s?\d+|疯狂星期四|(?:我|朕|寡人|本王)(?:就)?是(?:秦始皇|始皇帝|武则天|康熙|乾隆"
    r"|朱元璋|孙悟空|齐天大圣|玉皇大帝"
    r"|如来佛?祖?|上帝|耶稣|奥特曼|蜘蛛侠|蝙蝠侠|钢铁侠|外星人|你(?:爹|爸爸?|大爷|祖宗|爷爷))"
    r"|我(?:可|真|真的|可真)?(?:太|最|超|超级)(?:喜欢|爱)(?:加班|上班|周一|早起|堵车|写周报"
    r"|写作业|值班|考试|开会)"
    r"|\bI(?:['’]?m| am) (?:batman|spider-?man|superman|god|jesus|napoleon|the (?:queen|king) of)\b"
    r"|\bi (?:just|so|just so|absolutely) love (?:overtime|mondays|traffic|being on call"
    r"|working (?:late|weekends|overtime|on (?:weekends|sundays?|saturdays?)))\b",
    re.IGNORECASE,
)


_TEASES = lazy_compile(
    r"(?:^|[，,。！!~\s哈嘿])(?:骗|逗)(?:你|大家)(?:们)?(?:玩)?(?:的|呢|哒|啦)\W*$|(?:^|[，,])我?瞎编的\W*$"
    r"|\b(?:just |only )?(?:messing|kidding|joking) with (?:you|ya)\b",
    re.IGNORECASE,
)


def is_joke(sentence: str) -> bool:
    """我可太喜欢加班了🐶, 我是秦始皇，v我50, also with a laugh after it."""
    plain = without_laughter(sentence)
    return any(
        pattern.search(plain) is not None for pattern in (_DOGE, _STOCK_EMOTE, _NONSENSE, _TEASES)
    )
