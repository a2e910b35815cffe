"""Runs an evaluation: conversations go into memories, questions are answered and judged.

Conversations are worked side by side, each in a memory of its own and in order. Whatever a model
was paid for is in the log before anything else happens.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace

from ...errors import ModelDownError, ModelError
from ...memory import Memory
from ...ports import Completion, TextModel
from ...settings import Settings
from ...settings.schema import ChatSettings
from ...settings.storage import StorageSettings
from ..baselines import CachingEmbedder
from ..cases import Corpus, Question
from . import verdicts
from .contexts import Context, Contexts, Limits
from .ingestion import failed_turns, ingest
from .prompt_files import EvaluationPrompts, language_of
from .questions import Selection
from .run_log import Key, RunLog

MAX_REFUSALS = 5  # in a row; then it is not the question that the model refuses
FIRST_WAIT_SECONDS = 2.0
LONGEST_WAIT_SECONDS = 60.0
MAX_SAID_CHARS = 1000

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run does, whatever is done already."""

    selection: Selection
    systems: tuple[str, ...]
    limits: Limits
    concurrency: int
    patience: float


class SharedEmbedder(CachingEmbedder):
    """One embedder for many memories: each closes what it was given, and the run closes it."""

    def close(self) -> None:
        """Left open for the others."""

    def close_for_all(self) -> None:
        super().close()


@dataclass
class Run:
    """One run, used once. `failed` counts questions that a model refused; they are asked again by
    the next run."""

    plan: Plan
    log: RunLog
    settings: Settings
    model: TextModel
    prompts: EvaluationPrompts
    embedder: SharedEmbedder | None
    progress: Progress = lambda done, total: None
    failed: dict[Key, str] = field(default_factory=dict)
    _stop: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _refusals: int = 0

    def run(self) -> None:
        """Raises the first error that ends it: a model that is down, a disk that is full."""
        selection, size = self.plan.selection, self.plan.concurrency
        self._tell()
        with ThreadPoolExecutor(size) as askers, ThreadPoolExecutor(size) as workers:
            futures = [
                workers.submit(self._guarded, self._corpus, number, corpus, askers)
                for number, corpus in zip(selection.numbers, selection.corpora, strict=True)
                if not self._is_done(number, corpus)
            ]
            self._guarded(_results, futures)  # Ctrl-C stops the others, too

    def _guarded(self, work: Callable[..., None], *arguments: object) -> None:
        """The first error stops the others: nobody pays for what cannot be finished."""
        if self._stop.is_set():
            return
        try:
            work(*arguments)
        except BaseException:
            self._stop.set()
            raise

    def _corpus(self, number: int, corpus: Corpus, askers: ThreadPoolExecutor) -> None:
        folder = self.log.memory_folder(number)
        with Memory.open(folder, self.settings, embedder=self.embedder) as memory:
            count = ingest(memory, corpus, self.plan.patience, self._stop)
            contexts = Contexts(corpus, memory, self.embedder, self.plan.limits)
            futures = [
                askers.submit(self._guarded, self._question, key, question, contexts, context)
                for question in corpus.questions
                for key, context in self._open(question, contexts)
            ]
            _results(futures)
            if not self._stop.is_set():
                given_up, rows = failed_turns(memory), memory.jobs.ledger()
                self.log.corpus(number, turns=count, failed_turns=given_up, ledger=rows)

    def _open(self, question: Question, contexts: Contexts) -> list[tuple[Key, Context | None]]:
        """The systems whose verdict is missing. Contexts are made here, one after the other, so
        that the time of a recall is its own."""
        keys = [(question.id, system) for system in self.plan.systems]
        return [
            (key, None if key in self.log.answers else contexts.of(key[1], question))
            for key in keys
            if key not in self.log.verdicts and not self._stop.is_set()
        ]

    def _question(
        self, key: Key, question: Question, contexts: Contexts, context: Context | None
    ) -> None:
        try:
            if context is not None:
                self._answer(key, question, context, contexts.asked_at(question) or "")
            self._judge(key, question)
            self._refusals = 0
        except ModelDownError:
            raise
        except ModelError as error:
            self._refused(key, error)
        self._tell()

    def _answer(self, key: Key, question: Question, context: Context, today: str) -> None:
        language = language_of(question.query)
        values = {"today": today[:10], "material": context.text, "question": question.query}
        said = self._ask("eval_answer", self.prompts.messages("answer", language, **values))
        self.log.answer(key, answer=said.text, **_spent(said), **context.described())

    def _judge(self, key: Key, question: Question) -> None:
        name = "judge_unanswerable" if question.unanswerable else "judge"
        values = {
            "question": question.query,
            "reference": question.answer,
            "answer": self.log.answers[key]["answer"],
        }
        messages = self.prompts.messages(name, language_of(question.query), **values)
        said = self._ask("eval_judge", messages)
        verdict = verdicts.parse(said.text)
        self.log.verdict(key, verdict=verdict, said=said.text[:MAX_SAID_CHARS], **_spent(said))

    def _ask(self, task: str, messages: list[dict[str, str]]) -> Completion:
        """Waits for a model that is busy or down, longer each time, until the patience is over."""
        waited, pause = 0.0, FIRST_WAIT_SECONDS
        while True:
            try:
                return self.model.complete(task, messages)
            except ModelDownError:
                if waited + pause > self.plan.patience or self._stop.wait(pause):
                    raise
                waited, pause = waited + pause, min(2 * pause, LONGEST_WAIT_SECONDS)

    def _refused(self, key: Key, error: ModelError) -> None:
        with self._lock:
            self.failed[key] = str(error)
            self._refusals += 1
            if self._refusals >= MAX_REFUSALS:
                raise error

    def _is_done(self, number: int, corpus: Corpus) -> bool:
        keys = [(one.id, system) for one in corpus.questions for system in self.plan.systems]
        return number in self.log.corpora and all(key in self.log.verdicts for key in keys)

    def _tell(self) -> None:
        keys = [(q.id, s) for _, q in self.plan.selection.questions for s in self.plan.systems]
        self.progress(sum(key in self.log.verdicts for key in keys), len(keys))


def memory_settings(settings: Settings, with_model: bool) -> Settings:
    """A memory of its own on this disk; the historian works in order, by rule or with the model."""
    chat = settings.models.chat if with_model else ChatSettings()
    return replace(
        settings,
        storage=StorageSettings(),
        historian=replace(settings.historian, workers=1),
        models=replace(settings.models, chat=chat),
    )


def _spent(said: Completion) -> dict[str, float]:
    return {
        "prompt_tokens": said.prompt_tokens,
        "completion_tokens": said.completion_tokens,
        "seconds": round(said.seconds, 3),
    }


def _results(futures: Sequence[Future[None]]) -> None:
    """Wait for all; raise the first error."""
    wait(futures)
    for future in futures:
        future.result()
