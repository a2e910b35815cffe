"""Says which parts of a value are not stored as they were given.

Stores that other people's programs write to are expected to give back what they got. Taishi does,
except for secrets, which are never stored (R1); so whoever wrote one is told.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any

log = logging.getLogger("taishi.adapters")
MOST_PATHS = 10


def changed_paths(given: Any, stored: Any, path: str = "$") -> Iterator[str]:
    """Where two JSON values differ: `$.profile.keys[0]`. The differing values are not shown."""
    if isinstance(given, Mapping) and isinstance(stored, Mapping):
        for key in [*given, *(key for key in stored if key not in given)]:
            if key not in given or key not in stored:
                yield f"{path}.{key}" if key in stored else path
            else:
                yield from changed_paths(given[key], stored[key], f"{path}.{key}")
    elif isinstance(given, list | tuple) and isinstance(stored, list | tuple):
        if len(given) != len(stored):
            yield path
        for number, (one, other) in enumerate(zip(given, stored, strict=False)):
            yield from changed_paths(one, other, f"{path}[{number}]")
    elif given != stored:
        yield path


def tell_changes(what: str, given: Any, stored: Any) -> tuple[str, ...]:
    """Log, without the values, what of this was changed; the paths."""
    paths = tuple(dict.fromkeys(changed_paths(given, stored)))
    if paths:
        shown = ", ".join(paths[:MOST_PATHS]) + (", …" if len(paths) > MOST_PATHS else "")
        log.warning("%s is stored without the secrets at %s", what, shown)
    return paths
