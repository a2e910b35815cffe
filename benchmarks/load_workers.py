"""`taishi serve --workers 2` beside one process, under the same clients, in turns.

The clients eat processor time themselves, and on a small machine that is taken from the servers. So
besides requests a second this says what a request costs the server and the client, which a busy
machine does not blur, and what follows from that: a process can use one processor, and all together
those that the machine has.
"""

from __future__ import annotations

import os
import resource
import shutil
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import load as one_server
from benchmarks.library import Contents, build
from benchmarks.load_clients import Told
from benchmarks.measure import Results, Row, show, table_of

WORKERS = 2
RECORDS = 10_000
ROUNDS, SECONDS = 3, 8.0
QUICK_ROUNDS, QUICK_SECONDS = 1, 4.0
# Words only, and time enough for every answer: the same work for each request.
SETTINGS = {"TAISHI__MODELS__EMBEDDING__KIND": "none", "TAISHI__QUERY__RECALL_TIMEOUT": "10",
            "TAISHI__SERVER__RATE_PER_MINUTE": "0"}  # fmt: skip


@dataclass
class Side:
    """One server over all rounds: requests, seconds, processor seconds of server and clients."""

    url: str
    pid: int
    workers: int = 1
    what: str = "mixed"
    told: Told = field(default_factory=Told)
    seconds: float = 0.0
    server: float = 0.0
    client: float = 0.0

    def ask(self, seconds: float) -> None:
        server, client = _tree_seconds(self.pid), _children_seconds()
        self.told = self.told.added(one_server.ask(self.url, self.what, seconds))
        self.server += _tree_seconds(self.pid) - server
        self.client += _children_seconds() - client
        self.seconds += seconds

    @property
    def rate(self) -> float:
        return self.told.count / self.seconds

    @property
    def costs(self) -> tuple[float, float]:
        """Milliseconds of processor time a request, of the server and of the client."""
        each = 1000 / max(self.told.count, 1)
        return self.server * each, self.client * each

    def possible(self, shares_with_clients: bool) -> float:
        """Requests a second on a machine that does nothing else."""
        server, client = self.costs
        alone = min(self.workers, os.cpu_count() or 1) * 1000 / server
        together = (os.cpu_count() or 1) * 1000 / (server + client)
        return min(alone, together) if shares_with_clients else alone


def run(quick: bool = False) -> Results:
    rounds, seconds = (QUICK_ROUNDS, QUICK_SECONDS) if quick else (ROUNDS, SECONDS)
    os.environ.update(SETTINGS)
    with tempfile.TemporaryDirectory(prefix="taishi-bench-") as name, ExitStack() as running:
        first, second = Path(name) / "one", Path(name) / "several"
        build(first, Contents(RECORDS))
        shutil.copytree(first, second)
        server, url = running.enter_context(one_server.served(first))
        one = Side(url, server.pid)
        server, url = running.enter_context(one_server.served(second, "--workers", str(WORKERS)))
        several = Side(url, server.pid, WORKERS)
        server, url = running.enter_context(one_server.bare_served())
        bare = Side(url, server.pid, what="bare")
        for side in (one, several):
            one_server.ask(side.url, side.what, 2.0)
        for _ in range(rounds):
            for side in (one, several, bare):
                side.ask(seconds)
    rows = _rows(one, several, bare)
    title = f"load of {WORKERS} processes beside one: {one_server.CLIENTS} clients, {rounds} rounds"
    show(f"{title} of {seconds:g} s, {RECORDS:,} records, words only", rows)
    return {
        "per_second": {"one": one.rate, "several": several.rate, "bare": bare.rate},
        "ratio": several.rate / one.rate,
        "cpu_ms": {"one": one.costs, "several": several.costs, "bare": bare.costs},
        "possible": [several.possible(shared) / one.possible(shared) for shared in (True, False)],
        "errors": [*one.told.errors, *several.told.errors],
        "rows": table_of(rows),
    }


def _rows(one: Side, several: Side, bare: Side) -> list[Row]:
    ratio = several.rate / one.rate
    here, elsewhere = (several.possible(s) / one.possible(s) for s in (True, False))
    errors = [*one.told.errors, *several.told.errors]
    pairs = (
        (side, f"{side.costs[0]:.2f} / {side.costs[1]:.2f} ms") for side in (one, several, bare)
    )
    costs = dict(zip(("one", "several", "bare"), (text for _, text in pairs), strict=True))
    return [
        Row("requests/s, one process", f"{one.rate:,.0f}"),
        Row(f"requests/s, {WORKERS} processes", f"{several.rate:,.0f}"),
        Row("ratio", f"{ratio:.2f}", "1.7", ratio >= 1.7),
        Row("ratio by processor time, clients on the same machine", f"{here:.2f}"),
        Row("ratio by processor time, clients elsewhere", f"{elsewhere:.2f}"),
        Row("requests/s, bare FastAPI route, one process", f"{bare.rate:,.0f}"),
        Row("processor time a request, one process: server / client", costs["one"]),
        Row(f"the same, {WORKERS} processes", costs["several"]),
        Row("the same, bare", costs["bare"]),
        Row("told to come back later (503)", f"{one.told.shed} / {several.told.shed}"),
        Row("errors", str(len(errors)), "0", not errors),
    ]


def _children_seconds() -> float:
    """Of the clients: they were waited for, the servers still run."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _tree_seconds(pid: int) -> float:
    """Of a server and its worker processes."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return own + sum(_tree_seconds(int(child)) for child in children)
