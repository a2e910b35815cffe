"""How the readers of text cope with what nobody says: short seeds, repeated to 100 kB.

`python -m benchmarks hostile` screens every seed at 25 kB through the whole path of a turn by rule,
then takes the slowest through 12.5, 25, 50 and 100 kB, each reader on its own. The exponent tells
how the time grows with the length: 1 is linear, 2 is square.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from benchmarks.hostile_seeds import repeated, seeds
from benchmarks.measure import Results, Row, paused_collector, show
from taishi import Scope
from taishi.historian import rule_writer
from taishi.historian.fact_patterns import facts_by_rule
from taishi.ingest.job_builder import JobBuilder, Turn
from taishi.language.drift import drift
from taishi.language.gate import check
from taishi.language.redaction.redactor import Redactor
from taishi.language.rewriter import RewriteContext, rewrite
from taishi.language.unresolved_words import loose_ends
from taishi.language.when import find_times
from taishi.settings import HistorianSettings
from taishi.types import Job

SIZES = (12_500, 25_000, 50_000, 100_000)
BAR_SECONDS = 0.3
SCREEN = 25_000
PAIRS = 400
CLOSER = 24

_MOMENT = datetime(2026, 3, 18, 20, 15, tzinfo=ZoneInfo("Asia/Shanghai"))
_SETTING = RewriteContext(_MOMENT, "Ann", addressee="Momo", others=("Bob",))
_REDACTOR = Redactor()
_INTAKE = JobBuilder(_REDACTOR, ZoneInfo("Asia/Shanghai"), HistorianSettings())


@dataclass(frozen=True, slots=True)
class Growth:
    """CPU seconds of one reader with one seed, by size."""

    seed: str
    reader: str
    seconds: tuple[float, ...]

    @property
    def exponent(self) -> float:
        first, last = max(self.seconds[0], 1e-4), max(self.seconds[-1], 1e-4)
        return math.log(last / first) / math.log(SIZES[-1] / SIZES[0])


def job_of(text: str, *, is_deed: bool = False) -> Job:
    """A turn of Ann's that tells this text, as it comes out of the intake."""
    turn = Turn(
        Scope(user="1"),
        action_summary=text if is_deed else None,
        new_info=None if is_deed else [text],
        sender_name="Ann",
        bot_name="Momo",
        time=_MOMENT,
    )
    job = _INTAKE.job(turn, 1, "r", _MOMENT.timestamp())
    assert job is not None or not text.strip()
    return job or job_of("-")


def whole_turn(text: str) -> object:
    """The whole path by rule: cleaned, redacted, rewritten, checked, facts taken."""
    return rule_writer.write(job_of(text))


READERS: dict[str, Callable[[str], object]] = {
    "whole turn": whole_turn,
    "whole turn, the bot's": lambda text: rule_writer.write(job_of(text, is_deed=True)),
    "redact": _REDACTOR.text,
    "rewrite": lambda text: rewrite(text, _SETTING),
    "times": lambda text: find_times(text, _MOMENT, "near"),
    "times, past": lambda text: find_times(text, _MOMENT),
    "gate": lambda text: check(text, ("Ann", "Bob")),
    "loose ends": lambda text: loose_ends(text, ("Ann", "Bob")),
    "facts": lambda text: facts_by_rule(job_of(text)),
    "drift": lambda text: drift(text, text, ("Ann",)),
}


def seconds_of(reader: str, text: str) -> float:
    """Of this thread, and without collecting what else the process has left behind."""
    with paused_collector():
        begin = time.thread_time()
        READERS[reader](text)
        return time.thread_time() - begin


def growth(seed: str, reader: str) -> Growth:
    return Growth(seed, reader, tuple(seconds_of(reader, repeated(seed, size)) for size in SIZES))


def run(quick: bool) -> Results:
    found = seeds(PAIRS // 8 if quick else PAIRS)
    for reader in READERS:
        seconds_of(reader, "I met her last Monday at 3pm. 我昨天三点半在这里见了他。")
    results: Results = {}
    for reader in READERS:
        screened = sorted(
            found, key=lambda one: seconds_of(reader, repeated(one, SCREEN)), reverse=True
        )
        closer = [growth(one, reader) for one in screened[: CLOSER // 4 if quick else CLOSER]]
        slowest = max(closer, key=lambda one: one.seconds[-1])
        steepest = max(closer, key=lambda one: one.exponent)
        results[reader] = {
            "seeds": len(found),
            "seconds_at_100_kb": round(slowest.seconds[-1], 3),
            "slowest": slowest.seed,
            "exponent": round(steepest.exponent, 2),
            "steepest": steepest.seed,
            "closer": [(one.seed, *(round(s, 3) for s in one.seconds)) for one in closer],
        }
    show("hostile", [_row(name, one) for name, one in results.items()])
    return results


def _row(reader: str, found: Results) -> Row:
    seconds = found["seconds_at_100_kb"]
    told = f"{seconds:.2f} s ({found['slowest']!r}); exponent ≤ {found['exponent']:.1f}"
    return Row(
        f"{reader}, {found['seeds']} seeds at 100 kB",
        told,
        f"{BAR_SECONDS} s",
        seconds < BAR_SECONDS,
    )
