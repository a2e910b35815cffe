"""What Chinese statements teach: shapes of what follows the subject's name.

They are matched against clauses that were made absolute (安住在上海, 安的女儿叫小雨).
"""

from __future__ import annotations

from functools import cache

from .chinese_life import ended, home_and_work, planned, who
from .chinese_person import aims, doing, health, likes, others, passing, things
from .shapes import Shape


@cache
def chinese_shapes() -> tuple[Shape, ...]:
    """In order: the first that matches decides."""
    return (
        *ended(),
        *planned(),
        *who(),
        *home_and_work(),
        *others(),
        *things(),
        *health(),
        *likes(),
        *doing(),
        *aims(),
        *passing(),
    )
