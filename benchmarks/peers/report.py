"""A run told four ways: a table on the screen, Markdown, JSON, and a picture."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.measure import Results, Row, Spread
from benchmarks.peers import bars
from benchmarks.peers.chart import Bar, chart
from benchmarks.peers.figures import Figures

COLUMNS = (
    "",
    "search p50 / p95",
    "its CPU",
    "overlap@10",
    "write p50 / p95",
    "filled at",
    "on disk",
)
ONE = "one"
FEW = 100  # a figure of fewer answers says how many
# How a way of searching or writing is called in the first column.
SEARCHES = {
    "filtered": "",
    "vectors": ", vector path alone",
    "unfiltered": ", no filter",
    "unfiltered vectors": ", vector path alone, no filter",
    bars.READ: ": one read of the int8 bytes",
}
WRITES = {"one, vector too": ": a write, vector too", bars.SYNC: ": 8 KiB appended, one fsync"}
VERDICTS = {None: "", True: "met", False: "**missed**"}


def lines(told: Mapping[str, Figures]) -> Iterator[tuple[str, ...]]:
    for name, figures in told.items():
        if figures.out:
            yield (name, f"out: {figures.out}", "", "", "", "", "")
        for way, suffix in SEARCHES.items():
            if way not in figures.searches:
                continue
            # What belongs to the contender as a whole stands in its first line.
            whole = way == next(iter(figures.searches)) and name != bars.FLOOR
            yield (
                name + suffix,
                _both(figures.spread(way)) + _asides(figures, way),
                _cpu(figures.cpu_ms(way)),
                _share(figures.exactness(way)),
                _both(figures.write_spread(ONE)) if whole else "",
                f"{figures.ingest:,.0f}/s" if whole and figures.ingest else "",
                f"{figures.disk_bytes / 1e6:,.0f} MB" if whole and figures.disk_bytes else "",
            )
        for way, suffix in WRITES.items():
            if way in figures.writes:
                yield (name + suffix, "", "", "", _both(figures.write_spread(way)), "", "")


def _both(spread: Spread | None) -> str:
    return f"{_ms(spread.p50)} / {_ms(spread.p95)} ms" if spread else "–"


def _ms(value: float) -> str:
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}" if value < 100 else f"{value:.0f}"


def _asides(figures: Figures, way: str) -> str:
    """What the reader must know of a figure: how few answers, how many without an answer."""
    spread = figures.spread(way)
    asides = []
    if spread and spread.count < FEW:
        asides.append(f"{spread.count} asked")
    if missing := figures.unanswered.get(way):
        asides.append(f"{missing} unanswered")
    return f" ({', '.join(asides)})" if asides else ""


def _cpu(value: float | None) -> str:
    return "" if value is None else f"{_ms(value)} ms"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def show_table(size: int, told: Mapping[str, Figures]) -> None:
    table = Table(title=f"peers: {size:,} records", title_justify="left")
    for number, column in enumerate(COLUMNS):
        table.add_column(column, justify="right" if number else "left")
    for line in lines(told):
        table.add_row(*line)
    Console(width=160).print(table)


def markdown(size: int, told: Mapping[str, Figures], held: Sequence[Row]) -> str:
    head = ["what", *COLUMNS[1:]]
    out = [f"### {size:,} records", "", _row(head), "|---|" + "---:|" * (len(head) - 1)]
    out += [_row(line) for line in lines(told)]
    out += ["", _row(["ratio", "median (least – most)", "goal", ""]), "|---|---:|---:|---|"]
    out += [_row([row.what, row.measured, row.bar, VERDICTS[row.met]]) for row in held]
    return "\n".join(out) + "\n"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def draw(folder: Path, size: int, told: Mapping[str, Figures]) -> None:
    """Medians as bars, on a scale of powers of ten."""
    searches = [
        Bar(name + SEARCHES[way], spread.p50, spread.p95)
        for name, figures in told.items()
        for way in ("filtered", "vectors")
        if (spread := figures.spread(way))
    ]
    writes = [
        Bar(name, spread.p50, spread.p95)
        for name, figures in told.items()
        if (spread := figures.write_spread())
    ]
    folder.mkdir(exist_ok=True)
    for what, found in (("search", searches), ("write", writes)):
        title = f"One {what} among {size:,} records, ms: p50, and a line to p95"
        (folder / f"peers-{what}-{size}.svg").write_text(chart(title, found), encoding="utf-8")


def write(folder: Path, pages: Sequence[str], results: Results) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "peers.md").write_text("\n".join(pages), encoding="utf-8")
    text = json.dumps(results, ensure_ascii=False, indent=2)
    (folder / "peers.json").write_text(text + "\n", encoding="utf-8")
    print(f"written: {folder}/peers.md, peers.json and peers-*.svg")
