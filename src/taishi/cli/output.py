"""CLI output: tables and text for people, one JSON document for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from ..language.escape_controls import json_visible, visible
from ..language.text import one_line as collapsed

if TYPE_CHECKING:
    from rich.console import Console

PIPE_WIDTH = 100_000  # no truncation or wrapping when piped
MAX_CELL = 240
MIN_FOLDED = 20
GAP = 3

Advance = Callable[[str, int, int], None]


def safe(text: str) -> str:
    """Text that is safe to print: terminal escapes and direction marks are shown as codes."""
    return visible(text.replace("\r", "\\r"))


def one_line(text: str, longest: int = MAX_CELL) -> str:
    """Text for a table cell: one line, truncated."""
    flat = collapsed(safe(text[: longest * 4]))
    return flat if len(flat) <= longest else flat[:longest] + "…"


def say(text: str) -> None:
    click.echo(safe(text))


def note(text: str) -> None:
    """Print to stderr, so that stdout holds only the result."""
    click.echo(safe(text), err=True)


def say_json(document: Any) -> None:
    ascii_only = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") != "utf8"
    click.echo(json_visible(json.dumps(document, ensure_ascii=ascii_only, indent=2, default=str)))


def table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    title: str = "",
    right: Sequence[int] = (),
    whole: Sequence[int] = (),
    longest: int = MAX_CELL,
) -> None:
    """Print a table. `right` columns are numbers; neither they nor `whole` ones (ids) are wrapped,
    even if the table then is wider than the terminal. A cell has at most `longest` characters.
    """
    from rich.box import SIMPLE_HEAD
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    rich_table = Table(
        box=SIMPLE_HEAD,
        title=Text(title) if title else None,
        title_justify="left",
        title_style="bold",
        pad_edge=False,
        show_edge=False,
    )
    cells = [[one_line(cell, longest) for cell in row] for row in rows]
    total_width = 0
    for number, heading in enumerate(headings):
        longest = max(cell_len(row[number]) for row in [list(headings), *cells])
        no_wrap = number in right or number in whole
        min_width = longest if no_wrap else min(longest, MIN_FOLDED)
        rich_table.add_column(
            Text(heading),
            justify="right" if number in right else "left",
            min_width=min_width,
            no_wrap=no_wrap,
            overflow="fold",
        )
        total_width += min_width + GAP
    for row in cells:
        rich_table.add_row(*map(Text, row))
    _console(total_width).print(rich_table)


def pairs(title: str, values: Mapping[str, object]) -> None:
    """A table of names and values."""
    table((title, ""), [(name, str(value)) for name, value in values.items()], whole=(0,))


def _console(min_width: int) -> Console:
    from rich.console import Console

    console = Console(highlight=False)
    width = max(console.width, min_width) if console.is_terminal else PIPE_WIDTH
    return Console(highlight=False, width=width)


@contextmanager
def progress(show: bool) -> Iterator[Advance]:
    """A progress bar on stderr; silent if stderr is not a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
    )
    hidden = not (show and console.is_terminal)
    with Progress(*columns, console=console, disable=hidden, transient=True) as bar:
        tasks: dict[str, Any] = {}

        def advance(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(one_line(stage))
            bar.update(tasks[stage], completed=done, total=total)

        yield advance
