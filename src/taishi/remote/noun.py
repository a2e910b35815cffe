"""What the remote services have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from ..errors import UnsupportedError
from ..types import Record, Scope
from .server import Server
from .wire import RecordAnswer


class Noun:
    """A group of verbs of one server."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def _records(self, scope: Scope, found: Iterable[RecordAnswer]) -> list[Record]:
        home = self._server.home(scope)
        return [one.record(home) for one in found]


def refuse(what: str, instead: str = "") -> NoReturn:
    advice = f"; {instead}" if instead else "; open the memory itself where the server runs"
    raise UnsupportedError(f"{what} does not work over the REST API of a server{advice}")


def unsupported(verb: str, instead: str = "") -> Callable[..., NoReturn]:
    """A verb that the API does not have."""

    def refused(self: object, *args: Any, **kwargs: Any) -> NoReturn:
        refuse(f"memory.{verb}()", instead)

    return refused
