"""Hands imported conversations to the historian, so that facts and profiles arise from them.

The messages are appended to their sessions, as a host does it: those that are there count once,
and what was handed over is marked, so that an interrupted import asks no model twice.
"""

from __future__ import annotations

from datetime import tzinfo
from typing import Any

from ..types import Scope
from ..working.service import WorkingMemory

AT_ONCE = 500


class ChatLearning:
    """`zone` is that of the chats: what "yesterday" means in them."""

    def __init__(self, working: WorkingMemory, door: str, zone: tzinfo) -> None:
        self._working = working
        self._door = door
        self._zone = zone
        self._scope: Scope | None = None
        self._title: str | None = None
        self._waiting: list[dict[str, Any]] = []
        self.jobs = 0

    def add(self, scope: Scope, message: dict[str, Any], title: str | None) -> None:
        if scope != self._scope or len(self._waiting) >= AT_ONCE:
            self.flush(is_over=scope != self._scope)
            self._scope, self._title = scope, title
        self._waiting.append(message)

    def flush(self, is_over: bool = True) -> None:
        scope, waiting = self._scope, self._waiting
        self._waiting = []
        if scope is None:
            return
        if waiting:
            self._working.append_alone(scope, waiting, self._door)
        if is_over:
            group_name = self._title if scope.group is not None else None
            self.jobs += self._working.learn(scope, self._zone, group_name)
