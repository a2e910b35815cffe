"""OpenTelemetry tracing (extra `telemetry`), off unless `telemetry.enabled` is set.

Spans go to the host's tracer provider. They carry levels, counts and outcomes; never a text, a name
or an id of a person.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import MissingExtraError
from ..settings import TelemetrySettings

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

NAME = "taishi"


class Span(Protocol):
    def set(self, **attributes: str | int | float | bool) -> None: ...


class Tracing(Protocol):
    def span(
        self, name: str, carrier: Mapping[str, str] | None = None
    ) -> AbstractContextManager[Span]:
        """A span around a piece of work; `carrier` holds the request headers with the trace
        context."""


class NoTracing:
    """Tracing switched off: one object serves as every span, so that it costs nothing."""

    def span(self, name: str, carrier: Mapping[str, str] | None = None) -> NoTracing:
        return self

    def set(self, **attributes: str | int | float | bool) -> None:
        """Ignored."""

    def __enter__(self) -> NoTracing:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to end."""


class OpenTelemetryTracing:
    """Spans of the process's tracer provider."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def span(
        self, name: str, carrier: Mapping[str, str] | None = None
    ) -> AbstractContextManager[Span]:
        from opentelemetry.propagate import extract

        context = extract(carrier) if carrier else None
        return _OpenTelemetrySpan(self._tracer.start_as_current_span(name, context=context))


class _OpenTelemetrySpan:
    """An OpenTelemetry span behind the `Span` protocol."""

    def __init__(self, manager: AbstractContextManager[Any]) -> None:
        self._manager = manager
        self._span: Any = None

    def __enter__(self) -> _OpenTelemetrySpan:
        self._span = self._manager.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._manager.__exit__(kind, error, trace)

    def set(self, **attributes: str | int | float | bool) -> None:
        for name, value in attributes.items():
            self._span.set_attribute(f"{NAME}.{name}", value)


def tracing(settings: TelemetrySettings) -> Tracing:
    """The tracing that is configured. Raises MissingExtraError if the package is missing."""
    if not settings.enabled:
        return NoTracing()
    try:
        from opentelemetry.trace import get_tracer
    except ModuleNotFoundError as error:
        raise MissingExtraError("telemetry.enabled", "telemetry") from error
    return OpenTelemetryTracing(get_tracer(NAME))
