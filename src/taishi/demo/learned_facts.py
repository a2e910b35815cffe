"""The facts with their history, and a profile, that a memory holds after the story."""

from __future__ import annotations

from dataclasses import dataclass

from taishi import Memory, Profile, Scope

from .story import Story


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of one chat; `until` and `then`: when it ended, and what replaced it."""

    chat: str
    text: str
    state: str
    confidence: float
    evidence: int
    quote: str
    until: str = ""
    then: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A profile as in its file, with visibility marks."""

    file: str
    body: str


@dataclass(frozen=True, slots=True)
class Learned:
    """All facts, and the longest profile."""

    facts: tuple[Fact, ...] = ()
    page: Page | None = None


def collect_learned(story: Story, memory: Memory) -> Learned:
    """Every fact of every chat, in the order learned, and the longest profile."""
    chats = {story.scope(turn.chat, turn.who).home: turn for turn in story.turns}
    facts = [
        fact
        for turn in chats.values()
        for fact in _facts(memory, story.scope(turn.chat, turn.who), turn.chat.name)
    ]
    profiles = [memory.profiles.source(Scope(user=user)) for user in story.people.values()]
    longest = max(
        (page for page in profiles if page), key=lambda page: len(page.body), default=None
    )
    return Learned(tuple(facts), _page(longest) if longest else None)


def _facts(memory: Memory, scope: Scope, chat: str) -> list[Fact]:
    facts = sorted(memory.facts.list(scope), key=lambda fact: str(fact.data["first_observed"]))
    texts = {fact.id: fact.text for fact in facts}
    return [
        Fact(
            chat=chat,
            text=fact.text,
            state=fact.state,
            confidence=round(fact.confidence, 2),
            evidence=int(fact.data["evidence_count"]),
            quote=next(iter(fact.data["quotes"]), ""),
            until=str(fact.data["valid_to"] or "")[:10],
            then=texts.get(str(fact.data["superseded_by"]), ""),
        )
        for fact in facts
    ]


def _page(page: Profile) -> Page:
    return Page(f"profiles/{page.entity_type}s/{page.entity_id}.md", page.body)
