"""What two people did together without saying who the other is: "we broke up", 我们分手了.

The sentence before may say it: "I had been with Paul for two years".
"""

from __future__ import annotations

from ...language.lazy_regex import lazy_compile
from .chinese_parts import PARTNER
from .english_words import PARTNERS, alternation

_TOGETHER_EN = lazy_compile(
    r"(?i)^\W*(?:and |so |but |then |well,? |yesterday,? |today,? |last \w+,? )*"
    r"(?:we(?:['’]ve|['’]re| have| are)?|it['’]s over|i got dumped|i was dumped)\b[^,;.!?]{0,20}"
    r"(?:broke(?:n)? up|split up|separated|divorced|engaged|married|back together|moved in together"
    r"|over|dumped)\b(?! (?:with|by|from|to) )"
)
_TOGETHER_ZH = lazy_compile(
    "^(?:但是|不过|然后|后来|结果|所以|我们|俩|两个?|昨天|今天|前天|上周|上个月|刚刚?|终于|已经|又|也|还是|最后)*"
    "(?:分手|离婚|结婚|订婚|复合|和好|领证|掰)(?:了|啦)"
)
_OTHER_EN = lazy_compile(
    r"\b(?:[Ww]ith|[Mm]et|[Dd]ating|[Dd]ated|[Ss]eeing|[Aa]nd) (?!January|February|March|April"
    r"|May|June|July|August|September|October|November|December|I\b)[A-Z][a-z]+"
    r"|^[A-Z][a-z]+ and (?:I|me)\b"
    rf"|\b(?i:my (?:{alternation(PARTNERS)}))\b"
)
_OTHER_ZH = lazy_compile(
    rf"[和跟与](?![你您我他她它])[^，。！？的]{{1,6}}(?:在一起|交往|谈|恋爱|处|同居|相亲|结婚|认识)|{PARTNER}"
)


def lacks_other(sentence: str) -> bool:
    """Whether it tells what two did together, and not with whom."""
    return _TOGETHER_EN.search(sentence) is not None or _TOGETHER_ZH.search(sentence) is not None


def names_other(sentence: str) -> bool:
    """Whether it says with whom the speaker was."""
    return _OTHER_EN.search(sentence) is not None or _OTHER_ZH.search(sentence) is not None
