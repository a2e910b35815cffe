"""One call of a tool, and its answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..context_block.block import ROLE_MARK
from ..language.redaction.redactor import Redactor
from ..memory import Memory
from ..types import Partition, Record, Scope
from .messages import message


@dataclass(frozen=True, slots=True)
class Answer:
    """The result for the model; `ok` is False when it should correct its call or go on without.

    `is_complete`: whether every path of a search answered; None: nothing was searched. `data` is
    the same for a program, with the fields of the tool's output schema (see `output_schemas`).
    """

    text: str
    ok: bool = True
    is_complete: bool | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call: its scope, parsed arguments and the language of the answer."""

    memory: Memory
    scope: Scope
    arguments: Mapping[str, Any]
    language: str
    turn: Mapping[str, Any]
    deadline: float | None = None
    door: str = "tool"
    now: float | None = None  # the moment of the conversation; None: the present
    offered: Collection[str] = ()  # the tools that the model can call
    forgotten: Callable[[Partition], int] = lambda place: 0  # what a host keeps of it elsewhere

    @property
    def writer(self) -> dict[str, str]:
        """Keyword arguments for writes: the author is a model, whatever the arguments say."""
        return {"actor": "model", "door": self.door}

    @property
    def moment(self) -> dict[str, Any]:
        """Keyword arguments for searches: when it is asked, and how long it may take."""
        return {"now": self.now, "deadline": self.deadline}

    @property
    def redactor(self) -> Redactor:
        """For text that a person may have typed by hand (R1)."""
        redaction = self.memory.settings.redaction
        return Redactor(email=redaction.email, phone=redaction.phone)

    def record(self, id: str) -> Record | None:
        """The caller's own record with this id; also if it was copied from a text in which its
        colon was defused."""
        found = self.memory.records.get(self.scope, id)
        if found is None and ROLE_MARK in id:
            found = self.memory.records.get(self.scope, id.replace(ROLE_MARK, ":"))
        return found

    def answer(
        self, key: str, ok: bool = True, *, data: Mapping[str, Any] | None = None, **values: object
    ) -> Answer:
        return Answer(message(self.language, key, **values), ok, data=data or {})
