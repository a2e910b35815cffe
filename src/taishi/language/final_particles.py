"""Removes particles that only colour a Chinese statement: 我对花生不过敏啊 → 我对花生不过敏.

吗 and 吧 change the sense and stay, and so does any particle of a question. 啦 becomes 了, which
goes, too, where somebody likes something: 我喜欢榴莲啦 → 我喜欢榴莲.
"""

from __future__ import annotations

import re

from .lazy_regex import lazy_compile
from .questions import asks

_CLAUSE = lazy_compile(
    r"(?P<said>[^，,。；;！!？?\n~～]{3,80}?)(?P<particle>[啊呀哦呢嘛噢喔哟啦]{1,3}"
    r"|(?<![哈二阿一小大老娃])哈)"  # 我不吃辣的哈; 二哈 and 小哈 are names
    r"(?=\s*(?:[，,。；;！!~～\n]|$))"
)
_BELONGS = ("干", "天", "哎")  # 干嘛, 天呀, 哎呀
_NAMED = lazy_compile("[叫名是喊养]")
_LIKES_NOW = lazy_compile(
    r"(?<!不)(?<!不太)(?<!不再)((?:喜欢|讨厌"
    r"|爱[吃喝看听玩])[^，,。；;！!？?\n~～了]{1,12})了(?=\s*(?:[，,。；;！!~～\n]|$))"
)


def without_final_particles(text: str) -> str:
    return _LIKES_NOW.sub(r"\1", _CLAUSE.sub(_plain, text))


def _plain(match: re.Match[str]) -> str:
    said, particle = match["said"], match["particle"]
    if said.endswith(_BELONGS) or asks(match[0]):
        return match[0]
    if particle == "哈" and _NAMED.search(said):
        return match[0]
    if "嘛" in particle and "我" not in said:
        return match[0]  # often 吗, misspelt
    return said + ("了" if "啦" in particle and not said.endswith("了") else "")
