"""Requests to forget a matter that they name: "please forget the offsite", "forget the thing about
Tom", 把里斯本的事忘了吧, 别记住里斯本的事.

"Forget the pizza, let's cook", "you can forget the raise" and 把烦恼忘了吧 only sound like one. So
the mere name of a thing counts where the bot is asked in so many words, or where nothing else is
said; a part of what was told ("the thing about", "that Tom is …", 里斯本的事) counts anywhere.
What goes on as a figure of speech does ("let's …", "it's cancelled", 我们去……) is none.
"""

from __future__ import annotations

import re

from .forget_topics import WORK_ZH
from .lazy_regex import lazy_compile

# -- English ----------------------------------------------------------------------------------

_FORGET = r"forget\s+(?:all )?(?:about )?"
_DET = r"(?:the|that|this|those|these|my|our|any|all (?:of )?(?:the|my|our)|[A-Z]\w*['’]s)"
_FIGURATIVE = (
    r"(?!(?:whole |entire )?(?:past|pain|worries|troubles|sorrows?|ex|haters?|rules?|costs?|money"
    r"|price|noise|time|world|weather|calories|diet|drama|quarrel|argument|hype|rest)\b)"
)
_WORDS = r"[^,;:!?\n—–]{1,80}?"
_POLITE = (
    r"(?:[\s,]*\b(?:please|pls|now|again|for good|completely|entirely|ok(?:ay)?"
    r"|thanks?(?: you)?))*"
)
_CLAUSE_END = r"(?=\s*(?:[,;!?—–]|\.(?:\s|$)|$|\b(?:and|but)\b))"
_ALONE_END = r"[\s.!…]*$"
_PART = (
    r"(?:things?|stuff|parts?|bits?|matter|info|information|details?|facts?)\s+"
    r"(?:about|regarding|concerning|with|that|where|when)\b"
)
_IS = (
    r"(?:is|are|was|were|has|had|will|lives?|lived|works?|worked|likes?|liked|hates?|hated|wants?"
    r"|wanted|owes?|owed|told|said)"
)
TOLD = lazy_compile(
    rf"(?i)(?:{_FORGET}(?:the|that|this|those|these|my|our|any)\s+(?:whole )?{_PART}{_WORDS}"
    rf"|forget\s+(?:the fact )?that\s+(?!one\b|it\b|there\b)(?:[\w'’-]+\s+){{1,4}}?{_IS}\s{_WORDS})"
    rf"{_POLITE}{_CLAUSE_END}"
)
NEVER_MIND = lazy_compile(
    rf"(?i)never ?mind\s+(?:about )?(?:{_DET}\s+|(?-i:(?=[A-Z]))){_WORDS}[,;—–]?\s*"
    rf"(?:and |just |please )*forget\s+(?:about )?(?:that|it|this|them){_POLITE}{_CLAUSE_END}"
)
IF_ASKED = lazy_compile(
    rf"(?i)(?:{_FORGET}(?-i:{_DET})\s+{_FIGURATIVE}{_WORDS}"
    rf"|(?:do not|don['’]?t)\s+(?:remember|memori[sz]e)\s+(?-i:{_DET})\s+{_WORDS}"
    r"|(?:do not|don['’]?t)\s+(?:keep|make|store)\s+(?:a|any) (?:record|memory|note) (?:of|about) "
    rf"{_WORDS}){_POLITE}{_CLAUSE_END}"
)
ALONE = lazy_compile(rf"(?i){_FORGET}(?-i:{_DET})\s+{_FIGURATIVE}{_WORDS}{_POLITE}{_ALONE_END}")

# -- Chinese ----------------------------------------------------------------------------------

_FEELINGS = (
    "烦恼|烦心|不开心|不愉快|不高兴|不快|不好的|伤心|难过|痛苦|糟心|糟糕|过去|从前|往事|忧|压力|疲惫|失败"
    "|前任|前男友|前女友|初恋|那个人"
)
_X = (
    f"(?![^，。；！？,;!?]{{0,20}}(?:{_FEELINGS}))(?!(?:他|她)们?的事)"
    "[^，。；！？：,;!?:\\s把将]{1,30}?"
)
_MATTER = (
    "(?:的(?:那些|这些|所有)?(?:事情|事儿|事|经历)"
    "|(?:这|那)(?:一?件|些|个|回|档子)?(?:事情|事儿|事))"
)
_END = (
    "(?:了|啊|哦|喔|噢|哈|吧|呀|呢|啦|嘛|哟|好吗|好不好|可以吗|行吗|谢谢|拜托)*"
    "(?=[，。；！!,;~～…\\s]|$)"
)
_ASKED_END = "(?:了|啊|哦|吧|好吗|好不好|可以吗|行吗|吗|谢谢|拜托)*(?=[，。；！？!?,;~～…\\s]|$)"
_ALL = "(?:都|全|全都|通通|统统|彻底|也|就|先|给我)*"
_KEEP = (
    "(?:记住|记下来?|记录|记着|记得|保存|存储|存下来?|存|记)(?!错|仇|混|反|挂|性|恨|者|笔记|账|载)"
)
_WHOEVER = "的(?:同学|人|朋友|用户|客户|各位|家长|小伙伴|同事|老师|员工|会员|旅客|乘客)"
_NAMED = f"(?!不|[他她它](?:们|了|吧|$|\\W))(?![^，。；！？,;!?]{{0,20}}{_WHOEVER}){_X}"
TOLD_ZH = lazy_compile(
    f"(?:把|将){_X}{_MATTER}{_ALL}(?:忘(?:掉|了|记)?(?:吧|好吗|好不好|可以吗|行吗)|忘[掉记](?!了)){_END}"
    f"|(?:把|将)(?![^，。；！？]{{0,30}}(?:{WORK_ZH})){_X}{_MATTER}{_ALL}(?:删掉|删除|删了(?=吧)|清除|抹掉|抹去){_END}"
    f"|(?:别|不要|勿|甭|不准|不许)(?:再|去)?{_KEEP}(?:关于|有关)?{_X}{_MATTER}{_END}"
    f"|{_X}{_MATTER}(?:(?:你|您)(?:就|也|都|请|还是|先)*忘(?:掉|了|记)吧"
    f"|(?:就|也|都|请)*忘掉吧|请(?:你|您)?忘[掉了记]){_END}"
)
IF_ASKED_ZH = lazy_compile(
    f"忘(?:掉|了|记){_NAMED}{_ASKED_END}|(?:把|将){_NAMED}{_ALL}忘(?:掉|了|记){_ASKED_END}"
)

