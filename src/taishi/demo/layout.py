"""Layout helpers shared by several sections of the demo's output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from taishi.language.reason_texts import reason_of

from .learned_facts import Fact, Learned

Words = Mapping[str, str]
MAX_FACTS = 8
QUOTE_CHARS = 120


def two_columns(*headings: str) -> Table:
    table = Table(box=None, show_edge=False, pad_edge=False, padding=(0, 2, 1, 0), expand=True)
    for heading in headings:
        table.add_column(f"[dim]{heading}[/]", ratio=1, overflow="fold")
    return table


def unresolved_line(warnings: Iterable[str], words: Words) -> Text:
    """Why a record is not certain, each reason once."""
    reasons = dict.fromkeys(reason_of(warning, words["language"]) for warning in warnings)
    text = words["unresolved"].format(words=words["comma"].join(reasons))
    return Text(text, style="yellow")


def facts_and_page(learned: Learned, words: Words) -> RenderableType:
    table = two_columns(words["fact"], words["fact_state"])
    for fact in learned.facts[:MAX_FACTS]:
        table.add_row(Group(*_fact(fact, words)), Group(*_state(fact, words)))
    parts: list[RenderableType] = [table]
    if (more := len(learned.facts) - MAX_FACTS) > 0:
        parts.append(Text(words["more"].format(count=more), style="dim"))
    if learned.page:
        parts.append(Text(words["page_note"].format(file=learned.page.file)))
        parts.append(Panel(Text(learned.page.body), style="dim", expand=True))
    return Group(*parts)


def _fact(fact: Fact, words: Words) -> Iterator[Text]:
    yield Text(fact.text, style="green" if fact.state == "approved" else "")
    quote = fact.quote if len(fact.quote) <= QUOTE_CHARS else fact.quote[:QUOTE_CHARS] + "…"
    if quote:
        yield Text(f"“{quote}”", style="dim")
    yield Text(fact.chat or words["private"], style="dim")


def _state(fact: Fact, words: Words) -> Iterator[Text]:
    if fact.state == "superseded":
        template = words["superseded" if fact.then else "was_so"]
        yield Text(template.format(until=fact.until, then=fact.then), style="yellow")
    else:
        is_current = fact.state == "approved"
        yield Text(
            words["holds" if is_current else fact.state], style="" if is_current else "yellow"
        )
    evidence = words["evidence_1" if fact.evidence == 1 else "evidence"].format(count=fact.evidence)
    confidence = words["sure"].format(percent=round(fact.confidence * 100))
    yield Text(f"{confidence} · {evidence}", style="dim")
