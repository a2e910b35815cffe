"""How many turns the historian works off by rule, and whether what is known slows it down.

Each turn teaches a fact that is not known yet. People know 0 to 4,000 facts before; those are put
into the store and on the page directly, as learning them one by one is what is measured here.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from benchmarks import statements
from benchmarks.corpus import A_YEAR_AGO, FakeEmbedder
from benchmarks.measure import Results, Row, show, table_of
from taishi import Memory, Scope, load
from taishi.domain.fact_lifecycle import new_fact
from taishi.domain.profile_owners import entity_of
from taishi.historian.rule_writer import write
from taishi.types import Edit, Record

SIZES = (0, 500, 1000, 2000, 4000)
QUICK_SIZES = (0, 500)
PEOPLE = (("ann", "Ann", "en"), ("bo", "Bo", "en"), ("lin", "林薇", "zh"), ("wang", "王强", "zh"))
TURNS = 60  # a person
QUICK_TURNS = 15
LEAST_LEARNED = 0.9  # of the jobs; else it is not learning that is measured
BAR_PER_SECOND = 60.0
BAR_GROWTH = 1.5


def run(quick: bool = False) -> Results:
    sizes, turns = (QUICK_SIZES, QUICK_TURNS) if quick else (SIZES, TURNS)
    found = {size: _in_a_process(size, turns) for size in sizes}
    first, last = found[sizes[0]], found[sizes[-1]]
    growth = last["cpu_ms"] / first["cpu_ms"]
    rows = [
        Row(f"{size:,} facts a person: jobs/s (CPU ms a job)",
            f"{one['per_second']:.0f} ({one['cpu_ms']:.1f})",
            f"≥ {BAR_PER_SECOND:.0f}", one["per_second"] >= BAR_PER_SECOND)
        for size, one in found.items()
    ]  # fmt: skip
    rows += [
        Row("CPU a job, most facts / none", f"{growth:.2f}", f"≤ {BAR_GROWTH}",
            growth <= BAR_GROWTH),
        Row("index rows / records, most facts", f"{last['rows_per_record']:.2f}"),
        Row("resident after it, most facts", f"{last['resident_mb']:.0f} MB"),
    ]  # fmt: skip
    show(f"historian by rule: {len(PEOPLE)} people, {turns} turns each", rows)
    return {"by_facts": found, "growth": round(growth, 3), "rows": table_of(rows)}


def _in_a_process(size: int, turns: int) -> Results:
    """Of its own, so that nothing of the other sizes is in its memory."""
    asked = [sys.executable, "-m", "benchmarks.historian", str(size), str(turns)]
    found = subprocess.run(asked, check=True, capture_output=True, text=True)
    return json.loads(found.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def measure(size: int, turns: int) -> Results:
    with tempfile.TemporaryDirectory(prefix="taishi-bench-") as name:
        folder = Path(name)
        with Memory.open(folder, load(), embedder=FakeEmbedder()) as memory:
            for person in PEOPLE:
                teach(memory, *person, size)
            memory.drain()
        with Memory.open(folder, load(), embedder=FakeEmbedder()) as memory:
            for user, _, _ in PEOPLE:
                memory.recall(Scope(user=user), "wake up", deadline=120.0)
            _warm_up(memory)
            for user, text, told_by in _turns(size, turns):
                memory.end_turn(Scope(user=user), new_info=text, sender_name=told_by)
            return _worked_off(memory, turns * len(PEOPLE))


def _warm_up(memory: Memory) -> None:
    """Patterns are compiled with the first turn of each language, once in a process."""
    for language in ("en", "zh"):
        for text in _sentences(language)[-3:]:
            memory.end_turn(Scope(user="nobody"), new_info=text, sender_name="Cy")
    memory.drain()


def _worked_off(memory: Memory, jobs: int) -> Results:
    before = memory.status()
    wall, cpu = time.perf_counter(), time.process_time()
    memory.drain()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    status = memory.status()
    done = status["jobs"]["done"] - before["jobs"]["done"]
    learned = status["records"]["fact"] - before["records"].get("fact", 0)
    if done != jobs or learned < LEAST_LEARNED * jobs:
        raise SystemExit(f"{done} of {jobs} jobs were done, and {learned} facts were learned")
    records = sum(count for kind, count in status["records"].items() if kind != "unembedded")
    return {
        "per_second": round(jobs / wall, 1),
        "cpu_ms": round(cpu * 1000 / jobs, 2),
        "learned": learned,
        "rows_per_record": round(status["index"]["rows"] / records, 3),
        "resident_mb": round(_resident() / 2**20, 1),
    }


def teach(memory: Memory, user: str, name: str, language: str, count: int) -> None:
    """So many facts with their events and lines, as if each had been told in a turn."""
    scope = Scope(user=user)
    learned = enumerate(_learned(name, language, count))
    facts = [_fact(scope, name, number, *content) for number, content in learned]
    for start in range(0, count, 1000):
        some = facts[start : start + 1000]
        events = (_event(fact) for fact in some)
        memory._services.runtime.parts.store.apply([Edit("put", one) for one in (*events, *some)])
    entity = entity_of(scope)
    if facts and entity is not None:
        memory._services.pages.add(entity, [fact.text for fact in facts], scope)


@cache
def _learned(name: str, language: str, count: int) -> list[tuple[str, str]]:
    """What the rules make of the sentences: contents and categories."""
    from benchmarks.self_statements import job_of

    row = {"id": "r", "time": "2026-03-04T10:00:00", "chat": "private", "speaker": name}
    jobs = (job_of({**row, "text": text}, language) for text in _sentences(language)[:count])
    return [(one.content, one.category) for job in jobs for one in write(job).facts]


def _fact(scope: Scope, name: str, number: int, content: str, category: str) -> Record:
    at = A_YEAR_AGO + number * 300
    return new_fact(content, scope.home, f"told-{number}:1", at, scope.user, category=category,
                    subject=name, quote=content, by_self=True)  # fmt: skip


def _event(fact: Record) -> Record:
    return Record(id=str(fact.source), place=fact.place, kind="event", text=f"{fact.text}.",
                  time=fact.time, user=fact.user, data={"written_at": fact.time})  # fmt: skip


def _turns(known: int, turns: int) -> Iterator[tuple[str, str, str]]:
    """Person by person in turn, each a sentence that follows those that are known."""
    for number in range(known, known + turns):
        for user, name, language in PEOPLE:
            yield user, _sentences(language)[number], name


@cache
def _sentences(language: str) -> list[str]:
    return statements.english() if language == "en" else statements.chinese()


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]), int(sys.argv[2]))))
