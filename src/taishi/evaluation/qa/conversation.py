"""One conversation of a case file: as turns for the historian, as a transcript, and as chunks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...language.token_count import estimate_tokens
from ...types import Message, Scope
from ..cases import Corpus

BOTS = frozenset({"assistant", "bot", "ai", "助手", "机器人"})
RECENT_MESSAGES = 6
CHUNK_TOKENS = 256

Item = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EndedTurn:
    """The arguments of one `end_turn`. `id` is the same in every run over the file."""

    id: str
    said: str
    done: str
    speaker: str | None
    bot: str | None
    time: str | None
    messages: tuple[Message, ...] = field(repr=False)


def scope_of(corpus: Corpus) -> Scope:
    """People who talk to each other are a group; one person with an assistant is a private chat."""
    people = {one["speaker"] for one in corpus.items if not _is_bot(one)}
    return Scope(group="conversation") if len(people) > 1 else Scope(user="person")


def turns(corpus: Corpus) -> Iterator[EndedTurn]:
    """What a person said is a turn, with the assistant's answer to it if there is one."""
    items = corpus.items
    position = 0
    while position < len(items):
        end = position + 1
        answered = not _is_bot(items[position]) and end < len(items) and _answers(items, position)
        end += int(answered)
        yield _turn(items, position, end)
        position = end


def transcript(items: Sequence[Item]) -> list[str]:
    """A line for each message: when, who, what."""
    return [_line(one) for one in items]


def chunks(corpus: Corpus) -> list[str]:
    """Consecutive lines of a session, up to CHUNK_TOKENS; a longer line is a chunk of its own."""
    made: list[list[str]] = []
    size, session = 0, object()
    for one in corpus.items:
        line = _line(one)
        tokens = estimate_tokens(line)
        if one["session"] != session or size + tokens > CHUNK_TOKENS or not made:
            made.append([])
            size, session = 0, one["session"]
        made[-1].append(line)
        size += tokens
    return ["\n".join(lines) for lines in made]


def newest_time(corpus: Corpus) -> str | None:
    return max((one["time"] for one in corpus.items if one["time"]), default=None)


def _turn(items: Sequence[Item], start: int, end: int) -> EndedTurn:
    first, last = items[start], items[end - 1]
    by_bot = _is_bot(first)
    bot = last["speaker"] if _is_bot(last) else None
    return EndedTurn(
        f"turn-{start}",
        "" if by_bot else first["text"],
        last["text"] if bot else "",
        None if by_bot else first["speaker"],
        bot,
        last["time"],
        tuple(_message(items[n], n) for n in _recent(items, start, end)),
    )


def _recent(items: Sequence[Item], start: int, end: int) -> Iterator[int]:
    """The last messages of the same session, this turn's included."""
    for number in range(max(0, end - RECENT_MESSAGES), end):
        if items[number]["session"] == items[start]["session"]:
            yield number


def _message(one: Item, number: int) -> Message:
    return Message(one["text"], one["speaker"], one["time"], f"m{number}")


def _answers(items: Sequence[Item], position: int) -> bool:
    following = items[position + 1]
    return _is_bot(following) and following["session"] == items[position]["session"]


def _is_bot(one: Item) -> bool:
    return str(one["speaker"] or "").strip().lower() in BOTS


def _line(one: Item) -> str:
    when = f"[{str(one['time'])[:16].replace('T', ' ')}] " if one["time"] else ""
    who = f"{one['speaker']}: " if one["speaker"] else ""
    return f"{when}{who}{one['text']}"
