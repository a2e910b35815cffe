"""Plays the story through the public door and writes down what happened. Shows nothing."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from taishi import Hit, InputError, Memory, Message, Scope, Settings, load
from taishi.settings.schema import ChatSettings

from .learned_facts import Learned, what_was_learned
from .story import Question, Secret, Story, Turn

PATIENCE = 10.0  # a leak must not hide behind a deadline
DEEP = 50
RECENT_MESSAGES = 4


@dataclass(frozen=True, slots=True)
class Told:
    """One turn: what was said, and what the historian made of it."""

    chat: str
    who: str
    at: str
    said: str
    recorded: str
    is_absolute: bool
    warnings: tuple[str, ...]
    show: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """`rank` is where the record that answers was found (1 is first), None if it was not."""

    chat: str
    who: str
    ask: str
    answerable: bool
    rank: int | None
    hit: str
    level: str
    took_ms: float


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try to hear a secret from where it must not be heard."""

    ask: str
    door: str
    verb: str


@dataclass(frozen=True, slots=True)
class Leaks:
    secrets: int
    known_at_home: int  # else "nothing leaked" would prove nothing
    tries: int
    leaked: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True)
class Redaction:
    keys: int
    files: int
    bytes: int
    found: tuple[str, ...]
    text_seen: bool  # the search does find what was not removed


@dataclass(frozen=True, slots=True)
class Timing:
    count: int
    p50_ms: float
    p95_ms: float

    @classmethod
    def of(cls, samples: Sequence[float]) -> Timing:
        ordered = sorted(samples)
        at = [ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.5, 0.95)]
        return cls(len(ordered), round(at[0], 2), round(at[1], 2))


@dataclass(frozen=True, slots=True)
class Show:
    embedder: str
    has_embedder: bool
    told: tuple[Told, ...]
    learned: Learned
    answers: tuple[Answer, ...]
    block_ask: str
    block: str
    leaks: Leaks
    redaction: Redaction
    end_turn: Timing
    recall: Timing
    seconds: float = 0.0

    @property
    def failures(self) -> tuple[str, ...]:
        """What must never happen, and did."""
        faults = [f"leak: {a.verb} from {a.door}: {a.ask}" for a in self.leaks.leaked]
        if self.leaks.known_at_home < self.leaks.secrets:
            faults.append("a secret was not found even at home, so the leak test proves nothing")
        faults += [f"a pasted key is in {name}" for name in self.redaction.found]
        if not self.redaction.text_seen:
            faults.append("the search of the data folder found no text, so it proves nothing")
        return tuple(faults)


def demo_settings(story: Story, config: Path | None = None) -> Settings:
    """The user's settings, but on, with the local embedder and in the story's own timezone."""
    return load(
        config,
        overrides={
            "memory.enabled": True,
            "memory.timezone": story.timezone,
            "memory.language": "auto",
            "models.embedding.kind": "local",
            "models.embedding.api_url": "",
        },
    )


def perform(story: Story, folder: Path, settings: Settings | None = None) -> Show:
    """Play all of it in an empty folder, offline: whatever is configured, the rules write."""
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder} is not empty; give the demo a new folder, or none at all")
    begin = time.perf_counter()
    settings = settings or demo_settings(story)
    settings = replace(settings, models=replace(settings.models, chat=ChatSettings()))
    with Memory.open(folder, settings) as memory:
        took, ids = _replay(story, memory)
        waiting = _search_bytes(story, folder / settings.queue.path)
        memory.drain()
        answers = tuple(_answer(story, memory, question) for question in story.questions)
        recall = [a.took_ms for a in answers] + _recall_times(story, memory)
        scope = story.scope(story.block.chat, story.block.who)
        embedder = memory.status()["embedder"]
        show = Show(
            embedder=embedder["note"],
            has_embedder=embedder["on"],
            told=tuple(
                told_of(turn, memory.get(story.scope(turn.chat, turn.who), id))
                for turn, id in zip(story.turns, ids, strict=True)
            ),
            learned=what_was_learned(story, memory),
            answers=answers,
            block_ask=story.block.ask,
            block=memory.context(scope, story.block.ask, now=story.now),
            leaks=_try_to_leak(story, memory),
            redaction=waiting,
            end_turn=Timing.of(took),
            recall=Timing.of(recall),
        )
    # The database is read only now: opening it beside SQLite would drop SQLite's locks.
    kept = _search_bytes(story, folder)
    both = replace(
        kept,
        files=waiting.files + kept.files,
        bytes=waiting.bytes + kept.bytes,
        found=waiting.found + kept.found,
        text_seen=waiting.text_seen and kept.text_seen,
    )
    return replace(show, redaction=both, seconds=round(time.perf_counter() - begin, 1))


