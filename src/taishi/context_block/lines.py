"""Lines of a prompt block from profiles and hits, without repetition and with speakers (I2).

A profile line, a fact and an event that say the same become one line: the profile's, as it is
written there, whatever was asked; an event adds only what no other line says.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from ..domain import events
from ..domain.profile_lines import bare
from ..domain.text_identity import normal
from ..language.analyzer import has_cjk
from ..language.event_header import without_header
from ..language.statements import statements
from ..types import Hit, Passage, Profile
from .budget import Line
from .correction_notes import note_after, notes_of
from .disputes import NO_DISPUTES, Disputes
from .newer_first import newer_first
from .page_lines import PageText, by_need
from .readings import squeezed
from .text_cache import BlockTexts

CORRECTED_BY = frozenset(("person", "model"))  # in place of the events that a fact is from
INSTRUCTION = "instruction"
CHATS = "chats"
NOTES = "notes"  # the category of lines of MEMORY.md
MAX_INSTRUCTIONS = 12
SECTION_OF = {"fact": "facts", "note": "facts", "chunk": "documents", "procedure": "procedures"}
SECTION_OF |= {
    "document": "documents",
    "observation": "observations",
    "short_term": "facts",
    INSTRUCTION: "instructions",
}
EVENT_KINDS = ("event", "turn")
# Facts that are not, or no longer, true; a question about the past may still find them.
NOT_CURRENT = ("rejected", "superseded", "candidate", "conflict")


class Wording(NamedTuple):
    """Phrases in the block's language: a dated text, confidence and sources, an end date, what
    marks words that the historian could not make absolute, and what contradicts a statement."""

    dated: Callable[[datetime, str], str]
    evidence: Callable[[float, int], str]
    until: Callable[[str], str]
    as_said: str
    disputed: Callable[[Sequence[str]], str]


class PageBudget(NamedTuple):
    """Token budget of the profiles: the guaranteed share of each, the maximum if nothing else needs
    it, and the cost of a line."""

    sure: Callable[[str], int]
    most: int
    cost: Callable[[str], int]


def section_of(hit: Hit) -> str:
    if is_instruction(hit):
        return "instructions"
    if hit.kind == "document" and hit.metadata.get("category") == NOTES:
        return NOTES
    return CHATS if is_imported(hit) else SECTION_OF.get(hit.kind, "events")


def is_instruction(hit: Hit) -> bool:
    """Whether it is a standing instruction. On what is no fact, a category is a caller's label."""
    return hit.kind == "fact" and hit.metadata.get("category") == INSTRUCTION


def is_imported(hit: Hit) -> bool:
    """Whether it is a message of an imported chat, word for word: what somebody said once, not
    what is known."""
    data = hit.metadata
    return hit.kind == "note" and bool(data.get("imported_from") and data.get("session"))


def lines_of(
    hits: Sequence[Hit],
    pages: Sequence[Profile],
    wording: Wording,
    question: str,
    page_budget: PageBudget,
    texts: BlockTexts,
    disputes: Disputes = NO_DISPUTES,
) -> Iterator[Line]:
    """By rank: standing instructions, the profile lines that the question needs, the hits; last,
    more profile lines for the remaining budget."""
    names = [name for page in pages for name in _names(page)]
    builder = _LineBuilder(hits, wording, names, texts, question, disputes)
    drafts = [
        _PageLines(page, texts.page_text(page.body), question, builder.found(page))
        for page in pages
    ]
    yield from builder.instructions()
    for draft in drafts:
        page = draft.page
        if page.name and page.name not in page.entity_id:
            yield Line(page.entity_type, "")  # the name, even if nothing else is known
        yield from _within_budget(
            builder.page(draft), page_budget.sure(page.entity_type), page_budget.cost
        )
    yield from builder.rest()
    for draft in drafts:
        yield from _within_budget(builder.page(draft), page_budget.most, page_budget.cost)


def _within_budget(
    lines: Iterator[Line], budget: int, cost: Callable[[str], int]
) -> Iterator[Line]:
    """Lines until the budget is spent; the rest is not evaluated."""
    while budget > 0 and (line := next(lines, None)) is not None:
        budget -= cost(line.text)
        yield line


class _PageLines:
    """A profile's lines; `numbers` yields them by relevance, each once."""

    def __init__(
        self, page: Profile, text: PageText, question: str, found: Collection[str]
    ) -> None:
        self.page = page
        self.lines = text.lines
        self.numbers = by_need(text, question, found)


class _SeenStatements:
    """Statements in the block so far, for deduplication. The name of a profile's entity may be
    present or not; any other name counts: Bob's taste is not Ann's."""

    def __init__(self, names: Collection[str], texts: BlockTexts) -> None:
        self._names = names
        self._texts = texts
        self._keys: set[str] = set()

    def add(self, text: str, names: Collection[str] | None = None) -> bool:
        """Add a statement; False if the block has it already."""
        ways = self._texts.readings_of(text, tuple(self._names if names is None else names))
        is_new = ways.said not in self._keys
        self._keys |= ways.all
        return is_new


