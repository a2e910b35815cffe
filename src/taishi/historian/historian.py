"""Who does the thinking: a model, or the rules where there is none. The same five questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from ..domain.drafts import Draft, FactDraft, Reconciliation
from ..domain.text_identity import bullet_key
from ..language.analyzer import has_cjk
from ..ports import ChatModel
from ..types import Job, Message, Profile
from . import rule_writer
from .model_writer import ModelWriter
from .profile_merge import merge_profile
from .prompt_loader import Prompts
from .reconcile import KnownFact, judge, judge_by_rule
from .salience import SalienceDecision, decide, decide_by_rule
from .summarise import summarise, summarise_by_rule


class Historian(Protocol):
    @property
    def name(self) -> str:
        """ "rules" or "model": kept with each event, as what it taught depends on it."""

    def write(self, job: Job) -> Draft:
        """The turn in words that stay true, and what can be learned from it."""

    def judge(
        self, drafts: Sequence[FactDraft], known: Sequence[KnownFact]
    ) -> list[Reconciliation]:
        """For each draft, what it does to what is known."""

    def merge(self, profile: Profile, statements: Sequence[str]) -> Profile | None:
        """The page with these statements in it; None if nothing changes."""

    def decide(self, messages: Sequence[Message]) -> SalienceDecision:
        """Whether anything that was said is worth keeping (W9)."""

    def summarise(
        self, messages: Sequence[Message], previous: str, now: datetime | None = None
    ) -> str:
        """What was said so far (W8); `now` is the moment it is written, on the local clock."""


class RuleHistorian:
    """Modest, quick, offline, and never invents anything."""

    name = "rules"

    def write(self, job: Job) -> Draft:
        return rule_writer.write(job)

    def judge(
        self, drafts: Sequence[FactDraft], known: Sequence[KnownFact]
    ) -> list[Reconciliation]:
        return judge_by_rule(drafts, known)

    def merge(self, profile: Profile, statements: Sequence[str]) -> Profile | None:
        there = {bullet_key(line) for line in profile.body.splitlines()}
        new = [line for line in dict.fromkeys(statements) if bullet_key(line) not in there]
        if not new:
            return None
        lines = [profile.body.rstrip(), *(f"- {line}" for line in new)]
        return replace(profile, body="\n".join(line for line in lines if line))

    def decide(self, messages: Sequence[Message]) -> SalienceDecision:
        return decide_by_rule(messages)

    def summarise(
        self, messages: Sequence[Message], previous: str, now: datetime | None = None
    ) -> str:
        return summarise_by_rule(messages, previous)


class ModelHistorian:
    """A language model, held to the gate and to its evidence."""

    name = "model"

    def __init__(
        self, model: ChatModel, prompts: Prompts, max_revisions: Callable[[], int]
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._historian = ModelWriter(model, prompts, max_revisions)

    def write(self, job: Job) -> Draft:
        return self._historian.write(job)

    def judge(
        self, drafts: Sequence[FactDraft], known: Sequence[KnownFact]
    ) -> list[Reconciliation]:
        if not known:
            return judge_by_rule(drafts, known)  # nothing to compare with: no need to ask
        language = _language(draft.content for draft in drafts)
        return judge(self._model, self._prompts, language, drafts, known)

    def merge(self, profile: Profile, statements: Sequence[str]) -> Profile | None:
        return merge_profile(self._model, self._prompts, _language(statements), profile, statements)

    def decide(self, messages: Sequence[Message]) -> SalienceDecision:
        language = _language(message.text for message in messages)
        return decide(self._model, self._prompts, language, messages)

    def summarise(
        self, messages: Sequence[Message], previous: str, now: datetime | None = None
    ) -> str:
        language = _language(message.text for message in messages)
        return summarise(self._model, self._prompts, language, messages, previous, now)


def _language(texts: Iterable[str]) -> str:
    return "zh" if any(has_cjk(text) for text in texts) else "en"
