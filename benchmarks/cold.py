"""A fresh process: from opening a folder to its first answers. Run by `benchmarks.recall`.

The first answer may be by keyword alone; the hybrid one has the real embedder's part in it. Each
recall has its usual deadline, and is asked again until it answers.
"""

from __future__ import annotations

import json
import sys
import time

GIVE_UP_SECONDS = 60.0
PAUSE_SECONDS = 0.01
QUESTION = "What did Ann say about the ferry?"


def main(folder: str) -> None:
    begun = time.perf_counter()
    from benchmarks.library import HERE
    from taishi import Memory, load

    start, cpu = time.perf_counter(), time.process_time()
    answered: dict[str, float] = {}
    with Memory.open(folder, load()) as memory:
        answered["opened"] = _ms_since(start)
        while "hybrid answer" not in answered and _ms_since(start) < GIVE_UP_SECONDS * 1000:
            level = memory.recall(HERE, QUESTION, floor=0.0).level
            if level in ("keyword", "hybrid"):
                answered.setdefault("first answer", _ms_since(start))
            if level == "hybrid":
                answered["hybrid answer"] = _ms_since(start)
            else:  # whoever asks without a pause takes the time that reading the index needs
                time.sleep(PAUSE_SECONDS)
        for what in ("first answer", "hybrid answer"):
            answered.setdefault(what, _ms_since(start))  # at least: it was given up
        answered["CPU of all that"] = round((time.process_time() - cpu) * 1000, 1)
    imports = round((start - begun) * 1000, 1)
    print(json.dumps({"imports": imports, **answered}))


def _ms_since(start: float) -> float:
    return round((time.perf_counter() - start) * 1000, 1)


if __name__ == "__main__":
    main(sys.argv[1])