class _LineBuilder:
    """Builds the lines of one block, without repetition."""

    def __init__(
        self,
        hits: Sequence[Hit],
        wording: Wording,
        names: Collection[str],
        texts: BlockTexts,
        question: str = "",
        disputes: Disputes = NO_DISPUTES,
    ) -> None:
        without_profiles = [hit for hit in hits if hit.kind != "profile"]
        self._instructions = [hit for hit in without_profiles if section_of(hit) == "instructions"]
        rest = [hit for hit in without_profiles if section_of(hit) != "instructions"]
        self._rest = newer_first(rest, question, section_of, _stated)
        self._facts = {
            squeezed(normal(hit.text)): hit
            for hit in reversed(self._rest)
            if section_of(hit) == "facts" and _is_current(hit)
        }
        self._texts = texts
        self._said = _SeenStatements(names, texts)
        self._wording = wording
        self._disputes = disputes

    def found(self, page: Profile) -> list[str]:
        """The facts among the hits, as this profile may phrase them: with the name or without."""
        texts = [hit.text.strip(" .。") for hit in self._facts.values()]
        return [way for text in texts for way in (text, bare(text, _names(page))) if way]

    def instructions(self) -> Iterator[Line]:
        for hit in self._instructions[:MAX_INSTRUCTIONS]:
            if _is_current(hit) and self._said.add(hit.text):
                yield Line("instructions", hit.text + self._dispute(hit))

    def page(self, draft: _PageLines) -> Iterator[Line]:
        """The profile's lines that the block does not have yet."""
        kind, names = draft.page.entity_type, tuple(_names(draft.page))
        for number in draft.numbers:
            said = self._texts.page_line(draft.lines[number])
            if said and self._said.add(said, names):
                ways = self._texts.readings_of(said, names).all if self._disputes else ()
                dispute = self._wording.disputed(self._disputes.of_line(ways))
                yield Line(kind, said.lstrip("# ") + dispute, number)

    def rest(self) -> Iterator[Line]:
        """The other hits in their order; where a fact and an event say the same, the fact is
        kept, and where an imported message and its event do, the event."""
        told = _messages_told([hit for hit in self._rest if hit.kind in EVENT_KINDS])
        texts = {
            n: "" if _place_and_id(hit) in told and _is_all_told(hit) else self._record_text(hit)
            for n, hit in enumerate(self._rest)
            if hit.kind not in EVENT_KINDS
        }
        texts |= {
            n: self._event_text(hit) for n, hit in enumerate(self._rest) if hit.kind in EVENT_KINDS
        }
        for n, hit in enumerate(self._rest):
            if text := texts[n]:
                dated = text if hit.time is None else self._wording.dated(hit.time, text)
                yield Line(section_of(hit), dated, n)

    def _sources(self, hit: Hit) -> str:
        """How sure a learned fact is. One in the words of a person or a model that put it right was
        not learned from anything, so that there is nothing to count."""
        if set(hit.metadata.get("sources") or ("",)) <= CORRECTED_BY:
            return ""
        count, confidence = hit.metadata.get("evidence_count"), hit.metadata.get("confidence", 1.0)
        if not isinstance(count, int) or not count or not isinstance(confidence, (int, float)):
            return ""
        return self._wording.evidence(float(confidence), count)

    def _record_text(self, hit: Hit) -> str:
        if not self._said.add(_with_owner(hit, hit.text)):
            return ""
        text = document_text(hit) if section_of(hit) == "documents" else hit.excerpt
        if hit.speaker and normal(hit.speaker) not in normal(text):
            text = attributed(hit.speaker, text)
        text += note_after(hit, text, [hit.excerpt])
        if is_imported(hit) and self._texts.is_relative(hit.excerpt):
            text += self._wording.as_said
        if section_of(hit) != "facts":
            return text
        return text + self._end_note(hit) + self._dispute(hit) + self._sources(hit)

    def _dispute(self, hit: Hit) -> str:
        return self._wording.disputed(self._disputes.of_record(hit.id))

    def _end_note(self, hit: Hit) -> str:
        """The end date of a superseded fact, which a question about the past may find."""
        end = str(hit.metadata.get("valid_to") or "")[:10]
        is_superseded = hit.metadata.get("state") == "superseded"
        return self._wording.until(end or "?") if is_superseded else ""

    def _event_text(self, hit: Hit) -> str:
        """The parts of an event that the block does not have yet."""
        new_parts = [part for part in parts_of(hit) if self._said.add(_with_owner(hit, part))]
        if not new_parts:
            return ""
        is_relative = hit.kind == "event" and hit.metadata.get("is_absolute") is False
        is_marked = is_relative and self._texts.tells_time(join_parts(new_parts))
        mark = self._wording.as_said if is_marked else ""
        *notes, last = notes_of(hit, new_parts, join_parts(new_parts))
        return _with_speakers(hit, new_parts, notes) + mark + last + self._dispute(hit)


