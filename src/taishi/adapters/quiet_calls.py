"""Calls of a memory that never become the agent's problem: failures are logged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from ..async_memory import AsyncMemory
from ..errors import InputError, ScopeError, TaishiError
from ..memory import Memory
from ..types import Scope

log = logging.getLogger("taishi.adapters")
T = TypeVar("T")


def sync_memory(memory: Memory | AsyncMemory) -> Memory:
    """What the adapters work with: they choose the thread themselves."""
    found = memory.sync if isinstance(memory, AsyncMemory) else memory
    if not isinstance(found, Memory):
        raise InputError(
            f"memory must be an open memory, such as Memory.open('./data'), not "
            f"{type(memory).__name__}"
        )
    return found


async def quietly(what: str, work: Callable[[], T], instead: T) -> T:
    """The result of `work`, run in a thread; `instead` if it fails, so that the agent goes on.

    The log says why if the error is one of ours. Of an error in what was given it names only the
    kind, as the message may quote what somebody said; so it does of errors of others.
    """
    try:
        return await asyncio.to_thread(work)
    except Exception as error:
        log.warning("%s failed, the agent goes on without: %s", what, reason_of(error))
        return instead


def reason_of(error: Exception) -> str:
    """What a log may say of an error."""
    name = type(error).__name__
    is_safe = isinstance(error, TaishiError) and not isinstance(error, InputError)
    return f"{name}: {error}" if is_safe else name


def block_for(memory: Memory, scope: Scope, text: str, **options: Any) -> str:
    """The prompt block for what the user said; "" if there is none, or if the memory fails."""
    if not text.strip():
        return ""
    try:
        return memory.context(scope, text, **options)
    except ScopeError:
        raise  # a mistake in the caller's program, and nobody may be taken for another
    except TaishiError as error:
        log.warning("recall failed, the agent goes on without: %s", error)
        return ""
