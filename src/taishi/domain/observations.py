"""The bounded in-memory buffer of tool runs, the only writes that may be dropped (W7)."""

from __future__ import annotations

import threading
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..types import Edit, Record, Scope

Preview = Callable[[object], str]


@dataclass(frozen=True, slots=True)
class Observation:
    scope: Scope
    tool: str
    arguments: object
    result: object
    time: float


class ObservationBuffer:
    """Adding a tool run costs an append; previews are made when the buffer is drained."""

    def __init__(self, size: int) -> None:
        self._waiting: deque[Observation] = deque()
        self._size = size
        self._lock = threading.Lock()
        self._being_written = 0
        self.dropped = 0

    def add(self, observation: Observation) -> None:
        with self._lock:
            if len(self._waiting) >= self._size:
                self._waiting.popleft()
                self.dropped += 1
            self._waiting.append(observation)

    def take(self, count: int) -> list[Observation]:
        """Some to write down. Then they are `written` or `put_back`."""
        with self._lock:
            taken = [self._waiting.popleft() for _ in range(min(count, len(self._waiting)))]
            self._being_written += len(taken)
            return taken

    def written(self, items: Sequence[Observation]) -> None:
        with self._lock:
            self._being_written -= len(items)

    def put_back(self, items: Sequence[Observation]) -> None:
        """Returns what could not be written to the head of the buffer, if there is room."""
        with self._lock:
            self._being_written -= len(items)
            room = max(0, self._size - len(self._waiting))
            fitting = items[len(items) - room :] if room < len(items) else items
            self.dropped += len(items) - len(fitting)
            self._waiting.extendleft(reversed(fitting))

    def remove(self, matches: Callable[[Scope], bool]) -> int:
        with self._lock:
            kept = [item for item in self._waiting if not matches(item.scope)]
            removed = len(self._waiting) - len(kept)
            self._waiting = deque(kept)
        return removed

    @property
    def unwritten(self) -> int:
        """Those that wait, and those that are being written: no search finds them yet."""
        with self._lock:
            return len(self._waiting) + self._being_written

    def __len__(self) -> int:
        return len(self._waiting)


def put_observation(observation: Observation, preview: Preview) -> Edit:
    scope = observation.scope
    arguments, result = preview(observation.arguments), preview(observation.result)
    tool = preview(observation.tool)
    return Edit(
        "put",
        Record(
            id=f"obs-{uuid.uuid4().hex}",
            place=scope.home,
            kind="observation",
            text=f"{tool}({arguments}) → {result}",
            time=observation.time,
            user=scope.user,
            session=scope.session,
            data={"tool": tool, "arguments": arguments, "result": result},
        ),
    )
