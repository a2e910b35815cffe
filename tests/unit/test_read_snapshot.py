"""Whether what was found a moment ago still holds, told without asking the store."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import pytest

from taishi.ports import PartitionState
from taishi.recall.read_snapshot import TRUSTED_SECONDS, ReadSnapshots
from taishi.types import Partition, VisiblePartition

HOME, COMMONS = Partition("default", "group", "g"), Partition("default", "workspace")
SIGHTS = (VisiblePartition(HOME), VisiblePartition(COMMONS))


class Store:
    """As much of a store as Standings asks of it. `meanwhile` happens while it is being asked."""

    def __init__(self) -> None:
        self.seqs = {HOME: 1}
        self.outline = 0
        self.written = 0
        self.meanwhile: Callable[[], None] = lambda: None

    def change_token(self, partitions: Collection[int]) -> tuple[int, ...]:
        return (self.outline, *(self.seqs[HOME] for _ in partitions))

    def states(self, places: Sequence[Partition]) -> dict[Partition, PartitionState]:
        found = {
            place: PartitionState(1, self.seqs[place]) for place in places if place in self.seqs
        }
        self.meanwhile()
        return found

    def file_fingerprint(self) -> int:
        return self.written

    def moment(self) -> None:
        return None

    def write(self) -> None:
        self.seqs[HOME] += 1

    def link(self) -> None:
        self.outline += 1


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def asked(store: Store, clock: Clock | None = None) -> ReadSnapshots:
    standings = ReadSnapshots(store, clock or Clock())  # type: ignore[arg-type]
    standings.ask("ann", lambda: SIGHTS)
    return standings


def test_what_was_asked_is_known_until_something_changes() -> None:
    store, clock = Store(), Clock()
    standings = asked(store, clock)
    known = standings.known("ann")
    assert known is not None
    assert known.states == {HOME: PartitionState(1, 1)}
    assert standings.known("bob") is None
    store.write()
    assert standings.known("ann") is None
    assert standings.ask("ann", lambda: SIGHTS).states == {HOME: PartitionState(1, 2)}
    assert standings.known("ann") is not None
    store.link()
    assert standings.known("ann") is None
    standings.ask("ann", lambda: SIGHTS)
    clock.now += TRUSTED_SECONDS + 1
    store.written += 1
    assert standings.known("ann") is None, "others may have written past us"
    standings.clear()
    clock.now = 100.0
    assert standings.known("ann") is None


def test_what_nobody_wrote_to_holds_for_longer() -> None:
    store, clock = Store(), Clock()
    standings = asked(store, clock)
    for _ in range(3):
        clock.now += TRUSTED_SECONDS + 1
        assert standings.known("ann") is not None
    store.written += 1  # past the marks
    clock.now += TRUSTED_SECONDS - 1
    assert standings.known("ann") is not None, "a minute is left to it"
    clock.now += 2
    assert standings.known("ann") is None


def test_without_a_trace_a_minute_is_all() -> None:
    store, clock = Store(), Clock()
    store.file_fingerprint = lambda: None  # type: ignore[method-assign,assignment,return-value]
    standings = asked(store, clock)
    clock.now += TRUSTED_SECONDS + 1
    assert standings.known("ann") is None


@pytest.mark.parametrize("change", [Store.write, Store.link])
def test_what_changes_while_it_is_asked_is_not_overlooked(change: Callable[[Store], None]) -> None:
    store = Store()
    changes = iter([change])

    def once() -> None:
        for one in changes:
            one(store)

    store.meanwhile = once
    standings = asked(store)
    known = standings.known("ann")
    assert known is None or known.states == {HOME: PartitionState(1, store.seqs[HOME])}
    store.meanwhile = lambda: None
    assert standings.ask("ann", lambda: SIGHTS).states == {
        HOME: PartitionState(1, store.seqs[HOME])
    }
    assert standings.known("ann") is not None


def test_a_user_who_linked_groups_is_asked_every_time() -> None:
    standings = ReadSnapshots(Store(), Clock())  # type: ignore[arg-type]
    standings.ask("ann", lambda: (VisiblePartition(HOME, only_user="ann"),))
    assert standings.known("ann") is None


def test_without_marks_nothing_is_trusted() -> None:
    store = Store()
    store.change_token = lambda _: None  # type: ignore[method-assign,assignment,return-value]
    assert asked(store).known("ann") is None
