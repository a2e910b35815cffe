"""The test's end of tests/fault/kill_lives.py: who lives, who died, what was acknowledged."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).parents[1] / "fault" / "kill_lives.py"
PATIENCE = 60.0


class Nursery:
    """Lives are started one by one and told apart by their seeds."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.said: dict[str, list[list[Any]]] = defaultdict(list)
        self.errors: list[str] = []
        self.port = 0
        self._pids: dict[str, int] = {}
        self._gone: set[str] = set()
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._wait(lambda: self.port > 0)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            word, *rest = json.loads(line)
            with self._news:
                if word == "port":
                    self.port = rest[0]
                elif word == "born":
                    self._pids[rest[0]] = rest[1]
                else:
                    self.said[rest[0]].append([word, *rest[1:]])
                    if word == "error":
                        self.errors.append(rest[1])
                self._news.notify_all()

    def _wait(self, ready: Callable[[], bool], seconds: float = PATIENCE) -> bool:
        with self._news:
            return self._news.wait_for(ready, timeout=seconds)

    def start(self, life: str, folder: Path, seed: str, **order: Any) -> int:
        """Its pid; it runs until it is killed or has nothing left to do."""
        assert self._process.stdin is not None
        line = json.dumps({"life": life, "folder": str(folder), "seed": seed, **order})
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        assert self._wait(lambda: seed in self._pids), "nobody was born"
        return self._pids[seed]

    def wait_for(self, seed: str, word: str, seconds: float = PATIENCE) -> bool:
        return self._wait(lambda: any(one[0] == word for one in self.said[seed]), seconds)

    def kill(self, seed: str) -> bool:
        """False: it had ended by itself."""
        if not self.wait_gone(seed, 0.0):
            with suppress(ProcessLookupError):
                os.kill(self._pids[seed], signal.SIGKILL)
            assert self.wait_gone(seed), "it does not die"
        return not any(one[0] in ("over", "error") for one in self.said[seed])

    def wait_gone(self, seed: str, seconds: float = PATIENCE) -> bool:
        """Dead and buried; or, after so many seconds, not."""
        end = time.monotonic() + seconds
        while seed not in self._gone:
            try:
                os.kill(self._pids[seed], 0)
            except ProcessLookupError:
                self._gone.add(seed)  # its number may be somebody else's from now on
                return True
            if time.monotonic() > end:
                return False
            time.sleep(0.002)
        return True

    def one_life(self, life: str, folder: Path, seed: str, dice: random.Random,
                 within: float, steps: int, **order: Any) -> bool:  # fmt: skip
        """Start one and kill it: from outside at a random moment, or by itself at a random step,
        counted from its birth or from when its memory is open. True if it was killed."""
        way = dice.choice(("moment", "moment", "step", "early step"))
        if way == "moment":
            self.start(life, folder, seed, **order)
            if dice.random() < 0.8:
                self.wait_for(seed, "open")
            time.sleep(dice.uniform(0, within))
        else:
            step = dice.randrange(1, 40 if way == "early step" else steps)
            self.start(life, folder, seed, step=step, early=way == "early step", **order)
            self.wait_gone(seed, 2.0 + within)  # it may have fewer steps than that
        return self.kill(seed)

    def of(self, word: str, *prefix: str) -> list[list[Any]]:
        """What all lives said under this word, each with its seed first."""
        return [
            [seed, *one[1:]]
            for seed, lines in list(self.said.items())
            for one in list(lines)
            if one[0] == word and seed.startswith(prefix or "")
        ]

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        for seed in list(self._pids):
            self.kill(seed)
        self._process.wait(timeout=PATIENCE)
        self._reader.join(timeout=PATIENCE)
        assert self._process.stdout is not None
        self._process.stdout.close()
