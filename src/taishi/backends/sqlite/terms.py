"""What a record is found by."""

from __future__ import annotations

from itertools import chain

from ...language import segment, stance
from ...language.passages import cut


def terms_of(text: str, speaker: str | None) -> bytes:
    """The words of a text and the name of who said it; and marks: whether it asks,
    or lays something down. A long text passage by
    passage, each with the name (Q9)."""
    names = segment.terms(speaker) if speaker else ()
    marks = (segment.ASKING,) if segment.asks(text) else ()
    *first, last = [text[start:end] for start, end in cut(text)] or [text]
    packed = [segment.pack(chain(segment.terms(passage), names)) for passage in first]
    packed.append(segment.pack(chain(segment.terms(last), names, marks, stance.marks(text))))
    return segment.NEXT_PASSAGE.join(packed)
