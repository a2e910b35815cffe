"""The search terms of a record."""

from __future__ import annotations

from itertools import chain

from ..language import analyzer, instruction_wording
from ..language.passages import passages_of


def terms_of(text: str, speaker: str | None, kind: str = "") -> bytes:
    """The packed terms of a text and of its speaker's name, with markers for a question and for
    an instruction. Of a long text passage by passage, each with the name (Q9)."""
    names = analyzer.terms(speaker) if speaker else ()
    marks = (analyzer.ASKING,) if analyzer.asks(text) else ()
    *first, last = [text[start:end] for start, end in passages_of(kind, text)] or [text]
    packed = [analyzer.pack(chain(analyzer.terms(passage), names)) for passage in first]
    packed.append(
        analyzer.pack(chain(analyzer.terms(last), names, marks, instruction_wording.marks(text)))
    )
    return analyzer.NEXT_PASSAGE.join(packed)
