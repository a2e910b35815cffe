"""Settings → the models that they name, each imported only where it is used."""

from __future__ import annotations

import logging
from operator import index
from typing import TYPE_CHECKING

from ..errors import InputError, TaishiError
from ..historian.historian import Historian, ModelHistorian, RuleHistorian
from ..ports import ChatModel, Embedder, Ledger, Reranker, TextModel
from ..runtime import Runtime
from ..settings import Settings

if TYPE_CHECKING:
    from ..models.local.model_package import InstalledModel

log = logging.getLogger("taishi")
CHAT_TASKS = ("rewrite", "extract", "merge", "decide", "summarise")


def historian_chat(settings: Settings, ledger: Ledger) -> ChatModel | None:
    tiers = settings.models.chat
    if not any(tiers.for_task(task).api_url for task in CHAT_TASKS):
        return None
    from ..models.chat.model import OpenAIChat

    return OpenAIChat(tiers, ledger)


def new_historian(runtime: Runtime) -> Historian:
    """With a model if one is configured, else by rule."""
    parts = runtime.parts
    if parts.chat is None:
        return RuleHistorian()
    return ModelHistorian(
        parts.chat, parts.prompts, lambda: runtime.settings.historian.rewrite_max_retry
    )


def intent_chat(settings: Settings, ledger: Ledger) -> ChatModel | None:
    """Only where a model of its own is named: a recall cannot wait for the historian's."""
    tiers = settings.models.chat
    if tiers.intent is None or not tiers.intent.api_url:
        return None
    from ..models.chat.model import OpenAIChat

    return OpenAIChat(tiers, ledger)


def query_chat(settings: Settings, ledger: Ledger) -> ChatModel | None:
    """The same: only where one is named for questions to documents."""
    tiers = settings.models.chat
    if tiers.query is None or not tiers.query.api_url:
        return None
    from ..models.chat.model import OpenAIChat

    return OpenAIChat(tiers, ledger)


def evaluation_chat(settings: Settings, ledger: Ledger) -> TextModel:
    """The answerer and the judge of `taishi eval qa`."""
    from ..models.chat.model import OpenAIChat

    return OpenAIChat(settings.models.chat, ledger)


def reranker(settings: Settings, ledger: Ledger) -> Reranker | None:
    """None also where it cannot be used: recall is worse without one, not broken."""
    wanted = settings.models.rerank
    if not wanted.api_url:
        return None
    from ..models.ledger_entries import Prices
    from ..models.reranker import HttpReranker

    try:
        return HttpReranker(
            api_url=wanted.api_url,
            api_key=wanted.api_key,
            model_name=wanted.model_name,
            timeout_seconds=wanted.timeout_seconds,
            concurrency=wanted.concurrency,
            kind=wanted.kind,
            ledger=ledger,
            prices=Prices(wanted.price_in, wanted.price_call),
            queue_interval_seconds=wanted.queue_interval_seconds,
        )
    except TaishiError as error:
        log.warning("recall goes without a reranker: %s", error)
        return None


def check_embedder(embedder: Embedder) -> None:
    """A caller's own embedder has to tell its dimensions; it used to tell `blocks`."""
    dimensions = getattr(embedder, "dimensions", None)
    try:
        is_usable = index(dimensions) > 0  # type: ignore[arg-type]
    except TypeError:
        is_usable = False
    if not is_usable:
        raise InputError(
            f"the embedder {embedder.name!r:.80} does not say its dimensions ({dimensions!r:.40}): "
            "give it an attribute `dimensions`, how many numbers each of its vectors has, such as "
            "384. It replaces `blocks`, whose sum it is"
        )


def choose_embedder(
    settings: Settings, ledger: Ledger | None = None
) -> tuple[Embedder | None, str]:
    """The embedder the settings ask for, or None and one line that says how to get it."""
    try:
        embedder = _embedder(settings, ledger)
        if embedder is not None:
            _ = embedder.dimensions  # an endpoint is asked for its width, unless that is set
    except TaishiError as error:
        log.warning("recall is by keyword only: %s", error)
        return None, str(error)
    return embedder, embedder.name if embedder else "off (models.embedding.kind = none)"


def _embedder(settings: Settings, ledger: Ledger | None) -> Embedder | None:
    wanted = settings.models.embedding
    if wanted.kind == "none":
        return None
    if wanted.kind == "openai":
        from ..models.openai_embedder import OpenAIEmbedder

        return OpenAIEmbedder(
            api_url=wanted.api_url,
            api_key=wanted.api_key,
            model_name=wanted.model_name,
            timeout_seconds=wanted.timeout_seconds,
            dimensions=wanted.dimensions or None,
            query_instruction=wanted.query_instruction,
            document_instruction=wanted.document_instruction,
            concurrency=wanted.concurrency,
            ledger=ledger,
            price_in=wanted.price_in,
        )
    if wanted.kind == "fastembed":
        from ..models.fastembed_embedder import FastembedEmbedder

        return FastembedEmbedder(wanted.model_name)
    from ..models.local.embedder import LocalEmbedder

    return LocalEmbedder()


def installed_model() -> InstalledModel:
    """The local embedder's package, for people who ask what is there."""
    from ..models.local import model_package

    return model_package.installed_model()
