"""What a memory holds to be so after the story: facts with their history, and a profile page."""

from __future__ import annotations

from dataclasses import dataclass

from taishi import Memory, Profile, Scope

from .story import Story


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of one chat; `until` and `then` say when it ceased to be so, and what came after."""

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
    """A profile as it is in its file, marks included."""

    file: str
    body: str


@dataclass(frozen=True, slots=True)
class Learned:
    facts: tuple[Fact, ...] = ()
    page: Page | None = None


def what_was_learned(story: Story, memory: Memory) -> Learned:
    """Every fact of every chat, in the order they were learned, and the fullest page."""
    chats = {story.scope(turn.chat, turn.who).home: turn for turn in story.turns}
    facts = [
        fact
        for turn in chats.values()
        for fact in _facts(memory, story.scope(turn.chat, turn.who), turn.chat.name)
    ]
    pages = [memory.profiles.source(Scope(user=user)) for user in story.people.values()]
    fullest = max((page for page in pages if page), key=lambda page: len(page.body), default=None)
    return Learned(tuple(facts), _page(fullest) if fullest else None)


def _facts(memory: Memory, scope: Scope, chat: str) -> list[Fact]:
    found = sorted(memory.facts.list(scope), key=lambda fact: str(fact.data["first_observed"]))
    texts = {fact.id: fact.text for fact in found}
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
        for fact in found
    ]


def _page(page: Profile) -> Page:
    return Page(f"profiles/{page.entity_type}s/{page.entity_id}.md", page.body)
