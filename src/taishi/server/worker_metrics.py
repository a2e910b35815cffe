"""Metrics of a process without a server: `taishi work --metrics-port`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from prometheus_client import start_http_server
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from ..errors import StorageError
from ..memory import Memory
from ..observe.metrics import families
from .metrics import SERVER_METRICS, info_values, registry_with, to_prometheus


class WorkerCollector(Collector):
    """The memory's metrics and `taishi_info`; the values are read when somebody asks. `current` is
    the memory whose worker takes jobs."""

    def __init__(self, current: Callable[[], Memory]) -> None:
        self._current = current

    def collect(self) -> Iterator[Family]:
        entries = self._current().metrics() | families(SERVER_METRICS, info_values())
        for name, entry in entries.items():
            yield to_prometheus(name, entry)


@contextmanager
def serving_metrics(current: Callable[[], Memory], host: str, port: int) -> Iterator[None]:
    """Answer `GET /metrics` there, without a key: nothing private is in them."""
    registry = registry_with(WorkerCollector(current))
    try:
        server, thread = start_http_server(port, host, registry)
    except OSError as error:
        raise StorageError(
            f"cannot listen on {host}:{port} ({error.strerror or error}); choose another "
            "--metrics-port or --metrics-host"
        ) from error
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
