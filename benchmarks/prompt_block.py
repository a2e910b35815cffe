"""The prompt block: what it costs by the length of a page, and how the bound on tokens holds."""

from __future__ import annotations

import json
import statistics
import tempfile
from pathlib import Path

from benchmarks.measure import Results, Row, Spread, show, table_of, timed
from taishi import Memory, Scope, load
from taishi.errors import TaishiError
from taishi.language.token_bound import token_bound
from taishi.models.token_counter import VOCABULARIES, named_counter

TABLE = Path(__file__).parents[1] / "tests" / "tables" / "token_counts.jsonl"
PAGES = (10, 100, 500, 1000, 4000)
QUESTIONS = 200
ANN = Scope(user="ann")
COUNTED = ("o200k", "cl100k")
LANGUAGES = {"en ": "English", "zh ": "Chinese", "": "all"}


def run(quick: bool = False) -> Results:
    rows = [*_by_page(QUESTIONS // 4 if quick else QUESTIONS), *_bound()]
    show("prompt_block", rows)
    return {"rows": table_of(rows)}


def _by_page(questions: int) -> list[Row]:
    """Durations of `context` for one page of so many lines; no question is asked twice."""
    rows = []
    settings = load(overrides={"models.embedding.kind": "none"})
    for lines in PAGES:
        with tempfile.TemporaryDirectory(prefix="taishi-bench-") as folder, \
                Memory.open(folder, settings) as memory:  # fmt: skip
            body = "\n".join(f"- Ann owns thing {n} of colour {n % 17}" for n in range(lines))
            memory.profiles.set(ANN, body, name="Ann")
            memory.remember(ANN, "Ann left the umbrella at the harbour library", kind="event")
            memory.drain()
            asked = [f"Where is umbrella {n} of Ann?" for n in range(questions)]
            memory.context(ANN, "first")
            took = [timed(lambda text=text: memory.context(ANN, text)) for text in asked]
        spread = Spread.of(took)
        rows.append(Row(f"page of {lines} lines, p50 / p95",
                        f"{spread.p50:.2f} / {spread.p95:.2f} ms"))  # fmt: skip
    return rows


def _bound() -> list[Row]:
    """Bound / count, of counts that were taken once, and by the tokenizers that are here."""
    table = [json.loads(line) for line in TABLE.read_text("ascii").splitlines()]
    rows = []
    for start, language in LANGUAGES.items():
        texts = [row for row in table if row["kind"].startswith(start)]
        for name in COUNTED:
            ratios = [token_bound(row["text"]) / row[name] for row in texts]
            rows.append(Row(f"bound / {name}, {language}: least, median",
                            f"{min(ratios):.2f}, {statistics.median(ratios):.2f}"))  # fmt: skip
    for name in VOCABULARIES:
        try:
            count = named_counter(name)
        except TaishiError as error:
            rows.append(Row(f"{name}, counted here", f"not available: {str(error)[:60]}…"))
            continue
        least = min(token_bound(row["text"]) / count(row["text"]) for row in table)
        rows.append(Row(f"bound / {name}, counted here: least", f"{least:.2f}"))
    return rows
