"""The show: what `replay` found, drawn for a terminal of 80 to 100 columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from .layout import Words, facts_and_page, two_columns
from .model_render import model_scene
from .run import Answer, Show, Told
from .story import Story
from .with_model import ModelPart

MAX_WIDTH = 100


def present(
    show: Show, model: ModelPart | None, story: Story, words: Words, kept_in: Path | None
) -> None:
    console = Console(highlight=False)
    console.width = min(console.width, MAX_WIDTH)
    console.print(Panel(Text(words["title"], justify="center", style="bold"), style="cyan"))
    turns = {"turns": len(show.told), "chats": len(story.chats)}
    console.print(words["story"].format(**turns))
    if not show.has_embedder:
        console.print(Text(words["keyword_only"].format(note=show.embedder), style="yellow"))
    scenes = {
        "told_title": _told(show, words),
        "learned_title": _learned(show, words),
        "answers_title": _answers(show, words),
        "block_title": _block(show, story, words),
        "leaks_title": _leaks(show, words),
        "redaction_title": _redaction(show, words),
    }
    if model is not None:
        scenes["model_title"] = model_scene(model, words)
    scenes["timing_title"] = _timing(show, words)
    for number, (title, scene) in enumerate(scenes.items(), 1):
        console.print()
        console.print(Rule(f"[bold]{number} · {words[title]}[/]", align="left", style="cyan"))
        console.print(scene)
    for fault in show.failures:
        console.print(Text(f"{words['failed']}: {fault}", style="bold red"))
    console.print()
    console.print(Rule(f"[bold]{words['next_title']}[/]", align="left", style="cyan"))
    console.print(words["kept"].format(folder=kept_in) if kept_in else words["gone"])
    console.print(words["next"])


def _told(show: Show, words: Words) -> RenderableType:
    table = two_columns(words["said"], words["recorded"])
    for told in show.told:
        if told.show:
            table.add_row(Group(*_said(told, words)), Group(*_recorded(told, words)))
    absolute = sum(told.is_absolute for told in show.told)
    note = words["told_note"].format(absolute=absolute, turns=len(show.told))
    return Group(table, Text(note, style="italic"))


def _said(told: Told, words: Words) -> Iterator[Text]:
    yield Text(f"{told.at[5:]} · {told.who} · {told.chat or words['private']}", style="dim")
    yield Text(told.said)


def _recorded(told: Told, words: Words) -> Iterator[Text]:
    yield Text(told.recorded, style="green" if told.is_absolute else "")
    if not told.is_absolute:
        unresolved = ", ".join(warning.rpartition(": ")[2] for warning in told.warnings)
        yield Text(words["unresolved"].format(words=unresolved), style="yellow")


def _learned(show: Show, words: Words) -> RenderableType:
    note = Text(words["learned_note"], style="italic")
    return Group(facts_and_page(show.learned, words), note)


def _answers(show: Show, words: Words) -> RenderableType:
    table = two_columns(words["ask"], words["answer"])
    for answer in show.answers:
        asked = Group(
            Text(answer.ask, style="bold"),
            Text(f"{answer.who} · {answer.chat or words['private']}", style="dim"),
        )
        how = f"{answer.level} · {answer.took_ms:.1f} ms"
        if answer.rank:
            how = f"{words['rank'].format(rank=answer.rank)} · {how}"
        table.add_row(asked, Group(_found(answer, words), Text(how, style="dim")))
    return table


def _found(answer: Answer, words: Words) -> Text:
    if not answer.answerable:
        if not answer.hit:
            return Text(words["nothing"], style="green")
        return Text(words["unasked"] + answer.hit, style="yellow")
    return Text(answer.hit, "green") if answer.rank else Text(words["missed"], "yellow")


def _block(show: Show, story: Story, words: Words) -> RenderableType:
    asked = story.block
    note = words["block_note"].format(who=asked.who, chat=asked.chat.name, ask=asked.ask)
    return Group(Text(note), Panel(Text(show.block), style="dim", expand=True))


def _leaks(show: Show, words: Words) -> RenderableType:
    leaks = show.leaks
    result = words["leaks_result"].format(tries=leaks.tries, leaked=len(leaks.leaked))
    control = words["leaks_control"].format(known=leaks.known_at_home, secrets=leaks.secrets)
    return Group(
        Text(words["leaks_note"].format(secrets=leaks.secrets)),
        Padding(Text(result, style="bold red" if leaks.leaked else "bold green"), (0, 2)),
        Padding(Text(control), (0, 2)),
    )


def _redaction(show: Show, words: Words) -> RenderableType:
    proof = show.redaction
    note = words["redaction_note"].format(
        keys=proof.keys, files=proof.files, size=proof.bytes // 1000, found=len(proof.found)
    )
    return Text(note, style="bold red" if proof.found else "")


def _timing(show: Show, words: Words) -> RenderableType:
    table = Table(box=None, show_edge=False, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column(f"[dim]{words['timing_verb']}[/]")
    for heading in (words["timing_count"], "p50", "p95"):
        table.add_column(f"[dim]{heading}[/]", justify="right")
    for name, timing in (("end_turn", show.end_turn), (words["timing_recall"], show.recall)):
        cells = (str(timing.count), f"{timing.p50_ms:.1f} ms", f"{timing.p95_ms:.1f} ms")
        table.add_row(escape(name), *cells)
    return Group(table, Text(words["timing_note"].format(seconds=show.seconds), style="italic"))
