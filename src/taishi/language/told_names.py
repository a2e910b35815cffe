"""The name that a statement tells: Katharina of "Her name is Katharina, not Catherine".

Also where it denies another one first: "not Catherine but Katharina", 不是王芳，是王方.
"""

from __future__ import annotations

from .lazy_regex import lazy_compile

MOST_CHARS = 400
FORMERLY = ("formerly:", "曾用名:")  # how a page's tag with a former name begins
_VALUE = r"[^,;.()!?:，。；（）！？：\n]"
_ADVERB = r"(?:(?:actually|really|now|in fact) )?"
_SPELT = r"(?:(?:spelled|spelt|written)(?: as)? )?"
_CALLED_EN = rf"(?:\bname(?: is|['’]s|:)|\b(?:is|am) (?:called|named)|\bgoes by) {_ADVERB}{_SPELT}"
_DENIED_EN = (
    r"(?:\bname(?:(?: is|['’]s) not| isn['’]t)|\b(?:is|am) not (?:called|named)"
    r"|\bisn['’]t (?:called|named)|\bdoesn['’]t go by)"
)
_BUT_EN = (
    r"(?:, | )but |[,;.:—–-]+ ?(?:but |rather )?(?:it['’]s|it is|(?:s?he|they)(?:['’]s| is))? ?"
)
# What follows "name is", "is called", 名字是, 叫 to the end of its clause.
_TELLS = (
    lazy_compile(
        rf"{_DENIED_EN} {_VALUE}{{1,60}}?(?:{_BUT_EN})(?:called |named )?(?P<name>[^\W\d_a-z]"
        rf"{_VALUE}{{0,78}})",
    ),
    lazy_compile(rf"(?i){_CALLED_EN}(?P<name>{_VALUE}{{1,80}})"),
    lazy_compile(
        rf"(?:名字|姓名|本名|大名)(?:其实|并)?不(?:是|叫){_VALUE}{{1,20}}?[，。；,;"
        rf" ]*(?:而|应该|其实)*"
        rf"(?:是|叫做?)(?P<name>{_VALUE}{{1,40}})"
    ),
    lazy_compile(
        rf"不叫{_VALUE}{{1,20}}?[，。；,; ]+(?:而|应该|其实)*(?:是|叫做?)(?P<name>{_VALUE}{{1,40}})"
    ),
    lazy_compile(
        rf"(?:名字|姓名|本名|大名)(?:其实|应该|实际上)?(?:是|叫做?|写作|：)(?P<name>{_VALUE}{{1,40}})"
    ),
    lazy_compile(rf"(?<!不)(?:叫做?|名叫)(?P<name>{_VALUE}{{1,40}})"),
)
# Where a remark on the name begins: "Katharina with a K", 王方而不是王芳.
_REMARK = lazy_compile(
    r"(?i:\s+(?:and |but )?(?:not|with|instead of|rather than)\b.*| [-–—] .*)"
    r"|\s*(?:而?不是|而?不叫).*"
)
_NO_NAME = lazy_compile(r"(?i:(?:not|unknown|an?|the|no)\b)|不|什么|谁|.{1,8}的")
_QUOTES = " \"'“”‘’「」"


def told_name(text: str) -> str:
    """The name; "" if the words are not of a kind that we know."""
    for row in _TELLS:
        if (found := row.search(text[:MOST_CHARS])) is not None:
            name = _REMARK.sub("", found["name"].strip(_QUOTES)).strip(_QUOTES)
            return "" if _NO_NAME.match(name) else name
    return ""
