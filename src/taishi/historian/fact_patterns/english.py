"""What English statements teach: shapes of what follows the subject's name.

They are matched against text that was made absolute ("Ann lives in Cork", "Ann's wife is called
Laura"). Verbs match with and without their -s, as agreement is the rewriter's business.
"""

from __future__ import annotations

from functools import cache

from .english_life import ended, home_and_work, planned, who
from .english_person import aims, doing, health, likes, others, passing, things
from .shapes import Shape


@cache
def english_shapes() -> tuple[Shape, ...]:
    """In order: the first that matches decides."""
    return (
        *ended(),
        *planned(),
        *who(),
        *home_and_work(),
        *others(),
        *things(),
        *likes(),
        *health(),
        *doing(),
        *aims(),
        *passing(),
    )
