"""Plays the demo story through the public API and collects the results. Prints nothing."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from taishi import Hit, InputError, Memory, Message, Scope, Settings, load
from taishi.settings.schema import ChatSettings

from .documents import DocumentPart, play_documents
from .learned_facts import Learned, collect_learned
from .session_part import SessionPart, play_session
from .shared_memory import SharedShow, play_shared
from .story import Question, Secret, Story, Turn

DEADLINE_SECONDS = 10.0  # a deadline must not hide a leak
DEEP_TOP_K = 50
RECENT_MESSAGES = 4


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """One turn: what was said, and what the historian recorded."""

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
    """One answer; `rank` is the position of the right record (1 is first), None if not found."""

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
    """One attempt to read a secret from a scope that must not see it."""

    ask: str
    door: str
    verb: str


@dataclass(frozen=True, slots=True)
class Leaks:
    secrets: int
    known_at_home: int  # positive control: else "nothing leaked" would prove nothing
    tries: int
    leaked: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True)
class Redaction:
    keys: int
    files: int
    bytes: int
    found: tuple[str, ...]
    text_seen: bool  # positive control: the search finds text that was not removed


@dataclass(frozen=True, slots=True)
class Timing:
    count: int
    p50_ms: float
    p95_ms: float

    @classmethod
    def of(cls, samples: Sequence[float]) -> Timing:
        ordered = sorted(samples)
        percentiles = [
            ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.5, 0.95)
        ]
        return cls(len(ordered), round(percentiles[0], 2), round(percentiles[1], 2))


@dataclass(frozen=True, slots=True)
class DemoResult:
    embedder: str
    has_embedder: bool
    told: tuple[RecordedTurn, ...]
    learned: Learned
    answers: tuple[Answer, ...]
    block_ask: str
    block: str
    leaks: Leaks
    redaction: Redaction
    documents: DocumentPart
    shared: SharedShow
    session: SessionPart
    end_turn: Timing
    recall: Timing
    seconds: float = 0.0

    @property
    def failures(self) -> tuple[str, ...]:
        """Violations of what the demo guarantees."""
        faults = [f"leak: {a.verb} from {a.door}: {a.ask}" for a in self.leaks.leaked]
        if self.leaks.known_at_home < self.leaks.secrets:
            faults.append("a secret was not found even at home, so the leak test proves nothing")
        faults += [f"a pasted key is in {name}" for name in self.redaction.found]
        if self.session.tokens > self.session.budget or not self.session.is_whole:
            faults.append("a session was sent over its budget, or did not come back whole")
        if not self.redaction.text_seen:
            faults.append("the search of the data folder found no text, so it proves nothing")
        faults += [
            f"a document does not answer: {a.ask}" for a in self.documents.answers if not a.found
        ]
        return (*faults, *self.shared.failures)


def demo_settings(story: Story, config: Path | None = None) -> Settings:
    """The user's settings, with memory on, the local embedder and the story's timezone."""
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


def play(story: Story, folder: Path, settings: Settings | None = None) -> DemoResult:
    """Play the story in an empty folder, offline, with the rule-based historian."""
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder} is not empty; give the demo a new folder, or none at all")
    started = time.perf_counter()
    settings = settings or demo_settings(story)
    settings = replace(settings, models=replace(settings.models, chat=ChatSettings()))
    with Memory.open(folder, settings) as memory:
        turn_ms, ids = _replay(story, memory)
        in_queue = _search_bytes(story, folder / settings.queue.path)
        memory.drain()
        answers = tuple(_answer(story, memory, question) for question in story.questions)
        recall = [a.took_ms for a in answers] + _recall_times(story, memory)
        scope = story.scope(story.block.chat, story.block.who)
        embedder = memory.status()["embedder"]
        result = DemoResult(
            embedder=embedder["note"],
            has_embedder=embedder["on"],
            told=tuple(
                recorded_turn(turn, memory.get(story.scope(turn.chat, turn.who), id))
                for turn, id in zip(story.turns, ids, strict=True)
            ),
            learned=collect_learned(story, memory),
            answers=answers,
            block_ask=story.block.ask,
            block=memory.context(scope, story.block.ask, now=story.now),
            leaks=_try_to_leak(story, memory),
            redaction=in_queue,
            documents=play_documents(memory),  # after the rest: everybody may read them
            shared=play_shared(memory),
            session=play_session(story, memory),
            end_turn=Timing.of(turn_ms),
            recall=Timing.of(recall),
        )
    # Read the database only after closing: opening its file beside SQLite drops SQLite's locks.
    in_folder = _search_bytes(story, folder)
    combined = replace(
        in_folder,
        files=in_queue.files + in_folder.files,
        bytes=in_queue.bytes + in_folder.bytes,
        found=in_queue.found + in_folder.found,
        text_seen=in_queue.text_seen and in_folder.text_seen,
    )
    return replace(result, redaction=combined, seconds=round(time.perf_counter() - started, 1))


def _replay(story: Story, memory: Memory) -> tuple[list[float], list[str]]:
    milliseconds, ids = [], []
    for number in range(len(story.turns)):
        start = time.perf_counter()
        ids.append(end_turn(story, memory, number))
        milliseconds.append((time.perf_counter() - start) * 1000)
    return milliseconds, ids


def end_turn(story: Story, memory: Memory, number: int) -> str:
    """End a turn as a bot would: action, new information and recent messages."""
    turn = story.turns[number]
    recent = story.recent_turns(number, RECENT_MESSAGES)
    id = memory.end_turn(
        story.scope(turn.chat, turn.who),
        action_summary=turn.did,
        new_info=turn.said,
        messages=[
            Message(message_turn.said, message_turn.who, message_turn.at, f"m-{message_turn.at}")
            for message_turn in recent
        ],
        request_id=f"demo-{number}",
        time=turn.at,
        sender_name=turn.who,
        group_name=turn.chat.name or None,
        bot_name=turn.chat.bot,
    )
    return id or ""


def recorded_turn(turn: Turn, event: Hit | None) -> RecordedTurn:
    data = event.metadata if event else {}
    return RecordedTurn(
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
    result = memory.recall(story.scope(question.chat, question.who), question.ask, now=story.now)
    rank = None
    if question.answer:
        ranks = (n for n, hit in enumerate(result.hits, 1) if question.answer in hit.text)
        rank = next(ranks, None)
    text = result.hits[(rank or 1) - 1].text if result.hits else ""
    return Answer(
        chat=question.chat.name,
        who=question.who,
        ask=question.ask,
        answerable=bool(question.answer),
        rank=rank,
        hit=text,
        level=result.level,
        took_ms=round(result.took_ms, 2),
    )


def _recall_times(story: Story, memory: Memory) -> list[float]:
    """Latencies with every message as a question: none is cached."""
    return [
        memory.recall(story.scope(turn.chat, turn.who), turn.said, now=story.now).took_ms
        for turn in story.turns
    ]


def _try_to_leak(story: Story, memory: Memory) -> Leaks:
    tries, leaked, known_at_home = 0, [], 0
    for secret in story.secrets:
        home = story.scope(secret.chat, secret.who)
        known_at_home += any(
            _reveals(secret, memory.recall(home, ask, deadline=DEADLINE_SECONDS).hits)
            for ask in secret.asks
        )
        other_scopes = {n: s for n, s in story.scopes().items() if s.home != home.home}
        other_scopes["another workspace"] = replace(home, workspace="elsewhere")
        for scope_name, scope in other_scopes.items():
            for ask in secret.asks:
                leaks_by_verb = _try_every_verb(story, memory, secret, scope, ask)
                tries += len(leaks_by_verb)
                leaked += [
                    Attempt(ask, scope_name, verb)
                    for verb, has_leaked in leaks_by_verb.items()
                    if has_leaked
                ]
    return Leaks(len(story.secrets), known_at_home, tries, tuple(leaked))


def _try_every_verb(
    story: Story, memory: Memory, secret: Secret, scope: Scope, ask: str
) -> dict[str, bool]:
    """Ask with every verb, without a floor, naming the target; returns which verbs leaked."""
    recalled = memory.recall(scope, ask, top_k=DEEP_TOP_K, floor=0.0, deadline=DEADLINE_SECONDS)
    of_user = memory.search_events(
        scope, ask, target_user_id=story.people[secret.who], top_k=DEEP_TOP_K
    )
    of_group = memory.search_events(scope, ask, target_group_id=secret.chat.group, top_k=DEEP_TOP_K)
    block = memory.context(scope, ask, max_tokens=4000, deadline=DEADLINE_SECONDS)
    return {
        "recall": _reveals(secret, recalled.hits),
        "search_events": _reveals(secret, of_user.hits + of_group.hits),
        "context": _has_trace(secret, block),
    }


def _reveals(secret: Secret, hits: Sequence[Hit]) -> bool:
    return any(_has_trace(secret, hit.text) for hit in hits)


def _has_trace(secret: Secret, text: str) -> bool:
    return any(trace.casefold() in text.casefold() for trace in secret.traces)


def _search_bytes(story: Story, folder: Path) -> Redaction:
    """Search every file for the pasted keys, and for a text that must be there."""
    keys = [key.encode() for key in story.keys_pasted]
    witness = story.witness.encode()
    files, size, files_with_keys, has_witness = 0, 0, [], False
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = file.read_bytes()
        files, size, has_witness = files + 1, size + len(content), has_witness or witness in content
        if any(key in content for key in keys):
            files_with_keys.append(str(file.relative_to(folder)))
    return Redaction(len(keys), files, size, tuple(files_with_keys), has_witness)
