"""A Chinese comparison in one order: 比起茶，我更喜欢咖啡 becomes 我比起茶更喜欢咖啡.

Split at its comma, a comparison would lose what is liked less.
"""

from __future__ import annotations

from ...language.lazy_regex import lazy_compile

_WHEN = "(?:现在|如今|目前|还是|其实|反而|倒是)*"
_LESS = r"(?P<less>[^，,。；我你他她它]{1,12}?)"
_COMPARED = lazy_compile(
    rf"(?:^|(?<=[，,]))(?:(?:比起|相比(?:于|起|之下)?|较之){_LESS}(?:来说|来)?"
    rf"|(?:和|跟|与|同){_LESS.replace('less', 'other')}(?:相比(?:较|起来)?|比起来|比))"
    rf"[，,]?我(?P<when>{_WHEN})(?P<rest>(?:更|比较)(?:喜欢|喜爱|偏好|偏爱|中意|倾向|爱))"
)


def compared_first(text: str) -> str:
    """The text with what is liked less behind the speaker."""
    return _COMPARED.sub(
        lambda found: f"我比起{found['less'] or found['other']}{found['when']}{found['rest']}", text
    )
