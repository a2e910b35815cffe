"""Shows the proof that something was forgotten."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .context import CliContext
from .output import note, one_line, say

if TYPE_CHECKING:
    from ..exported import ErasureProof, Remnant

MOST_PLACES = 50
MOST_IN_PLACE = 3
_LINE_OF = re.compile(r"(\w+) of (?:default|([^/]*))/(\w+):(.*)", re.DOTALL)


def show_proof(app: CliContext, proof: ErasureProof) -> None:
    key = "proof" if proof.files else "proof_in_database"
    say(
        app.message(
            key if proof.phrases else "proof_without_phrases",
            files=proof.files,
            bytes=proof.bytes,
            phrases=proof.phrases,
            found=len(proof.found),
        )
    )
    _show(app, "proof_found", proof.found)
    _show(app, "proof_elsewhere", proof.elsewhere)


def _show(app: CliContext, key: str, remnants: Iterable[Remnant]) -> None:
    """A line for each place, however much of it is there."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for remnant in remnants:
        places[_place(app, one_line(remnant.place))].append(one_line(remnant.what))
    for place, found in list(places.items())[:MOST_PLACES]:
        what = app.message("proof_next").join(found[:MOST_IN_PLACE])
        if len(found) > MOST_IN_PLACE:
            what = app.message("proof_more", what=what, count=len(found) - MOST_IN_PLACE)
        note(app.message(key, place=place, what=what))


def _place(app: CliContext, place: str) -> str:
    """`record of default/group:880`, in Chinese 群 880 的记录."""
    found = _LINE_OF.fullmatch(place)
    if found is None or app.language == "en":
        return place
    line, workspace, kind, id = found.groups()
    values = {"line": app.value("line", line), "kind": app.value("partition", kind), "id": id}
    key = "proof_place_in" if workspace else "proof_place"
    return app.message(key, workspace=workspace or "", **values)
