"""What a statement that ends with a laugh teaches: 我不喝咖啡哈哈, "I'm allergic to nuts lol".

What somebody does not eat or drink, and a birthday, is meant in spite of the laugh. Much else is
as often exaggerated: 我今年18岁哈哈, "I live in the kitchen lol". That is kept as said only.
"""

from __future__ import annotations

from ...domain.drafts import FactDraft
from ...language.lazy_regex import lazy_compile

_MAY_BE_MEANT = frozenset(("health", "habit", "user_preference", "birthday"))
_MEANT = lazy_compile(
    r"过敏|不耐受|不(?:能|太|太能|怎么|再|大|喜欢|太喜欢|爱|太爱|怎么爱)?(?:吃|喝|抽|碰|沾)|[吃茹]素|素食|忌口|生日"
    r"|(?i:\ballerg\w+|\bintoleran\w+|\b(?:vegan|vegetarian|pescatarian|coeliac|celiac)\b"
    r"|\b(?:doesn['’]t|don['’]t|does not|do not|can['’]t|cannot|can not)"
    r" (?:really |even )?(?:eat|drink|smoke|have (?!kids|child|nice|an? ))\b"
    r"|\bbirthday\b)"
)
_EXAGGERATED = lazy_compile(  # nobody is allergic to Mondays
    r"从来?不|从来?没|绝不|对[^，。]{0,6}(?:早起|早八|起床|上班|加班|上学|上课|开会|学习|考试|工作|运动|周[一二三四五六日]|人类?|穷|钱)[^，。]{0,2}过敏"
    r"|(?i:\bnever\b|\bever\b|\ballerg\w+ to (?:\w+ ){0,2}(?:mornings?|(?:mon|tues|wednes|thurs|fri"
    r"|satur|sun)days?|work\w*|jobs?|meetings?|exercis\w+|running|school|homework|people|men|women"
    r"|money|fun|stupid\w*|bullshit|idiots?|drama)\b)"
)


def is_meant(fact: FactDraft) -> bool:
    """Whether a fact that was told with a laugh is told in earnest."""
    return (
        fact.category in _MAY_BE_MEANT
        and _MEANT.search(fact.content) is not None
        and _EXAGGERATED.search(fact.content) is None
    )
