"""What a prompt block says: pages and hits as lines, each thing once, with who said it (I2).

A line of a page, a fact and an event that say the same are one line: that of the page, with how
sure it is and how many sources it has; an event tells only what no other line tells.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from .language.segment import has_cjk
from .rooms import corrections
from .rooms.page_lines import bare, readings
from .rooms.sameness import normal
from .rooms.visibility import Statement
from .types import Hit, Profile

INSTRUCTION = "instruction"
MOST_INSTRUCTIONS = 12
SECTION_OF = {"fact": "facts", "note": "facts", "chunk": "facts", "procedure": "procedures"}
SECTION_OF |= {"observation": "observations", "short_term": "facts", INSTRUCTION: "instructions"}
TOLD = ("event", "turn")
# Facts that are not, or no longer, so; a question about the past may still find them.
NOT_CURRENT = ("rejected", "superseded", "candidate", "conflict")
_REPORTING = frozenset(
    "said says told mentioned stated noted that 说 说过 提到 表示 称 告诉 说道".split()
)


class Line(NamedTuple):
    section: str
    text: str


class Wording(NamedTuple):
    """How things are put in the block's language: a time before a text, how sure something is and
    by how many sources, the day until which something held."""

    dated: Callable[[datetime, str], str]
    evidence: Callable[[float, int], str]
    until: Callable[[str], str]


def section_of(hit: Hit) -> str:
    if hit.metadata.get("category") == INSTRUCTION:
        return "instructions"
    return SECTION_OF.get(hit.kind, "events")


def lines_of(hits: Sequence[Hit], pages: Sequence[Profile], wording: Wording) -> Iterator[Line]:
    """In the order in which they are to be kept: what holds always, the pages, the rest."""
    work = _Work(hits, pages, wording)
    yield from work.instructions()
    for page in pages:
        yield from work.page(page)
    yield from work.rest()


class _Work:
    """One block; what was said is known by its bare words."""

    def __init__(self, hits: Sequence[Hit], pages: Sequence[Profile], wording: Wording) -> None:
        shown = [hit for hit in hits if hit.kind != "profile"]
        self._instructions = [hit for hit in shown if section_of(hit) == "instructions"]
        self._rest = [hit for hit in shown if section_of(hit) != "instructions"]
        self._facts = [hit for hit in self._rest if section_of(hit) == "facts" and _holds(hit)]
        names = [name for page in pages for name in (page.name, page.entity_id)]
        names += [hit.speaker or "" for hit in shown]
        names += [str(hit.metadata.get("subject") or "") for hit in shown]
        self._names = [name for name in dict.fromkeys(names) if name]
        self._wording = wording
        self._said: set[str] = set()

    def instructions(self) -> Iterator[Line]:
        for hit in self._instructions[:MOST_INSTRUCTIONS]:
            if _holds(hit) and self._is_new(hit.text):
                yield Line("instructions", hit.text)

    def page(self, page: Profile) -> Iterator[Line]:
        if page.name:
            yield Line(page.entity_type, "")  # who it is, even if nothing else is known
        for text in page.body.splitlines():
            line = Statement(text)
            if line.key and self._is_new(line.said):
                yield Line(page.entity_type, f"{line.said.lstrip('# ')}{self._backing(line)}")

    def rest(self) -> Iterator[Line]:
        """In the order given; but where a fact and an event say the same, the fact says it."""
        texts = {n: self._plain(hit) for n, hit in enumerate(self._rest) if hit.kind not in TOLD}
        texts |= {n: self._told(hit) for n, hit in enumerate(self._rest) if hit.kind in TOLD}
        for n, hit in enumerate(self._rest):
            if text := texts[n]:
                dated = text if hit.time is None else self._wording.dated(hit.time, text)
                yield Line(section_of(hit), dated)

    def _backing(self, line: Statement) -> str:
        """How sure the fact behind a page's line is, if it was found."""
        for hit in self._facts:
            if bare(hit.text, self._names) == bare(line.said, self._names):
                return self._sources(hit)
        return ""

    def _sources(self, hit: Hit) -> str:
        count, sure = hit.metadata.get("evidence_count"), hit.metadata.get("confidence", 1.0)
        if not isinstance(count, int) or not count or not isinstance(sure, (int, float)):
            return ""
        return self._wording.evidence(float(sure), count)

    def _plain(self, hit: Hit) -> str:
        if not self._is_new(hit.text):
            return ""
        text = hit.text
        if hit.speaker and normal(hit.speaker) not in normal(text):
            text = spoken(hit.speaker, text)
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
        parts = parts_of(hit)
        new = [part for part in parts if self._is_new(part, _about(hit))]
        if not new:
            return ""
        return with_speaker(hit, joined(new)) + corrections.note(
            _mentioned(hit, new), has_cjk(new[0])
        )

    def _is_new(self, text: str, more: Collection[str] = ()) -> bool:
        """Whether nothing shown so far says this; from now on, something does."""
        subjects = [*self._names, *more]
        core = _unreported(bare(text, subjects))
        if not core:
            return bool(normal(text)) or bool(text.strip())
        if core in self._said:
            return False
        self._said |= {_unreported(one) for one in readings(text, subjects)} | {core}
        return True


def _about(hit: Hit) -> list[str]:
    return [hit.speaker] if hit.speaker else []


def _unreported(words: str) -> str:
    """Without the words that only say that something was said, at its beginning."""
    left = words.split()
    while left and left[0] in _REPORTING:
        left.pop(0)
    return " ".join(left)


def _holds(hit: Hit) -> bool:
    return hit.metadata.get("state") not in NOT_CURRENT


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
    return parts if hit.kind == "event" and parts else [hit.text]


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
        return hit.text
    parts = parts_of(hit)
    text = with_speaker(hit, joined(parts))
    return text + corrections.note(hit.metadata, has_cjk(text))
