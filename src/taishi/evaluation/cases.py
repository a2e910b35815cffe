"""Case files: corpora of turns or sessions, and questions with the ids that answer them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError


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
    name: str
    unit: str
    corpora: tuple[Corpus, ...]


def read(path: Path, limit: int | None = None) -> CaseFile:
    """Both layouts: `corpora` of turns, or `sessions` with a haystack for each question."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        questions = data["queries"][:limit]
        corpora = _haystacks if "sessions" in data else _corpora
        return CaseFile(data["name"], data.get("unit", "turn"), tuple(corpora(data, questions)))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} is not a case file: {type(error).__name__} {error}") from error


def _corpora(data: dict[str, Any], questions: list[dict[str, Any]]) -> Iterator[Corpus]:
    for name, items in data["corpora"].items():
        asked = tuple(_question(q) for q in questions if q["corpus"] == name)
        if asked:
            yield Corpus(name, tuple(_item(item, item["id"]) for item in items), asked)


def _haystacks(data: dict[str, Any], questions: list[dict[str, Any]]) -> Iterator[Corpus]:
    for number, question in enumerate(questions):
        items = [
            _item({**turn, "time": session["time"], "session": id}, id)
            for id in question["haystack"]
            for session in [data["sessions"][id]]
            for turn in session["turns"]
            if turn["text"].strip()
        ]
        yield Corpus(f"haystack-{number}", tuple(items), (_question(question),))


def _item(item: dict[str, Any], source: str) -> dict[str, Any]:
    keys = ("text", "speaker", "time", "session")
    return {**{key: item.get(key) for key in keys}, "source": source}


def _question(data: dict[str, Any]) -> Question:
    gold = frozenset(map(str, data["gold"]))
    return Question(data["query"], gold, str(data.get("category", "all")), data.get("time"))
