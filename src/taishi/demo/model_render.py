"""Renders the demo's section about a model: its records beside the rules', its facts, its cost."""

from __future__ import annotations

from dataclasses import asdict

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from .layout import Words, facts_and_page, two_columns, unresolved_line
from .run import RecordedTurn
from .with_model import MAX_SECONDS, Cost, ModelComparison, ModelPart

MAX_TURNS = 6


def model_section(part: ModelPart, words: Words) -> RenderableType:
    late = words["model_late"].format(seconds=round(MAX_SECONDS))
    trouble = part.trouble.rstrip(". ") or late
    if not part.told:
        line = words["model_down"].format(model=part.model, host=part.host, trouble=trouble)
        return Text(line, style="yellow")
    note = words["model_note"].format(model=part.model, host=part.host, turns=part.turns)
    parts: list[RenderableType] = [Text(note)]
    if len(part.told) < part.turns:
        counts = {"done": len(part.told), "turns": part.turns}
        partly = words["model_partly"].format(**counts, trouble=trouble)
        parts.append(Text(partly, style="yellow"))
    gate = words["gate_note"].format(**asdict(part.gate))
    parts += [_comparison(part, words), Text(gate), Text(), facts_and_page(part.learned, words)]
    return Group(*parts, _ledger(part, words))


def _comparison(part: ModelPart, words: Words) -> RenderableType:
    """Turns that the rules left unresolved come first: there a model adds most."""
    table = two_columns(words["by_rules"], words["by_model"])
    for turn in sorted(part.told, key=_interest)[:MAX_TURNS]:
        is_same = turn.by_rules.recorded == turn.by_model.recorded
        model = Text(words["same_text"], "dim") if is_same else _recorded(turn.by_model, words)
        original = Text(f"{turn.by_rules.who}: “{turn.by_rules.said}”", style="dim")
        table.add_row(Group(original, _recorded(turn.by_rules, words)), model)
    return table


def _interest(turn: ModelComparison) -> tuple[bool, bool]:
    return turn.by_rules.is_absolute, turn.by_rules.recorded == turn.by_model.recorded


def _recorded(turn: RecordedTurn, words: Words) -> RenderableType:
    if turn.is_absolute:
        return Text(turn.recorded, style="green")
    return Group(Text(turn.recorded), unresolved_line(turn.warnings, words))


def _ledger(part: ModelPart, words: Words) -> RenderableType:
    table = Table(box=None, show_edge=False, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column(f"[dim]{words['ledger_task']}[/]")
    for name in ("calls", "failed", "in", "out", "seconds", "cost"):
        table.add_column(f"[dim]{words[f'ledger_{name}']}[/]", justify="right")
    for cost in part.costs:
        table.add_row(cost.task, *_cells(cost))
    table.add_row(words["ledger_sum"], *_cells(_sum(part)), style="bold")
    priced = any(cost.cost for cost in part.costs)
    return table if priced else Group(table, Text(words["no_price"], style="italic"))


def _cells(cost: Cost) -> tuple[str, ...]:
    money = f"{cost.cost:.4f}" if cost.cost else "–"
    return (
        str(cost.calls),
        str(cost.failed),
        f"{cost.tokens_in:,}",
        f"{cost.tokens_out:,}",
        f"{cost.seconds:.1f}",
        money,
    )


def _sum(part: ModelPart) -> Cost:
    return Cost(
        task="",
        calls=sum(cost.calls for cost in part.costs),
        failed=sum(cost.failed for cost in part.costs),
        tokens_in=sum(cost.tokens_in for cost in part.costs),
        tokens_out=sum(cost.tokens_out for cost in part.costs),
        seconds=sum(cost.seconds for cost in part.costs),
        cost=sum(cost.cost for cost in part.costs),
    )
