"""Searches notes by meaning and words; a note that has the words is found in any case."""

from __future__ import annotations

from collections.abc import Sequence

from ..language.analyzer import terms
from ..language.text import one_line
from ..ports.knowledge import Note, NoteMatch
from ..types import Scope
from .note_records import note_id
from .search import KnowledgeSearch

SECONDS = 2.0  # an agent waits for it, a person does not
PASSAGES = 50
SNIPPET_CHARS = 300
WORDS_ONLY = 0.1  # of a note that only the words lead to: below all that the search itself found


class NoteSearch:
    def __init__(self, searching: KnowledgeSearch) -> None:
        self._searching = searching

    def search(
        self, scope: Scope, query: str, notes: Sequence[Note], limit: int
    ) -> list[NoteMatch]:
        by_id = {note_id(note.path): note for note in notes}
        matches: dict[str, NoteMatch] = {}
        if by_id:
            found = self._searching.search(
                scope, query, PASSAGES, 0, list(by_id), SECONDS, floor=None
            )
            for hit in found.hits:
                note = by_id.get(str(hit.metadata.get("document")))
                if note is None or hit.metadata.get("place") != str(scope.home):
                    continue
                snippet = one_line(str(hit.metadata.get("matched", hit.text)), SNIPPET_CHARS)
                score = round(min(max(hit.score, 0.0), 1.0), 4)
                match = NoteMatch(note.path, snippet, score, note.version)
                matches.setdefault(note.path, match)
        for match in _by_words(query, notes):
            matches.setdefault(match.path, match)
        return sorted(matches.values(), key=lambda one: (-one.score, one.path))[:limit]


def _by_words(query: str, notes: Sequence[Note]) -> list[NoteMatch]:
    """Notes that have every word of the query in their path or text."""
    wanted = set(terms(query))
    if not wanted:
        return []
    having = (note for note in notes if wanted <= {*terms(note.path), *terms(note.text)})
    return [
        NoteMatch(note.path, _snippet(note.text, wanted), WORDS_ONLY, note.version)
        for note in having
    ]


def _snippet(text: str, wanted: set[str]) -> str:
    """The first line that has one of the words, or the beginning."""
    lines = text.splitlines()
    line = next((one for one in lines if not wanted.isdisjoint(terms(one))), " ".join(lines[:3]))
    return one_line(line, SNIPPET_CHARS)
