"""What somebody is called whose name is not known: by the id, 用户k6 or "user k6"."""

from __future__ import annotations

USER_LABELS = {"zh": "用户", "en": "user "}
GROUP_LABELS = {"zh": "群", "en": "group "}


def id_label(labels: dict[str, str], language: str, id: str | None) -> str | None:
    return f"{labels[language]}{id}" if id else None


def user_labels(id: str) -> tuple[str, ...]:
    return tuple(f"{label}{id}" for label in USER_LABELS.values())
