"""`taishi recall` and `taishi context`: search memories, print the prompt block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Any

import click

from ..context_block.skipped_paths import empty_note, skipped_note
from ..types import Explained, Hit, Recall, Scope
from .context import KIND, TIME, CliContext, common_options, pass_app, scope_options, to_time
from .json_options import filter_option
from .output import note, say, say_json, table

DEADLINE = 5.0
DEADLINE_HELP = (
    "Seconds to wait. A command loads the model first, so it waits longer than a "
    "running engine (0.15)."
)
deadline_option = click.option(
    "--deadline",
    type=click.FloatRange(0.001, 600),
    default=DEADLINE,
    show_default=True,
    help=DEADLINE_HELP,
)
DUPLICATE_OF = "near-duplicate of "
REASONS = {
    "below floor": "drop_floor",
    "too low on every path": "drop_low",
    "beyond top_k": "drop_top_k",
}
now_option = click.option("--now", metavar=TIME, help="Ask as of this time.")


@click.command()
@click.argument("query")
@click.option("--top-k", type=click.IntRange(1, 1000), help="How many; default 5.")
@click.option("--kind", "kinds", type=KIND, multiple=True, help="Only this kind; repeatable.")
@click.option("--from", "time_from", metavar=TIME, help="Not before.")
@click.option("--to", "time_to", metavar=TIME, help="Not after.")
@click.option(
    "--floor",
    type=click.FloatRange(0, 1),
    help="Leave out records that score lower; 0: leave nothing out.",
)
@filter_option
@now_option
@deadline_option
@click.option("--ids", is_flag=True, help="Show the records' ids too.")
@click.option("--explain", is_flag=True, help="Show how records were ranked, and why.")
@common_options
@pass_app
@scope_options
def recall(
    app: CliContext,
    query: str,
    top_k: int | None,
    kinds: tuple[str, ...],
    time_from: str | None,
    time_to: str | None,
    floor: float | None,
    filters: dict[str, Any] | None,
    now: str | None,
    deadline: float,
    ids: bool,
    explain: bool,
    as_json: bool,
    scope: Scope,
) -> None:
    """Find the few memories that matter for QUERY."""
    only: dict[str, Any] = {
        "kinds": kinds or None,
        "time_from": to_time(time_from),
        "time_to": to_time(time_to),
        "filters": filters,
    }
    with app.memory() as memory:
        ask = partial(memory.recall, scope, query, now=to_time(now), deadline=deadline)
        result = ask(top_k=top_k, floor=floor, explain=explain, **only)
        min_score = memory.settings.query.min_similarity if floor is None else floor
        reason = "" if result else _why_nothing(app, result, ask, only, min_score)
    if as_json:
        say_json(
            {
                "hits": [_hit(hit) for hit in result.hits],
                "level": result.level,
                "paths": dict(result.paths),
                "skipped": result.skipped,
                "took_ms": round(result.took_ms, 3),
                "reason": reason or None,
                **(_explanation(result) if explain else {}),
            }
        )
        return
    if result:
        _show_hits(app, result.hits, ids)
    else:
        say(app.message("found_nothing", reason=reason))
    if result and result.skipped:
        say(skipped_note(result, app.language))
    took = f"{result.took_ms:.1f}"
    level = app.value("level", result.level)
    say(app.message("line", level=level, paths=_paths(app, result), took=took))
    if explain:
        _show_explanation(app, result)


def _why_nothing(
    app: CliContext,
    result: Recall,
    ask: Callable[..., Recall],
    only: dict[str, Any],
    floor: float,
) -> str:
    """Explain an empty result by asking again with fewer filters."""
    if not app.settings.memory.enabled:
        return app.message("off")
    if result.paths.get("memory") == "off":
        return app.message("off_here")
    if result.level == "empty":
        return app.message("no_answer", paths=_paths(app, result))
    if result.skipped:
        return skipped_note(result, app.language)
    if ask(top_k=1, floor=0.0, **only):
        return app.message("below_floor", floor=f"{floor:g}")
    unfiltered = ask(top_k=1, floor=0.0)
    if unfiltered.skipped:
        return skipped_note(unfiltered, app.language)
    return app.message("filtered" if unfiltered else "empty_scope")


def _paths(app: CliContext, result: Recall) -> str:
    order = ("vector", "keyword", "recency")
    names = [n for n in order if n in result.paths] + [n for n in result.paths if n not in order]
    told = (
        f"{app.value('path', name)} {app.value('path_state', result.paths[name])}" for name in names
    )
    return app.message("comma").join(told)


def _show_hits(app: CliContext, hits: Sequence[Hit], ids: bool) -> None:
    headings = ["score", "kind", "when", "who", "text", *(["id"] if ids else [])]
    rows = []
    for hit in hits:
        when = f"{hit.time:%Y-%m-%d %H:%M}" if hit.time else ""
        row = [f"{hit.score:.3f}", hit.kind, when, hit.speaker or "", hit.excerpt]
        rows.append([*row, *([hit.id] if ids else [])])
    table([app.message(name) for name in headings], rows, right=(0,), whole=(1, 2, 5))


def _hit(hit: Hit) -> dict[str, Any]:
    when = _iso(hit.time)
    return {
        "id": hit.id,
        "text": hit.text,
        "score": round(hit.score, 6),
        "kind": hit.kind,
        "time": when,
        "created": _iso(hit.created),
        "updated": _iso(hit.updated),
        "expires": _iso(hit.expires),
        "redacted": list(hit.redacted),
        "speaker": hit.speaker,
        "source": hit.source,
        "passage": hit.passage,
        "metadata": dict(hit.metadata),
    }


def _iso(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()


def _explanation(result: Recall) -> dict[str, Any]:
    intent = result.intent
    return {
        "intent": intent
        and {
            "name": intent.name,
            "by": intent.by,
            "favours": dict(intent.favours),
            "asks": list(intent.asks),
        },
        "weights": dict(result.weights),
        "explain": [
            {**asdict(candidate), "paths": dict(candidate.paths)} for candidate in result.explain
        ],
    }


def _show_explanation(app: CliContext, result: Recall) -> None:
    """One row per candidate, hits first; then the path weights, and paths that did not answer."""
    headings = [
        "score",
        "verdict",
        "found_by",
        "cosine",
        "coverage",
        "around",
        "age",
        "kind_weight",
        "trust_weight",
        "id",
        "text",
    ]
    rows = [_explained_row(app, candidate) for candidate in result.explain]
    if rows:
        table(
            [app.message(name) for name in headings],
            rows,
            app.message("explained"),
            right=(0, 3, 4, 5, 6, 7, 8),
            whole=(9,),
        )
        weights = ", ".join(f"{path} {weight:g}" for path, weight in result.weights.items())
        say(app.message("weights", weights=weights))
    if intent := result.intent:
        favours = ", ".join(f"{kind} ×{factor:g}" for kind, factor in intent.favours.items())
        told = {"name": intent.name, "by": app.message(f"intent_by_{intent.by}")}
        say(
            app.message(
                "intent", **told, favours=favours or "–", asks=", ".join(intent.asks) or "–"
            )
        )
    unanswered = [f"{path} ({state})" for path, state in result.paths.items() if state != "ok"]
    if unanswered:
        say(app.message("not_answered", paths=", ".join(unanswered)))


def _explained_row(app: CliContext, candidate: Explained) -> list[str]:
    ranks = sorted(candidate.paths.items(), key=lambda item: item[1])
    numbers = (
        candidate.cosine,
        candidate.coverage,
        candidate.around,
        candidate.age_factor,
        candidate.kind_factor,
        candidate.trust_factor,
    )
    return [
        f"{candidate.score:.3f}",
        _verdict(app, candidate.dropped),
        ", ".join(f"{path} #{rank}" for path, rank in ranks),
        *(f"{number:.2f}" for number in numbers),
        candidate.id,
        candidate.excerpt,
    ]


def _verdict(app: CliContext, dropped: str | None) -> str:
    if dropped is None:
        return app.message("verdict_kept")
    if dropped.startswith(DUPLICATE_OF):
        return app.message("drop_duplicate", id=dropped.removeprefix(DUPLICATE_OF))
    return app.message(REASONS[dropped]) if dropped in REASONS else dropped


@click.command()
@click.argument("query")
@click.option(
    "--form",
    type=click.Choice(("text", "markdown", "xml")),
    default="text",
    show_default=True,
    help="The block's form.",
)
@click.option("--max-tokens", type=click.IntRange(0), help="Budget; default 800.")
@filter_option
@now_option
@deadline_option
@common_options
@pass_app
@scope_options
def context(
    app: CliContext,
    query: str,
    form: Any,
    max_tokens: int | None,
    filters: dict[str, Any] | None,
    now: str | None,
    deadline: float,
    as_json: bool,
    scope: Scope,
) -> None:
    """Print the prompt block for QUERY, and nothing else."""
    language = None if app.lang == "auto" else app.lang
    with app.memory() as memory:
        rest = (max_tokens, form, to_time(now), deadline, language)
        brief = memory.brief(scope, query, *rest, filters=filters)
    if as_json:
        say_json({"block": brief.text, "reason": brief.reason, "skipped": brief.recall.skipped})
        return
    if brief.text:
        say(brief.text)
    elif brief.reason == "budget":
        note(empty_note(brief, app.language))
    if brief.recall.skipped:
        note(skipped_note(brief.recall, app.language))
