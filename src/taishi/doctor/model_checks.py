"""Health check of the chat models that the historian asks."""

from __future__ import annotations

from collections.abc import Iterator

from ..assembly import probe_chat
from ..settings import Settings
from .findings import Bilingual, Finding


def chat_models(settings: Settings) -> Iterator[Finding]:
    """One short request to each; nothing where the historian works by rules."""
    for probe in probe_chat(settings):
        if probe.fault:
            yield Finding(
                "model",
                "problem",
                Bilingual(
                    f"{probe.name} does not answer: {probe.fault}",
                    f"{probe.name} 没有响应：{probe.fault}",
                ),
                Bilingual(
                    f"jobs wait until it does; start it, or correct [{probe.section}]",
                    f"在此之前任务一直等待；请启动它，或改正 [{probe.section}]",
                ),
            )
        else:
            yield Finding(
                "model",
                "ok",
                Bilingual(
                    f"{probe.name} answers: {probe.seconds:.1f} s",
                    f"{probe.name} 有响应：{probe.seconds:.1f} 秒",
                ),
            )
