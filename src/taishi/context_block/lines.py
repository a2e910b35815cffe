"""What a prompt block says: pages and hits as lines, each thing once, with who said it (I2).

A line of a page, a fact and an event that say the same are one line: that of the page, with how
sure it is and how many sources it has; an event tells only what no other line tells.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from ..domain import corrections
from ..domain.profile_lines import bare
from ..domain.text_identity import normal
from ..language.analyzer import has_cjk
from ..types import Hit, Profile
from .budget import Line
from .page_lines import PageText, by_need
from .readings import squeezed
from .text_cache import BlockTexts

INSTRUCTION = "instruction"
MOST_INSTRUCTIONS = 12
SECTION_OF = {"fact": "facts", "note": "facts", "chunk": "facts", "procedure": "procedures"}
SECTION_OF |= {"observation": "observations", "short_term": "facts", INSTRUCTION: "instructions"}
TOLD = ("event", "turn")
# Facts that are not, or no longer, so; a question about the past may still find them.
NOT_CURRENT = ("rejected", "superseded", "candidate", "conflict")


class Wording(NamedTuple):
    """How things are put in the block's language: a time before a text, how sure something is and
    by how many sources, the day until which something held."""

    dated: Callable[[datetime, str], str]
    evidence: Callable[[float, int], str]
    until: Callable[[str], str]


class PageBudget(NamedTuple):
    """How much of the pages is looked at: tokens that each can count on, tokens that they may
    have if nothing else takes them, and what a line costs."""

    sure: Callable[[str], int]
    most: int
    cost: Callable[[str], int]


def section_of(hit: Hit) -> str:
    if hit.metadata.get("category") == INSTRUCTION:
        return "instructions"
    return SECTION_OF.get(hit.kind, "events")


def lines_of(
    hits: Sequence[Hit],
    pages: Sequence[Profile],
    wording: Wording,
    question: str,
    room: PageBudget,
    texts: BlockTexts,
) -> Iterator[Line]:
    """By rank: what holds always, of each page what the question needs, what was found; last,
    more of the pages, for the room that nothing else takes."""
    work = _Work(hits, wording, [name for page in pages for name in _names(page)], texts)
    drafts = [
        _PageLines(page, texts.page_text(page.body), question, work.found(page)) for page in pages
    ]
    yield from work.instructions()
    for draft in drafts:
        page = draft.page
        if page.name:
            yield Line(page.entity_type, "")  # who it is, even if nothing else is known
        yield from _up_to(work.page(draft), room.sure(page.entity_type), room.cost)
    yield from work.rest()
    for draft in drafts:
        yield from _up_to(work.page(draft), room.most, room.cost)


def _up_to(lines: Iterator[Line], room: int, cost: Callable[[str], int]) -> Iterator[Line]:
    """Lines until the room is taken; what is left of a page is not looked at."""
    while room > 0 and (line := next(lines, None)) is not None:
        room -= cost(line.text)
        yield line


class _PageLines:
    """A page's lines; `numbers` tells them by need, each once."""

    def __init__(
        self, page: Profile, text: PageText, question: str, found: Collection[str]
    ) -> None:
        self.page = page
        self.lines = text.lines
        self.numbers = by_need(text, question, found)


class _Said:
    """What the block says so far. The name of whom a page is about may be there or not; the name
    of anybody else counts: Bob's taste is not Ann's."""

    def __init__(self, names: Collection[str], texts: BlockTexts) -> None:
        self._names = names
        self._texts = texts
        self._keys: set[str] = set()

    def add(self, text: str, names: Collection[str] | None = None) -> bool:
        """Note a statement; False if it is there already."""
        ways = self._texts.readings_of(text, tuple(self._names if names is None else names))
        is_new = ways.said not in self._keys
        self._keys |= ways.all
        return is_new


