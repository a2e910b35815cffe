"""Notes in which threads the verbs of a memory run."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from taishi import Memory


class ThreadNotes:
    """`notes = ThreadNotes(memory, "recall", "end_turn")`; then `notes.threads["recall"]`."""

    def __init__(self, memory: Memory, *verbs: str) -> None:
        self.threads: dict[str, set[int]] = {verb: set() for verb in verbs}
        for verb in verbs:
            setattr(memory, verb, self._noting(verb, getattr(memory, verb)))

    def _noting(self, verb: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*arguments: Any, **options: Any) -> Any:
            self.threads[verb].add(threading.get_ident())
            return call(*arguments, **options)

        return noted

    def are_off_the_loop(self) -> bool:
        """Whether all were called, and none in the thread that asks."""
        here = threading.get_ident()
        return all(found and here not in found for found in self.threads.values())
