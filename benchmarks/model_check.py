"""How well the check on a model's text tells an invention from a right answer (H7).

`python -m benchmarks model_check` reads `tests/tables/model_answers*.jsonl` and prints, for each
table, how many inventions were caught and how many right answers were refused, and then every row
that was judged wrongly; `--quick` leaves these out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from benchmarks.measure import Results
from taishi.historian.evidence import Evidence
from taishi.historian.model_writer import faults_in
from taishi.historian.participants import Participants, local_time
from taishi.types import Job

TABLES = Path(__file__).parents[1] / "tests" / "tables"


def run(quick: bool = False) -> Results:
    results: Results = {}
    for path in sorted(TABLES.glob("model_answers*.jsonl")):
        figures = results[path.stem] = measured(path)
        print(
            f"{path.stem}: inventions caught {figures['caught']}/{figures['inventions']}"
            f" ({figures['caught_share']:.1%}), right answers refused"
            f" {figures['refused']}/{figures['right']} ({figures['refused_share']:.1%})"
        )
        if not quick:
            print(*figures["misses"], sep="\n")
    return results


def measured(path: Path) -> dict[str, Any]:
    """The shares of one table, and a line for every row that was judged wrongly."""
    counts: Counter[tuple[str, bool]] = Counter()
    misses = []
    for row in rows(path):
        faults = faults_of(row)
        is_right = row["verdict"] == "right"
        counts[row["verdict"], bool(faults)] += 1
        if is_right == bool(faults):
            why = ", ".join(f"{fault['reason']} {fault['word']}" for fault in faults)
            misses.append(f"  {row['id']} {row['what'] or 'right'}: {row['answer']} [{why}]")
    inventions = counts["invention", True] + counts["invention", False]
    right = counts["right", True] + counts["right", False]
    return {
        "inventions": inventions,
        "caught": counts["invention", True],
        "caught_share": counts["invention", True] / max(1, inventions),
        "right": right,
        "refused": counts["right", True],
        "refused_share": counts["right", True] / max(1, right),
        "misses": misses,
    }


def rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def faults_of(row: dict[str, Any]) -> list[dict[str, str]]:
    """What the historian would tell the model of this answer."""
    job = job_of(row["job"])
    cast, (local, _) = Participants.of(job), local_time(job)
    return faults_in(row["answer"], Evidence.of(job, cast, local))


def job_of(told: dict[str, Any]) -> Job:
    zone = ZoneInfo(told["timezone"])
    moment = datetime.fromisoformat(told["time"]).replace(tzinfo=zone)
    recent = tuple(
        {
            **message,
            "time": datetime.fromisoformat(message["time"]).replace(tzinfo=zone).timestamp(),
        }
        if "time" in message
        else message
        for message in told.get("recent", ())
    )
    group = told.get("group")
    return Job(
        request_id="r1",
        end_seq=1,
        action_summary=told.get("action_summary", ""),
        new_info=tuple(told.get("new_info", ())),
        timestamp_utc="",
        timestamp_local=moment.isoformat(),
        timezone=told["timezone"],
        epoch=moment.timestamp(),
        workspace="default",
        request_type="group" if group else "private",
        user_id="u7",
        sender_name=told.get("sender"),
        bot_name=told.get("bot"),
        group_id="g1" if group else None,
        group_name=group,
        location=told.get("location"),
        recent_messages=recent,
    )
