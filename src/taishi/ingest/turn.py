"""`Turn`: the arguments of `end_turn` and `consider`, as one value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, Literal

from ..times import TimeLike
from ..types import Message, Scope

if TYPE_CHECKING:
    from ..domain.text_terms import TextTerms


@dataclass(frozen=True, slots=True)
class Turn:
    """The arguments of `end_turn`, as given. `zone` is where it was said, if that is not the
    memory's own: of an imported chat."""

    scope: Scope
    action_summary: str | None = None
    new_info: str | Iterable[str] | None = None
    messages: Sequence[Message | Mapping[str, Any]] = ()
    request_id: str | None = None
    time: TimeLike | None = None
    sender_id: str | None = None
    sender_name: str | None = None
    group_name: str | None = None
    bot_name: str | None = None
    location: str | None = None
    force: bool = False
    task: Literal["turn", "consider"] = "turn"
    actor: str = "host"
    recalled: Sequence[TextTerms] = ()
    zone: tzinfo | None = None
    metadata: Mapping[str, Any] | None = None