def _replay(story: Story, memory: Memory) -> tuple[list[float], list[str]]:
    took, ids = [], []
    for number in range(len(story.turns)):
        start = time.perf_counter()
        ids.append(end_turn(story, memory, number))
        took.append((time.perf_counter() - start) * 1000)
    return took, ids


def end_turn(story: Story, memory: Memory, number: int) -> str:
    """End a turn as a bot would: what it did, what was said, and the messages it followed."""
    turn = story.turns[number]
    heard = story.heard(number, RECENT_MESSAGES)
    id = memory.end_turn(
        story.scope(turn.chat, turn.who),
        action_summary=turn.did,
        new_info=turn.said,
        messages=[Message(one.said, one.who, one.at, f"m-{one.at}") for one in heard],
        request_id=f"demo-{number}",
        time=turn.at,
        sender_name=turn.who,
        group_name=turn.chat.name or None,
        bot_name=turn.chat.bot,
    )
    return id or ""


def told_of(turn: Turn, event: Hit | None) -> Told:
    data = event.metadata if event else {}
    return Told(
        chat=turn.chat.name,
        who=turn.who,
        at=turn.at,
        said=turn.said,
        recorded=event.text if event else "",
        is_absolute=bool(data.get("is_absolute")),
        warnings=tuple(data.get("warnings", ())),
        show=turn.show,
    )


def _answer(story: Story, memory: Memory, question: Question) -> Answer:
    found = memory.recall(story.scope(question.chat, question.who), question.ask, now=story.now)
    rank = None
    if question.answer:
        ranks = (n for n, hit in enumerate(found.hits, 1) if question.answer in hit.text)
        rank = next(ranks, None)
    shown = found.hits[(rank or 1) - 1].text if found.hits else ""
    return Answer(
        chat=question.chat.name,
        who=question.who,
        ask=question.ask,
        answerable=bool(question.answer),
        rank=rank,
        hit=shown,
        level=found.level,
        took_ms=round(found.took_ms, 2),
    )


def _recall_times(story: Story, memory: Memory) -> list[float]:
    """Every message once more, as a question: none of them was asked before, none is cached."""
    return [
        memory.recall(story.scope(turn.chat, turn.who), turn.said, now=story.now).took_ms
        for turn in story.turns
    ]


def _try_to_leak(story: Story, memory: Memory) -> Leaks:
    tries, leaked, known = 0, [], 0
    for secret in story.secrets:
        home = story.scope(secret.chat, secret.who)
        known += any(
            _betrays(secret, memory.recall(home, ask, deadline=PATIENCE).hits)
            for ask in secret.asks
        )
        doors = {n: s for n, s in story.scopes().items() if s.home != home.home}
        doors["another workspace"] = replace(home, workspace="elsewhere")
        for door, scope in doors.items():
            for ask in secret.asks:
                caught = _knock(story, memory, secret, scope, ask)
                tries += len(caught)
                leaked += [Attempt(ask, door, verb) for verb, heard in caught.items() if heard]
    return Leaks(len(story.secrets), known, tries, tuple(leaked))


def _knock(story: Story, memory: Memory, secret: Secret, scope: Scope, ask: str) -> dict[str, bool]:
    """Ask by every verb, without a floor, naming the place outright. What let it out?"""
    deep = memory.recall(scope, ask, top_k=DEEP, floor=0.0, deadline=PATIENCE)
    of_user = memory.search_events(scope, ask, target_user_id=story.people[secret.who], top_k=DEEP)
    of_group = memory.search_events(scope, ask, target_group_id=secret.chat.group, top_k=DEEP)
    block = memory.context(scope, ask, max_tokens=4000, deadline=PATIENCE)
    return {
        "recall": _betrays(secret, deep.hits),
        "search_events": _betrays(secret, of_user.hits + of_group.hits),
        "context": _has_trace(secret, block),
    }


def _betrays(secret: Secret, hits: Sequence[Hit]) -> bool:
    return any(_has_trace(secret, hit.text) for hit in hits)


def _has_trace(secret: Secret, text: str) -> bool:
    return any(trace.casefold() in text.casefold() for trace in secret.traces)


def _search_bytes(story: Story, folder: Path) -> Redaction:
    """Read every file and look for the pasted keys, and for a text that must be there."""
    keys = [key.encode() for key in story.keys_pasted]
    witness = story.witness.encode()
    files, size, found, seen = 0, 0, [], False
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = file.read_bytes()
        files, size, seen = files + 1, size + len(content), seen or witness in content
        if any(key in content for key in keys):
            found.append(str(file.relative_to(folder)))
    return Redaction(len(keys), files, size, tuple(found), seen)
