"""`taishi eval qa`: LoCoMo and LongMemEval end to end, with models that the user chooses."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import InputError, ModelError, SettingsError
from ..settings import Settings
from ..settings.schema import ModelSettings
from .context import CliContext, pass_app, repeat_global_option
from .evaluate_qa_output import show_estimate, show_report
from .output import note, progress, say_json

if TYPE_CHECKING:
    from ..evaluation.qa.runner import Plan

SHORTEST_TIMEOUT = 120.0  # a whole conversation is read before the first word of an answer
MODELS = ("eval_answer", "eval_judge")
Tier = TypeVar("Tier", bound=ModelSettings)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--model-url", metavar="URL", help="OpenAI-compatible address.")
@click.option("--model", metavar="NAME", help="The model's name there.")
@click.option(
    "--historian",
    type=click.Choice(["model", "rules"]),
    default="model",
    show_default=True,
    help="Who writes the turns down.",
)
@click.option(
    "--baseline",
    "wished",
    metavar="NAMES",
    default="full-context,rag",
    show_default=True,
    help="To run beside it; empty for none.",
)
@click.option("--limit", type=click.IntRange(1), help="Only the first N questions.")
@click.option(
    "--only-category",
    "categories",
    metavar="NAME",
    multiple=True,
    help="Only questions of this category; repeatable.",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(50),
    help="Budget of our block; query.max_context_tokens if not given.",
)
@click.option(
    "--top-k",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="Chunks of the plain RAG.",
)
@click.option(
    "--window",
    type=click.IntRange(1000),
    default=100_000,
    show_default=True,
    help="Tokens of the full context; older turns are cut.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 64),
    default=4,
    show_default=True,
    help="Conversations and questions at the same time.",
)
@click.option(
    "--patience",
    type=click.FloatRange(0),
    default=300.0,
    show_default=True,
    help="Seconds to wait for a model that is down or busy.",
)
@click.option(
    "--state",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Where the run is kept; FILE's name with .qa if not given.",
)
@click.option(
    "--json",
    "json_file",
    metavar="FILE",
    help="Write every question, answer and verdict; - for stdout.",
)
@click.option("--dry-run", is_flag=True, help="Only say what it would cost.")
@repeat_global_option("lang")
@repeat_global_option("config")
@repeat_global_option("data")
@pass_app
def qa(
    app: CliContext, /, file: Path, state: Path | None, json_file: str | None, **given: Any
) -> None:
    """Answer and judge the questions of LoCoMo or LongMemEval, resumable."""
    settings = _settings(app, given)
    plan = _plan(app, settings, file, given)
    folder = state or Path(f"{file.stem}.qa")
    with_model = given["historian"] == "model"
    if given["dry_run"]:
        _estimate(app, plan, settings, folder, with_model, json_file)
        return
    _check_models(app, settings)
    _run(app, plan, settings, folder, with_model, json_file)


def _settings(app: CliContext, given: dict[str, Any]) -> Settings:
    """The options stand for the general model; a task with a model of its own keeps it."""
    overrides = {
        "models.chat.api_url": given["model_url"],
        "models.chat.model_name": given["model"],
    }
    settings = app.load(**{name: value for name, value in overrides.items() if value})
    chat, concurrency = settings.models.chat, given["concurrency"]
    own = {task: getattr(chat, task) for task in MODELS if getattr(chat, task) is not None}
    patient = {task: _patient(model, concurrency) for task, model in own.items()}
    chat = replace(_patient(chat, concurrency), **patient)
    return replace(settings, models=replace(settings.models, chat=chat))


def _patient(model: Tier, concurrency: int) -> Tier:
    seconds = max(model.timeout_seconds, SHORTEST_TIMEOUT)
    return replace(model, timeout_seconds=seconds, concurrency=concurrency)


def _check_models(app: CliContext, settings: Settings) -> None:
    chat = settings.models.chat
    if not all(chat.for_task(task).api_url and chat.for_task(task).model_name for task in MODELS):
        raise SettingsError(app.message("qa_no_model"))


def _plan(app: CliContext, settings: Settings, file: Path, given: dict[str, Any]) -> Plan:
    from ..evaluation.qa.contexts import OURS, Limits
    from ..evaluation.qa.questions import select
    from ..evaluation.qa.runner import Plan

    judged_only = not given["dry_run"]
    selection = select(file, given["limit"], given["categories"], judged_only=judged_only)
    if not selection.corpora:
        raise InputError(app.message("qa_no_questions", file=file))
    max_tokens = given["max_tokens"] or settings.query.max_context_tokens
    limits = Limits(max_tokens, given["window"], given["top_k"])
    systems = (OURS, *_baselines(given["wished"]))
    return Plan(selection, systems, limits, given["concurrency"], given["patience"])


def _baselines(option: str) -> tuple[str, ...]:
    from ..evaluation.qa.contexts import BASELINES

    names = tuple(dict.fromkeys(name.strip() for name in option.split(",") if name.strip()))
    if unknown := [name for name in names if name not in BASELINES]:
        raise InputError(f"no baseline {unknown[0]!r:.40}; use some of {','.join(BASELINES)}")
    return names


def _measured(plan: Plan, settings: Settings, with_model: bool, embedder: str) -> dict[str, Any]:
    """What a figure depends on. A folder holds one of it."""
    from .. import __version__
    from ..evaluation.qa.prompt_files import EvaluationPrompts

    chat = settings.models.chat
    names = {task: chat.for_task(task).model_name for task in (*MODELS, "rewrite")}
    return {
        "version": __version__,
        "file": plan.selection.sha256,
        "historian": names["rewrite"]
        if with_model and chat.for_task("rewrite").api_url
        else "rules",
        "answerer": names["eval_answer"],
        "judge": names["eval_judge"],
        "embedder": embedder,
        "prompts": EvaluationPrompts.load().hashes,
        "query": asdict(settings.query),
        "max_tokens": plan.limits.max_tokens,
        "window": plan.limits.window,
        "top_k": plan.limits.top_k,
    }


def _estimate(
    app: CliContext,
    plan: Plan,
    settings: Settings,
    folder: Path,
    with_model: bool,
    json_file: str | None,
) -> None:
    from ..evaluation.qa.estimate import Estimate
    from ..evaluation.qa.prompt_files import EvaluationPrompts
    from ..evaluation.qa.run_log import RunLog

    estimate = Estimate(plan, RunLog.peek(folder), EvaluationPrompts.load(), with_model)
    document = show_estimate(app, plan, estimate, settings, with_model, quiet=json_file == "-")
    _write(json_file, document)


def _run(
    app: CliContext,
    plan: Plan,
    settings: Settings,
    folder: Path,
    with_model: bool,
    json_file: str | None,
) -> None:
    from ..assembly import choose_embedder, evaluation_chat
    from ..evaluation.qa.contexts import RAG
    from ..evaluation.qa.prompt_files import EvaluationPrompts
    from ..evaluation.qa.report import document
    from ..evaluation.qa.run_log import RunLog
    from ..evaluation.qa.runner import Run, SharedEmbedder, memory_settings

    calls = _Calls()
    found, words = choose_embedder(settings, calls)
    embedder = SharedEmbedder(found) if found else None
    if embedder is None and RAG in plan.systems:
        raise InputError(app.message("qa_needs_embedder", note=words))
    measured = _measured(plan, settings, with_model, embedder.name if embedder else "none")
    with RunLog.opened(folder, measured) as log, closing(evaluation_chat(settings, log)) as model:
        calls.log = log
        own = memory_settings(settings, with_model)
        with progress(json_file != "-") as advance:
            run = Run(plan, log, own, model, EvaluationPrompts.load(), embedder)
            run.progress = lambda done, total: advance(app.message("qa_progress"), done, total)
            try:
                run.run()
            except ModelError as error:
                raise type(error)(_stopped(app, plan, log, folder, error)) from error
            finally:
                if embedder is not None:
                    embedder.close_for_all()
        result = document(plan, log, measured)
    if json_file != "-":
        show_report(app, result, folder, plan.limits.window)
    if run.failed:
        last = next(reversed(run.failed.values()))
        note(app.message("qa_note_refused", count=len(run.failed), error=last))
    _write(json_file, result)


def _stopped(app: CliContext, plan: Plan, log: Any, folder: Path, error: ModelError) -> str:
    keys = [(one.id, system) for _, one in plan.selection.questions for system in plan.systems]
    done = sum(key in log.verdicts for key in keys)
    return app.message("qa_stopped", error=error, done=done, total=len(keys), state=folder)


class _Calls:
    """Implements ports.Ledger: the embedder is chosen before the folder of the run is opened."""

    log: Any = None

    def add(self, call: Any) -> None:
        if self.log is not None:
            self.log.add(call)


def _write(json_file: str | None, document: dict[str, Any]) -> None:
    if json_file == "-":
        say_json(document)
    elif json_file:
        text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
        Path(json_file).write_text(text, encoding="utf-8")
