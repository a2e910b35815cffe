"""Asks a shared cache and a bucket once how they answer, for a health check. Needs no memory."""

from __future__ import annotations

from dataclasses import dataclass

from ..backends.redis.link import ping
from ..backends.s3.bucket import S3Bucket
from ..ports.shared_state import EngineAnswer
from ..settings import Settings


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
