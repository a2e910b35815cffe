"""Asks a shared cache, a bucket and chat models once how they answer, for a health check. Needs no
memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..backends.redis.link import ping
from ..backends.s3.bucket import S3Bucket
from ..errors import TaishiError
from ..ports.shared_state import EngineAnswer
from ..settings import Settings
from .models import CHAT_TASKS

MAX_CHAT_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class EngineProbe:
    """`address` is without a password; `detail` is what the engine said when it refused."""

    address: str
    answer: EngineAnswer
    detail: str = ""


def probe_cache(settings: Settings) -> EngineProbe | None:
    """None: there is none, or memory is off and does not use it."""
    if not settings.storage.cache or not settings.memory.enabled:
        return None
    return EngineProbe(*ping(settings.storage.cache))


def probe_files(settings: Settings) -> EngineProbe | None:
    if not settings.storage.files or not settings.memory.enabled:
        return None
    bucket = S3Bucket(settings.storage.files)
    try:
        return EngineProbe(bucket.address, *bucket.ask())
    finally:
        bucket.close()


@dataclass(frozen=True, slots=True)
class ChatProbe:
    """`section` of the settings; `fault`: why it does not answer."""

    name: str
    section: str
    seconds: float
    fault: str = ""


def probe_chat(settings: Settings) -> Iterator[ChatProbe]:
    """Each model that the historian's tasks name, once. Its answer is not looked at."""
    from ..models.endpoint import Endpoint

    chat, asked = settings.models.chat, set()
    for task in CHAT_TASKS:
        model = chat.for_task(task)
        if not model.api_url or (model.api_url, model.model_name) in asked:
            continue
        asked.add((model.api_url, model.model_name))
        section = "models.chat" if model is chat else f"models.chat.{task}"
        limited = replace(model, timeout_seconds=min(model.timeout_seconds, MAX_CHAT_SECONDS))
        name = f"{model.model_name} ({model.api_url})"
        try:
            line = Endpoint(limited, section, "/chat/completions", "The chat model")
        except TaishiError as error:
            yield ChatProbe(name, section, 0.0, str(error))
            continue
        try:
            hello = {"role": "user", "content": "Answer with the word ok."}
            answer = line.post({"model": model.model_name, "messages": [hello], "stream": False})
        finally:
            line.close()
        fault = "" if answer.ok else answer.words
        if fault and answer.status:
            fault = f"{answer.status} {fault}"
        yield ChatProbe(name, section, answer.seconds, fault)
