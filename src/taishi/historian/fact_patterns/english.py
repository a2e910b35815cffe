"""English fact patterns: what follows the subject's name.

They are matched against text in absolute form ("Ann lives in Cork", "Ann's wife is called Laura").
Verbs match with and without their -s, as agreement is the rewriter's business.
"""

from __future__ import annotations

from functools import cache

from .english_life import ended_facts, home_and_work, identity, plans
from .english_person import (
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
def english_patterns() -> tuple[FactPattern, ...]:
    """In order: the first match decides."""
    return (
        *ended_facts(),
        *plans(),
        *identity(),
        *home_and_work(),
        *family_and_friends(),
        *possessions(),
        *preferences(),
        *health(),
        *skills_and_habits(),
        *goals(),
        *short_lived(),
    )
