"""The historian's interface, with two implementations: rules only, or a language model."""

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
from .reconcile import KnownFact, reconcile, reconcile_by_rule
from .salience import Known, SalienceDecision, decide, decide_by_rule
from .summarise import summarise, summarise_by_rule


class Historian(Protocol):
    """The five tasks of the historian."""

    @property
    def name(self) -> str:
        """ "rules" or "model"; stored with each event, as what is learned depends on it."""

    def write(self, job: Job) -> Draft:
        """The turn in absolute words, and what can be learned from it."""

    def reconcile(
        self, drafts: Sequence[FactDraft], known: Sequence[KnownFact]
    ) -> list[Reconciliation]:
        """For each drafted fact, how it changes the known ones."""

    def merge(self, profile: Profile, statements: Sequence[str]) -> Profile | None:
        """The profile with these statements merged in; None if nothing changes."""

    def decide(self, messages: Sequence[Message], known: Known, bot: str = "") -> SalienceDecision:
        """Whether the conversation contains anything worth keeping (W9); `known` has the facts in
        force about a speaker, `bot` is the bot's name."""

    def summarise(
        self, messages: Sequence[Message], previous: str, now: datetime | None = None
    ) -> str:
        """A summary of the conversation so far (W8); `now` is the local time of writing."""


class RuleHistorian:
    """Rules only: fast, offline, and never invents anything."""

    name = "rules"

    def write(self, job: Job) -> Draft:
        return rule_writer.write(job)

    def reconcile(
        self, drafts: Sequence[FactDraft], known: Sequence[KnownFact]
    ) -> list[Reconciliation]:
        return reconcile_by_rule(drafts, known)

    def merge(self, profile: Profile, statements: Sequence[str]) -> Profile | None:
        existing = {bullet_key(line) for line in profile.body.splitlines()}
        new = [line for line in dict.fromkeys(statements) if bullet_key(line) not in existing]
        if not new:
            return None
        lines = [profile.body.rstrip(), *(f"- {line}" for line in new)]
        return replace(profile, body="\n".join(line for line in lines if line))

    def decide(self, messages: Sequence[Message], known: Known, bot: str = "") -> SalienceDecision:
        return decide_by_rule(messages, known, bot)

    def summarise(
        self, messages: Sequence[Message], previous: str, now: datetime | None = None
    ) -> str:
        return summarise_by_rule(messages, previous)


class ModelHistorian:
    """A language model whose output must pass the gate and be supported by the turn."""

    name = "model"

    def __init__(
        self, model: ChatModel, prompts: Prompts, max_revisions: Callable[[], int]
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._writer = ModelWriter(model, prompts, max_revisions)

    def write(self, job: Job) -> Draft:
        return self._writer.write(job)

    def reconcile(
        self, drafts: Sequence[FactDraft], known: Sequence[KnownFact]
    ) -> list[Reconciliation]:
        if not known:
            return reconcile_by_rule(drafts, known)  # nothing to compare with: no model call needed
        language = _language(draft.content for draft in drafts)
        return reconcile(self._model, self._prompts, language, drafts, known)

    def merge(self, profile: Profile, statements: Sequence[str]) -> Profile | None:
        return merge_profile(self._model, self._prompts, _language(statements), profile, statements)

    def decide(self, messages: Sequence[Message], known: Known, bot: str = "") -> SalienceDecision:
        language = _language(message.text for message in messages)
        return decide(self._model, self._prompts, language, messages)

    def summarise(
        self, messages: Sequence[Message], previous: str, now: datetime | None = None
    ) -> str:
        language = _language(message.text for message in messages)
        return summarise(self._model, self._prompts, language, messages, previous, now)


def _language(texts: Iterable[str]) -> str:
    return "zh" if any(has_cjk(text) for text in texts) else "en"
