"""The value type of the fact patterns: a regex over what follows the subject, and what it means."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FactPattern:
    """A regex over what is said about a subject, and the fact it yields.

    `template` is the fact's text, with {who} and the regex's groups; None: the original text.
    `retracts`: it says only that something is no longer true. `of_move`: of "moved to …", which
    tells of a home only if what is moved to can be one.
    """

    pattern: re.Pattern[str]
    category: str
    template: str | None = None
    life: str = "lasting"
    tags: tuple[str, ...] = ()
    retracts: bool = False
    of_move: bool = False


def fact_pattern(
    pattern: str,
    category: str,
    template: str | None = None,
    *,
    life: str = "lasting",
    tags: tuple[str, ...] = (),
    retracts: bool = False,
    of_move: bool = False,
) -> FactPattern:
    return FactPattern(re.compile(pattern), category, template, life, tags, retracts, of_move)
