"""Whether two facts about one person's name tell different names: Margaret and Margarete are two,
though they have one stem, and "Ann" is "Ann Moss", unless that is denied.
"""

from __future__ import annotations

from ..domain.drafts import FactDraft
from ..language.analyzer import has_cjk
from ..language.told_names import told_name

NAME = "name"


def tells_other_name(draft: FactDraft, category: str, content: str) -> bool:
    """`category` and `content` are those of the known fact."""
    if draft.category != NAME or category != NAME:
        return False
    new, old = told_name(draft.content).casefold(), told_name(content).casefold()
    if not new or not old or new == old:
        return False
    if _denies(draft.quote.casefold(), old):
        return True
    if has_cjk(new) or has_cjk(old):
        return False
    words, others = set(new.split()), set(old.split())
    return not (words <= others or others <= words)


def _denies(quote: str, name: str) -> bool:
    """ "…, not Margaret", 不是陈静; not "not Margaret Moss"."""
    for mark in ("not ", "isn't ", "isn’t ", "不是", "不叫"):
        at = quote.find(f"{mark}{name}")
        after = quote[at + len(mark) + len(name) :][:1] if at >= 0 else "x"
        if not (after.isalnum() or after == " "):
            return True
    return False
