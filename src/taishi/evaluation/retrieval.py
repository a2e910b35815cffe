"""Measures how well recall finds what answers a question, through the public API."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from taishi import Memory, Scope, Settings

from ..language.token_count import estimate_tokens
from ..ports import Embedder
from . import metrics
from .baselines import Baselines, CachingEmbedder
from .cases import CaseFile, Corpus, Question
from .report import OURS, Answer, Report, build

TOP_K = {"turn": 60, "session": 200}
DEADLINE_SECONDS = 30.0  # a shorter deadline would measure the machine, not the ranking
CONTEXT_SAMPLE = 200
TOP_SHOWN = 3

Progress = Callable[[str, int, int], None]


def evaluate(
    cases: CaseFile,
    folder: Path,
    progress: Progress,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    baselines: Collection[str] = (),
) -> Report:
    """Ask every question, of recall and of each baseline. Closes the embedder."""
    caching_embedder = CachingEmbedder(embedder) if embedder else None
    total = sum(len(corpus.questions) for corpus in cases.corpora)
    with Memory.open(folder, settings, embedder=caching_embedder) as memory:
        run = _Run(
            memory, TOP_K[cases.unit], caching_embedder, baselines, -(-total // CONTEXT_SAMPLE)
        )
        answers: dict[str, list[Answer]] = defaultdict(list)
        tokens: list[int] = []
        for number, corpus in enumerate(cases.corpora):
            progress(corpus.name, number, len(cases.corpora))
            asked_before = len(answers[OURS])
            for system, system_answers in run.ask_all(corpus, f"corpus-{number}").items():
                answers[system] += system_answers
            tokens += run.context_tokens(corpus, f"corpus-{number}", asked_before)
    return build(cases.name, TOP_K[cases.unit], cases.left_out, answers, tokens)


@dataclass(frozen=True, slots=True)
class _Run:
    memory: Memory
    top_k: int
    embedder: Embedder | None
    baselines: Collection[str]
    context_step: int

    def ask_all(self, corpus: Corpus, group: str) -> dict[str, list[Answer]]:
        scope = Scope(group=group)
        self.memory.remember_many(scope, [{**item, "kind": "event"} for item in corpus.items])
        self.memory.drain()
        answers = {OURS: [self._ask(corpus, scope, question) for question in corpus.questions]}
        if not self.baselines:
            return answers
        rankers = Baselines(self.baselines, [_line(item) for item in corpus.items], self.embedder)
        for question in corpus.questions:
            for name, ranking in rankers.ask(question.query).items():
                ids = _distinct(corpus.items[row]["source"] for row in ranking.rows[: self.top_k])
                scores = metrics.measure(ids, question.gold)
                answer = Answer(corpus.name, question, ids, scores, ranking.took_ms)
                answers.setdefault(name, []).append(answer)
        return answers

    def context_tokens(self, corpus: Corpus, group: str, asked_before: int) -> list[int]:
        """The size of the prompt block, for some questions spread over the whole file."""
        sample = [
            q for n, q in enumerate(corpus.questions, asked_before) if n % self.context_step == 0
        ]
        scope, ask = Scope(group=group), self.memory.context
        blocks = [ask(scope, q.query, now=q.time, deadline=DEADLINE_SECONDS) for q in sample]
        return [estimate_tokens(block) for block in blocks]

    def _ask(self, corpus: Corpus, scope: Scope, question: Question) -> Answer:
        result = self.memory.recall(
            scope,
            question.query,
            top_k=self.top_k,
            floor=0.0,
            now=question.time,
            deadline=DEADLINE_SECONDS,
        )
        ranked = _distinct(hit.source for hit in result.hits if hit.source is not None)
        return Answer(
            corpus.name,
            question,
            ranked,
            metrics.measure(ranked, question.gold),
            result.took_ms,
            result.level,
            tuple((hit.source or "", hit.text) for hit in result.hits[:TOP_SHOWN]),
            tuple((id, _text_of(corpus, id)) for id in sorted(question.gold)),
        )


def _distinct(ids: Iterable[str]) -> tuple[str, ...]:
    """Distinct source ids, best first; a session ranks where its best turn ranks."""
    return tuple(dict.fromkeys(ids))


def _line(item: Mapping[str, str | None]) -> str:
    """An item with its speaker, which recall knows as well."""
    return f"{item['speaker']}: {item['text']}" if item["speaker"] else item["text"] or ""


def _text_of(corpus: Corpus, id: str) -> str:
    return " / ".join(item["text"] for item in corpus.items if item["source"] == id)[:2000]
