"""The rule-based rewriter: puts who, when and where into the words of a statement (H4).

It starts from what the gate caught and replaces what it can be sure of. A pronoun or a time it
cannot be sure of stays as it is and the text is marked: a wrong name in memory is worse than an
open question. Code, quotes and sentences in a language it does not know are not touched.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from .chat_spelling import standard_spelling
from .gate import Fault, check, mask
from .input_limits import READ_CHARS, UNREAD_REST
from .invisible_characters import UNSEEN
from .language_id import foreign_sentences
from .lazy_regex import lazy_compile
from .place_words import place_edits
from .pronouns import People, Speakers
from .quoted_text import (
    QuotedSpan,
    direct_speech,
    figures_of_speech,
    hypotheses,
    map_own_words,
    unread_ranges,
)
from .reasons import why_left
from .text_edits import Edit as _Edit
from .text_edits import apply_edits
from .time_edits import time_edits, vague_word
from .time_rewrite import relative_times
from .when import TimeSpan


@dataclass(frozen=True, slots=True)
class RewriteContext:
    """Who speaks, to whom, when and where; `others` are people known in the conversation."""

    reference: datetime
    speaker: str | None
    addressee: str | None = None
    group_name: str | None = None
    location: str | None = None
    others: tuple[str, ...] = ()
    addressee_is_bot: bool = False  # a bot that is told "we" is not one of them
    bot: str | None = None  # never "he" or "she"
    addressed: bool = True  # whether "you" is the addressee, unless another is called by name

    @property
    def names(self) -> tuple[str, ...]:
        given = (self.speaker, self.addressee, self.group_name, self.location, *self.others)
        return tuple(dict.fromkeys(name for name in given if name))

    @property
    def people_besides_bot(self) -> tuple[str, ...]:
        """Who may be quoted: a name before a colon is theirs."""
        return tuple(name for name in self.others if name not in (self.speaker, self.bot))

    @property
    def speakers(self) -> Speakers:
        return Speakers(
            self.speaker,
            self.addressee,
            self.group_name,
            self.others,
            self.addressee_is_bot,
            self.addressed,
        )

    def only_real_names(self) -> RewriteContext:
        """The same without nicknames that name nobody."""

        def real(name: str | None) -> str | None:
            return name if name and names_somebody(name) else None

        return replace(
            self,
            speaker=real(self.speaker),
            addressee=real(self.addressee),
            group_name=real(self.group_name),
            location=real(self.location),
            others=tuple(filter(names_somebody, self.others)),
        )


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The text in absolute words, what is still relative in it and why, and the times read."""

    text: str
    is_absolute: bool
    faults: tuple[Fault, ...]
    spans: tuple[TimeSpan, ...]
    warnings: tuple[str, ...] = ()


_BLANK = "\ufffc"
# A letter, a digit or a picture that can be seen; marks such as 。 or ~ name nobody.
_SHOWN = lazy_compile(rf"(?![{UNSEEN}_])(?:\w|[\u2190-\u2bff\U0001f000-\U0001faff])")


def rewrite(text: str, setting: RewriteContext) -> Rewritten:
    """Replace what points at the conversation by names, dates and places.

    Only the first `READ_CHARS` characters are read; a longer text is never marked absolute.
    """
    setting = setting.only_real_names()
    names, text, rest = setting.names, text[:READ_CHARS], text[READ_CHARS:]
    speaker, others = setting.speaker, setting.people_besides_bot
    text = map_own_words(text, standard_spelling, speaker, others)
    unread = unread_ranges(text, speaker, others)
    own = _own_words(text, unread)
    masked = mask(own, names)
    faults = check(own, names)
    spans = relative_times(masked, faults, setting.reference)
    edits = [_Edit(*edit) for edit in time_edits(text, masked, spans, setting.reference)]
    people = People(own, setting.speakers, _people_of(setting), names)
    for fault in faults:
        if fault.reason == "pronoun":
            edits += people.edits(fault.word, fault.start, fault.end)
        elif fault.reason == "relative_time":
            edits += [_Edit(*edit) for edit in vague_word(fault, masked, setting.reference)]
        else:
            edits += place_edits(text, fault.start, fault.end, setting.location, setting.group_name)
    result = apply_edits(text, edits)
    foreign = {text[a:b] for a, b, _ in foreign_sentences(text)}
    quoted = unread_ranges(result, speaker, others)
    left, warnings = _left(result, names, foreign, quoted)
    if rest:
        warnings = (UNREAD_REST, *warnings)
    return Rewritten(result + rest, not left and not rest, left, tuple(spans), warnings)


def names_somebody(name: str) -> bool:
    """Whether a nickname tells who it is; 我, "you", a lone 。 or an invisible one does not."""
    return _SHOWN.search(name) is not None and not any(f.word == name.strip() for f in check(name))


def _people_of(setting: RewriteContext) -> list[str]:
    others = {setting.location, setting.group_name, setting.bot}
    return [name for name in setting.names if name not in others]


def _own_words(text: str, unread: list[QuotedSpan]) -> str:
    """The text with everything blanked that is not to be read; every offset stays."""
    parts = [(part.start, part.end) for part in unread]
    parts += [(start, end) for start, end, _ in foreign_sentences(text)]
    parts += hypotheses(text)
    parts += figures_of_speech(text)
    return apply_edits(text, (_Edit(a, b, _BLANK * (b - a)) for a, b in parts))


def _left(
    text: str,
    names: Collection[str],
    not_understood: Collection[str],
    unread: list[QuotedSpan],
) -> tuple[tuple[Fault, ...], tuple[str, ...]]:
    """What is still relative, or not understood at all, and why.

    A sentence of ours with a name in it may look foreign: what counts is how it looked before.
    """
    spans = ((start, end) for start, end, _ in foreign_sentences(text))
    foreign = [(start, end) for start, end in spans if text[start:end] in not_understood]
    quoted = [(part.start, part.end) for part in unread if part.kind == "quoted"]
    faults = [Fault("language", text[start:end], start, end) for start, end in foreign]
    faults += [fault for fault in check(text, names) if not _lies_in(foreign, fault)]
    speech = list(direct_speech(text))
    for start, end in speech:
        faults += [_moved(fault, start) for fault in check(text[start:end], names)]
    supposed = list(hypotheses(text))
    warnings = (
        why_left(
            fault,
            in_quote=_lies_in(quoted, fault) or _lies_in(speech, fault),
            in_hypothesis=_lies_in(supposed, fault),
        )
        for fault in faults
    )
    return tuple(faults), tuple(dict.fromkeys(warnings))


def _moved(fault: Fault, offset: int) -> Fault:
    return replace(fault, start=fault.start + offset, end=fault.end + offset)


def _lies_in(ranges: list[tuple[int, int]], fault: Fault) -> bool:
    """Whether a fault lies in one of the ranges, which are in order."""
    index = bisect_right(ranges, (fault.start, sys.maxsize)) - 1
    return index >= 0 and fault.start < ranges[index][1]
