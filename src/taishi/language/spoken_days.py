"""Days as they are said in the north of China: 后儿, 大前儿个; and 赶明儿, which is no day.

前儿 and 后儿 count only where no longer word can hold them: 今后儿女, 我前儿媳.
"""

from __future__ import annotations

_HAN = "\u3400-\u9fff"
_NO_CHILD = "(?![子女童媳孙科歌戏])"
_ON_ITS_OWN = f"(?:(?<![{_HAN}])|(?<=[我你他她它们咱俺就到等从在是和跟说约]))"
SPOKEN_DAY = f"大[前后]儿个?{_NO_CHILD}|{_ON_ITS_OWN}[前后]儿个?{_NO_CHILD}"
"""The day before yesterday, the day after tomorrow, and one day further."""

SPOKEN_DAYS = f"(?:[昨今]|(?<![赶改])明)儿{_NO_CHILD}|{SPOKEN_DAY}"
"""All of them, with yesterday, today and tomorrow."""

DAYS_TO_COME = f"(?<![赶改])明儿{_NO_CHILD}|大后儿{_NO_CHILD}|{_ON_ITS_OWN}后儿{_NO_CHILD}"

SOME_DAY = (
    "[赶改]明儿个?(?![子女童])|赶明个?(?![天早晚日年亮白显])|改明个?(?=[再我咱请去来带给把有])"
)
"""Some day to come, as in "one of these days"; 改明儿 may also be "moved to tomorrow"."""
