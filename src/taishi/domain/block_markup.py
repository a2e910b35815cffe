"""Recognises the markup of prompt blocks and tools: fences, headings, tags, times, ids.

Whoever says again what memory told may leave it on, in other punctuation or as a list. None of it
is anybody's words.
"""

from __future__ import annotations

import re

_MARKUP = re.compile(r"</?[a-z_]{3,30}(?: [^<>]{0,300})?>")
_HEAD = re.compile(r"\s*(?:[-*•#>]+|\d{1,3}[.)。])?\s*(?:\[[^\]\n]{1,80}\])?\s*")
# How sure, which id, what became of it: any number of them, at the end.
_TAIL = re.compile(
    r"\s*[(（](?:\d{1,3} ?%|(?:[^\s()（）,，]{1,20}[,，]\s?)?(?:id |编号)"
    r"|until |since (?:corrected|withdrawn|then)|no longer so|至 "
    r"|后更正|后撤回|后来|已不再)[^()（）]{0,400}[)）]\s*[.。]?\s*$"
)
# What became of one of the statements of a line, behind it.
_NOTE_WITHIN = re.compile(
    r"\s*[(（](?:since (?:corrected|withdrawn|then)|no longer so|denied in person"
    r"|后更正|后撤回|后来|已不再|本人否认)[^()（）]{0,400}[)）](?=\s*[;；])"
)
_PAGE = re.compile(
    r"(?:Page about (?:user|group) [^\s,，:：(（]{1,256}"
    r"|(?:user|group) [^\s,，:：(（]{1,256} 的画像)"
    r"(?:\s?[(（][^()（）]{0,200}[)）])?"
    r"(?:[,，]\s?(?:updated|更新于) [\d-]{10} \d\d[:：]\d\d UTC[-+\d:：]{0,7})?\s?[:：]?\s*"
)
_FENCE = re.compile(r"={3,}.{0,300}?={3,}")
_NOTICE = re.compile(
    r"(?:Memory\s?[:：]\s?reference from earlier conversations|记忆\s?[:：]\s?以往对话的参考资料)"
    r".{0,260}|End of memory|记忆结束"
)
_TITLE = re.compile(
    r"(?:Standing instructions|User profile|Group profile|Known facts|Relevant procedures"
    r"|Matching events|Tool runs|长期指示|用户画像|群画像|已知事实|相关流程|相关事件|工具记录"
    r"|Current task|当前任务)"
    r"(?:\s?[(（].{0,300}[)）])?\s?[:：]?\s*"
)
_TAGS = re.compile(r"(?:Tags|标签)\s?[:：].{0,4000}")
_MOST_TAILS = 4


def unframed(line: str) -> str:
    """The content of a line without its markup; empty if it is only markup."""
    bare = _HEAD.sub("", _MARKUP.sub(" ", line).strip(), count=1)
    bare = _FENCE.sub(" ", bare).strip()
    for _ in range(_MOST_TAILS):
        shorter = _TAIL.sub("", bare)
        if shorter == bare:
            break
        bare = shorter
    bare = _NOTE_WITHIN.sub("", bare)
    if any(frame.fullmatch(bare) for frame in (_TITLE, _NOTICE, _TAGS)):
        return ""
    page = _PAGE.match(bare)
    return bare[page.end() :] if page else bare


def is_frame(text: str) -> bool:
    """Whether a text has lines and all of them are markup."""
    lines = [line for line in text.splitlines() if line.strip()]
    return bool(lines) and not any(unframed(line).strip() for line in lines)
