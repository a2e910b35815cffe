"""How truly the historian records ordinary chat sentences by rule, as judged by a second reader.

`python -m benchmarks sentences` prints the shares. A verdict belongs to one output: when the
rewriter's output for a sentence changes, that sentence counts as unjudged until it is read again.
`python -m benchmarks.sentences --unjudged FILE` writes those out for a reader, one JSON a line:
give each a `verdict` (right, unhelpful, wrong), `relative` (true if words that depend on the moment
are left) and `why`, and append the lines to `tests/tables/sentences/verdicts.jsonl`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from benchmarks.measure import Results, Row, show, table_of
from taishi import Scope
from taishi.historian import rule_writer
from taishi.ingest.job_builder import JobBuilder, Turn
from taishi.language.redaction.redactor import Redactor
from taishi.settings import HistorianSettings

TABLES = Path(__file__).parent.parent / "tests" / "tables" / "sentences"
VERDICTS = "verdicts.jsonl"
RIGHT_PERCENT = 80.0
WRONG_PERCENT = 2.0


@dataclass(frozen=True, slots=True)
class Output:
    """What the rules made of one sentence."""

    id: str
    output: str
    absolute: bool

    @property
    def key(self) -> tuple[str, str, bool]:
        return self.id, self.output, self.absolute


@dataclass(frozen=True, slots=True)
class Shares:
    """How a table was recorded; `bad_absolute` are marked absolute and should not be."""

    sentences: int
    right: int
    unhelpful: int
    wrong: int
    unjudged: int
    marked_absolute: int
    bad_absolute: int

    def percent(self, count: int) -> float:
        return 100 * count / max(1, self.sentences)

    @property
    def bad_absolute_percent(self) -> float:
        return 100 * self.bad_absolute / max(1, self.marked_absolute)


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def tables() -> dict[str, list[dict[str, Any]]]:
    """The sentences by table: en-before, en-after, zh-before, zh-after."""
    paths = sorted(path for path in TABLES.glob("*.jsonl") if path.name != VERDICTS)
    return {path.stem: list(rows_of(path)) for path in paths}


def verdicts() -> dict[tuple[str, str, bool], Mapping[str, Any]]:
    path = TABLES / VERDICTS
    read = rows_of(path) if path.exists() else iter(())
    return {(row["id"], row["output"], row["absolute"]): row for row in read}


def record(row: Mapping[str, Any]) -> Output:
    """One sentence through the same steps as a turn: intake, then the rules."""
    in_group = row["chat"] == "group"
    scope = Scope(group="g1", user="u1") if in_group else Scope(user="u1")
    turn = Turn(
        scope,
        messages=[{"speaker": name, "text": "…"} for name in row.get("others", ())],
        time=row["time"],
        sender_name=row["speaker"],
        group_name=row.get("group") or None,
        bot_name=row.get("bot") or None,
        location=row.get("location") or None,
        **{row["field"]: row["text"]},
    )
    intake = JobBuilder(Redactor(), ZoneInfo(row["timezone"]), HistorianSettings())
    job = intake.job(turn, 1, "r1", 0.0)
    if job is None:
        raise ValueError(f"{row['id']}: nothing to record")
    draft = rule_writer.write(job)
    return Output(row["id"], "\n".join(draft.new_info) or draft.did_what, draft.is_absolute)


def shares(rows: Iterable[Mapping[str, Any]], judged: Mapping[Any, Mapping[str, Any]]) -> Shares:
    outputs = [record(row) for row in rows]
    known = [judged.get(output.key) for output in outputs]
    counts = {
        name: sum(1 for one in known if one and one["verdict"] == name)
        for name in ("right", "unhelpful", "wrong")
    }
    bad = [
        one
        for output, one in zip(outputs, known, strict=True)
        if output.absolute and one and (one["verdict"] == "wrong" or one.get("relative"))
    ]
    return Shares(
        sentences=len(outputs),
        unjudged=known.count(None),
        marked_absolute=sum(output.absolute for output in outputs),
        bad_absolute=len(bad),
        **counts,
    )


def run(quick: bool = False) -> Results:
    judged = verdicts()
    results: Results = {}
    for name, rows in tables().items():
        found = shares(rows, judged)
        right, wrong = found.percent(found.right), found.percent(found.wrong)
        bad = found.bad_absolute_percent
        shown = [
            Row("right", f"{right:.1f} %", ">= 80 %", right >= RIGHT_PERCENT),
            Row("unhelpful", f"{found.percent(found.unhelpful):.1f} %"),
            Row("wrong", f"{wrong:.1f} %", "<= 2 %", wrong <= WRONG_PERCENT),
            Row(
                "marked absolute, wrong or relative", f"{bad:.1f} %", "<= 2 %", bad <= WRONG_PERCENT
            ),
            Row("not judged yet", str(found.unjudged), "0", found.unjudged == 0),
        ]
        show(f"sentences {name}: {found.sentences}", shown)
        results[name] = {**asdict(found), "rows": table_of(shown)}
    return results


def write_unjudged(target: Path) -> int:
    judged, count = verdicts(), 0
    with target.open("w", encoding="utf-8") as out:
        for rows in tables().values():
            for row in rows:
                output = record(row)
                if output.key not in judged:
                    shown = {**row, "ideal_absolute": row["absolute"], **asdict(output)}
                    out.write(json.dumps(shown, ensure_ascii=False) + "\n")
                    count += 1
    return count


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sentences", description=__doc__)
    parser.add_argument("--unjudged", type=Path, metavar="FILE", required=True)
    options = parser.parse_args()
    print(f"{write_unjudged(options.unjudged)} sentences wait for a verdict in {options.unjudged}")


if __name__ == "__main__":
    main()
