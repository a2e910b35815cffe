"""A caller's metadata is kept as it is or refused by name, never in part.

Names that the engine itself acts on are refused: all callers those of a record's history, a model
also those by which it would speak of its own standing. All others are a caller's labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ..errors import AuthorityError, InputError
from .authority import RECORDED_BY, Actor
from .filter_matching import tags_of
from .instructions import FOR_ALL
from .own_names import OURS

CLAIM = "claim"  # the reason of the refusal
# Whose word a record is, what it rests on, what became of it.
CLAIMS = frozenset(
    """about_user by_self conflict_with evidence_count expires first_observed imported_from
    last_confirmed promoted quotes rejected_at rejected_by renewals restated shared sources
    superseded_by supersedes visited_sessions""".split()
).union(OURS)
# Worked out from the words of a statement; of other kinds these are labels, too.
STATEMENTS = ("fact", "short_term")
OF_STATEMENTS = frozenset(("category", "subject", "valid_from", "valid_to"))
_INSTEAD = {
    "expires": "pass `expires` beside metadata",
    "sources": "pass `source` beside metadata, or name it otherwise",
}
_NONE: Mapping[str, Any] = MappingProxyType({})


def check_metadata(
    given: Mapping[str, Any], kind: str, actor: Actor, held: Mapping[str, Any] = _NONE
) -> None:
    """What the record has `held` may be given back with it."""
    for name, value in given.items():
        if (name == RECORDED_BY and value == actor) or (name in held and held[name] == value):
            continue
        if actor == "model":
            _check_of_model(name, value, kind)
        elif name in OURS and name not in held:
            raise InputError(f"metadata may not be named {name!r}: name it otherwise")


def _check_of_model(name: str, value: object, kind: str) -> None:
    if name in CLAIMS:
        raise AuthorityError(
            f"a model may not set {name!r} in metadata, where Taishi keeps its own: "
            f"{_INSTEAD.get(name, 'name it otherwise')}",
            CLAIM,
        )
    if kind not in STATEMENTS:
        return
    if name in OF_STATEMENTS:
        raise AuthorityError(
            f"a model may not set {name!r} in the metadata of a {kind}, where Taishi keeps its "
            'own: name it otherwise, or use the kind "note"',
            CLAIM,
        )
    if name == "tags" and FOR_ALL in tags_of({"tags": value}):
        raise AuthorityError(
            f"a model may not give a {kind} the tag {FOR_ALL!r}, by which an instruction holds for "
            "everybody: use another tag",
            CLAIM,
        )
