"""The shape of a statement that teaches something: what follows the subject, and what it tells."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """A pattern over what is said of a subject.

    `saying` is how the fact is told, with {who} and the pattern's groups; None: as it was said.
    `retracts`: it tells that something is no longer so, and nothing that is.
    """

    pattern: re.Pattern[str]
    category: str
    saying: str | None = None
    life: str = "lasting"
    tags: tuple[str, ...] = ()
    retracts: bool = False


def shape(
    pattern: str,
    category: str,
    saying: str | None = None,
    *,
    life: str = "lasting",
    tags: tuple[str, ...] = (),
    retracts: bool = False,
) -> Shape:
    return Shape(re.compile(pattern), category, saying, life, tags, retracts)
