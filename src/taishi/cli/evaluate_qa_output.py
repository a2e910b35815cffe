"""What `taishi eval qa` prints: the estimate of a dry run, and the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..settings import Settings
from .context import CliContext
from .output import say, table

if TYPE_CHECKING:
    from ..evaluation.qa.estimate import Estimate, Expected
    from ..evaluation.qa.runner import Plan

# The settings' task that names the model of a role.
TASKS = {"historian": "rewrite", "answerer": "eval_answer", "judge": "eval_judge"}


def show_estimate(
    app: CliContext,
    plan: Plan,
    estimate: Estimate,
    settings: Settings,
    with_model: bool,
    quiet: bool,
) -> dict[str, Any]:
    """Prints it unless `quiet`, and returns it as a document."""
    roles = estimate.by_role()
    cut, costs = estimate.cut_questions(), _costs(settings, roles)
    plan_words = {
        "questions": len(plan.selection.questions),
        "conversations": len(plan.selection.corpora),
        "turns": estimate.turns,
        "systems": ", ".join(plan.systems),
        "historian": "model" if with_model else "rules",
    }
    if not quiet:
        say(app.message("qa_plan", **plan_words))
        _show_roles(app, roles, costs)
        for line in _estimate_notes(app, plan, cut, costs):
            say(line)
    return {
        **plan_words,
        "cut": cut,
        "without_answer": plan.selection.without_answer,
        "roles": {
            role: {
                "calls": one.calls,
                "prompt_tokens": one.prompt_tokens,
                "completion_tokens": one.completion_tokens,
                "cost": costs.get(role, 0.0),
            }
            for role, one in roles.items()
        },
    }


def show_report(app: CliContext, report: Mapping[str, Any], folder: Path, window: int) -> None:
    rows = list(_report_rows(report["systems"]))
    names = ("qa_accuracy", "qa_interval", "qa_unparsable")
    headings = [app.message(key) for key in ("category", "system", "questions", *names)]
    headings += ["F1", *(app.message(key) for key in ("qa_exact", "qa_context", "qa_tokens"))]
    headings.append(app.message("qa_recall_ms"))
    numbers = range(2, len(headings))
    table(headings, rows, str(report["name"]), right=numbers, whole=(0, 1))
    _show_usage(app, report["usage"])
    for line in _report_notes(app, report, folder, window):
        say(line)


def _report_rows(systems: Mapping[str, Any]) -> Iterator[list[str]]:
    first = next(iter(systems.values()))
    for category in first:
        for position, (system, by_category) in enumerate(systems.items()):
            own = by_category[category]
            yield [category if not position else "", system, *_figures(own)]


def _figures(own: Mapping[str, Any]) -> list[str]:
    interval, latency = own["interval_95"], own["recall_ms"]
    return [
        str(own["questions"]),
        _percent(own["accuracy"]),
        f"{interval[0] * 100:.1f}–{interval[1] * 100:.1f}" if interval else "",
        str(own["unparsable"]),
        _percent(own["f1"]),
        _percent(own["exact"]),
        _whole(own["context_tokens"]),
        _whole(own["answer_tokens"]),
        f"{latency['p50']:.1f} / {latency['p95']:.1f}" if latency else "",
    ]


def _report_notes(
    app: CliContext, report: Mapping[str, Any], folder: Path, window: int
) -> Iterator[str]:
    if cut := report["systems"].get("full-context", {}).get("all", {}).get("cut"):
        yield app.message("qa_note_cut", count=cut, window=f"{window:,}")
    if report["failed_turns"]:
        failed, turns = report["failed_turns"], report["turns"]
        yield app.message("qa_note_failed_turns", count=failed, turns=turns)
    if report["left_out"]:
        yield app.message("qa_note_left_out", count=report["left_out"])
    yield app.message("qa_note_kept", state=folder)


def _show_usage(app: CliContext, usage: Mapping[str, Mapping[str, float]]) -> None:
    keys = ("qa_role", "qa_calls", "qa_failed_calls", "qa_sent", "qa_received", "qa_seconds")
    headings = [app.message(key) for key in (*keys, "qa_cost")]
    rows = [
        [
            role,
            *(f"{own[name]:,.0f}" for name in ("calls", "failed")),
            *(f"{own[name]:,.0f}" for name in ("prompt_tokens", "completion_tokens", "seconds")),
            f"{own['cost']:.4f}",
        ]
        for role, own in usage.items()
    ]
    table(headings, rows, right=range(1, len(headings)), whole=(0,))


def _show_roles(app: CliContext, roles: Mapping[str, Expected], costs: Mapping[str, float]) -> None:
    from ..evaluation.qa.estimate import total

    keys = ("qa_role", "qa_calls", "qa_sent", "qa_received", *(("qa_cost",) if costs else ()))
    everything = {**roles, app.message("qa_total"): total(roles)}
    spent = {**costs, app.message("qa_total"): sum(costs.values())}
    rows = [
        [
            role,
            *(f"{n:,}" for n in (one.calls, one.prompt_tokens, one.completion_tokens)),
            *([f"{spent.get(role, 0.0):.2f}"] if costs else []),
        ]
        for role, one in everything.items()
    ]
    headings = [app.message(key) for key in keys]
    table(headings, rows, right=range(1, len(headings)), whole=(0,))


def _costs(settings: Settings, roles: Mapping[str, Expected]) -> dict[str, float]:
    """By role, where a price is set; empty where none is."""
    chat, embedding = settings.models.chat, settings.models.embedding
    costs = {"embedding": roles["embedding"].cost(embedding.price_in, 0.0)}
    for role, task in TASKS.items():
        model = chat.for_task(task)
        costs[role] = roles[role].cost(model.price_in, model.price_out)
    return costs if any(costs.values()) else {}


def _estimate_notes(
    app: CliContext, plan: Plan, cut: int, costs: Mapping[str, float]
) -> Iterator[str]:
    if cut:
        yield app.message("qa_plan_cut", count=cut, window=f"{plan.limits.window:,}")
    if plan.selection.without_answer:
        yield app.message("qa_note_left_out", count=plan.selection.without_answer)
    yield app.message("qa_plan_note")
    if not costs:
        yield app.message("qa_no_price")


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share * 100:.1f}"


def _whole(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"
