"""Records that only mirror something else: alone they are not forgotten (O2).

A page's record is made from its file, a note's chunks from its text. Whoever removed the record
would be told that the words are gone, while the page or the note still has them.
"""

from __future__ import annotations

from ..domain.profile_owners import ENTITY_PLACE, ProfileOwner
from ..domain.profiles import Profiles
from ..errors import InputError
from ..knowledge.manifest import CHUNK
from ..knowledge.note_records import is_note, note_of
from ..ports import Store
from ..types import Record


def check_whole(record: Record, store: Store, profiles: Profiles) -> None:
    """InputError for what goes only with the page or the note that it is of."""
    if record.kind == "profile" and _has_page(record, profiles):
        raise InputError(
            f"{record.id:.80} is a page, which is made from facts: forget the facts that it "
            "states, edit the page (profiles.edit, `taishi profile edit`), or forget the whole "
            "scope"
        )
    if record.kind == CHUNK:
        document = store.get(record.place, str(record.data.get("document") or ""))
        if document is not None and is_note(document):
            raise InputError(
                f"{record.id:.80} is a part of the note {note_of(document).path!r}: write the "
                "note without it (notes.write), or remove the note (notes.remove)"
            )


def _has_page(record: Record, profiles: Profiles) -> bool:
    """Whether the file is there; a record that was left behind without one may go."""
    entity_type, separator, entity_id = record.id.partition(":")
    if not separator or not entity_id or entity_type not in ENTITY_PLACE:
        return False
    entity = ProfileOwner(
        record.place.workspace, "user" if entity_type == "user" else "group", entity_id
    )
    try:
        return profiles.source(entity) is not None
    except InputError:  # an id that no file may be named by has no page
        return False
