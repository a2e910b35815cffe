"""Says which parts of a value are not stored as they were given.

Stores that other people's programs write to are expected to give back what they got. Taishi does,
except for secrets, which are never stored (R1); so whoever wrote one is told.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from ..language.redaction.redactor import is_redacted_form

log = logging.getLogger("taishi.adapters")
MOST_PATHS = 10


def redacted_paths(given: Any, stored: Any, path: str = "$") -> Iterator[str]:
    """Where secrets were taken out: `$.profile.keys[0]`. The secrets are not shown. What differs in
    another way was written by somebody else in the meantime."""
    if isinstance(given, Mapping) and isinstance(stored, Mapping):
        for key, value in given.items():
            if key in stored:
                yield from redacted_paths(value, stored[key], f"{path}.{key}")
            elif any(is_redacted_form(str(one), str(key)) for one in stored):
                yield path
    elif isinstance(given, list | tuple) and isinstance(stored, list | tuple):
        for number, (one, other) in enumerate(zip(given, stored, strict=False)):
            yield from redacted_paths(one, other, f"{path}[{number}]")
    elif given != stored and isinstance(stored, str) and is_redacted_form(stored, str(given)):
        yield path


def tell_redactions(what: str, given: Any, stored: Any) -> tuple[str, ...]:
    """Log, without the values, where secrets were taken out of this; the paths."""
    paths = tuple(dict.fromkeys(redacted_paths(given, stored)))
    if paths:
        shown = ", ".join(paths[:MOST_PATHS]) + (", …" if len(paths) > MOST_PATHS else "")
        log.warning("%s is stored without the secrets at %s", what, shown)
    return paths
