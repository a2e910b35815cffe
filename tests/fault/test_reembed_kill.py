"""A folder with another model's vectors is embedded again in the background, a kill or not (Q7)."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from support.hash_embedder import HashEmbedder
from taishi import Memory, Scope, load

ANN = Scope(user="ann")
COUNT = 600
TESTS = Path(__file__).parents[1]
# Opens the folder with a slow model of another name, and says how many texts still wait.
SLOW_PROCESS = f"""
import sys, time
sys.path.insert(0, {str(TESTS)!r})
from support.hash_embedder import HashEmbedder
from taishi import Memory, Scope, load

class Slow(HashEmbedder):
    def embed(self, texts, kind):
        time.sleep(0.002 * len(texts) if kind == "document" else 0)
        return super().embed(texts, kind)

memory = Memory.open(sys.argv[1], load(environ={{}}), embedder=Slow("new-model"))
first = memory.recall(Scope(user="ann"), "where is box number 7", deadline=5.0)
print("first", first.hits[0].text, flush=True)
while True:
    print(memory.status()["records"]["unembedded"], flush=True)
    time.sleep(0.02)
"""


def waiting(memory: Memory) -> int:
    return int(memory.status()["records"]["unembedded"])


def test_Q7_killed_half_way_it_goes_on_where_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    settings = load(environ={})
    with Memory.open(folder, settings, embedder=HashEmbedder("old-model")) as memory:
        memory.remember_many(ANN, [{"text": f"Ann has box number {n}"} for n in range(COUNT)])
        memory.drain()
        assert waiting(memory) == 0

    left = _kill_half_way(folder)
    assert 0 < left < COUNT, "the control: it was killed in the middle"

    with Memory.open(folder, settings, embedder=HashEmbedder("new-model")) as memory:
        assert waiting(memory) <= left, "what the killed process embedded is kept"
        assert memory.drain(60)
        assert waiting(memory) == 0
        found = memory.recall(ANN, "box number 99", deadline=5.0)
        assert (found.level, found.hits[0].text) == ("hybrid", "Ann has box number 99")
        assert memory.status()["records"]["note"] == COUNT


def _kill_half_way(folder: Path) -> int:
    """How many texts waited at the last word of the killed process."""
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_PROCESS, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    left, end = COUNT, time.monotonic() + 60
    try:
        assert process.stdout.readline() == "first Ann has box number 7\n", "words serve at once"
        while left > COUNT // 2:
            assert time.monotonic() < end
            left = int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    return left