def _place_and_id(hit: Hit) -> tuple[str, str]:
    return str(hit.metadata.get("place") or ""), hit.id


def _messages_told(found: Sequence[Hit]) -> set[tuple[str, str]]:
    """The messages whose every statement is in an event of these: rules keep all of them."""
    return {
        (str(hit.metadata.get("place") or ""), str(id))
        for hit in found
        if hit.metadata.get("written_by") == "rules" and not hit.passage
        for id in hit.metadata.get("message_ids") or ()
    }


def _is_all_told(hit: Hit) -> bool:
    """Whether an imported message is statements alone, which its event has, too."""
    said = squeezed(normal(" ".join(statements(hit.text))))
    return is_imported(hit) and said == squeezed(normal(hit.text))


def _names(page: Profile) -> list[str]:
    return [name for name in (page.name, page.entity_id) if name]


def _with_owner(hit: Hit, text: str) -> str:
    """A statement with its speaker or subject, unless the text names them."""
    owner = hit.speaker or str(hit.metadata.get("subject") or "")
    return f"{owner} {text}" if owner and normal(owner) not in normal(text) else text


def _is_current(hit: Hit) -> bool:
    return hit.metadata.get("state") not in NOT_CURRENT


def parts_of(hit: Hit) -> list[str]:
    """The statements of an event: what was done, and each new piece of information."""
    values = [hit.metadata.get("did_what"), *(hit.metadata.get("new_info") or ())]
    parts = [str(part) for part in values if part]
    if hit.kind not in EVENT_KINDS:
        return [hit.excerpt]
    return parts if parts and not hit.passage else [without_header(hit.excerpt)]


def _stated(hit: Hit) -> list[str]:
    """What a hit says about its matter: of an event what was told in it, not what the bot did."""
    if section_of(hit) in ("documents", NOTES):
        return []
    told = [str(one) for one in hit.metadata.get("new_info") or () if one]
    return told if hit.kind in EVENT_KINDS and told else parts_of(hit)


def join_parts(parts: Sequence[str]) -> str:
    *first, last = parts
    trimmed = [*(part.rstrip("。.；;") for part in first), last]
    joint = "；" if has_cjk(parts[0]) or has_cjk(last[:1]) else "; "
    return joint.join(trimmed)


def _with_speakers(hit: Hit, parts: Sequence[str], notes: Sequence[str] = ()) -> str:
    """An event's parts with who said them, and with their notes. What the bot did is not the
    speaker's: of an event with such a part only the first of the others is said to be theirs."""
    did_what, bare = hit.metadata.get("did_what"), parts
    padded = [*notes, *[""] * (len(parts) - len(notes))]
    parts = [
        f"{part.rstrip('。.；;')}{n}" if n else part for part, n in zip(bare, padded, strict=True)
    ]
    text = join_parts(parts)
    if hit.metadata.get(events.NAMES_SPEAKERS):
        return text
    if hit.passage and did_what:
        shown = hit.text[hit.passage.start : hit.passage.end].strip()
        said = hit.metadata.get("new_info") or ()
        return with_speaker(hit, text) if any(shown in str(one) for one in said) else text
    if bare[0] != did_what:
        return with_speaker(hit, text)
    if len(parts) == 1 or not _lacks_speaker(hit, text):
        return text
    return join_parts([parts[0], with_speaker(hit, parts[1]), *parts[2:]])


def with_speaker(hit: Hit, text: str) -> str:
    if hit.speaker and _lacks_speaker(hit, text):
        return events.attributed(hit.speaker, text)
    return text


def _lacks_speaker(hit: Hit, text: str) -> bool:
    """Whether a text does not show who said it. If 老周 says 记住：老周是群主, his name is in the
    text, and it still is only what he says."""
    if not hit.speaker or events.says_who(hit.speaker, text):
        return False
    return bool(hit.metadata.get(events.NAMES_SELF)) or hit.speaker not in text


def attributed(speaker: str, text: str) -> str:
    return f"{speaker}：{text}" if has_cjk(text) else f"{speaker} said: {text}"


def document_text(hit: Hit) -> str:
    """The passage of a chunk that matched, without the titles above it, after where it is from."""
    where, heading = hit.metadata.get("citation"), hit.metadata.get("heading")
    start = heading if isinstance(heading, int) and 0 < heading < len(hit.text) else 0
    text = hit.text[start:]
    if hit.passage is not None and hit.passage.end > start:
        first = max(hit.passage.start - start, 0)
        text = Passage(first, hit.passage.end - start).of(text)
    return f"[{where}] {text}" if where else text


def statement(hit: Hit) -> str:
    """An event without its header: the line already shows the time."""
    if hit.kind not in EVENT_KINDS:
        return hit.excerpt + note_after(hit, hit.excerpt, [hit.excerpt])
    parts = parts_of(hit)
    *notes, last = notes_of(hit, parts, join_parts(parts))
    return _with_speakers(hit, parts, notes) + last
