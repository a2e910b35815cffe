"""Whose deed a summary tells: "The assistant fixed the form" needs no "the assistant" before it."""

from __future__ import annotations

from ..language.lazy_regex import lazy_compile

# As a chat role is written, which a prompt block has to defuse.
_ROLE = lazy_compile(
    r"(?i)^\s*(?:the )?(?:assistant|bot|ai)\s*[:：]\s*|^\s*(?:助手|机器人)\s*[:：]\s*"
)
_NAMES = lazy_compile(
    r"(?i)^\W*(?:the |an? )?(?:ai )?(?:assistant|bot|agent|ai|model)\b(?!['’]s)"
    r"|^\W*(?:AI)?(?:助手|机器人|助理)"
)
# How one is called who has no name; as a label these words would look like a chat role.
_LABELS = {"the assistant": "the assistant's part", "助手": "助手所做"}


def without_role(action: str) -> str:
    return _ROLE.sub("", action, count=1)


def names_bot(action: str, bot: str) -> bool:
    return bot.casefold() in action.casefold() or _NAMES.match(action) is not None


def is_name(bot: str) -> bool:
    return bot not in _LABELS


def as_label(bot: str) -> str:
    return _LABELS.get(bot, bot)
