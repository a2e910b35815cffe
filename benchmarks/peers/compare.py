"""`python -m benchmarks peers`: everybody in turn, again and again, on one machine."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from benchmarks.measure import Results, show, table_of
from benchmarks.peers import bars, fixture, report
from benchmarks.peers.contest import OutError, Runner
from benchmarks.peers.figures import Figures, Repeats
from benchmarks.peers.fixture import GROUPS, Fixture
from benchmarks.peers.floor import Floor
from benchmarks.peers.line_up import Contender, chosen
from benchmarks.peers.venvs import NotInstalledError, python_of

SIZES = (10_000, 100_000)
QUICK_SIZES = (2_000,)
RESULTS = Path("bench-results")


@dataclass(frozen=True, slots=True)
class Amounts:
    """How much is asked. Each question is asked once, so that nobody's cache answers it."""

    repeats: int = 3
    searches: int = 200
    unfiltered: int = 50
    writes: int = 50
    warm_writes: int = 5
    turns: int = 10  # a repeat goes round this often, a few questions each time
    budget: float = 8.0  # seconds for one contender's part of one repeat

    @property
    def turn_budget(self) -> float:
        return self.budget / self.turns

    @property
    def questions(self) -> int:
        return GROUPS + self.repeats * self.searches

    @property
    def extra(self) -> int:
        """Records to be written singly, by up to two ways."""
        return 2 * self._written

    @property
    def _written(self) -> int:
        return self.warm_writes + self.repeats * self.writes

    def asked(self, way: str, repeat: int, turn: int) -> tuple[int, int]:
        count = self.unfiltered if way.startswith("unfiltered") else self.searches
        first = GROUPS + repeat * self.searches
        return self._part(first, count, turn)

    def written(self, size: int, way: int, repeat: int, turn: int) -> tuple[int, int]:
        first = size + way * self._written + self.warm_writes + repeat * self.writes
        return self._part(first, self.writes, turn)

    def warmed(self, size: int, way: int) -> tuple[int, int]:
        first = size + way * self._written
        return first, first + self.warm_writes

    def _part(self, first: int, count: int, turn: int) -> tuple[int, int]:
        return first + count * turn // self.turns, first + count * (turn + 1) // self.turns


@dataclass(slots=True)
class Field:
    """Those still in the run at one size."""

    given: Fixture
    amounts: Amounts
    told: dict[str, Figures]
    runners: list[Runner] = field(default_factory=list)

    def each(self, turn: int, work: Callable[[Runner, Figures], None]) -> None:
        """Everybody once, another one first each time; who fails is out, and the run goes on."""
        first = turn % max(1, len(self.runners))
        for runner in [*self.runners[first:], *self.runners[:first]]:
            figures = self.told[runner.contender.name]
            try:
                work(runner, figures)
            except OutError as error:
                figures.out = str(error)
                self.runners.remove(runner)
                leave(runner)


def run(
    sizes: Sequence[int] | None = None,
    only: str | None = None,
    repeats: int = 3,
    quick: bool = False,
) -> Results:
    amounts = Amounts(repeats, 50, 20, 20) if quick else Amounts(repeats)
    contenders = chosen(only)
    results: Results = {"repeats": repeats, "sizes": {}}
    pages = []
    for size in sizes or (QUICK_SIZES if quick else SIZES):
        start = time.perf_counter()
        with tempfile.TemporaryDirectory(prefix="taishi-peers-") as name:
            told = _at(size, contenders, amounts, Path(name))
        held = bars.rows(size, told)
        report.show_table(size, told)
        show(f"peers: goals at {size:,} records", held)
        pages.append(report.markdown(size, told, held))
        report.draw(RESULTS, size, told)
        results["sizes"][str(size)] = {
            "contenders": {name: figures.as_dict() for name, figures in told.items()},
            "goals": table_of(held),
            "took_seconds": round(time.perf_counter() - start),
        }
    report.write(RESULTS, pages, results)
    return results


