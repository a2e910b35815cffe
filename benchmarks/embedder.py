"""What the local embedder costs: time of a question by language, texts a second, memory.

`python -m benchmarks embedder` starts a process of its own for the memory; `TAISHI_OTHER` names the
Python of another installation (an older version, say), which is then measured in the same run, turn
by turn, so that the ratio holds on a busy machine.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping

from benchmarks.measure import Results, Row, show

ROUNDS = 5
# Runs with any version that has `choose_embedder`: prints one line of JSON.
PROBE = """
import json, resource, statistics, time
from taishi.assembly import choose_embedder
from taishi.settings import load

embedder, note = choose_embedder(load(environ={}))
assert embedder is not None, note
QUESTIONS = {
    "English": "Where did Ann move to after the wedding of her brother number {}?",
    "Chinese": "安妮在她弟弟的第{}场婚礼之后搬到了哪座城市？",
    "mixed": "Ann 的 laptop 第{}次送修之后放在哪里了？",
}

def milliseconds(text, count):
    took = []
    for number in range(count):
        start = time.perf_counter()
        embedder.embed([text.format(number)], "query")
        took.append((time.perf_counter() - start) * 1000)
    return statistics.median(took)

for text in QUESTIONS.values():
    milliseconds(text, 5)
times = {name: milliseconds(text, COUNT) for name, text in QUESTIONS.items()}
width = embedder.embed(["安"], "document").shape[1]
# Long texts, too: the runtime keeps the memory of its largest text.
embedder.embed(["a long story about a boat " * 80, "一个关于船的长故事，" * 80], "document")
with open("/proc/self/statm") as file:
    resident = int(file.read().split()[1]) * resource.getpagesize() / 2**20
print(json.dumps({"name": embedder.name, "ms": times, "numbers": width, "resident_mb": resident}))
"""


def run(quick: bool) -> Results:
    pythons = {"here": sys.executable}
    if other := os.environ.get("TAISHI_OTHER"):
        pythons["other"] = other
    rounds: dict[str, list[Results]] = {name: [] for name in pythons}
    for _ in range(2 if quick else ROUNDS):
        for name, python in pythons.items():
            rounds[name].append(_probe(python, 30 if quick else 100))
    found = {name: _median(results) for name, results in rounds.items()}
    show("local embedder", list(_rows(found)))
    return found


def _rows(found: Mapping[str, Results]) -> Iterator[Row]:
    for result in found.values():
        title = f"{result['name']}, {result['numbers']} numbers"
        for language, milliseconds in result["ms"].items():
            yield Row(f"{title}: a question, {language}", f"{milliseconds:.2f} ms")
        yield Row(f"{title}: resident memory", f"{result['resident_mb']:.0f} MB")
    if other := found.get("other"):
        here = found["here"]
        for language in here["ms"]:
            yield Row(f"ratio: {language}", f"{here['ms'][language] / other['ms'][language]:.2f}")
        yield Row("ratio: memory", f"{here['resident_mb'] / other['resident_mb']:.2f}")


def _probe(python: str, count: int) -> Results:
    program = PROBE.replace("COUNT", str(count))
    # Not from this folder: the other installation must import its own package.
    done = subprocess.run(
        [python, "-c", program], check=True, capture_output=True, text=True, cwd="/"
    )
    answer: Results = json.loads(done.stdout)
    return answer


def _median(results: list[Results]) -> Results:
    first = results[0]
    times = {name: statistics.median(one["ms"][name] for one in results) for name in first["ms"]}
    resident = statistics.median(one["resident_mb"] for one in results)
    return {
        "name": first["name"],
        "numbers": first["numbers"],
        "ms": times,
        "resident_mb": resident,
    }
