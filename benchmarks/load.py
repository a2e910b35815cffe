"""The server under load: clients that recall and end turns, nine to one, beside a bare route.

The server is `taishi serve` as anybody starts it, in a process of its own; so are the clients, and
so is a FastAPI app with one route that does nothing but read and write as much JSON. Afterwards
the server is told to stop, and every turn that it accepted is looked for in its folder.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.library import HERE, Contents, build
from benchmarks.load_clients import Told
from benchmarks.measure import Results, Row, Spread, show, table_of
from taishi import Memory, load

CLIENTS = 32
SECONDS = 60.0
QUICK_SECONDS = 5.0
RECORDS = 100_000
QUICK_RECORDS = 10_000
BARE_SHARE = 0.25  # of the time, half of it before and half after
SERVE = "from taishi.cli import main; main()"


def run(quick: bool = False) -> Results:
    seconds, records = (QUICK_SECONDS, QUICK_RECORDS) if quick else (SECONDS, RECORDS)
    with tempfile.TemporaryDirectory(prefix="taishi-bench-") as name:
        folder = Path(name)
        build(folder, Contents(records))
        with served(folder) as (server, url), bare_served() as (bare_server, bare_url):
            ask(url, "mixed", 2.0)  # the index is read, the pools are filled
            bare_spent = -_cpu_seconds(bare_server)
            before = ask(bare_url, "bare", seconds * BARE_SHARE / 2)
            spent = -_cpu_seconds(server)
            mixed = ask(url, "mixed", seconds)
            spent += _cpu_seconds(server)
            after = ask(bare_url, "bare", seconds * BARE_SHARE / 2)
            bare_spent += _cpu_seconds(bare_server)
            server.send_signal(signal.SIGTERM)
            code = server.wait(60)
        lost = _lost(folder, mixed.accepted)
    bare = before.added(after)
    cpu = {"server": _each(spent, mixed), "bare": _each(bare_spent, bare)}
    rows = _rows(mixed, bare, seconds, code, lost)
    rows.insert(2, Row("processor time a request, server / bare",
                       f"{cpu['server']:.2f} / {cpu['bare']:.2f} ms"))  # fmt: skip
    show(f"load: {CLIENTS} clients, {seconds:g} s, {records:,} records, loopback", rows)
    return {
        "per_second": round(mixed.count / seconds, 1),
        "bare_per_second": round(bare.count / (seconds * BARE_SHARE), 1),
        "recall": Spread.of(mixed.recalls).as_dict(),
        "end_turn": Spread.of(mixed.turns).as_dict(),
        "bare": Spread.of(bare.recalls).as_dict(),
        "cpu_ms": cpu,
        "levels": mixed.levels,
        "shed": mixed.shed,
        "errors": mixed.errors,
        "exit_code": code,
        "accepted": len(mixed.accepted),
        "lost": lost,
        "rows": table_of(rows),
    }


def _rows(mixed: Told, bare: Told, seconds: float, code: int, lost: int) -> list[Row]:
    recall, turn, plain = (Spread.of(s) for s in (mixed.recalls, mixed.turns, bare.recalls))
    rate, bare_rate = mixed.count / seconds, bare.count / (seconds * BARE_SHARE)
    levels = ", ".join(f"{name} {count}" for name, count in sorted(mixed.levels.items()))
    return [
        Row("requests/s, nine recalls to one end_turn", f"{rate:,.0f}"),
        Row("bare FastAPI route, requests/s", f"{bare_rate:,.0f}"),
        Row("recall, p50 / p99", f"{recall.p50:.1f} / {recall.p99:.1f} ms"),
        Row("end_turn, p50 / p99", f"{turn.p50:.1f} / {turn.p99:.1f} ms"),
        Row("bare route, p50 / p99", f"{plain.p50:.1f} / {plain.p99:.1f} ms"),
        Row("recall levels", levels),
        Row("told to come back later (503)", f"{mixed.shed:,}"),
        Row("errors", str(len(mixed.errors)), "0", not mixed.errors),
        Row("accepted turns that are not there", f"{lost} of {len(mixed.accepted)}", "0", not lost),
        Row("exit code after SIGTERM", str(code), "0", code == 0),
    ]


@contextmanager
def served(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    start = [sys.executable, "-c", SERVE, "--data", str(folder), "serve", "--port", "0", "--json"]
    command = [*start, *options]
    with _process(command) as process:
        assert process.stdout is not None
        text = ""
        while not text.endswith("}\n"):
            text += process.stdout.readline() or _ended(process)
        yield process, json.loads(text)["address"]


@contextmanager
def bare_served() -> Iterator[tuple[subprocess.Popen[str], str]]:
    with _process([sys.executable, "-m", "benchmarks.load_bare"]) as process:
        assert process.stdout is not None
        yield process, (process.stdout.readline() or _ended(process)).strip()


def _cpu_seconds(process: subprocess.Popen[str]) -> float:
    """What a busy machine does not blur; 0 where it cannot be read."""
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _each(seconds: float, told: Told) -> float:
    return seconds * 1000 / max(told.count, 1)


def _ended(process: subprocess.Popen[str]) -> str:
    raise RuntimeError(f"the server ended with {process.wait()} before it listened")


@contextmanager
def _process(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def ask(url: str, what: str, seconds: float) -> Told:
    plan = {"url": url, "what": what, "seconds": seconds, "clients": CLIENTS,
            "scope": {"group": HERE.group, "user": HERE.user}}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.load_clients"],
        input=json.dumps(plan), check=True, capture_output=True, text=True,
    )  # fmt: skip
    return Told(**json.loads(done.stdout))


def _lost(folder: Path, accepted: list[str]) -> int:
    """Accepted turns that are neither a record nor a job."""
    with Memory.open(folder, load(overrides={"models.embedding.kind": "none"})) as memory:
        waiting = {job["event_id"] for job in memory.jobs.list()}
        return sum(id not in waiting and memory.records.get(HERE, id) is None for id in accepted)
