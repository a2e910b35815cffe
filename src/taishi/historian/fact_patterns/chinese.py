"""Chinese fact patterns: what follows the subject's name.

They are matched against clauses in absolute form (安住在上海, 安的女儿叫小雨).
"""

from __future__ import annotations

from functools import cache

from .chinese_life import ended_facts, home_and_work, identity, plans
from .chinese_person import (
    family_and_friends,
    goals,
    health,
    possessions,
    preferences,
    short_lived,
    skills_and_habits,
)
from .pattern import FactPattern


@cache
def chinese_patterns() -> tuple[FactPattern, ...]:
    """In order: the first match decides."""
    return (
        *ended_facts(),
        *plans(),
        *identity(),
        *home_and_work(),
        *family_and_friends(),
        *possessions(),
        *health(),
        *preferences(),
        *skills_and_habits(),
        *goals(),
        *short_lived(),
    )
