"""Takes remarks off the end of a clause in absolute words; a list of things is kept."""

from __future__ import annotations

import re

from .chinese_clauses import TIMES_OF_WHAT
from .chinese_parts import JOB

_FOLLOWS = (  # starts another thought; anything else after a comma may belong to a list
    r"(?:so|but|and (?:I|you|we|it|that|now)|you|I|which|who|because|please|though|nice|thanks"
    r"|right|lol|as|when|if|do"
    r"|don['’]t|what|how|it|that|this|he|she|we|they|then|yet|especially|too|actually|even|since"
    r"|thank|can|could|any|no|yes"
    r"|hence|therefore|let|not|ok)\b|[^\x00-\x7f]"
)
_DOES = f"是?(做|搞|干|当)([^，。；的]{{0,10}}?{JOB})的$"  # 是搞前端的: the 的 is not of the value


def without_remarks(text: str) -> str:
    """The statement without trailing remarks; a list of things is kept."""
    text = re.split(r" [-–—] | \((?!\d+\))|（", text, maxsplit=1)[0]
    text = re.split(rf"[,，]\s*(?={_FOLLOWS})(?!{TIMES_OF_WHAT})", text, maxsplit=1)[0].strip()
    return re.sub(_DOES, r"\1\2", text)
