"""Case files: corpora of turns or sessions, and questions with the ids that answer them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..language.text import well_formed

UNITS = ("turn", "session")


@dataclass(frozen=True, slots=True)
class Question:
    query: str
    gold: frozenset[str]
    category: str
    time: str | None


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is remembered in one place, and what is asked there."""

    name: str
    items: tuple[dict[str, Any], ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class CaseFile:
    """`left_out` counts the questions that nothing in the file answers: they cannot be measured."""

    name: str
    unit: str
    corpora: tuple[Corpus, ...]
    left_out: int = 0


def read(path: Path, limit: int | None = None) -> CaseFile:
    """Our own layouts, and the official files of LoCoMo and LongMemEval, told by their shape."""
    from . import locomo, longmemeval

    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if locomo.is_one(data):
            return locomo.read(path.stem, data, limit)
        if longmemeval.is_one(data):
            return longmemeval.read(path.stem, data, limit)
        return _own(data, limit)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except RecursionError as error:
        raise InputError(f"{path} is not a case file: it is nested too deeply") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} is not a case file: {type(error).__name__} {error}") from error


def item(data: dict[str, Any], source: object) -> dict[str, Any]:
    """One thing to remember, as `remember_many` takes it; what UTF-8 cannot carry is replaced."""
    keys = ("speaker", "time", "session")
    text = well_formed(data["text"])
    return {"text": text, **{key: data.get(key) for key in keys}, "source": str(source)}


def question(data: dict[str, Any]) -> Question:
    """`gold` may be empty only where the caller leaves such questions out."""
    query = data["query"]
    if not isinstance(query, str):
        raise TypeError(f"a question must be text, not {type(query).__name__}")
    gold = frozenset(map(str, data["gold"]))
    return Question(query, gold, str(data.get("category", "all")), data.get("time"))


def first_answerable(
    corpora: Sequence[Corpus], limit: int | None
) -> tuple[tuple[Corpus, ...], int]:
    """The corpora with the first `limit` questions that have gold; how many had none."""
    kept: list[Corpus] = []
    left_out, room = 0, limit
    for corpus in corpora:
        asked = [q for q in corpus.questions if q.gold]
        left_out += len(corpus.questions) - len(asked)
        asked = asked[:room]
        if room is not None:
            room -= len(asked)
        if asked:
            kept.append(Corpus(corpus.name, corpus.items, tuple(asked)))
    return tuple(kept), left_out


def _own(data: dict[str, Any], limit: int | None) -> CaseFile:
    """Two layouts: `corpora` of turns, or `sessions` with a haystack for each question."""
    questions, unit = data["queries"][:limit], data.get("unit", "turn")
    if unit not in UNITS or not all(q["gold"] for q in questions):
        raise ValueError(f"unit must be one of {', '.join(UNITS)} and each gold not empty")
    corpora = _haystacks if "sessions" in data else _corpora
    return CaseFile(str(data["name"]), unit, tuple(corpora(data, questions)))


def _corpora(data: dict[str, Any], questions: list[dict[str, Any]]) -> Iterator[Corpus]:
    for name, items in data["corpora"].items():
        asked = tuple(question(q) for q in questions if q["corpus"] == name)
        if asked:
            yield Corpus(name, tuple(item(one, one["id"]) for one in items), asked)


def _haystacks(data: dict[str, Any], questions: list[dict[str, Any]]) -> Iterator[Corpus]:
    for number, asked in enumerate(questions):
        items = [
            item({**turn, "time": session["time"], "session": id}, id)
            for id in asked["haystack"]
            for session in [data["sessions"][id]]
            for turn in session["turns"]
            if turn["text"].strip()
        ]
        yield Corpus(f"haystack-{number}", tuple(items), (question(asked),))