# -- what asks, and what goes on as no request does ---------------------------------------------

EXPLICIT = lazy_compile(
    r"(?i)\b(?:please|pls|kindly|(?:can|could|would|will) you|i(?:['’]d| would) (?:like|prefer|love"
    r"|appreciate)|i (?:want|need|wish|ask|expect|prefer) (?:you to|that you)|asking you to)\b"
    "|请|麻烦|拜托|劳驾|帮我|能不能|可不可以|我?(?:希望|想要?|要|想让)你"
)
# That takes back what was said, and is understood by the historian.
_SAID_BEFORE = lazy_compile(
    r"(?i)\bi(?:['’]ve| have)?(?: just| ever)? (?:gave|given|told|said|mentioned|sent|shared"
    "|described|wrote)\\b|我[^，。；]{0,6}(?:说|讲|提|告诉)"
)
# How the bot is to answer: what withdraws an instruction is the historian's, too.
_OF_ANSWERS = lazy_compile(
    r"(?i)\b(?:rules?|instructions?|requests?|preferences?|bullets?|bullet-?points?|lists?|tables?"
    r"|paragraphs?|prose|markdown|headings?|headers?|emojis?|emoticons?|smileys|answer\w*"
    r"|repl(?:y|ies|ying)|respon[ds]\w*|format\w*|tone|style|nicknames?|call(?:ing)? me|languages?"
    r"|English|Chinese)\b|要求|规则|设定|指令|限制|列表|表格|分点|分条|表情|语言|回答|称呼|格式|中文|英文"
)
# "You can forget the raise": it will not come.
_ADVICE = lazy_compile(r"(?i)\byou (?:can|could|may|must|should|have to|need to)\b")
_FIGURE = lazy_compile(
    r"(?i)[\s,;.!—–-]*(?:(?:so|and|but|then|instead|come on|ok(?:ay)?)\b[\s,]*)*"
    r"(?:let['’]?s|let us|we\b|we['’]|shall we|how about|what about|why don['’]?t"
    r"|there(?:['’]s| is)"
    r"|i(?:['’]ll| will)\b|(?:it|that|they|he|she)(?:['’]s|['’]re|['’]ll| is| are| was| were"
    r"| won['’]t)\s+(?:been )?(?:cancel\w*|off\b|over\b|not\b|closed|full|sold|too\b|only\b"
    r"|just\b|rain\w*))"
    "|[\\s，。；！,;!~～]*(?:那|所以|还是|不如)?(?:我们|咱们?|走吧?|一起|下次|改天|取消|不去|没事|没关系"
    "|算了|向前看|好好|开心|重新|别想|不值得)"
)


def matter_end(
    plain: str, start: int, at: int, *, is_asked: bool, is_alone: bool, after: str = ""
) -> int | None:
    """Where a request ends whose clause begins at `start`, behind words such as "please" at `at`.
    `is_alone`: nothing else is said in the text; `after` is what follows the sentence."""
    rows: list[tuple[re.Pattern[str], int]] = [(TOLD, at), (NEVER_MIND, start), (TOLD_ZH, at)]
    if is_asked or EXPLICIT.search(plain[start:at]):
        rows += [(IF_ASKED, at), (IF_ASKED_ZH, at)]
    if is_alone and not _ADVICE.search(plain[start:at]):
        rows.append((ALONE, at))
    for row, begin in rows:
        found = row.match(plain, begin)
        if found and not (_SAID_BEFORE.search(found[0]) or _OF_ANSWERS.search(found[0])):
            rest = plain[found.end() :]
            rest = rest if re.search(r"\w", rest) else after
            return None if _FIGURE.match(rest) else found.end()
    return None
