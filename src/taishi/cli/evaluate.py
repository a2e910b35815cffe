"""`taishi eval FILE…`: measures recall on case files; `taishi eval qa` is beside it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError, StorageError
from .context import CliContext, Group, common_options, pass_app
from .evaluate_qa import qa
from .output import one_line, progress, say, say_json, table

if TYPE_CHECKING:
    from ..evaluation.cases import CaseFile
    from ..evaluation.report import Answer, Report

RANKED = 20
DEFAULT = "recall"


class EvaluationGroup(Group):
    """Whatever does not begin with the name of a command is one of files for `recall`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)


@click.group("eval", cls=EvaluationGroup)
def evaluation() -> None:
    """Measure recall, or answers end to end; `eval FILE…` is `eval recall FILE…`."""


@evaluation.command(DEFAULT)
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path(path_type=Path))
@click.option("--limit", type=click.IntRange(1), help="Only the first N questions.")
@click.option(
    "--baseline",
    "wished",
    metavar="NAMES",
    default="",
    help="Simple rankers to compare with: bm25,dense,rrf.",
)
@click.option(
    "--misses",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    show_default=True,
    help="Show the N worst questions.",
)
@common_options
@pass_app
def evaluate(
    app: CliContext,
    files: tuple[Path, ...],
    limit: int | None,
    wished: str,
    misses: int,
    as_json: bool,
) -> None:
    """Measure recall on case files, in a temporary data folder."""
    if not app.settings.memory.enabled:
        raise StorageError(app.message("off"))
    baselines = _baselines(wished)
    cases = [_read(app, file, limit) for file in files]
    reports = [_run(app, case_file, baselines, not as_json) for case_file in cases]
    if as_json:
        say_json({"reports": [_document(report, misses) for report in reports]})
        return
    for report in reports:
        _show(app, report)
        if misses:
            _show_misses(app, report, misses)


def _baselines(option: str) -> tuple[str, ...]:
    from ..evaluation.baselines import NAMES

    names = tuple(dict.fromkeys(name.strip() for name in option.split(",") if name.strip()))
    if unknown := [name for name in names if name not in NAMES]:
        raise InputError(f"no baseline {unknown[0]!r:.40}; use some of {','.join(NAMES)}")
    return names


def _read(app: CliContext, file: Path, limit: int | None) -> CaseFile:
    """Read every file before the first runs, so that a wrong path fails at once."""
    from ..evaluation.cases import read

    cases = read(file, limit)
    if not cases.corpora:
        raise InputError(app.message("no_questions", file=file))
    return cases


def _run(app: CliContext, cases: CaseFile, baselines: Sequence[str], show: bool) -> Report:
    from ..assembly import choose_embedder
    from ..evaluation.baselines import NEED_EMBEDDER
    from ..evaluation.retrieval import evaluate as measure

    embedder, note = choose_embedder(app.settings)
    if embedder is None and NEED_EMBEDDER.intersection(baselines):
        raise InputError(app.message("baseline_needs_embedder", note=note))
    with tempfile.TemporaryDirectory(prefix="taishi-eval-") as folder, progress(show) as advance:
        return measure(
            cases,
            Path(folder),
            lambda corpus, done, total: advance(cases.name, done, total),
            app.settings,
            embedder,
            baselines,
        )


def _document(report: Report, misses: int) -> dict[str, Any]:
    extra = {"misses": [_miss(a) for a in _worst(report, misses)]} if misses else {}
    return {**report.to_dict(), **extra}


def _worst(report: Report, count: int) -> list[Answer]:
    from ..evaluation.report import worst

    return worst(report.answers, count)


def _miss(answer: Answer) -> dict[str, Any]:
    question = answer.question
    return {
        "corpus": answer.corpus,
        "query": question.query,
        "category": question.category,
        "gold": sorted(question.gold),
        "ranked": list(answer.ranked[:RANKED]),
        "scores": answer.scores,
        "wanted": [
            {"id": id, "text": text, "rank": answer.rank_of(id)} for id, text in answer.wanted
        ],
        "top": [{"id": id, "text": text} for id, text in answer.top],
    }


def _show(app: CliContext, report: Report) -> None:
    from ..evaluation.metrics import NAMES

    rows = [row for category in report.counts for row in _rows(app, report, category)]
    system = [app.message("system")] if report.baselines else []
    lead = [app.message("category"), *system, app.message("questions")]
    headings = [*lead, *NAMES, "p50 ms", "p95 ms"]
    table(headings, rows, report.name, right=range(len(lead) - 1, len(headings)), whole=(0, 1))
    if report.context_tokens:
        mean, questions = report.context_tokens["mean"], report.context_tokens["questions"]
        say(app.message("context_tokens", mean=f"{mean:.0f}", asked=questions))
    if report.left_out:
        say(app.message("left_out", count=report.left_out))


def _rows(app: CliContext, report: Report, category: str) -> Iterator[list[str]]:
    """One row per system; with baselines, a last one: ours against the best of them."""
    from ..evaluation.metrics import NAMES
    from ..evaluation.report import OURS, difference

    ours, count = report.ours.metrics[category], str(report.counts[category])
    for system, figures in {OURS: report.ours, **report.baselines}.items():
        is_ours = system == OURS
        name = [system] if report.baselines else []
        latency = figures.recall_ms[category]
        yield [
            category if is_ours else "",
            *name,
            count if is_ours else "",
            *(f"{figures.metrics[category][metric]:.3f}" for metric in NAMES),
            *(f"{latency[key]:.1f}" for key in ("p50", "p95")),
        ]
    if report.baselines:
        gap = difference(ours, report.best_baseline(category))
        yield ["", app.message("against_best"), "", *(f"{gap[m]:+.3f}" for m in NAMES), "", ""]


def _show_misses(app: CliContext, report: Report, count: int) -> None:
    answers = _worst(report, count)
    if not answers:
        say(f"{app.message('misses')}: {app.message('none')}")
        return
    say(f"{app.message('misses')}:")
    for answer in answers:
        say(f"\n[{one_line(answer.question.category)}] {one_line(answer.question.query)}")
        for id, text in answer.wanted:
            rank = answer.rank_of(id)
            position_text = f"#{rank}" if rank else app.message("not_in", depth=report.depth)
            say(f"  {app.message('wanted')} {one_line(id)} ({position_text}): {one_line(text)}")
        for position, (id, text) in enumerate(answer.top, start=1):
            say(f"  {app.message('got')} #{position} {one_line(id)}: {one_line(text)}")


evaluation.add_command(qa)
