"""Chinese patterns for a new employer.

跳槽到, 入职 and 加盟 are said of nothing else; 换到 and 去了 also of tools, seats and trips.
Those count behind 离职 or before 上班; 换到 also with a word for a firm, or if what was left is
known as the employer.
"""

from __future__ import annotations

from .chinese_parts import DAY, END, FIRM, PROVINCES
from .pattern import FactPattern, fact_pattern

_WORKS = "{who}在{value}工作"
_NOW = rf"{DAY}(?:已经?|刚|最近)*"
_LEFT = r"从[^，。；]{1,16}?"
_QUIT = r"(?:离职|辞职|裸辞|跳槽|出来)了?(?:以?后)?[，]?"
_JOINED = r"(?:跳槽(?:到|去)了?|入职了?|加盟了?|换工作(?:到|去)了?)"
_WENT = r"(?:换到|转到|转去|跳到|跳去|去|到|来|加入)了?"
_CHANGED = r"(?:换到|转到|转去|跳到|跳去)了?"
_AT_WORK = r"(?:工作|上班|任职|就职)"
# Banks and the firms that serve a household are changed by their customers, too.
_FIRM_WORD = r"(?:集团|律所|事务所|研究院|研究所|出版社)"
_OLD_FIRM = (
    rf"(?:(?:[小大老原前旧上]|一家)[^，。；]{{0,6}}?公司|大厂|外企|国企|央企|民企|{_FIRM_WORD})"
)
_NO_FIRM = (  # where one went, and may work at anything
    rf"(?:(?:{PROVINCES})市?|[^，。；]{{1,3}}[国省市县镇]|日本|加拿大|澳洲|澳大利亚|新西兰|新加坡|欧洲"
    r"|国外|海外|外地|老家|家)"
)
_NO_TOWN = rf"(?!{_NO_FIRM}(?:{_AT_WORK}|[了啦的，,。；！!]|$))"


def new_jobs_zh() -> tuple[FactPattern, ...]:
    return (
        fact_pattern(
            rf"{_NOW}(?:{_LEFT})?{_JOINED}{FIRM}{_AT_WORK}?{END}",
            "employer",
            _WORKS,
        ),
        fact_pattern(
            rf"{_NOW}{_LEFT}(?:{_QUIT}{_WENT}|加入了?){_NO_TOWN}{FIRM}{_AT_WORK}?{END}",
            "employer",
            _WORKS,
        ),
        fact_pattern(
            rf"{_NOW}(?:{_LEFT}{_WENT}|{_CHANGED}){_NO_TOWN}{FIRM}{_AT_WORK}{END}",
            "employer",
            _WORKS,
        ),
        fact_pattern(
            rf"{_NOW}从[^，。；]{{0,14}}?{_OLD_FIRM}{_CHANGED}{_NO_TOWN}{FIRM}{END}",
            "employer",
            _WORKS,
        ),
        fact_pattern(
            rf"{_NOW}{_LEFT}{_CHANGED}"
            rf"(?P<value>(?!一家|[这那哪新别另])[^，。；\s]{{2,16}}{_FIRM_WORD}){END}",
            "employer",
            _WORKS,
        ),
        fact_pattern(
            rf"{_NOW}从(?P<leaves>[^，。；]{{1,16}}?){_CHANGED}{_NO_TOWN}{FIRM}{END}",
            "employer",
            _WORKS,
        ),
    )