class _Work:
    """One block."""

    def __init__(
        self, hits: Sequence[Hit], wording: Wording, names: Collection[str], texts: BlockTexts
    ) -> None:
        shown = [hit for hit in hits if hit.kind != "profile"]
        self._instructions = [hit for hit in shown if section_of(hit) == "instructions"]
        self._rest = [hit for hit in shown if section_of(hit) != "instructions"]
        self._facts = {
            squeezed(normal(hit.text)): hit
            for hit in reversed(self._rest)
            if section_of(hit) == "facts" and _holds(hit)
        }
        self._texts = texts
        self._said = _Said(names, texts)
        self._wording = wording

    def found(self, page: Profile) -> list[str]:
        """What was found, as a line of this page may say it: with the name or without."""
        texts = [hit.text.strip(" .。") for hit in self._facts.values()]
        return [way for text in texts for way in (text, bare(text, _names(page))) if way]

    def instructions(self) -> Iterator[Line]:
        for hit in self._instructions[:MOST_INSTRUCTIONS]:
            if _holds(hit) and self._said.add(hit.text):
                yield Line("instructions", hit.text)

    def page(self, draft: _PageLines) -> Iterator[Line]:
        """Those of the page's lines that are not said yet."""
        kind, names = draft.page.entity_type, tuple(_names(draft.page))
        for number in draft.numbers:
            said, ways = self._texts.page_line(draft.lines[number], names)
            if said and self._said.add(said, names):
                yield Line(kind, f"{said.lstrip('# ')}{self._backing(ways)}", number)

    def rest(self) -> Iterator[Line]:
        """In the order given; but where a fact and an event say the same, the fact says it."""
        texts = {n: self._plain(hit) for n, hit in enumerate(self._rest) if hit.kind not in TOLD}
        texts |= {n: self._told(hit) for n, hit in enumerate(self._rest) if hit.kind in TOLD}
        for n, hit in enumerate(self._rest):
            if text := texts[n]:
                dated = text if hit.time is None else self._wording.dated(hit.time, text)
                yield Line(section_of(hit), dated, n)

    def _backing(self, ways: frozenset[str]) -> str:
        """How sure the fact behind a page's line is, if it was found."""
        found = next((fact for said, fact in self._facts.items() if said in ways), None)
        return self._sources(found) if found is not None else ""

    def _sources(self, hit: Hit) -> str:
        count, sure = hit.metadata.get("evidence_count"), hit.metadata.get("confidence", 1.0)
        if not isinstance(count, int) or not count or not isinstance(sure, (int, float)):
            return ""
        return self._wording.evidence(float(sure), count)

    def _plain(self, hit: Hit) -> str:
        if not self._said.add(_of(hit, hit.text)):
            return ""
        text = hit.excerpt
        if hit.speaker and normal(hit.speaker) not in normal(text):
            text = spoken(hit.speaker, text)
        text += _note(hit, text)
        if section_of(hit) != "facts":
            return text
        return text + self._ended(hit) + self._sources(hit)

    def _ended(self, hit: Hit) -> str:
        """A question about the past finds what held then; it is not said as if it held now."""
        end = str(hit.metadata.get("valid_to") or "")[:10]
        past = hit.metadata.get("state") == "superseded"
        return self._wording.until(end or "?") if past else ""

    def _told(self, hit: Hit) -> str:
        """An event, as far as it says something that is not said yet."""
        new = [part for part in parts_of(hit) if self._said.add(_of(hit, part))]
        if not new:
            return ""
        return with_speaker(hit, joined(new)) + _note(hit, joined(new), _mentioned(hit, new))


def _names(page: Profile) -> list[str]:
    return [name for name in (page.name, page.entity_id) if name]


def _of(hit: Hit, text: str) -> str:
    """A statement with whom it is of: who spoke, unless the words name them."""
    who = hit.speaker or str(hit.metadata.get("subject") or "")
    return f"{who} {text}" if who and normal(who) not in normal(text) else text


def _holds(hit: Hit) -> bool:
    return hit.metadata.get("state") not in NOT_CURRENT


def _note(hit: Hit, text: str, about: Mapping[str, object] | None = None) -> str:
    """The corrections that follow a text, unless they stand behind it: a hit's whole text has
    them already, its parts and passages have not."""
    if corrections.is_noted(text, hit.metadata):
        return ""
    return corrections.note(hit.metadata if about is None else about, has_cjk(text))


def _mentioned(hit: Hit, parts: Sequence[str]) -> dict[str, object]:
    """The corrections of what is shown; of an event of several parts, not those of the others."""
    found = corrections.corrections_of(hit.metadata)
    said = normal(joined(parts))
    own = [one for one in found if normal(one["said"]) in said]
    return {corrections.CORRECTIONS: own or found}


def parts_of(hit: Hit) -> list[str]:
    """What an event tells: what was done, and each thing that was new."""
    told = [hit.metadata.get("did_what"), *(hit.metadata.get("new_info") or ())]
    parts = [str(part) for part in told if part]
    return parts if hit.kind == "event" and parts and not hit.passage else [hit.excerpt]


def joined(parts: Sequence[str]) -> str:
    *first, last = parts
    ended = [*(part.rstrip("。.；;") for part in first), last]
    return ("；" if has_cjk(parts[0]) else "; ").join(ended)


def with_speaker(hit: Hit, text: str) -> str:
    if hit.speaker and hit.speaker not in text:
        return f"{hit.speaker}{'：' if has_cjk(text) else ': '}{text}"
    return text


def spoken(speaker: str, text: str) -> str:
    return f"{speaker}：{text}" if has_cjk(text) else f"{speaker} said: {text}"


def statement(hit: Hit) -> str:
    """An event without its head: the line says when, and the reader knows where it is."""
    if hit.kind not in TOLD:
        return hit.excerpt + _note(hit, hit.excerpt)
    parts = parts_of(hit)
    text = with_speaker(hit, joined(parts))
    return text + _note(hit, text)
