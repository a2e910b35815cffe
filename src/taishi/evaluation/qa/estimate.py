"""What a run would cost: calls and tokens by role, without asking a model.

Counted: turns, questions, what the answerer is given. Assumed: how much the historian and the
answers say, by the constants below.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...language.token_count import estimate_tokens
from ..cases import Corpus, Question
from .contexts import FULL, OURS, newest_that_fit
from .conversation import CHUNK_TOKENS, EndedTurn, chunks, transcript, turns
from .prompt_files import EvaluationPrompts, language_of
from .run_log import RunLog
from .runner import Plan

# Writing a turn down: the prompt with its tool, what is answered, and that a turn is sent back once
# because of a fault in it. A good model needs fewer calls, a weak one up to three.
WRITING_CALLS = 2
WRITING_PROMPT = 2000
WRITING_ANSWER = 250
# Comparing what is new with what is known, or merging it into a page.
LEARNING_CALLS = 1
LEARNING_PROMPT = 800
LEARNING_ANSWER = 120
SPOKEN_ANSWER = 20
VERDICT_ANSWER = 40
MAX_SAID_TOKENS = 1500
# JSON around a turn, which is there as it was said, as a draft and among the messages.
TURN_COPIES = 3


@dataclass(frozen=True, slots=True)
class Expected:
    """Of one role. `calls` 0: computed on this machine."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Expected) -> Expected:
        return Expected(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )

    def cost(self, price_in: float, price_out: float) -> float:
        return (self.prompt_tokens * price_in + self.completion_tokens * price_out) / 1_000_000


class Estimate:
    """A plan's remaining work: what the log holds is not paid for again."""

    def __init__(
        self, plan: Plan, log: RunLog, prompts: EvaluationPrompts, historian_asks: bool
    ) -> None:
        self._plan = plan
        self._log = log
        self._prompts = prompts
        self._historian_asks = historian_asks

    @property
    def turns(self) -> int:
        return sum(1 for corpus in self._plan.selection.corpora for _ in turns(corpus))

    def by_role(self) -> dict[str, Expected]:
        totals = {role: Expected() for role in ("historian", "embedding", "answerer", "judge")}
        selection = self._plan.selection
        for number, corpus in zip(selection.numbers, selection.corpora, strict=True):
            if number not in self._log.corpora:
                for turn in turns(corpus) if self._historian_asks else ():
                    totals["historian"] += _writing(turn)
                totals["embedding"] += _embedding(corpus)
            for role, expected in self._answers(corpus):
                totals[role] += expected
        return totals

    def cut_questions(self) -> int:
        """Questions whose conversation does not fit the window as a whole."""
        if FULL not in self._plan.systems:
            return 0
        window = self._plan.limits.window
        lines = {corpus.name: transcript(corpus.items) for corpus in self._plan.selection.corpora}
        cut = {name for name, all in lines.items() if newest_that_fit(all, window) < len(all)}
        return sum(corpus.name in cut for corpus, _ in self._plan.selection.questions)

    def _answers(self, corpus: Corpus) -> Iterator[tuple[str, Expected]]:
        sizes = {system: self._context_tokens(system, corpus) for system in self._plan.systems}
        for question in corpus.questions:
            for system, size in sizes.items():
                key = (question.id, system)
                if key not in self._log.answers:
                    sent = self._prompt_tokens("answer", question) + size
                    yield "answerer", Expected(1, sent, SPOKEN_ANSWER)
                if key not in self._log.verdicts:
                    sent = self._prompt_tokens("judge", question) + SPOKEN_ANSWER
                    yield "judge", Expected(1, sent, VERDICT_ANSWER)

    def _prompt_tokens(self, name: str, question: Question) -> int:
        text = self._prompts.by_name[f"{name}.{language_of(question.query)}.md"]
        said = question.query if name == "answer" else f"{question.query} {question.answer}"
        return estimate_tokens(text) + estimate_tokens(said)

    def _context_tokens(self, system: str, corpus: Corpus) -> int:
        limits = self._plan.limits
        if system == OURS:
            return limits.max_tokens
        if system == FULL:
            return min(limits.window, sum(map(estimate_tokens, transcript(corpus.items))))
        return limits.top_k * CHUNK_TOKENS


def total(roles: Mapping[str, Expected]) -> Expected:
    return sum(roles.values(), Expected())


def _writing(turn: EndedTurn) -> Expected:
    said = estimate_tokens(turn.said) + estimate_tokens(turn.done)
    recent = sum(estimate_tokens(one.text) for one in turn.messages)
    data = min(MAX_SAID_TOKENS, TURN_COPIES * said) + min(MAX_SAID_TOKENS, recent)
    return Expected(
        WRITING_CALLS + LEARNING_CALLS,
        WRITING_CALLS * (WRITING_PROMPT + data) + LEARNING_CALLS * LEARNING_PROMPT,
        WRITING_CALLS * WRITING_ANSWER + LEARNING_CALLS * LEARNING_ANSWER,
    )


def _embedding(corpus: Corpus) -> Expected:
    """Records and chunks are about the conversation twice; questions are short."""
    said = sum(map(estimate_tokens, chunks(corpus)))
    asked = sum(estimate_tokens(question.query) for question in corpus.questions)
    return Expected(0, 2 * said + 2 * asked, 0)
