"""The buffer of tool runs says what no search can find yet (W7)."""

from __future__ import annotations

from taishi import Scope
from taishi.domain.observations import Observation, ObservationBuffer


def buffered(count: int, size: int = 10) -> ObservationBuffer:
    buffer = ObservationBuffer(size)
    for n in range(count):
        buffer.add(Observation(Scope(user="ann"), "weather", {}, n, 0.0))
    return buffer


def test_W7_what_is_being_written_is_not_yet_there() -> None:
    buffer = buffered(3)
    taken = buffer.take(2)
    assert (len(buffer), buffer.unwritten) == (1, 3)
    buffer.written(taken)
    assert (len(buffer), buffer.unwritten) == (1, 1)


def test_W7_what_could_not_be_written_waits_again() -> None:
    buffer = buffered(3)
    buffer.put_back(buffer.take(3))
    assert (len(buffer), buffer.unwritten, buffer.dropped) == (3, 3, 0)


def test_W7_what_finds_no_room_any_more_is_dropped_and_counted() -> None:
    buffer = buffered(2, size=2)
    taken = buffer.take(2)
    buffer.add(Observation(Scope(user="ann"), "weather", {}, "new", 0.0))
    buffer.put_back(taken)
    assert (len(buffer), buffer.unwritten, buffer.dropped) == (2, 2, 1)
    assert [one.result for one in buffer.take(5)] == [1, "new"]
