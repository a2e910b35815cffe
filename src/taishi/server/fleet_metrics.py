"""`/metrics` of several worker processes as one: whoever is scraped asks the others and adds up.

Each process answers on a socket in the folder they share. What it said last stays there as a file,
so that counters do not fall when a process dies: its part stays what monitoring last saw.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from .worker_board import WorkerPlace

ASK_SECONDS = 2.0
MAX_BYTES = 8 << 20
# Read from the store, which all processes share: one answer is the answer of all.
OF_THE_STORE = ("taishi_model_",)
# Gauges that each process has for itself; all others are of the store, or the same everywhere.
SUMMED = frozenset(
    (
        "taishi_http_in_flight",
        "taishi_workers",
        "taishi_observations_waiting",
        "taishi_index_places",
        "taishi_index_rows",
        "taishi_index_vectors",
        "taishi_index_bytes",
        "process_resident_memory_bytes",
        "process_virtual_memory_bytes",
        "process_open_fds",
        "process_max_fds",
    )
)
HIGHEST = frozenset(("taishi_worker_idle_seconds", "taishi_not_ready"))
LOWEST = frozenset(("process_start_time_seconds",))
Snapshot = dict[str, dict[str, Any]]  # by the name of the family
SampleKey = tuple[str, tuple[tuple[str, str], ...]]


class FleetMetrics:
    """The metrics of all worker processes; `own` is the registry of this one, and `refresh` is
    called before it is read."""

    def __init__(
        self,
        place: WorkerPlace,
        own: Callable[[], CollectorRegistry],
        refresh: Callable[[], Awaitable[object]],
    ) -> None:
        self._place = place
        self._own = own
        self._refresh = refresh

    @asynccontextmanager
    async def answering(self) -> Any:
        """Answer the other processes; leave the last values behind at the end."""
        path = self._socket(self._place.slot)
        path.unlink(missing_ok=True)  # of a process that died
        server = await asyncio.start_unix_server(self._answer, path)
        try:
            yield
        finally:
            server.close()
            with suppress(OSError):
                self._keep(await asyncio.to_thread(self._own_message))

    async def registry(self) -> CollectorRegistry:
        """All processes together, for an encoder."""
        await self._refresh()
        own = await asyncio.to_thread(self._own_message)
        others = [n for n in range(self._place.slots) if n != self._place.slot]
        answers = await asyncio.gather(*map(self._ask, others))
        living = [own, *(answer for answer in answers if answer is not None)]
        for message in living:
            self._keep(message)
        registry = CollectorRegistry()
        registry.register(_Merged(list(merged(living, self._of_the_dead(living)).values())))
        return registry

    async def _answer(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._refresh()
            writer.write(json.dumps(await asyncio.to_thread(self._own_message)).encode())
            await writer.drain()
        except OSError:
            pass  # whoever asked is gone
        finally:
            writer.close()

    async def _ask(self, slot: int) -> dict[str, Any] | None:
        """None: it is starting, ending or dead."""
        try:
            async with asyncio.timeout(ASK_SECONDS):
                path = self._socket(slot)
                reader, writer = await asyncio.open_unix_connection(path, limit=MAX_BYTES)
                try:
                    answer: dict[str, Any] = json.loads(await reader.read(-1))
                    return answer
                finally:
                    writer.close()
        except (OSError, ValueError, TimeoutError):
            return None

    def _own_message(self) -> dict[str, Any]:
        return {"pid": os.getpid(), "families": snapshot(self._own())}

    def _keep(self, message: dict[str, Any]) -> None:
        path = self._place.folder / f"metrics-{int(message['pid'])}.json"
        temp = path.with_suffix(f".{os.getpid()}.tmp")
        temp.write_text(json.dumps(message))
        temp.replace(path)

    def _of_the_dead(self, living: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        alive = {message["pid"] for message in living}
        for path in sorted(self._place.folder.glob("metrics-*.json")):
            with suppress(OSError, ValueError):
                message = json.loads(path.read_bytes())
                if message["pid"] not in alive:
                    yield message

    def _socket(self, slot: int) -> Path:
        return self._place.folder / f"{slot}.sock"


class _Merged(Collector):
    def __init__(self, families: list[Family]) -> None:
        self._families = families

    def collect(self) -> list[Family]:
        return self._families


def snapshot(registry: CollectorRegistry) -> Snapshot:
    """The current values of a registry, as JSON-compatible data."""
    return {
        family.name: {
            "help": family.documentation,
            "type": family.type,
            "samples": [[s.name, s.labels, s.value] for s in family.samples],
        }
        for family in registry.collect()
    }


def merged(
    living: Iterable[dict[str, Any]], dead: Iterable[dict[str, Any]] = ()
) -> dict[str, Family]:
    """One family for each name. The first of the living answers for what is of the store; the dead
    count only where something was counted."""
    families: dict[str, Family] = {}
    values: dict[str, dict[SampleKey, float]] = {}
    messages = [*((m, True) for m in living), *((m, False) for m in dead)]
    for message, lives in messages:
        for name, entry in message["families"].items():
            if not lives and not _is_counted(name, entry["type"]):
                continue
            if name not in families:
                families[name] = Family(name, entry["help"], entry["type"])
                values[name] = {}
            for sample, labels, value in entry["samples"]:
                key = sample, tuple(sorted(labels.items()))
                known = values[name].get(key)
                values[name][key] = value if known is None else _added(name, entry, known, value)
    for name, family in families.items():
        for (sample, labels), value in values[name].items():
            family.add_sample(sample, dict(labels), value)
    return families


def _added(name: str, entry: dict[str, Any], known: float, value: float) -> float:
    if _is_counted(name, entry["type"]) or name in SUMMED:
        return known + value
    if name in HIGHEST:
        return max(known, value)
    return min(known, value) if name in LOWEST else known


def _is_counted(name: str, kind: str) -> bool:
    return kind in ("counter", "histogram") and not name.startswith(OF_THE_STORE)
