"""Many made-up inputs through everything that reads text from outside: no crash, none over 1 s.

`python -m benchmarks fuzz` runs FUZZ_INPUTS of them (a million) from FUZZ_SEED on; `--quick` a
hundredth. A failure is shown with its seed, number and reader, and is repeated by
`python -m benchmarks.fuzz SEED NUMBER READER`.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from dataclasses import dataclass, field
from types import FrameType

from benchmarks.fuzz_inputs import made
from benchmarks.fuzz_parsers import PARSERS
from benchmarks.hostile import READERS
from benchmarks.measure import Results, Row, show
from taishi.errors import TaishiError

WATCH_SECONDS = 1.0
INPUTS = 1_000_000
SEED = 20_261_116
_TOLD_EVERY = 50_000
_MOST_SHOWN = 20
_MORE = 4


class TooSlowError(BaseException):  # what catches every Exception does not catch this
    """A reader took more than a second of CPU time."""


@dataclass(slots=True)
class Report:
    """What came of a run."""

    seed: int
    inputs: int = 0
    refused: int = 0
    crashes: list[str] = field(default_factory=list)
    slow: list[str] = field(default_factory=list)
    slowest: tuple[float, str, int] = (0.0, "", 0)


def fuzz(inputs: int, seed: int = SEED, first: int = 0) -> Report:
    """Run the inputs numbered from `first`, each through the next reader in turn."""
    report = Report(seed)
    # The historian's readers cost thirty times what the others do: they get a tenth of all inputs.
    names = [*READERS, *(_MORE * [name for name in PARSERS if name not in READERS])]
    before = signal.signal(signal.SIGVTALRM, _too_slow)
    try:
        for number in range(first, first + inputs):
            _one(report, names[number % len(names)], number)
            if report.inputs % _TOLD_EVERY == 0:
                told = f"{len(report.crashes)} crashes, {len(report.slow)} slow"
                print(f"{report.inputs:,} inputs: {told}; slowest {report.slowest}", flush=True)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return report


def _one(report: Report, name: str, number: int) -> None:
    text = made(report.seed, number)
    where = f"seed {report.seed}, number {number}, {name}: {text[:80]!r}"
    begin = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, WATCH_SECONDS)
    try:
        PARSERS[name](text)
    except TaishiError:
        report.refused += 1
    except TooSlowError:
        _add(report.slow, where)
    except Exception:
        _add(report.crashes, f"{where}\n{traceback.format_exc(limit=-3)}")
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    report.inputs += 1
    took = time.process_time() - begin
    if took > WATCH_SECONDS and where not in report.slow:
        _add(report.slow, where)
    report.slowest = max(report.slowest, (took, name, number))


def _add(found: list[str], told: str) -> None:
    """Shown at once: a long run may not reach its end."""
    if len(found) < _MOST_SHOWN:
        print(told, flush=True)
    found.append(told)


def _too_slow(number: int, frame: FrameType | None) -> None:
    raise TooSlowError


def run(quick: bool) -> Results:
    inputs = int(os.environ.get("FUZZ_INPUTS", INPUTS)) // (100 if quick else 1)
    seed = int(os.environ.get("FUZZ_SEED", SEED))
    print(f"{inputs:,} inputs over {len(PARSERS)} readers, seed {seed}", flush=True)
    report = fuzz(inputs, seed)
    seconds, name, number = report.slowest
    show(
        f"fuzz, seed {seed}",
        [
            Row("inputs", f"{report.inputs:,}", f"{INPUTS:,}", report.inputs >= INPUTS),
            Row("refused by an error of ours", f"{report.refused:,}"),
            Row("crashes", str(len(report.crashes)), "0", not report.crashes),
            Row("over 1 s", str(len(report.slow)), "0", not report.slow),
            Row("slowest", f"{seconds:.3f} s ({name}, number {number})"),
        ],
    )
    if report.crashes or report.slow:
        raise SystemExit(1)
    return {
        "seed": seed,
        "inputs": report.inputs,
        "refused": report.refused,
        "crashes": len(report.crashes),
        "slow": len(report.slow),
        "slowest": report.slowest,
    }


if __name__ == "__main__":
    again, which, reader = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    print(repr(made(again, which)))
    print(PARSERS[reader](made(again, which)))
