"""Taishi (太史): a memory engine for chatbots and agents.

    from taishi import Memory, Scope

    with Memory.open("./data") as memory:
        memory.remember(Scope(user="u7"), "Ann moved to Oslo")
        print(memory.recall(Scope(user="u7"), "where does Ann live?").hits[0].text)

Importing this package loads no driver, no model and no server; the first open does.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import (
    BusyError,
    ClosedError,
    CorruptError,
    DocumentError,
    InputError,
    MissingExtraError,
    ModelError,
    ModelMissingError,
    OperationError,
    QueueError,
    ScopeError,
    SettingsError,
    StorageError,
    TaishiError,
    TimeError,
    VersionError,
)
from .settings import Settings, load
from .types import Hit, Message, Profile, Recall, Scope

if TYPE_CHECKING:
    from . import tools as tools
    from .async_memory import AsyncMemory
    from .domain.forget_requests import asks_to_forget
    from .language.error_texts import error_text
    from .memory import Memory

__version__ = "0.1.0"
__all__ = [
    "AsyncMemory",
    "BusyError",
    "ClosedError",
    "CorruptError",
    "DocumentError",
    "Hit",
    "InputError",
    "Memory",
    "Message",
    "MissingExtraError",
    "ModelError",
    "ModelMissingError",
    "OperationError",
    "Profile",
    "QueueError",
    "Recall",
    "Scope",
    "ScopeError",
    "Settings",
    "SettingsError",
    "StorageError",
    "TaishiError",
    "TimeError",
    "VersionError",
    "asks_to_forget",
    "error_text",
    "load",
]
_LAZY = {
    "Memory": "memory",
    "AsyncMemory": "async_memory",
    "asks_to_forget": "domain.forget_requests",
    "error_text": "language.error_texts",
}


def __getattr__(name: str) -> Any:
    if name == "tools":
        return import_module(f"{__name__}.tools")
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
