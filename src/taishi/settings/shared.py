"""The settings of shared memory (F5)."""

from __future__ import annotations

from dataclasses import dataclass

from .spec import setting

# A default made by a call (RUF009) is the point: the call carries the documentation.


def coordinator_list(value: str) -> str | None:
    for part in filter(None, (part.strip() for part in value.split(","))):
        kind, _, id = part.partition(":")
        if part != "person" and (kind not in ("agent", "person") or not id.strip()):
            return (
                f"{part!r:.60} names no coordinator; write person, person:ID or agent:ID, "
                "separated by commas"
            )
    return None


# fmt: off
@dataclass(frozen=True)
class SharedSettings:
    coordinators: str = setting("person",
        "Who approves and rejects what agents propose to shared memory: person (anybody at the "
        "command line or with a key --as-person), agent:ID, separated by commas.",
        "由谁批准或否决智能体向共享记忆提出的内容：person（命令行用户或持 --as-person 密钥的人）、"
        "agent:ID，以逗号分隔。", check=coordinator_list)
