"""`taishi eval`: how well recall finds what answers the questions of a case file."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError, StorageError
from .app import App, json_option, pass_app
from .output import progress, say, say_json, table

if TYPE_CHECKING:
    from ..evaluation.cases import CaseFile
    from ..evaluation.retrieval import Answer, Report

SHOWN = 5


@click.command("eval")
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path(path_type=Path))
@click.option("--limit", type=click.IntRange(1), help="Only the first N questions. 只问前 N 题。")
@click.option("--misses", type=click.IntRange(0), default=0, metavar="N", show_default=True,
              help="Show the N questions that went worst. 显示最差的 N 题。")  # fmt: skip
@json_option
@pass_app
def evaluate(app: App, files: tuple[Path, ...], limit: int | None, misses: int,
             as_json: bool) -> None:  # fmt: skip
    """Measure recall on case files, in a temporary data folder. 评测召回。"""
    if not app.settings.memory.enabled:
        raise StorageError(app.word("off"))
    cases = [_read(app, file, limit) for file in files]
    reports = [_run(app, one, not as_json) for one in cases]
    if as_json:
        say_json({"reports": [_document(report, misses) for report in reports]})
        return
    for report in reports:
        _show(app, report)
        if misses:
            _show_misses(app, worst(report, misses))


def _read(app: App, file: Path, limit: int | None) -> CaseFile:
    """Every file is read before the first is run, so that a wrong name is known at once."""
    from ..evaluation.cases import read
    from ..evaluation.retrieval import TOP_K

    try:
        cases = read(file, limit)
    except AttributeError as error:  # a list where a table should be
        raise InputError(f"{file} is not a case file: {error}") from error
    if cases.unit not in TOP_K:
        raise InputError(f"{file}: unit {cases.unit!r:.40} is not known; use {' or '.join(TOP_K)}")
    questions = [question for corpus in cases.corpora for question in corpus.questions]
    if not questions:
        raise InputError(app.word("no_questions", file=file))
    if nameless := [q.query for q in questions if not q.gold]:
        raise InputError(f"{file}: {nameless[0]!r:.80} has no gold ids; say which answer it")
    return cases


def _run(app: App, cases: CaseFile, show: bool) -> Report:
    from ..evaluation.retrieval import evaluate as measure

    with tempfile.TemporaryDirectory(prefix="taishi-eval-") as folder, progress(show) as advance:
        return measure(
            cases,
            Path(folder),
            lambda corpus, done, total: advance(cases.name, done, total),
            app.settings,
        )


def times(report: Report) -> dict[str, dict[str, float]]:
    """p50 and p95 of recall, in ms, for every row of the report."""
    from ..evaluation.metrics import percentile

    spent: dict[str, list[float]] = {name: [] for name in report.rows}
    for answer in report.answers:
        for name in spent:
            excepted = name.removeprefix("all but ") if name.startswith("all but ") else None
            mine = answer.question.category == name or name == "all"
            if mine or (excepted is not None and answer.question.category != excepted):
                spent[name].append(answer.took_ms)
    return {name: {"p50": percentile(values, 0.5), "p95": percentile(values, 0.95)}
            for name, values in spent.items() if values}  # fmt: skip


def worst(report: Report, count: int) -> list[Answer]:
    """Questions whose answers came late or not at all, the worst first."""
    missed = [answer for answer in report.answers if answer.scores["R@10"] < 1]
    return sorted(missed, key=lambda answer: (answer.scores["R@20"], answer.scores["MRR"]))[:count]


def _document(report: Report, misses: int) -> dict[str, Any]:
    answers = [
        {"corpus": a.corpus, "query": a.question.query, "category": a.question.category,
         "gold": sorted(a.question.gold), "ranked": list(a.ranked[:20]), "scores": a.scores}
        for a in worst(report, misses)
    ]  # fmt: skip
    extra = {"misses": answers} if misses else {}
    return {**report.to_dict(), "recall_ms_by_category": times(report), **extra}


def _show(app: App, report: Report) -> None:
    from ..evaluation.metrics import NAMES

    spent = times(report)
    rows = [
        [name, str(report.counts[name]), *(f"{row[metric]:.3f}" for metric in NAMES),
         *(f"{spent[name][key]:.1f}" for key in ("p50", "p95"))]
        for name, row in report.rows.items()
    ]  # fmt: skip
    headings = [app.word("category"), app.word("questions"), *NAMES, "p50 ms", "p95 ms"]
    table(headings, rows, report.name, right=range(1, len(headings)))


def _show_misses(app: App, answers: Sequence[Answer]) -> None:
    rows = [
        [a.question.category, a.question.query, ", ".join(sorted(a.question.gold)[:SHOWN]),
         ", ".join(a.ranked[:SHOWN])]
        for a in answers
    ]  # fmt: skip
    headings = [app.word(key) for key in ("category", "query", "wanted", "got")]
    if rows:
        table(headings, rows, app.word("misses"))
    else:
        say(f"{app.word('misses')}: {app.word('none')}")
