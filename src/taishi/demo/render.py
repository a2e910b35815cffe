"""Renders the demo's result for a terminal of 80 to 100 columns."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from .layout import Words, facts_and_page, two_columns, unresolved_line
from .model_render import model_section
from .run import Answer, DemoResult, RecordedTurn
from .story import Story
from .with_model import ModelPart

MAX_WIDTH = 100


def present(
    result: DemoResult, model: ModelPart | None, story: Story, words: Words, folder: Path | None
) -> None:
    console = Console(highlight=False)
    console.width = min(console.width, MAX_WIDTH)
    console.print(Panel(Text(words["title"], justify="center", style="bold"), style="cyan"))
    turns = {"turns": len(result.told), "chats": len(story.chats)}
    console.print(words["story"].format(**turns))
    if not result.has_embedder:
        console.print(Text(words["keyword_only"].format(note=result.embedder), style="yellow"))
    sections = {
        "told_title": _turns_section(result, words),
        "learned_title": _facts_section(result, words),
        "answers_title": _answers_section(result, words),
        "block_title": _block_section(result, story, words),
        "leaks_title": _leaks_section(result, words),
        "redaction_title": _redaction_section(result, words),
        "documents_title": _documents_section(result, words),
        "shared_title": _shared_section(result, words),
        "procedures_title": _procedures_section(result, words),
        "session_title": _session_section(result, words),
    }
    if model is not None:
        sections["model_title"] = model_section(model, words)
    sections["timing_title"] = _timing_section(result, words)
    for number, (title, section) in enumerate(sections.items(), 1):
        console.print()
        console.print(Rule(f"[bold]{number} · {words[title]}[/]", align="left", style="cyan"))
        console.print(section)
    for failure in result.failures:
        console.print(Text(f"{words['failed']}: {failure}", style="bold red"))
    console.print()
    console.print(Rule(f"[bold]{words['next_title']}[/]", align="left", style="cyan"))
    console.print(words["next"])
    console.print()
    where = {"folder": folder, "command": command_name()}
    if folder:  # on one line, so that it can be copied
        console.print(words["kept"].format(**where), soft_wrap=True)
    else:
        console.print(words["gone"])


def command_name() -> str:
    """The command as it was called, so that the line can be copied."""
    called = sys.argv[0] if sys.argv else ""
    return called if Path(called).name == "taishi" else "taishi"


def _turns_section(result: DemoResult, words: Words) -> RenderableType:
    table = two_columns(words["said"], words["recorded"])
    for turn in result.told:
        if turn.show:
            table.add_row(Group(*_original(turn, words)), Group(*_recorded(turn, words)))
    absolute = sum(turn.is_absolute for turn in result.told)
    note = words["told_note"].format(absolute=absolute, turns=len(result.told))
    return Group(table, Text(note, style="italic"))


def _original(turn: RecordedTurn, words: Words) -> Iterator[Text]:
    yield Text(f"{turn.at[5:]} · {turn.who} · {turn.chat or words['private']}", style="dim")
    yield Text(turn.said)


def _recorded(turn: RecordedTurn, words: Words) -> Iterator[Text]:
    yield Text(turn.recorded, style="green" if turn.is_absolute else "")
    if not turn.is_absolute:
        yield unresolved_line(turn.warnings, words)


def _facts_section(result: DemoResult, words: Words) -> RenderableType:
    note = Text(words["learned_note"], style="italic")
    return Group(facts_and_page(result.learned, words), note)


def _answers_section(result: DemoResult, words: Words) -> RenderableType:
    table = two_columns(words["ask"], words["answer"])
    for answer in result.answers:
        question = Group(
            Text(answer.ask, style="bold"),
            Text(f"{answer.who} · {answer.chat or words['private']}", style="dim"),
        )
        details = f"{words[f'level_{answer.level}']} · {answer.took_ms:.1f} ms"
        if answer.rank:
            details = f"{words['rank'].format(rank=answer.rank)} · {details}"
        table.add_row(question, Group(_hit_text(answer, words), Text(details, style="dim")))
    return table


def _hit_text(answer: Answer, words: Words) -> Text:
    if not answer.answerable:
        if not answer.hit:
            return Text(words["nothing"], style="green")
        return Text(words["unasked"] + answer.hit, style="yellow")
    return Text(answer.hit, "green") if answer.rank else Text(words["missed"], "yellow")


def _block_section(result: DemoResult, story: Story, words: Words) -> RenderableType:
    question = story.block
    note = words["block_note"].format(who=question.who, chat=question.chat.name, ask=question.ask)
    return Group(Text(note), Panel(Text(result.block), style="dim", expand=True))


def _session_section(result: DemoResult, words: Words) -> RenderableType:
    part = result.session
    note = words["session_note"].format(
        appended=part.appended,
        sent=part.sent,
        tokens=part.tokens,
        budget=part.budget,
        level=words[f"level_{part.level}"],
        summarised=part.summarised,
        shortened=part.shortened,
    )
    summary = Panel(Text(part.summary), style="dim", expand=True)
    task = Panel(Text(part.task), style="dim", expand=True)
    return Group(Text(note), summary, Text(words["session_task"]), task)


def _leaks_section(result: DemoResult, words: Words) -> RenderableType:
    leaks = result.leaks
    summary = words["leaks_result"].format(tries=leaks.tries, leaked=len(leaks.leaked))
    control = words["leaks_control"].format(known=leaks.known_at_home, secrets=leaks.secrets)
    return Group(
        Text(words["leaks_note"].format(secrets=leaks.secrets)),
        Padding(Text(summary, style="bold red" if leaks.leaked else "bold green"), (0, 2)),
        Padding(Text(control), (0, 2)),
    )


def _redaction_section(result: DemoResult, words: Words) -> RenderableType:
    proof = result.redaction
    note = words["redaction_note"].format(
        keys=proof.keys, files=proof.files, size=proof.bytes // 1000, found=len(proof.found)
    )
    return Text(note, style="bold red" if proof.found else "")


def _documents_section(result: DemoResult, words: Words) -> RenderableType:
    part = result.documents
    table = two_columns(words["ask"], words["answer"])
    for answer in part.answers:
        passage = Text(answer.passage, style="green" if answer.found else "yellow")
        table.add_row(Text(answer.ask, style="bold"), Group(passage, Text(answer.citation, "dim")))
    note = words["documents_note"].format(documents=part.documents, chunks=part.chunks)
    return Group(Text(note), table)


def _shared_section(result: DemoResult, words: Words) -> RenderableType:
    show = result.shared
    older, newer = show.conflict
    return Group(
        Text(words["shared_proposed"].format(text=older, count=len(show.before))),
        Text(words["shared_approved"].format(text="; ".join(show.after)), style="green"),
        Text(words["shared_conflict"].format(older=older, newer=newer)),
        Text(words["shared_settled"].format(text="; ".join(show.settled)), style="green"),
        *(Padding(Text(_act(words, *act), style="dim"), (0, 2)) for act in show.audit),
    )


def _act(words: Words, did: str, by: str, reason: str) -> str:
    return f"{words[f'did_{did}']} · {words.get(f'by_{by}', by)} · {reason}".rstrip(" ·")


def _procedures_section(result: DemoResult, words: Words) -> RenderableType:
    show = result.shared
    return Group(
        Text(words["procedures_first"].format(name=show.first_way)),
        Text(words["procedures_sunk"].format(name=show.way_after_failures), style="green"),
        Text(words["procedures_shared"].format(steps=" → ".join(show.steps)), style="green"),
    )


def _timing_section(result: DemoResult, words: Words) -> RenderableType:
    table = Table(box=None, show_edge=False, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column(f"[dim]{words['timing_verb']}[/]")
    for heading in (words["timing_count"], "p50", "p95"):
        table.add_column(f"[dim]{heading}[/]", justify="right")
    for name, timing in (("end_turn", result.end_turn), (words["timing_recall"], result.recall)):
        cells = (str(timing.count), f"{timing.p50_ms:.1f} ms", f"{timing.p95_ms:.1f} ms")
        table.add_row(escape(name), *cells)
    return Group(table, Text(words["timing_note"].format(seconds=result.seconds), style="italic"))