def _at(
    size: int, contenders: Sequence[Contender], amounts: Amounts, folder: Path
) -> dict[str, Figures]:
    records = folder / "records"
    records.mkdir()
    given = fixture.make(records, size, amounts.extra, amounts.questions)
    told = {contender.name: Figures(contender.name) for contender in contenders}
    lists = Field(given, amounts, told)
    floor = Floor(size, folder)
    told[bars.FLOOR] = Figures(bars.FLOOR)
    try:
        _enter(lists, contenders, folder)
        for repeat, turn in product(range(amounts.repeats), range(amounts.turns)):
            _gather(told[bars.FLOOR].searches, bars.READ, repeat, floor.read())
            lists.each(turn, _searching(lists, repeat, turn))
        # Only then: some peers answer more slowly after many single writes.
        lists.each(0, _warming(lists))
        for repeat, turn in product(range(amounts.repeats), range(amounts.turns)):
            _gather(told[bars.FLOOR].writes, bars.SYNC, repeat, floor.sync())
            lists.each(turn, _writing(lists, repeat, turn))
    finally:
        floor.close()
        for runner in lists.runners:
            leave(runner)
    return told


def _enter(lists: Field, contenders: Sequence[Contender], folder: Path) -> None:
    """Install, start, fill and warm up, one after another."""
    for place, contender in enumerate(contenders):
        figures = lists.told[contender.name]
        if contender.largest is not None and lists.given.size > contender.largest:
            figures.out = f"left out above {contender.largest:,} records, to keep the run short"
            continue
        try:
            python_of(contender)
        except NotInstalledError as error:
            figures.out = str(error)
            continue
        runner = Runner(contender, lists.given, folder / f"{place}-{contender.driver}")
        lists.runners.append(runner)  # first, so that it is ended whatever happens
        try:
            seconds, figures.ingest = runner.build()
            figures.disk_bytes = runner.disk_bytes()
            for way in contender.ways:
                runner.search(way, 0, GROUPS, lists.amounts.budget)
        except OutError as error:
            figures.out = str(error)
            lists.runners.remove(runner)
            leave(runner)
        print(f"{contender.name}: {figures.out or f'{seconds:.1f} s to fill'}", flush=True)


def _searching(lists: Field, repeat: int, turn: int) -> Callable[[Runner, Figures], None]:
    amounts = lists.amounts

    def work(runner: Runner, figures: Figures) -> None:
        for way in runner.contender.ways:
            if _spent(figures.searches, way, repeat) > amounts.budget:
                continue
            first, last = amounts.asked(way, repeat, turn)
            answer = runner.search(way, first, last, amounts.turn_budget)
            found = answer["found"]
            _gather(figures.searches, way, repeat, answer["seconds"])
            figures.overlaps.setdefault(way, []).extend(lists.given.overlap(way, first, found))
            missing = sum(not numbers for numbers in found)
            figures.unanswered[way] = figures.unanswered.get(way, 0) + missing
            figures.cpu[way] = figures.cpu.get(way, 0.0) + answer["cpu"]

    return work


def _warming(lists: Field) -> Callable[[Runner, Figures], None]:
    def work(runner: Runner, figures: Figures) -> None:
        for at, way in enumerate(runner.contender.writes):
            runner.write(way, *lists.amounts.warmed(lists.given.size, at), lists.amounts.budget)

    return work


def _writing(lists: Field, repeat: int, turn: int) -> Callable[[Runner, Figures], None]:
    amounts = lists.amounts

    def work(runner: Runner, figures: Figures) -> None:
        for at, way in enumerate(runner.contender.writes):
            first, last = amounts.written(lists.given.size, at, repeat, turn)
            seconds = runner.write(way, first, last, amounts.turn_budget)
            _gather(figures.writes, way, repeat, seconds)

    return work


def _gather(by_way: dict[str, Repeats], way: str, repeat: int, seconds: list[float]) -> None:
    """Add a turn's times to those of its repeat."""
    repeats = by_way.setdefault(way, [])
    if len(repeats) <= repeat:
        repeats.append([])
    repeats[repeat] += seconds


def _spent(by_way: Mapping[str, Repeats], way: str, repeat: int) -> float:
    """Seconds that a contender has already used of its share of a repeat."""
    repeats = by_way.get(way, [])
    return sum(repeats[repeat]) if len(repeats) > repeat else 0.0


def leave(runner: Runner) -> None:
    """It may be gone already, or hang: what it had to say is in the figures by now."""
    try:
        runner.close()
    except OutError:
        pass
