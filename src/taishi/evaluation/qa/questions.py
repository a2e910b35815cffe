"""The conversations and questions of one run: those of a case file that can be judged."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from ...errors import InputError
from ..cases import CaseFile, Corpus, Question, read


@dataclass(frozen=True, slots=True)
class Selection:
    """`numbers` are the corpora's places in the file, by which a run keeps their memories."""

    name: str
    sha256: str
    corpora: tuple[Corpus, ...]
    numbers: tuple[int, ...]
    without_answer: int

    @property
    def questions(self) -> list[tuple[Corpus, Question]]:
        return [(corpus, one) for corpus in self.corpora for one in corpus.questions]


def select(
    path: Path,
    limit: int | None = None,
    categories: Collection[str] = (),
    *,
    judged_only: bool = True,
) -> Selection:
    """The first `limit` questions of these categories that have an answer to compare with."""
    cases = read(path, gold_only=False)
    _check(cases, categories, path)
    chosen: list[tuple[int, Corpus]] = []
    without, remaining = 0, limit
    for number, corpus in enumerate(cases.corpora):
        wanted = [q for q in corpus.questions if not categories or q.category in categories]
        judged = [q for q in wanted if q.answer or q.unanswerable]
        without += len(wanted) - len(judged)
        kept = (judged if judged_only else wanted)[:remaining]
        remaining = None if remaining is None else remaining - len(kept)
        if kept:
            chosen.append((number, replace(corpus, questions=tuple(kept))))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    corpora = tuple(corpus for _, corpus in chosen)
    return Selection(cases.name, digest, corpora, tuple(n for n, _ in chosen), without)


def _check(cases: CaseFile, categories: Collection[str], path: Path) -> None:
    questions = [one for corpus in cases.corpora for one in corpus.questions]
    known = sorted({one.category for one in questions})
    if unknown := [name for name in categories if name not in known]:
        raise InputError(f"{path} has no category {unknown[0]!r:.60}; it has {', '.join(known)}")
    ids = [one.id for one in questions]
    if len(set(ids)) < len(ids):
        raise InputError(f"{path} has two questions with the same id; give each its own")
