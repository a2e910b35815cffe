"""`/metrics` for Prometheus: the memory's metrics and the HTTP server's."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector
from starlette.responses import Response

from .. import __version__
from ..observe.metrics import Metric, Values, families
from .access_log import ServerMetrics
from .auth import caller_of
from .fleet_metrics import FleetMetrics
from .health import REASONS, health_router, reasons_now
from .openapi import failures

SERVER_METRICS = (
    Metric(
        "taishi_info", "gauge", "Always 1; the labels say what runs here.", ("version", "python")
    ),
    Metric(
        "taishi_http_requests_total",
        "counter",
        "Requests answered, by method, route and status; 499 where the client went away first.",
        ("method", "route", "status"),
    ),
    Metric(
        "taishi_http_request_seconds",
        "histogram",
        "Until the last byte of the answer, by method and route.",
        ("method", "route"),
    ),
    Metric(
        "taishi_not_ready",
        "gauge",
        "1 for each reason why /health/ready says 503, such as disk, database, queue, keys.",
        ("reason",),
    ),
    Metric("taishi_http_in_flight", "gauge", "Requests being answered now."),
    Metric(
        "taishi_http_refused_total",
        "counter",
        "Clients turned away before any route was asked, by reason: framing, head_timeout, "
        "body_timeout, send_timeout, connections, failed_keys, overloaded.",
        ("reason",),
    ),
    Metric(
        "taishi_proxy_recalls_total",
        "counter",
        "Chats through the proxy, by the level recall answered at; off, late, failed.",
        ("outcome",),
    ),
    Metric(
        "taishi_proxy_recall_seconds",
        "histogram",
        "What memory added before a chat went on to the upstream.",
    ),
    Metric(
        "taishi_proxy_turns_total",
        "counter",
        "Turns after a chat: recorded, nothing_told, repeated, failed.",
        ("outcome",),
    ),
)


def info_values() -> dict[str, Values]:
    return {"taishi_info": {(__version__, platform.python_version()): 1}}


def server_values(metrics: ServerMetrics, not_ready: Collection[str]) -> dict[str, Values]:
    reasons = dict.fromkeys(REASONS, 0.0) | dict.fromkeys(not_ready, 1.0)
    return info_values() | {
        "taishi_not_ready": {(reason,): value for reason, value in reasons.items()},
        "taishi_http_requests_total": metrics.requests.read(),
        "taishi_http_request_seconds": metrics.seconds.read(),
        "taishi_http_in_flight": {(): metrics.in_flight},
        "taishi_http_refused_total": metrics.refused.read(),
        "taishi_proxy_recalls_total": metrics.proxy_recalls.read(),
        "taishi_proxy_recall_seconds": metrics.proxy_recall.read(),
        "taishi_proxy_turns_total": metrics.proxy_turns.read(),
    }


class TaishiCollector(Collector):
    """Collects all values at scrape time; holds no state."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    def collect(self) -> Iterator[Family]:
        state = self._app.state
        entries = state.memory.metrics()
        entries |= families(SERVER_METRICS, server_values(state.metrics, reasons_now(state)))
        for name, entry in entries.items():
            yield to_prometheus(name, entry)


def to_prometheus(name: str, entry: Mapping[str, Any]) -> Family:
    """Convert one entry of `Memory.metrics()` into the Prometheus client's metric family."""
    labels = entry["labels"]
    if entry["kind"] == "histogram":
        histogram = HistogramMetricFamily(name, entry["help"], labels=labels)
        for sample in entry["samples"]:
            values = [sample["labels"][label] for label in labels]
            histogram.add_metric(values, list(sample["buckets"].items()), sample["sum"])
        return histogram
    kind = CounterMetricFamily if entry["kind"] == "counter" else GaugeMetricFamily
    metric = kind(name, entry["help"], labels=labels)
    for sample in entry["samples"]:
        metric.add_metric([sample["labels"][label] for label in labels], sample["value"])
    return metric


def registry_of(app: FastAPI) -> CollectorRegistry:
    return registry_with(TaishiCollector(app))


def registry_with(ours: Collector) -> CollectorRegistry:
    """Ours and the process's: a registry of its own rather than the global one, so that two apps
    in a process stay apart."""
    registry = CollectorRegistry()
    registry.register(ours)
    for collector in (ProcessCollector, PlatformCollector, GCCollector):
        collector(registry=registry)
    return registry


def metrics_router() -> APIRouter:
    """/metrics and /health."""
    router = APIRouter()

    page = {"content": {"text/plain": {"schema": {"type": "string"}}}}

    @router.get(
        "/metrics",
        tags=["health"],
        summary="Metrics for Prometheus",
        response_class=Response,
        responses={200: page, **failures()},
    )
    async def metrics(request: Request) -> Response:
        """Needs an admin key for every workspace, unless no key is set up or
        `monitoring.open_metrics` is on."""
        if not request.app.state.memory.settings.monitoring.open_metrics:
            (await caller_of(request)).need_server()
        encode, content_type = choose_encoder(request.headers.get("accept", ""))
        state = request.app.state
        fleet: FleetMetrics | None = getattr(state, "fleet_metrics", None)
        if fleet is None:
            await state.readiness.check(state.memory, state.keys)
        registry = registry_of(request.app) if fleet is None else await fleet.registry()
        content = await asyncio.to_thread(encode, registry)
        return Response(content, media_type=content_type)

    router.include_router(health_router())
    return router
