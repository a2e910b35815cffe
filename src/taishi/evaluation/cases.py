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
    id: str = ""
    answer: str = ""  # "": the file has none, and the question cannot be judged
    unanswerable: bool = False  # the right answer is that nothing was said about it


@dataclass(frozen=True, slots=True)
class Corpus:
    """The items of one partition, and the questions about them."""

    name: str
    items: tuple[dict[str, Any], ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class CaseFile:
    """`left_out` counts questions without an answer in the file: they cannot be measured."""

    name: str
    unit: str
    corpora: tuple[Corpus, ...]
    left_out: int = 0


def read(path: Path, limit: int | None = None, *, gold_only: bool = True) -> CaseFile:
    """Read our own formats or the official files of LoCoMo and LongMemEval, detected by
    structure. Recall can only be measured where a question has gold; without `gold_only` the others
    are there as well."""
    from . import locomo, longmemeval

    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if locomo.is_format(data):
            return locomo.read(path.stem, data, limit, gold_only)
        if longmemeval.is_format(data):
            return longmemeval.read(path.stem, data, limit, gold_only)
        return _own(data, limit, gold_only)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; correct the path") from error
    except RecursionError as error:
        raise InputError(
            f"{path} is not a case file: it is nested too deeply; flatten it"
        ) from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{path} is not a case file: {type(error).__name__} {error}; docs/how-to/evaluate.md "
            "shows one"
        ) from error


def item(data: dict[str, Any], source: object) -> dict[str, Any]:
    """One item for `remember_many`; lone surrogates are replaced."""
    keys = ("speaker", "time", "session")
    text = well_formed(data["text"])
    return {"text": text, **{key: data.get(key) for key in keys}, "source": str(source)}


def question(data: dict[str, Any]) -> Question:
    """`gold` may be empty only where the caller leaves such questions out."""
    query = data["query"]
    if not isinstance(query, str):
        raise TypeError(f"a question must be text, not {type(query).__name__}")
    gold = frozenset(map(str, data.get("gold") or ()))
    answer = data.get("answer")
    return Question(
        query,
        gold,
        str(data.get("category", "all")),
        data.get("time"),
        str(data.get("id", "")),
        "" if answer is None else well_formed(str(answer)),
        bool(data.get("unanswerable", False)),
    )


def first_answerable(
    corpora: Sequence[Corpus], limit: int | None, gold_only: bool = True
) -> tuple[tuple[Corpus, ...], int]:
    """The corpora with the first `limit` questions that have gold; how many had none."""
    selected: list[Corpus] = []
    left_out, remaining = 0, limit
    for corpus in corpora:
        answerable = [q for q in corpus.questions if q.gold or not gold_only]
        left_out += len(corpus.questions) - len(answerable)
        answerable = answerable[:remaining]
        if remaining is not None:
            remaining -= len(answerable)
        if answerable:
            selected.append(Corpus(corpus.name, corpus.items, tuple(answerable)))
    return tuple(selected), left_out


def _own(data: dict[str, Any], limit: int | None, gold_only: bool = True) -> CaseFile:
    """Two layouts: `corpora` of turns, or `sessions` with a haystack for each question."""
    questions, unit = data["queries"][:limit], data.get("unit", "turn")
    questions = [{"id": number, **entry} for number, entry in enumerate(questions)]
    if unit not in UNITS or (gold_only and not all(q["gold"] for q in questions)):
        raise ValueError(f"unit must be one of {', '.join(UNITS)} and each gold not empty")
    corpora = _haystacks if "sessions" in data else _corpora
    return CaseFile(str(data["name"]), unit, tuple(corpora(data, questions)))


def _corpora(data: dict[str, Any], questions: list[dict[str, Any]]) -> Iterator[Corpus]:
    for name, items in data["corpora"].items():
        own_questions = tuple(question(q) for q in questions if q["corpus"] == name)
        if own_questions:
            yield Corpus(name, tuple(item(turn, turn["id"]) for turn in items), own_questions)


def _haystacks(data: dict[str, Any], questions: list[dict[str, Any]]) -> Iterator[Corpus]:
    for number, entry in enumerate(questions):
        items = [
            item({**turn, "time": session["time"], "session": id}, id)
            for id in entry["haystack"]
            for session in [data["sessions"][id]]
            for turn in session["turns"]
            if turn["text"].strip()
        ]
        yield Corpus(f"haystack-{number}", tuple(items), (question(entry),))
